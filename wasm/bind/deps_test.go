package bind

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What the programs link is what a page downloads. Each of these packages costs more than most of ours.
func TestDependencies(t *testing.T) {
	heavy := []string{"fmt", "reflect", "regexp", "encoding/json", "net/http", "time", "strconv", "syscall/js", "os", "sort", "embed", "context", "math/big"}
	spared := []string{"holdfast/core/translate", "holdfast/core/splice", "holdfast/core/live"}
	for _, c := range []struct {
		tags    string
		without []string
	}{
		{"lean", append(slices.Clone(heavy), spared...)},
		{"", heavy},
	} {
		list := exec.Command("go", "list", "-deps", "-tags", c.tags, "holdfast/wasm")
		list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Fields(string(out))
		for _, name := range c.without {
			if slices.Contains(all, name) {
				t.Errorf("tags %q: the program links %s", c.tags, name)
			}
		}
		if c.tags == "" && !slices.Contains(all, spared[0]) {
			t.Errorf("the full program does not link %s", spared[0])
		}
	}
}
