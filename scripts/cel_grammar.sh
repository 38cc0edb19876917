#!/bin/sh
# Makes scheduler_core/cel/grammar/*.py anew from Cel.g4. Needs node; its antlr-ng is fetched by npx.
set -eu
cd "$(dirname "$0")/../scheduler_core/cel/grammar"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
npx --yes antlr-ng@1 -D language=Python3 --generate-listener false --generate-visitor false -o "$made" Cel.g4
for name in CelLexer.py CelParser.py; do
  { echo "# Made from Cel.g4 by scripts/cel_grammar.sh."; cat "$made/$name"; } > "$name"
done
