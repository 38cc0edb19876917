// The bundle's types are not checked; the builder treats it as any.
export const parseAllDocuments: any, parseDocument: any, Document: any, isMap: any, isSeq: any, isScalar: any, isPair: any;
