module holdfast

go 1.26

require (
	github.com/andybalholm/brotli v1.3.0
	github.com/syumai/workers v0.33.0
	honnef.co/go/js/dom/v2 v2.0.0-20250304181735-b5e52f05e89d
)

require github.com/coder/websocket v1.8.15
