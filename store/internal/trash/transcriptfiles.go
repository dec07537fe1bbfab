package trash

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// transcriptFiles are the transcript files of sessions that are being deleted.
type transcriptFiles struct {
	root     *os.Root               // nil without a folder
	files    map[string][]string    // names by session
	backedUp map[string]fs.FileInfo // by name, as they were when they were backed up
}

// countTranscripts says in a plan how many files of its sessions a delete would remove.
func (b *Bin) countTranscripts(p *deletePlan) error {
	files, err := b.findTranscripts(p.snapshot, p.ids)
	if err != nil {
		return err
	}
	p.Files = files.count()
	return files.close()
}

// findTranscripts reads the folder once and finds the files of sessions that go.
// known has all sessions that exist.
func (b *Bin) findTranscripts(known *snapshot.Snapshot, goes map[string]bool) (*transcriptFiles, error) {
	f := &transcriptFiles{files: map[string][]string{}, backedUp: map[string]fs.FileInfo{}}
	if b.db.Transcripts == "" {
		return f, nil
	}
	root, err := os.OpenRoot(b.db.Transcripts)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for transcript files: %w", err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look for transcript files: %w", err), root.Close())
	}
	f.root = root
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		owners := sessionsOfFile(e.Name(), known)
		// A file goes only if every session that could own it goes.
		if len(owners) > 0 && !slices.ContainsFunc(owners, func(id string) bool { return !goes[id] }) {
			f.files[owners[0]] = append(f.files[owners[0]], e.Name())
		}
	}
	return f, nil
}

// sessionsOfFile returns the existing sessions that could own a file, by its name.
func sessionsOfFile(name string, known *snapshot.Snapshot) (ids []string) {
	base, lines := strings.CutSuffix(name, ".jsonl")
	if !lines {
		var ok bool
		if base, ok = strings.CutSuffix(name, ".json"); !ok {
			return nil
		}
	}
	claim := func(id string) {
		if _, ok := known.Position(id); ok && id != "" {
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
		// The time follows the id. The longest id that fits owns the file: an
		// id may be the beginning of another.
		for i := len(rest) - 1; i > 0 && strings.IndexByte("0123456789_", rest[i]) >= 0; i-- {
			if rest[i] == '_' && i < len(rest)-1 && rest[i+1] != '_' {
				claim(rest[:i])
				if len(ids) > 0 && ids[len(ids)-1] == rest[:i] {
					break
				}
			}
		}
		// Where other characters than those of a time follow, the file belongs
		// to a longer id that no longer exists.
	}
	return ids
}

// count returns how many files go.
func (f *transcriptFiles) count() (n int) {
	for _, names := range f.files {
		n += len(names)
	}
	return n
}

// backUp writes the files of one session as lines of a backup, each file once.
func (f *transcriptFiles) backUp(id string, into io.Writer) error {
	for _, name := range f.files[id] {
		if f.backedUp[name] != nil {
			continue
		}
		if err := f.backUpFile(name, into); err != nil {
			return fmt.Errorf("keep the transcript file %s: %w", name, err)
		}
	}
	return nil
}

// dropBackedUp records that the lines of these sessions' files were rewound.
func (f *transcriptFiles) dropBackedUp(ids []string) {
	for _, id := range ids {
		for _, name := range f.files[id] {
			delete(f.backedUp, name)
		}
	}
}

// backUpFile writes one file as lines of a backup.
func (f *transcriptFiles) backUpFile(name string, into io.Writer) (err error) {
	file, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f.backedUp[name] = info
	part := make([]byte, transfer.BackupFileChunk)
	for first := true; ; first = false {
		n, err := io.ReadFull(file, part)
		if err == io.EOF && !first {
			return nil
		}
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		b := append(pyjson.Append([]byte(`{"file": `), name), `, "mode": `...)
		b = pyjson.Append(b, int64(info.Mode().Perm()))
		b = append(b, `, "modified": `...)
		b = pyjson.Append(b, db.Seconds(info.ModTime()))
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

// remove removes the files of a session that were backed up and have not changed
// since, and returns the reasons why others stay.
func (f *transcriptFiles) remove(id string) (removed int, left []string) {
	for _, name := range f.files[id] {
		before, ok := f.backedUp[name]
		if !ok {
			continue
		}
		now, err := f.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && (!now.Mode().IsRegular() || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())):
			err = errors.New("another program has written to it")
		case err == nil:
			err = f.root.Remove(name)
		}
		if err != nil {
			left = append(left, name+": "+db.CauseOf(err))
			continue
		}
		removed++
	}
	return removed, left
}

// close closes the folder.
func (f *transcriptFiles) close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}
