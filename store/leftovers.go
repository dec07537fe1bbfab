package store

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// WithTranscripts names the folder where Hermes keeps files that belong to
// sessions, usually the folder "sessions" beside the database. Deleting a
// session then removes its files too, and restoring it brings them back:
//
//	ID.json  ID.jsonl  session_ID.json  request_dump_ID_20260102_030405_678901.json
//
// Exactly those: a file that another session could own stays, and no id leads
// out of the folder (store/README.md#q19).
func WithTranscripts(dir string) Option { return func(s *Store) { s.transcripts = dir } }

// leftovers are the files of sessions that go.
type leftovers struct {
	root  *os.Root // nil without a folder
	files map[string][]string
	kept  map[string]fs.FileInfo // as they were when they were kept
}

// leftovers looks once through the folder for the files of sessions that go.
// known says which sessions there are.
func (s *Store) leftovers(known *catalog, goes map[string]bool) (*leftovers, error) {
	l := &leftovers{files: map[string][]string{}, kept: map[string]fs.FileInfo{}}
	if s.transcripts == "" {
		return l, nil
	}
	root, err := os.OpenRoot(s.transcripts)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for transcript files: %w", err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look for transcript files: %w", err), root.Close())
	}
	l.root = root
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		owners := ownersOf(e.Name(), known)
		// Whoever could own a file has a say.
		if len(owners) > 0 && !slices.ContainsFunc(owners, func(id string) bool { return !goes[id] }) {
			l.files[owners[0]] = append(l.files[owners[0]], e.Name())
		}
	}
	return l, nil
}

// ownersOf gives the sessions that a file name can be made from.
func ownersOf(name string, known *catalog) (ids []string) {
	base, lines := strings.CutSuffix(name, ".jsonl")
	if !lines {
		var ok bool
		if base, ok = strings.CutSuffix(name, ".json"); !ok {
			return nil
		}
	}
	claim := func(id string) {
		if _, ok := known.find(id); ok && id != "" {
			ids = append(ids, id)
		}
	}
	claim(base)
	if lines {
		return ids
	}
	if id, ok := strings.CutPrefix(base, "session_"); ok {
		claim(id)
	}
	if rest, ok := strings.CutPrefix(base, "request_dump_"); ok {
		// The time follows the id. The longest id that fits is the one: an id
		// may be the beginning of another.
		for i := len(rest) - 1; i > 0 && strings.IndexByte("0123456789_", rest[i]) >= 0; i-- {
			if rest[i] == '_' && i < len(rest)-1 && rest[i+1] != '_' {
				claim(rest[:i])
				if len(ids) > 0 && ids[len(ids)-1] == rest[:i] {
					break
				}
			}
		}
		// An id that ends before other characters than the time's is a longer
		// id that is not there any more.
	}
	return ids
}

// count says how many files go.
func (l *leftovers) count() (n int) {
	for _, names := range l.files {
		n += len(names)
	}
	return n
}

// keep writes the files of one session as lines of a backup, once.
func (l *leftovers) keep(id string, into io.Writer) error {
	for _, name := range l.files[id] {
		if l.kept[name] != nil {
			continue
		}
		if err := l.keepOne(name, into); err != nil {
			return fmt.Errorf("keep the transcript file %s: %w", name, err)
		}
	}
	return nil
}

// forget takes note that the lines of these sessions' files are lost.
func (l *leftovers) forget(ids []string) {
	for _, id := range ids {
		for _, name := range l.files[id] {
			delete(l.kept, name)
		}
	}
}

func (l *leftovers) keepOne(name string, into io.Writer) (err error) {
	f, err := l.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone meanwhile
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	l.kept[name] = info
	part := make([]byte, filePart)
	for first := true; ; first = false {
		n, err := io.ReadFull(f, part)
		if err == io.EOF && !first {
			return nil
		}
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		b := append(model.AppendJSON([]byte(`{"file": `), name), `, "mode": `...)
		b = model.AppendJSON(b, int64(info.Mode().Perm()))
		b = append(b, `, "modified": `...)
		b = model.AppendJSON(b, seconds(info.ModTime()))
		b = append(b, `, "data": "`...)
		b = base64.StdEncoding.AppendEncode(b, part[:n])
		if _, err := into.Write(append(b, "\"}\n"...)); err != nil {
			return err
		}
		if n < len(part) {
			return nil
		}
	}
}

// remove removes the files of a session that were kept, and says of the others
// why they stay.
func (l *leftovers) remove(id string) (removed int, left []string) {
	for _, name := range l.files[id] {
		before, ok := l.kept[name]
		if !ok {
			continue
		}
		now, err := l.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && (!now.Mode().IsRegular() || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())):
			err = errors.New("it was written to meanwhile")
		case err == nil:
			err = l.root.Remove(name)
		}
		if err != nil {
			left = append(left, name+": "+why(err))
			continue
		}
		removed++
	}
	return removed, left
}

func (l *leftovers) close() error {
	if l.root == nil {
		return nil
	}
	return l.root.Close()
}

// returning puts files back, part by part. A file that is there already stays
// as it is.
type returning struct {
	dir  string
	root *os.Root
	name string
	file *os.File
	when time.Time
}

func (r *returning) put(k *kept) error {
	if r.dir == "" {
		return nil
	}
	if r.root == nil {
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			return err
		}
		var err error
		if r.root, err = os.OpenRoot(r.dir); err != nil {
			return err
		}
	}
	if k.file != r.name {
		if err := r.finish(); err != nil {
			return err
		}
		r.name, r.when = k.file, k.modified
		if strings.ContainsAny(k.file, `/\`) {
			return fmt.Errorf("%q is no name of a transcript file", k.file)
		}
		f, err := r.root.OpenFile(k.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(k.mode).Perm())
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		r.file = f
	}
	if r.file == nil {
		return nil
	}
	_, err := r.file.Write(k.data)
	return err
}

func (r *returning) finish() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return errors.Join(err, r.root.Chtimes(r.name, r.when, r.when))
}

func (r *returning) close() error {
	err := r.finish()
	if r.root != nil {
		err = errors.Join(err, r.root.Close())
	}
	return err
}
