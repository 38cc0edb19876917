// What the builder takes from yaml: documents that keep comments and layout; see ../build_vendor.sh.
export { parseAllDocuments, parseDocument, Document, isMap, isSeq, isScalar, isPair } from "yaml";
