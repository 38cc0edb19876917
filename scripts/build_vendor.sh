#!/usr/bin/env bash
# Bundle the pinned browser libraries into static/vendor, each with its licence. Run it after changing a version in
# scripts/vendor/package.json; the result is committed, so that running the site needs no Node.
set -euo pipefail
cd "$(dirname "$0")/vendor"
out=../../static/vendor
npm ci --silent
mkdir -p "$out/codemirror" "$out/plot" "$out/yaml"
for name in codemirror plot yaml; do
  npx esbuild "$name.js" --bundle --format=esm --minify --target=es2022 --legal-comments=none --outfile="$out/$name/$name.js"
done
{ for package in codemirror @codemirror/{autocomplete,commands,lang-yaml,language,lint,search,state,view} \
    @lezer/{common,highlight,lr,yaml} @marijn/find-cluster-break crelt style-mod w3c-keyname; do
    printf '== %s\n' "$package"; cat "node_modules/$package/LICENSE"; printf '\n'
  done; } >"$out/codemirror/LICENSE.txt"
cp node_modules/yaml/LICENSE "$out/yaml/LICENSE.txt"
{ for package in @observablehq/plot isoformat \
    d3-{array,axis,color,format,geo,interpolate,path,scale,scale-chromatic,selection,shape,time,time-format}; do
    printf '== %s\n' "$package"; cat "node_modules/$package/LICENSE"*; printf '\n'
  done; } >"$out/plot/LICENSE.txt"
