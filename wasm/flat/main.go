// Flat writes all sources of a program on one line each, for go build to take in their place.
//
//	go run ./wasm/flat FOLDER PACKAGE [TAG]   writes FOLDER/overlay.json for go build -overlay
//
// A Go program carries a table that tells the line of every instruction, for stack traces. A page shows
// none: only the first words of a panic get out of the program. Where everything stands on one line of
// one file, the tables of a program with its runtime are 40 kB (brotli) smaller, and nothing else
// changes.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: flat FOLDER PACKAGE [TAG]")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], strings.Join(os.Args[3:], ",")); err != nil {
		fmt.Fprintln(os.Stderr, "flat:", err)
		os.Exit(1)
	}
}

// sources lists the files of a package of ours or of Go's; those of the module cache cannot be replaced.
const sources = `{{if or .Standard .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{end}}`

// write writes the sources of a package and of all that it imports into a folder, and the overlay.
func write(folder, pkg, tags string) error {
	list := exec.Command("go", "list", "-deps", "-tags", tags, "-f", sources, pkg)
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	list.Stderr = os.Stderr
	found, err := list.Output()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for n, path := range strings.Fields(string(found)) {
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, strconv.Itoa(n)+".go")
		if err := os.WriteFile(to, flat(source), 0o644); err != nil {
			return err
		}
		replace[path] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o644)
}

// flat returns a source without its comments and line ends. Directives keep a line of their own, for
// that is how the compiler knows them.
func flat(source []byte) []byte {
	var out bytes.Buffer
	file := token.NewFileSet().AddFile("", 1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	named := false
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return append(out.Bytes(), '\n')
		case kind == token.COMMENT:
			if strings.HasPrefix(text, "//go:") && file.Position(at).Column == 1 {
				out.WriteString("\n" + text + "\n")
			}
			continue
		case kind == token.PACKAGE && !named: // behind the build constraint, if any
			named = true
			out.WriteString("\n//line a:1\n")
		}
		switch {
		case kind == token.SEMICOLON: // also one that a line's end stands for
			out.WriteByte(';')
		case text == "": // an operator
			out.WriteString(kind.String() + " ")
		default:
			out.WriteString(text + " ")
		}
	}
}
