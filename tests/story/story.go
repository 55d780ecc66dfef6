// Package story plays text files in virtual time. A line is a time and what happens then, or, before
// the first of those, a setting. What comes of it stands behind it, indented, in lines that begin with
// "->" or "..."; what begins with "#" is for readers.
package story

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	std "time"

	"holdfast/core/time"
)

// Player is what a story happens to.
type Player interface {
	Setting(word, rest string) error
	Begin() error // before the first event
	Event(text string) error
	// Until lets time pass up to an instant, or to the story's end. Now is what it leaves.
	Until(at time.Duration, end bool)
	Ended() bool
}

// Story is one that is being played.
type Story struct {
	Now   time.Duration // since its start
	out   strings.Builder
	begun bool
}

// Say writes what came of the last line.
func (s *Story) Say(format string, args ...any) {
	fmt.Fprintf(&s.out, "      "+format+"\n", args...)
}

// Play plays a text. It returns the text with what came of it.
func (s *Story) Play(text string, p Player) (string, error) {
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "->") || strings.HasPrefix(line, "...") {
			continue
		}
		if err := s.line(line, strings.TrimRight(lines.Text(), " "), p); err != nil {
			return "", fmt.Errorf("line %d: %q: %w", n, line, err)
		}
	}
	if !s.begun {
		return "", fmt.Errorf("the story never starts")
	}
	if p.Until(time.Duration(1<<61), true); !p.Ended() {
		s.Say("-> (it waits)")
	}
	return s.out.String(), nil
}

func (s *Story) line(line, raw string, p Player) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	after, err := std.ParseDuration(word)
	if err != nil {
		fmt.Fprintln(&s.out, raw)
		if word == "" || strings.HasPrefix(word, "#") {
			return nil
		}
		return p.Setting(word, rest)
	}
	if !s.begun {
		if err := p.Begin(); err != nil {
			return err
		}
		s.begun = true
	}
	at := time.Duration(after)
	p.Until(at, false)
	s.Now = at
	fmt.Fprintln(&s.out, raw)
	return p.Event(rest)
}

var update = flag.Bool("update", false, "rewrite the stories of testdata with what came of them")

// Test plays the stories of testdata, of which there are least or more, and compares.
func Test(t *testing.T, least int, play func(text string) (string, error)) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < least {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(want))
			switch {
			case err != nil:
				t.Fatal(err)
			case got == string(want):
			case *update:
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("what came of it:\n%s\nthe story says:\n%s", got, want)
			}
		})
	}
}
