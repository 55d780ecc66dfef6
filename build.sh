#!/usr/bin/env bash
# Builds everything that is shipped:
#
#   dist/holdfast        the package that would be published
#   dist/holdfast/tiny   in it, the same programs built by TinyGo: a fifth of the size
#   dist/web             the demo as static files, with the package in it
#
# and prints the sizes. `./build.sh -sizes` also compresses the files, prints what they weigh on
# the wire and holds them to their budgets (it takes half a minute). `./build.sh -package FOLDER`
# builds the package alone, `./build.sh -program PACKAGE FILE` one program that nobody downloads. The
# same sources and the same compilers give the same bytes.
#
# TinyGo is the command that TINYGO names, or tinygo; without it the build does without the folder
# tiny. TINYGO=$(tests/tinygo/install) gets it on Debian.
set -euo pipefail
cd "$(dirname "$0")"

export GOFLAGS=-buildvcs=false
tinygo=${TINYGO:-$(command -v tinygo || true)}

# Inlining makes a program larger by a sixth: it is kept for what every byte of a stream goes through, and
# for what is smaller than a call of it.
inlining=(-gcflags=all=-l -gcflags=holdfast/core/{json,sse,view,ascii}=)

# The garbage collector that Go had until 1.25 is 8 kB (brotli) smaller.
collector=nogreenteagc
GOEXPERIMENT=$collector go env GOOS >/dev/null 2>&1 || collector=

# standard PACKAGE FILE [TAG]: a WebAssembly program by the Go compiler, without line tables.
standard() (
	export GOEXPERIMENT=$collector
	"$flat/flat" "$flat" "$1" "${3:-}"
	GOOS=js GOARCH=wasm go build -overlay "$flat/overlay.json" -tags "${3:-}" -trimpath '-ldflags=-s -w -buildid=' "${inlining[@]}" -o "$2" "$1"
)
flat=$(mktemp -d)
trap 'rm -rf "$flat"' EXIT
go build -o "$flat/flat" ./wasm/flat

# tiny PACKAGE FILE [TAG]: the same by TinyGo. As a library without a scheduler its exports run at once,
# where they otherwise start a goroutine each. Its memory is that of wasm/heap. Another pass of the
# optimizer that TinyGo itself needs takes 3 % more.
tiny() {
	"$tinygo" build -tags "${3:-}" -target wasm -opt=z -no-debug -gc=none -scheduler=none -buildmode=c-shared -o "$2" "$1"
	local optimize=${WASMOPT:-$(command -v wasm-opt || true)}
	[ -z "$optimize" ] || "$optimize" -Oz --strip-debug --strip-producers --strip-target-features "$2" -o "$2"
}

# programs BY FOLDER: what most pages need, and all that there is.
programs() {
	"$1" ./wasm "$2/holdfast.wasm" lean
	"$1" ./wasm "$2/holdfast-full.wasm"
}

# package FOLDER: the package.
package() {
	rm -rf "$1"
	mkdir -p "$1"
	cp -R wasm/js/. "$1"
	awk '!/^\/\//{body=1} /^\/\/$/{below=1} body||!below' wasm/js/protocol.js >"$1/protocol.js" # the protocol itself stands in its source
	cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$1"
	programs standard "$1"
	if [ -n "$tinygo" ]; then programs tiny "$1/tiny"; else rm -r "$1/tiny"; fi
}

case "${1:-}" in
-package)
	package "$2"
	exit
	;;
-program)
	inlining=() # speed counts more there
	standard "$2" "$3"
	exit
	;;
esac

package dist/holdfast

rm -rf dist/web
mkdir -p dist/web
find web -maxdepth 1 -type f ! -name '*.go' -exec cp {} dist/web/ \;
cp -R web/demo dist/web/demo
cp -R dist/holdfast dist/web/holdfast
rm -rf dist/web/holdfast/{tiny,react.js,store.js,broken.js,package.json,README.md,*.d.ts}
standard ./web dist/web/web.wasm

compress=
[ "${1:-}" != -sizes ] || compress=-compress
go run ./tests/sizes $compress
[ -n "$tinygo" ] || echo "TinyGo is not here: dist/holdfast/tiny was not built"
