package hermes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A workspace is found as git finds it, without git: where git is there, both are compared.
func TestWorkspaceIsThatOfGit(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := func(name string) string {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"repo/.git/objects", "repo/.git/refs", "repo/src/deep", "repo/nested/.git", "plain/sub", "tree/docs", "repo/.git/worktrees/tree"} {
		folder(name)
	}
	write("repo/.git/HEAD", "ref: refs/heads/main\n")
	write("repo/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n")
	write("repo/.git/worktrees/tree/commondir", "../..\n")
	write("repo/.git/worktrees/tree/gitdir", filepath.Join(top, "tree/.git")+"\n")
	write("tree/.git", "gitdir: "+filepath.Join(top, "repo/.git/worktrees/tree")+"\n")
	if err := os.Symlink(filepath.Join(top, "repo/src"), filepath.Join(top, "link")); err != nil {
		t.Skip(err)
	}
	git, _ := exec.LookPath("git")
	for name, want := range map[string]string{
		"repo": "repo", "repo/src/deep": "repo", "repo/nested": "repo", "link": "repo", "link/deep": "repo",
		"plain/sub": "plain/sub", "tree": "tree", "tree/docs": "tree",
	} {
		path := filepath.Join(top, name)
		want = filepath.Join(top, want)
		if got := Workspace(path); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if git == "" {
			continue
		}
		cmd := exec.Command(git, "rev-parse", "--show-toplevel")
		cmd.Dir = path
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(top)}
		if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) != want || err != nil && want != path {
			t.Errorf("%s: git says %s %v, want %s", name, out, err, want)
		}
	}
	if got := Workspace(filepath.Join(top, "missing")); got != filepath.Join(top, "missing") {
		t.Error(got)
	}
}
