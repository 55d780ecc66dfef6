//go:build tinygo

package main

func exit(int) {}
