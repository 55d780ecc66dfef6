package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// The law: a flat source means what it meant. It is the same tree without comments, under the same
// directives.
func TestFlat(t *testing.T) {
	for _, root := range []string{"../..", filepath.Join(runtime.GOROOT(), "src/runtime")} {
		seen := 0
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || entry.Name() == "dist") {
				return fs.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			made := flat(source)
			if got, want := printed(t, path, made), printed(t, path, source); got != want {
				t.Errorf("%s means something else", path)
			}
			if got, want := directives(made), directives(source); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: directives are %q, not %q", path, got, want)
			}
			return nil
		})
		if err != nil || seen < 20 {
			t.Fatalf("%s: %d files, %v", root, seen, err)
		}
	}
}

// printed is a file's tree as text that knows nothing of lines.
func printed(t *testing.T, path string, source []byte) string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var out bytes.Buffer
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil { // the end of what began before
			out.WriteByte(')')
			return false
		}
		out.WriteString(reflect.TypeOf(n).String())
		switch n := n.(type) {
		case *ast.Ident:
			out.WriteString(n.Name)
		case *ast.BasicLit:
			out.WriteString(n.Value)
		case *ast.BinaryExpr:
			out.WriteString(n.Op.String())
		case *ast.UnaryExpr:
			out.WriteString(n.Op.String())
		case *ast.AssignStmt:
			out.WriteString(n.Tok.String())
		case *ast.CommentGroup:
			return false
		}
		out.WriteByte('(')
		return true
	})
	return out.String()
}

// directives are those that begin a line.
func directives(source []byte) (found []string) {
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "//go:") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func TestDirectives(t *testing.T) {
	got := string(flat([]byte("// What it is.\n\n//go:build js && wasm\n\npackage a // b\n\n//go:noinline\nfunc f() {\n\t//go:not one\n\tg(`x\ny`)\n}\n")))
	want := "\n//go:build js && wasm\n\n//line a:1\npackage a ;\n//go:noinline\nfunc f ( ) { g ( `x\ny` ) ;} ;\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
