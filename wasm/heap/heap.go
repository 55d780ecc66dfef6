// Package heap is the memory of the small program: an allocator, and a collector that runs between
// two exports only.
//
// There and then no function of the program runs, so nothing that is alive can stand in a local of
// WebAssembly, where no collector can look. TinyGo's own collectors run at any time, and for them the
// compiler writes every pointer into memory a second time: that is a quarter of all code, 30 kB
// (brotli). The price: what one export allocates is taken back after it, not during it.
//
//	memory  │ … globals │ blocks of 16 bytes … │ a flag byte for each │
//	        0           start                  start + 16·n           end
//
// An object is a head block with its tail blocks. Whatever looks like an address of one keeps it, in
// globals and in objects that may hold pointers. Nothing moves.
package heap

import "unsafe"

const block = 16

// What a block is.
const (
	free  = 0
	head  = 1 << iota
	tail  // of the object that begins before it
	plain // a head whose object holds no pointers
	mark  // a head that was reached
	grey  // and whose object is still to be looked through
)

// least is how much is allocated at least before it is worth to collect.
const least = 512 << 10

// heap is memory from start on. The zero value needs a call of extend.
type heap struct {
	start  unsafe.Pointer
	blocks uintptr
	next   uintptr // the block from which on free ones are looked for
	used   uintptr // blocks that were passed since the last collection
	limit  uintptr // of them, behind which the next one is due
	grow   func(bytes uintptr) (end uintptr)

	stack [64]uint32 // grey blocks; as numbers, which do not look like addresses
	depth int
	more  bool // there are grey ones that are not on the stack
}

func (h *heap) flag(i uintptr) *byte {
	return (*byte)(unsafe.Add(h.start, h.blocks*block+i))
}

func (h *heap) flags(from, to uintptr) []byte {
	return unsafe.Slice(h.flag(from), to-from)
}

// extend makes use of memory up to end. The flags move behind the new blocks.
func (h *heap) extend(end uintptr) {
	old, n := h.flags(0, h.blocks), h.blocks
	h.blocks = (end - uintptr(h.start)) / (block + 1)
	copy(h.flags(0, n), old)
	clear(h.flags(n, h.blocks))
	h.limit = max(h.limit, least/block, h.blocks/8)
}

// alloc returns zeroed memory.
func (h *heap) alloc(size uintptr, pointers bool) unsafe.Pointer {
	n := (size + block - 1) / block
	at, ok := h.find(n)
	if !ok {
		end := h.grow(max(n, h.blocks) * (block + 1))
		if end == 0 {
			panic("out of memory")
		}
		h.extend(end)
		at, _ = h.find(n)
	}
	flags := h.flags(at, at+n)
	flags[0] = head
	if !pointers {
		flags[0] |= plain
	}
	for i := range flags[1:] {
		flags[1+i] = tail
	}
	p := unsafe.Add(h.start, at*block)
	clear(unsafe.Slice((*byte)(p), n*block))
	return p
}

// find takes the first n free blocks in a row behind the last ones that were taken. What it passes is
// found again after the next collection.
func (h *heap) find(n uintptr) (at uintptr, ok bool) {
	row := uintptr(0)
	for i := h.next; i < h.blocks; i++ {
		if *h.flag(i) != free {
			row = 0
		} else if row++; row == n {
			h.used += i + 1 - h.next
			h.next = i + 1
			return i + 1 - n, true
		}
	}
	return 0, false
}

// due tells whether so much was allocated that it is worth to collect.
func (h *heap) due() bool { return h.used > h.limit }

// collect frees what cannot be reached from so many bytes of roots.
func (h *heap) collect(roots unsafe.Pointer, size uintptr) {
	h.look(roots, size)
	h.follow()
	live, kept := uintptr(0), false
	flags := h.flags(0, h.blocks)
	for i, f := range flags {
		if f == free {
			continue
		}
		if f&head != 0 {
			kept = f&mark != 0
		}
		if kept {
			flags[i] = f &^ mark
			live++
		} else {
			flags[i] = free
		}
	}
	h.next, h.used, h.limit = 0, 0, max(least/block, live, h.blocks/8)
}

const word = unsafe.Sizeof(uintptr(0))

// look reaches whatever the words of a piece of memory may point to.
func (h *heap) look(p unsafe.Pointer, size uintptr) {
	for at := uintptr(0); at+word <= size; at += word {
		i := *(*uintptr)(unsafe.Add(p, at)) - uintptr(h.start)
		if i/block < h.blocks {
			h.reach(i / block)
		}
	}
}

// reach marks the object that a block belongs to.
func (h *heap) reach(i uintptr) {
	f := h.flag(i)
	if *f == free {
		return
	}
	for *f == tail {
		i--
		f = h.flag(i)
	}
	switch {
	case *f&mark != 0:
	case *f&plain != 0:
		*f |= mark
	case h.depth < len(h.stack):
		*f |= mark
		h.stack[h.depth] = uint32(i)
		h.depth++
	default:
		*f |= mark | grey
		h.more = true
	}
}

// follow looks through what was reached, until nothing new comes.
func (h *heap) follow() {
	for {
		for h.depth > 0 {
			h.depth--
			h.through(uintptr(h.stack[h.depth]))
		}
		if !h.more {
			return
		}
		h.more = false
		for i := range h.blocks {
			if f := h.flag(i); *f&grey != 0 {
				*f &^= grey
				h.through(i)
			}
		}
	}
}

// through looks through the object with this head.
func (h *heap) through(i uintptr) {
	end := i + 1
	for end < h.blocks && *h.flag(end) == tail {
		end++
	}
	h.look(unsafe.Add(h.start, i*block), (end-i)*block)
}
