package translate

import (
	"strings"
	"unicode/utf8"

	"holdfast/core/ascii"
	"holdfast/core/json"
)

// media is an image, a document, a recording or a film, as data or by its URL.
type media struct {
	kind   string // "image", "document", "audio", "video"
	mime   string
	data   string // base64; "" when url says where it is
	url    string
	name   string     // of a file
	detail json.Value // how closely to look at an image; chat and responses
}

// takes says what a user's turn of one API may hold: data of these subtypes ("*" is any), and URLs.
type takes struct {
	data string
	url  bool
}

// mediaTaken is in the order of columns. Sources: the providers' guides to images and files.
var mediaTaken = map[string][len(columns)]takes{
	//          chat                          responses                     messages                      generate
	"image":    {{"png jpeg webp gif", true}, {"png jpeg webp gif", true}, {"png jpeg webp gif", true}, {"png jpeg webp heic heif", true}},
	"document": {{"pdf", false}, {"*", true}, {"pdf", true}, {"pdf plain html css csv xml rtf markdown", true}},
	"audio":    {{"wav mpeg", false}, {"", false}, {"", false}, {"*", true}},
	"video":    {{"", false}, {"", false}, {"", false}, {"*", true}},
}

// takes tells whether the target can say m, and why not.
func (r *request) takes(m media) (why string, ok bool) {
	can := mediaTaken[m.kind][column(r.to.API)]
	_, subtype, _ := strings.Cut(m.mime, "/")
	switch {
	case m.url != "" && can.url, m.url == "" && (can.data == "*" || subtype != "" && has(can.data, subtype)):
		return "", true
	case m.url != "" && can.data != "":
		return m.kind + " by URL", false
	case can.data != "":
		return m.mime, false
	}
	return m.kind, false
}

// readable makes a text of a document that is one, and that the target takes in no other way.
func (r *request) readable(p part) part {
	m := p.media
	if p.kind != mediaPart || !strings.HasPrefix(m.mime, "text/") && m.mime != "application/json" {
		return p
	}
	if _, ok := r.takes(m); ok {
		return p
	}
	said, ok := decoded(m.data)
	if !ok {
		return p
	}
	if m.name != "" {
		said = m.name + ":\n\n" + said
	}
	r.adjust(p.at, "a document sent as text")
	return text(p.at, said)
}

// decoded is the text in base64, if it is one.
func decoded(data string) (string, bool) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	out := make([]byte, 0, len(data)/4*3)
	bits, n := 0, 0
	for i := 0; i < len(data); i++ {
		digit := strings.IndexByte(digits, data[i])
		if digit < 0 {
			if strings.Trim(data[i:], "=\r\n") == "" {
				break
			}
			return "", false
		}
		if bits, n = (bits<<6|digit)&0xFFFF, n+6; n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return string(out), len(out) > 0 && utf8.Valid(out)
}

// newMedia completes a media value: its kind follows from the type, and the type of a URL that
// does not say it from the name of the file.
func newMedia(m media) media {
	m.mime = ascii.Lower(m.mime)
	switch m.mime {
	case "image/jpg":
		m.mime = "image/jpeg"
	case "audio/mp3":
		m.mime = "audio/mpeg"
	case "audio/wave", "audio/x-wav":
		m.mime = "audio/wav"
	case "":
		m.mime = mimeOf(m.url+m.name, m.kind)
	}
	switch family, _, _ := strings.Cut(m.mime, "/"); family {
	case "image", "audio", "video":
		m.kind = family
	default:
		m.kind = "document"
	}
	return m
}

// dataURL reads "data:image/png;base64,…" and reports false when url is anything else. Data that
// is not base64 comes back without its data.
func dataURL(url string) (m media, ok bool) {
	if len(url) < 5 || !ascii.Equal(url[:5], "data:") {
		return media{}, false
	}
	head, data, _ := strings.Cut(url[5:], ",")
	mime, options, _ := strings.Cut(head, ";")
	m.mime = mime
	if mime == "" {
		m.mime = "text/plain"
	}
	if has(strings.ReplaceAll(options, ";", " "), "base64") {
		m.data = data
	}
	return m, true
}

// fromURL is the media that a URL stands for.
func fromURL(kind, url, name string) media {
	if m, ok := dataURL(url); ok {
		m.kind, m.name = kind, name
		return newMedia(m)
	}
	return newMedia(media{kind: kind, url: url, name: name})
}

// asURL is the URL of media for APIs that take data in a URL.
func (m media) asURL() string {
	if m.url != "" {
		return m.url
	}
	return "data:" + m.mime + ";base64," + m.data
}

// ends are the endings of file names that tell a type.
var ends = []struct{ end, mime string }{
	{".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".webp", "image/webp"}, {".gif", "image/gif"},
	{".heic", "image/heic"}, {".heif", "image/heif"},
	{".pdf", "application/pdf"}, {".txt", "text/plain"}, {".html", "text/html"}, {".csv", "text/csv"}, {".md", "text/markdown"},
	{".wav", "audio/wav"}, {".mp3", "audio/mpeg"}, {".mp4", "video/mp4"}, {".mov", "video/quicktime"}, {".webm", "video/webm"},
}

// mimeOf guesses the type of a file, or names the commonest of its kind.
func mimeOf(name, kind string) string {
	name, _, _ = strings.Cut(name, "?")
	name, _, _ = strings.Cut(name, "#")
	name = ascii.Lower(name)
	for _, e := range ends {
		if strings.HasSuffix(name, e.end) && (kind == "" || kind == "document" || strings.HasPrefix(e.mime, kind)) {
			return e.mime
		}
	}
	switch kind {
	case "image":
		return "image/jpeg"
	case "audio":
		return "audio/mpeg"
	case "video":
		return "video/mp4"
	}
	return "application/pdf"
}

// addMedia appends media to parts, or lists why it cannot travel.
func (r *request) addMedia(parts []part, at string, m media) []part {
	if m.data == "" && m.url == "" {
		r.drop(at, m.kind+" without data")
		return parts
	}
	return append(parts, part{kind: mediaPart, at: at, media: m})
}

const storedFile = "a file that only its provider has"

// stored tells whether media stand for nothing but the id of a file at a provider, which it lists.
func (r *request) stored(v json.Value, at, name string, m media) bool {
	if v.Get(name).Missing() {
		return false
	}
	r.drop(below(at, name), storedFile)
	return m.data == "" && m.url == ""
}
