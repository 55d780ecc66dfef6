// Command empty does nothing, as a WebAssembly program: what Go's runtime alone weighs.
package main

func main() { select {} }
