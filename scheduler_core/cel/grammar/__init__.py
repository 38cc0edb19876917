"""The grammar of CEL, and what ANTLR makes of it (`scripts/cel_grammar.sh`)."""
