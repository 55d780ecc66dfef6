package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// files serves built files. The first root whose prefix fits and that has the file gives it. A build
// replaces the folders, so none is held open.
type files []root

type root struct {
	prefix string // of the URL's path
	dir    string
}

// types are the content types of what a build may hold. The system's own table is not asked: on
// Windows it is whatever other programs have written there.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".ico":  "image/x-icon",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".map":  "application/json",
	".md":   "text/markdown; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".ts":   "text/plain; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
	".wasm": "application/wasm", // exactly this lets a browser compile while it loads
}

// encodings are the precompressed forms that may lie beside a file, best first.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// rounding is how much older than its file a packed form may look: packers copy the time, some in
// whole seconds.
const rounding = 2 * time.Second

func (f files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Files are read with GET.", http.StatusMethodNotAllowed)
		return
	}
	name := r.URL.Path
	if strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	for _, root := range f {
		if rest, ok := strings.CutPrefix(name, root.prefix); ok && serveFile(w, r, root.dir, rest) {
			return
		}
	}
	http.NotFound(w, r)
}

// serveFile reports whether dir has the file.
func serveFile(w http.ResponseWriter, r *http.Request, dir, name string) bool {
	file, info, err := open(dir, name)
	if err != nil {
		return false
	}
	defer file.Close()
	h := w.Header()
	contentType := types[path.Ext(name)]
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache") // ask each time; the ETag makes that cheap
	h.Set("Vary", "Accept-Encoding")
	tag := ""
	for _, encoding := range encodings {
		if !accepts(r.Header.Get("Accept-Encoding"), encoding.name) {
			continue
		}
		packed, packedInfo, err := open(dir, name+encoding.suffix)
		if err != nil {
			continue
		}
		defer packed.Close()
		if packedInfo.ModTime().Add(rounding).Before(info.ModTime()) {
			continue // left over from an earlier build
		}
		file, info, tag = packed, packedInfo, encoding.suffix
		h.Set("Content-Encoding", encoding.name)
		h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		break
	}
	h.Set("ETag", fmt.Sprintf(`"%x-%x%s"`, info.ModTime().UnixNano(), info.Size(), tag))
	http.ServeContent(w, r, name, info.ModTime(), file)
	return true
}

var errNotRegular = errors.New("not a regular file")

func open(dir, name string) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenInRoot(dir, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// accepts tells whether an Accept-Encoding header names an encoding with a weight above zero.
func accepts(header, encoding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, parameters, err := mime.ParseMediaType(item)
		if err != nil || name != encoding {
			continue
		}
		weight, err := strconv.ParseFloat(parameters["q"], 64)
		return parameters["q"] == "" || err == nil && weight > 0
	}
	return false
}
