package serve

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sources are what the build reads, relative to the project's directory.
var sources = []string{"core", "wasm", "web", "tests/sim", "build.sh", "go.mod", "go.sum"}

// stale tells whether dist lacks something or is older than the sources.
func stale(project string) bool {
	built := newest(filepath.Join(project, "dist", ".built"))
	for _, part := range []string{"web/index.html", "holdfast/holdfast.wasm"} {
		if newest(filepath.Join(project, "dist", part)).IsZero() {
			return true
		}
	}
	for _, part := range []string{"web", "holdfast"} {
		built = later(built, newest(filepath.Join(project, "dist", part)))
	}
	for _, source := range sources {
		if newest(filepath.Join(project, source)).After(built) {
			return true
		}
	}
	return false
}

// newest is the latest modification of a file, or of any file below a directory; zero when there
// is none. Tests are not built and do not count.
func newest(path string) (latest time.Time) {
	filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			latest = later(latest, info.ModTime())
		}
		return nil
	})
	return latest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// build runs build.sh. Its output is only in the error: who starts a server wants the server.
func build(project string) error {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("building needs bash (on Windows: Git Bash or WSL)")
	}
	command := exec.Command(bash, "build.sh")
	command.Dir = project
	if output, err := command.CombinedOutput(); err != nil {
		return errors.New("./build.sh failed: " + err.Error() + "\n" + strings.TrimSpace(string(output)))
	}
	// A build that changes nothing leaves old times behind; the mark says when it was checked.
	return os.WriteFile(filepath.Join(project, "dist", ".built"), nil, 0o644)
}
