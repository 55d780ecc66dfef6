#!/usr/bin/env bash
# Builds everything that is shipped:
#
#   dist/holdfast   the package that would be published
#   dist/web        the demo as static files, with the package in it
#
# and prints the sizes. `./build.sh -sizes` also compresses the files, prints what they weigh on
# the wire and holds them to their budgets (it takes half a minute). The same sources and the same
# Go give the same bytes.
set -euo pipefail
cd "$(dirname "$0")"

export GOOS=js GOARCH=wasm GOFLAGS=-buildvcs=false
flags=(-trimpath '-ldflags=-s -w -buildid=')

rm -rf dist/holdfast dist/web
mkdir -p dist/holdfast dist/web

cp wasm/js/*.js wasm/js/*.d.ts wasm/js/package.json dist/holdfast/
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" dist/holdfast/
go build "${flags[@]}" -o dist/holdfast/holdfast.wasm ./wasm

find web -maxdepth 1 -type f ! -name '*.go' -exec cp {} dist/web/ \;
cp -R dist/holdfast dist/web/holdfast
go build "${flags[@]}" -o dist/web/web.wasm ./web
rm -f dist/web/holdfast/*.d.ts dist/web/holdfast/package.json

unset GOOS GOARCH
if [ "${1:-}" = -sizes ]; then
	go run ./tests/sizes -compress dist/holdfast dist/web
else
	go run ./tests/sizes dist/holdfast dist/web
fi
