package shared

import (
	"errors"

	"holdfast/core/time"
)

// What leaves a State as bytes:
//
//	"holdfast" · kind · version · payload · checksum
//
// kind is 'S' for a snapshot and 'C' for changes. Numbers are varints of 7 bits a byte, low ones
// first; signed ones in zigzag. A text is its length and its bytes. A time is 0 when it is zero, else 1,
// seconds since 1970 and nanoseconds. The checksum is the FNV-1a hash, 64 bits, of all before it. It
// finds damage, not malice: whoever can write a page's storage can write anything there.
const (
	magic    = "holdfast"
	snapshot = 'S'
	changes  = 'C'
	version  = 1
)

// Why bytes are refused.
var (
	ErrForeign = errors.New("these bytes were not written by Holdfast for this purpose")
	ErrNewer   = errors.New("these bytes were written by a newer version of Holdfast")
	ErrCorrupt = errors.New("these bytes are damaged")
)

// writer appends a payload.
type writer struct{ out []byte }

func newWriter(kind byte) *writer {
	return &writer{append([]byte(magic), kind, version)}
}

// sealed returns the finished bytes.
func (w *writer) sealed() []byte {
	sum := checksum(w.out)
	for i := range 8 {
		w.out = append(w.out, byte(sum>>(8*i)))
	}
	return w.out
}

//go:noinline
func (w *writer) uint(n uint64) { // copied into every caller, it would weigh 10 kB
	for ; n >= 0x80; n >>= 7 {
		w.out = append(w.out, byte(n)|0x80)
	}
	w.out = append(w.out, byte(n))
}

func (w *writer) int(n int64) { w.uint(uint64(n)<<1 ^ uint64(n>>63)) }

func (w *writer) bool(b bool) {
	if b {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *writer) text(s string) {
	s = short(s)
	w.uint(uint64(len(s)))
	w.out = append(w.out, s...)
}

func (w *writer) time(t time.Time) {
	w.bool(!t.IsZero())
	if !t.IsZero() {
		w.int(t.Unix())
		w.uint(uint64(t.Nanosecond()))
	}
}

// reader takes a payload apart. After the first thing that cannot be, it only returns zeros and
// bad is set.
type reader struct {
	in  []byte
	bad bool
}

// open checks everything around a payload.
func open(b []byte, kind byte) (*reader, error) {
	end := len(b) - 8
	switch {
	case len(b) < len(magic)+2 || string(b[:len(magic)]) != magic || b[len(magic)] != kind:
		return nil, ErrForeign
	case b[len(magic)+1] > version:
		return nil, ErrNewer
	case b[len(magic)+1] < version || end < len(magic)+2:
		return nil, ErrCorrupt
	}
	sum := uint64(0)
	for i := range 8 {
		sum |= uint64(b[end+i]) << (8 * i)
	}
	if sum != checksum(b[:end]) {
		return nil, ErrCorrupt
	}
	return &reader{in: b[len(magic)+2 : end]}, nil
}

// close tells whether all was well and nothing is left.
func (r *reader) close() error {
	if r.bad || len(r.in) > 0 {
		return ErrCorrupt
	}
	return nil
}

func (r *reader) fail() { r.bad, r.in = true, nil }

// check refuses a payload that says what cannot be.
func (r *reader) check(ok bool) {
	if !ok {
		r.fail()
	}
}

//go:noinline
func (r *reader) uint() (n uint64) { // as writer.uint
	for shift := 0; shift < 64 && len(r.in) > 0; shift += 7 {
		c := r.in[0]
		r.in = r.in[1:]
		n |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

func (r *reader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *reader) bool() bool {
	n := r.uint()
	r.check(n <= 1)
	return n == 1
}

// count reads a number that counts or measures something.
func (r *reader) count(most int) int {
	n := r.uint()
	r.check(n <= uint64(most))
	if r.bad {
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count(maxName)
	r.check(n <= len(r.in))
	if r.bad {
		return ""
	}
	s := string(r.in[:n])
	r.in = r.in[n:]
	return s
}

func (r *reader) time() time.Time {
	if !r.bool() {
		return time.Time{}
	}
	seconds, nanoseconds := r.int(), r.uint()
	r.check(-1<<40 < seconds && seconds < 1<<40 && nanoseconds < 1e9)
	if r.bad {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanoseconds))
}

func checksum(b []byte) uint64 {
	sum := uint64(14695981039346656037)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return sum
}
