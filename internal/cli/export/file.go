package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hermes-sessions/store"
)

// Formats are the formats of an export by name; the first is the default.
func Formats() []string { return []string{"jsonl", "md", "html"} }

// FormatOf returns the format of a file by its extension, "" for an unknown one.
func FormatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".md", ".markdown":
		return "md"
	case ".html", ".htm":
		return "html"
	case "", ".jsonl", ".ndjson", ".json":
		return "jsonl"
	}
	return ""
}

// LinkTarget returns what a symbolic link leads to, "" for a file that is not one.
func LinkTarget(file string) string {
	if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return ""
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return ""
	}
	return target
}

// WriteFile writes to a new file beside the target and then renames it, so that
// the target is never half written. Only the user may read it, as with the
// database. Without replace, a target that exists is left as it is and the error
// is fs.ErrExist. A pipe or a device is written directly.
func WriteFile(file string, replace bool, write func(io.Writer) error) (err error) {
	return store.WrapDiskFull(file, "nothing was exported", writeFile(file, replace, write))
}

func writeFile(file string, replace bool, write func(io.Writer) error) (err error) {
	info, err := os.Stat(file)
	switch {
	case err == nil && !replace && info.Mode().IsRegular():
		return fmt.Errorf("export to %s: %w", file, fs.ErrExist)
	case err == nil && !info.Mode().IsRegular():
		// Opening a folder fails and says so.
		out, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return cmp.Or(write(out), out.Close())
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // keep the symbolic link, replace its target
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".hermes-sessions-export-*")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		p.Path = file // the file that a person has named
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err = cmp.Or(write(tmp), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	if !replace {
		// Another program may have made the file since the check. A hard link,
		// unlike a rename, fails then. Not every file system has hard links.
		err = os.Link(tmp.Name(), file)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("export to %s: %w", file, fs.ErrExist)
		} else if err == nil {
			return os.Remove(tmp.Name())
		}
	}
	if err = os.Rename(tmp.Name(), file); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
