// Cases runs field cases on the real code: what people who do this job ran into, one JSON object a
// line.
//
//	go run ./tests/cases FILE...
//
// It prints a line "FAIL id: field got … want …" for each mismatch and closes with
// "N passed, M failed, K skipped". Facts are prose, with tests of their own, and are skipped. It
// exits with 1 when a case fails that disputed.txt does not name.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"strings"
)

//go:embed disputed.txt
var disputedText string

func main() {
	only := ""
	files := os.Args[1:]
	if len(files) > 1 && files[0] == "-provider" {
		only, files = files[1], files[2:]
	}
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tests/cases [-provider NAME] FILE...")
		os.Exit(2)
	}
	disputed := disputes(disputedText)
	passed, failed, skipped, unexplained := 0, 0, 0, 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for n := 1; lines.Scan(); n++ {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			c, err := parse(lines.Bytes())
			if err != nil {
				fmt.Printf("FAIL %s:%d: %v\n", name, n, err)
				failed++
				unexplained++
				continue
			}
			if only != "" && c.Provider != only || c.run() == nil {
				skipped++
				continue
			}
			mismatches := c.run()()
			if len(mismatches) == 0 {
				passed++
				continue
			}
			failed++
			for _, m := range mismatches {
				fmt.Printf("FAIL %s: %s\n", c.ID, m)
			}
			if why, ok := disputed[c.ID]; ok {
				fmt.Printf("     disputed: %s\n", why)
			} else {
				unexplained++
			}
		}
		if err := lines.Err(); err != nil {
			fmt.Fprintln(os.Stderr, name+":", err)
			os.Exit(2)
		}
		file.Close()
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if unexplained > 0 {
		os.Exit(1)
	}
}

// disputes reads "id: reason" lines.
func disputes(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(text) {
		if id, why, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(id, "#") {
			found[id] = strings.TrimSpace(why)
		}
	}
	return found
}
