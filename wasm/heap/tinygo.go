//go:build tinygo.wasm && gc.none

package heap

import "unsafe"

//go:extern __global_base
var globalBase [0]byte

//go:extern __heap_base
var heapBase [0]byte

// Where the globals begin, and where they end. TinyGo, which runs what it can while it compiles, fails
// on addresses like these in the middle of an expression.
var (
	globals = unsafe.Pointer(&globalBase)
	base    = unsafe.Pointer(&heapBase)
)

//export llvm.wasm.memory.size.i32
func memorySize(index int32) int32

//export llvm.wasm.memory.grow.i32
func memoryGrow(index, pages int32) int32

const page = 64 << 10

// own is the program's heap.
var own heap

// alloc is what the compiler calls. The layout is a bitmap of pointers; of no pointer it is this number.
//
//go:linkname alloc runtime.alloc
//go:noinline
func alloc(size uintptr, layout unsafe.Pointer) unsafe.Pointer {
	const none = 1<<1 | 1
	if own.start == nil {
		own.start = unsafe.Add(base, -uintptr(base)%block)
		own.grow = growMemory
		own.extend(uintptr(memorySize(0)) * page)
	}
	return own.alloc(max(size, 1), uintptr(layout) != none)
}

func growMemory(bytes uintptr) (end uintptr) {
	if memoryGrow(0, int32((bytes+page-1)/page)) < 0 {
		return 0
	}
	return uintptr(memorySize(0)) * page
}

// Collect frees what is not in use. Only an export may call it, before anything else.
func Collect() {
	if own.due() {
		own.collect(globals, uintptr(base)-uintptr(globals))
	}
}
