package heap

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// world is a heap in an array, with roots beside it.
type world struct {
	t      *testing.T
	heap   heap
	memory []uintptr
	roots  []uintptr
	size   uintptr
}

func newWorld(t *testing.T, most uintptr) *world {
	w := &world{t: t, memory: make([]uintptr, most/word), roots: make([]uintptr, 8), size: 64 << 10}
	start := unsafe.Pointer(&w.memory[0])
	w.heap = heap{start: start, grow: func(bytes uintptr) uintptr {
		if w.size += bytes; w.size > most-block {
			return 0
		}
		return uintptr(start) + w.size
	}}
	w.heap.extend(uintptr(start) + w.size)
	return w
}

func (w *world) collect() {
	w.heap.collect(unsafe.Pointer(&w.roots[0]), uintptr(len(w.roots))*word)
}

// object is what the test knows of one: its bytes are those of its stamp, but for the words that point.
type object struct {
	size  uintptr
	stamp byte
	to    []uintptr // what its first words point to; none of a plain one
}

// pointer is a pointer to an address.
func (w *world) pointer(p uintptr) unsafe.Pointer {
	return unsafe.Add(w.heap.start, p-uintptr(w.heap.start))
}

func (w *world) word(p uintptr) *uintptr { return (*uintptr)(w.pointer(p)) }

func (w *world) bytes(p, n uintptr) []byte { return unsafe.Slice((*byte)(w.pointer(p)), n) }

// The law: whatever can be reached keeps its bytes, new memory is zero and nobody else's, and what
// cannot be reached is used again, so that a heap in which little lives stays small.
func play(t *testing.T, seed uint64, steps int) {
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t, 64<<20)
	objects := map[uintptr]*object{}
	check := func() {
		seen := map[uintptr]bool{}
		var walk func(p uintptr)
		walk = func(p uintptr) {
			o := objects[p]
			if seen[p] {
				return
			}
			seen[p] = true
			for i, b := range w.bytes(p, o.size)[uintptr(len(o.to))*word:] {
				if b != o.stamp {
					t.Fatalf("seed %d: byte %d of an object of %d is %d, not %d", seed, i, o.size, b, o.stamp)
				}
			}
			for i, to := range o.to {
				if got := *w.word(p + uintptr(i)*word); got < to || to != 0 && got >= to+objects[to].size {
					t.Fatalf("seed %d: a pointer changed", seed)
				}
				if to != 0 {
					walk(to)
				}
			}
		}
		for _, p := range w.roots {
			if p != 0 {
				walk(p)
			}
		}
		for p := range objects {
			if !seen[p] {
				delete(objects, p)
			}
		}
	}
	for range steps {
		sizes := []uint{1 + r.UintN(64), 1 + r.UintN(1024), 1 + r.UintN(40_000)}
		o := &object{size: uintptr(sizes[r.IntN(3)]), stamp: byte(1 + r.UintN(255))}
		if r.IntN(3) > 0 {
			o.to = make([]uintptr, min(r.UintN(4), uint(o.size/word)))
		}
		p := uintptr(w.heap.alloc(o.size, o.to != nil))
		for _, b := range w.bytes(p, o.size) {
			if b != 0 {
				t.Fatalf("seed %d: new memory is not zero", seed)
			}
		}
		for q, other := range objects {
			if p < q+other.size && q < p+o.size {
				t.Fatalf("seed %d: two objects in one place", seed)
			}
		}
		memory := w.bytes(p, o.size)
		for i := range memory {
			memory[i] = o.stamp
		}
		objects[p] = o
		for i := range o.to { // into the middle as well, as slices do
			inside := uintptr(0)
			if root := w.roots[r.IntN(len(w.roots))]; root != 0 {
				o.to[i], inside = root, root+uintptr(r.UintN(uint(objects[root].size)))
			}
			*w.word(p + uintptr(i)*word) = inside
		}
		w.roots[r.IntN(len(w.roots))] = p
		if r.IntN(40) == 0 {
			w.roots[r.IntN(len(w.roots))] = 0
		}
		if r.IntN(50) == 0 {
			clear(w.roots)
			w.roots[0] = p
		}
		if w.heap.due() || r.IntN(200) == 0 {
			check()
			w.collect()
			check()
		}
	}
	if w.size > 32<<20 {
		t.Errorf("seed %d: it has grown to %d bytes", seed, w.size)
	}
}

func TestHeap(t *testing.T) {
	for seed := range uint64(20) {
		play(t, seed, 3000)
	}
}

func FuzzHeap(f *testing.F) {
	f.Add(uint64(1), uint16(500))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) { play(t, seed, int(steps)) })
}

// A list that is longer than the stack of grey objects is kept to its end, and goes as a whole.
func TestLong(t *testing.T) {
	w := newWorld(t, 8<<20)
	const n = 10_000
	for range 2 {
		fan := uintptr(w.heap.alloc(n*word, true)) // and a fan, which fills that stack at once
		w.roots[0] = fan
		before := uintptr(0)
		for i := range uintptr(n) {
			p := uintptr(w.heap.alloc(2*word, true))
			*w.word(p) = before
			*w.word(p + word) = i
			*w.word(fan + i*word) = p
			before = p
		}
		w.collect()
		for i := uintptr(n); before != 0; before = *w.word(before) {
			if i--; *w.word(before + word) != i {
				t.Fatalf("item %d is gone", i)
			}
		}
	}
	w.roots[0] = 0
	w.collect()
	for i := range w.heap.blocks {
		if *w.heap.flag(i) != free {
			t.Fatalf("block %d of %d is still taken", i, w.heap.blocks)
		}
	}
}

func BenchmarkAlloc(b *testing.B) {
	w := &world{}
	w = newWorld(nil, 64<<20)
	for b.Loop() {
		w.heap.alloc(40, true)
		if w.heap.due() {
			w.collect()
		}
	}
}
