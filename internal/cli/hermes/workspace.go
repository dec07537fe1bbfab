package hermes

import (
	"os"
	"path/filepath"
)

// Workspace returns the folder by which Hermes knows what a folder belongs to: the top folder of
// its git work tree, else the folder itself. Hermes asks git. Here the folders above are looked
// at, which takes no process: a repository has a folder .git, a work tree of its own and a
// submodule have a file of that name. Symbolic links are followed, as by git; what is not there
// is taken as it is.
func Workspace(folder string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for at := folder; ; at = filepath.Dir(at) {
		if isRepository(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			return folder
		}
	}
}

// isRepository reports whether git takes a folder or file named .git for one: an empty folder is
// passed over.
func isRepository(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return info.Mode().IsRegular()
	}
	_, err = os.Lstat(filepath.Join(path, "HEAD"))
	return err == nil
}
