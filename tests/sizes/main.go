// Sizes prints what the built files weigh, raw and, with -compress, as gzip and brotli send them.
// It then leaves the compressed files beside the others and fails when a build is over its budget.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"

	// In this tool only: browsers ask for brotli, and neither Go nor a plain system has it.
	"github.com/andybalholm/brotli"
)

// downloads are what a browser loads: modules with all that they import, and programs.
var downloads = []struct {
	folder string
	files  []string // in it; none stands for everything
	budget int      // brotli, in thousands of bytes; 0: none
}{
	{"dist/holdfast", []string{"holdfast.js", "wasm_exec.js", "holdfast.wasm"}, 646},
	{"dist/holdfast", []string{"holdfast-full.wasm"}, 770}, // in the place of the other one, when it is needed
	{"dist/holdfast/tiny", []string{"holdfast.js", "holdfast.wasm"}, 147},
	{"dist/holdfast/tiny", []string{"holdfast-full.wasm"}, 181},
	{"dist/web", nil, 0},
}

func main() {
	compress := flag.Bool("compress", false, "compress, print and check")
	flag.Parse()
	over, err := check(*compress)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if over || err != nil {
		os.Exit(1)
	}
}

// check prints what each download weighs, and reports whether one is over its budget.
func check(compress bool) (over bool, err error) {
	files := make([][]string, len(downloads))
	for i, d := range downloads {
		files[i], err = filesOf(d.folder, d.files)
		if errors.Is(err, fs.ErrNotExist) && d.folder == "dist/holdfast/tiny" {
			continue // built without TinyGo
		}
		if err == nil && compress {
			err = begin(files[i])
		}
		if err != nil {
			return false, err
		}
	}
	for i, d := range downloads {
		if files[i] == nil {
			continue
		}
		total, err := weigh(d.folder, files[i], compress)
		if err != nil {
			return false, err
		}
		if compress && d.budget > 0 && total.brotli > d.budget*1000 {
			fmt.Printf("%s is over its budget: %d bytes brotli, %d allowed\n", d.folder, total.brotli, d.budget*1000)
			over = true
		}
	}
	return over, nil
}

// static finds the imports that a browser follows before it runs a module.
var static = regexp.MustCompile(`(?m)^(?:import|export|\}) .*?"(\.[^"]+)";$`)

// filesOf lists what names stand for, each once.
func filesOf(folder string, names []string) (files []string, err error) {
	if len(names) == 0 {
		err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && served(path) {
				files = append(files, path)
			}
			return err
		})
		return files, err
	}
	for _, name := range names {
		files = append(files, filepath.Join(folder, name))
	}
	for i := 0; i < len(files); i++ {
		source, err := os.ReadFile(files[i])
		if err != nil {
			return nil, err
		}
		if filepath.Ext(files[i]) != ".js" {
			continue
		}
		for _, found := range static.FindAllSubmatch(source, -1) {
			if path := filepath.Join(filepath.Dir(files[i]), string(found[1])); !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

// served tells whether a browser loads the file.
func served(path string) bool {
	switch filepath.Ext(path) {
	case ".gz", ".br", ".ts", ".json":
		return false
	}
	return true
}

type weight struct{ raw, gzip, brotli int }

// weigh prints a line for each file, and the sum.
func weigh(folder string, files []string, compress bool) (total weight, err error) {
	fmt.Printf("%-34s %10s", folder, "raw")
	if compress {
		fmt.Printf(" %10s %10s", "gzip", "brotli")
	}
	fmt.Println()
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return total, err
		}
		w := weight{raw: len(data)}
		if compress {
			s, err := shrink(data)()
			if err == nil {
				err = errors.Join(os.WriteFile(path+".gz", s.gzip, 0o644), os.WriteFile(path+".br", s.brotli, 0o644))
			}
			if err != nil {
				return total, err
			}
			w.gzip, w.brotli = len(s.gzip), len(s.brotli)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return total, err
		}
		w.print(filepath.ToSlash(name), compress)
		total = weight{total.raw + w.raw, total.gzip + w.gzip, total.brotli + w.brotli}
	}
	total.print("all", compress)
	return total, nil
}

func (w weight) print(name string, compress bool) {
	fmt.Printf("  %-32s %10d", name, w.raw)
	if compress {
		fmt.Printf(" %10d %10d", w.gzip, w.brotli)
	}
	fmt.Println()
}

// shrunk is a file as gzip and brotli send it.
type shrunk struct{ gzip, brotli []byte }

var (
	// under way or done, by what is compressed: the same file in two places is compressed once
	shrinking = map[[sha256.Size]byte]func() (shrunk, error){}
	cores     = make(chan struct{}, runtime.NumCPU())
)

// begin begins to compress files.
func begin(files []string) error {
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		go shrink(data)()
	}
	return nil
}

// shrink compresses data at the best levels, unless that was begun before.
func shrink(data []byte) func() (shrunk, error) {
	sum := sha256.Sum256(data)
	if shrinking[sum] == nil {
		shrinking[sum] = sync.OnceValues(func() (s shrunk, err error) {
			cores <- struct{}{}
			defer func() { <-cores }()
			var gz, br bytes.Buffer
			g, err := gzip.NewWriterLevel(&gz, gzip.BestCompression)
			if err != nil {
				return s, err
			}
			// The largest window that every browser takes: it spans the whole of a program.
			b := brotli.NewWriterOptions(&br, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
			for _, w := range []io.WriteCloser{g, b} {
				if _, err := w.Write(data); err != nil {
					return s, err
				}
				if err := w.Close(); err != nil {
					return s, err
				}
			}
			return shrunk{gz.Bytes(), br.Bytes()}, nil
		})
	}
	return shrinking[sum]
}
