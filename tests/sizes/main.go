// Sizes prints what the built files weigh, raw and, with -compress, as gzip and brotli send them.
// It then leaves the compressed files beside the others and fails when a build is over its budget.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	// In this tool only: browsers ask for brotli, and neither Go nor a plain system has it.
	"github.com/andybalholm/brotli"
)

// budgets bound what a browser downloads of a folder: brotli, in thousands of bytes.
var budgets = map[string]int{
	"dist/holdfast": 720,
}

func main() {
	compress := flag.Bool("compress", false, "compress, print and check")
	flag.Parse()
	over := false
	for _, folder := range flag.Args() {
		total, err := weigh(folder, *compress)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if limit, ok := budgets[folder]; ok && *compress && total.brotli > limit*1000 {
			fmt.Printf("%s is over its budget: %d kB brotli, %d allowed\n", folder, total.brotli/1000, limit)
			over = true
		}
	}
	if over {
		os.Exit(1)
	}
}

type weight struct{ raw, gzip, brotli int }

// weigh prints a line for each file that a browser loads, and the sum.
func weigh(folder string, compress bool) (total weight, err error) {
	fmt.Printf("%-34s %10s", folder, "raw")
	if compress {
		fmt.Printf(" %10s %10s", "gzip", "brotli")
	}
	fmt.Println()
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !served(path) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w := weight{raw: len(data)}
		if compress {
			if w.gzip, w.brotli, err = shrink(path, data); err != nil {
				return err
			}
		}
		w.print(strings.TrimPrefix(path, folder+string(filepath.Separator)), compress)
		total = weight{total.raw + w.raw, total.gzip + w.gzip, total.brotli + w.brotli}
		return nil
	})
	total.print("all", compress)
	return total, err
}

// served tells whether a browser loads the file.
func served(path string) bool {
	switch filepath.Ext(path) {
	case ".gz", ".br", ".ts", ".json":
		return false
	}
	return true
}

func (w weight) print(name string, compress bool) {
	fmt.Printf("  %-32s %10d", name, w.raw)
	if compress {
		fmt.Printf(" %10d %10d", w.gzip, w.brotli)
	}
	fmt.Println()
}

// shrink writes path.gz and path.br at their best levels and returns their sizes.
func shrink(path string, data []byte) (int, int, error) {
	var gz, br bytes.Buffer
	g, err := gzip.NewWriterLevel(&gz, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	b := brotli.NewWriterLevel(&br, brotli.BestCompression)
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{g, b} {
		if _, err := w.Write(data); err != nil {
			return 0, 0, err
		}
		if err := w.Close(); err != nil {
			return 0, 0, err
		}
	}
	if err := os.WriteFile(path+".gz", gz.Bytes(), 0o644); err != nil {
		return 0, 0, err
	}
	return gz.Len(), br.Len(), os.WriteFile(path+".br", br.Bytes(), 0o644)
}
