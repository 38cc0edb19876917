"""The grammar of CEL, and the code that ANTLR generates from it (`scripts/cel_grammar.sh`)."""
