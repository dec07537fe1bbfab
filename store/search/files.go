package search

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"

	"hermes-sessions/model/files"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/filecalls"
)

// fileSessions caches which sessions the last filters file: found: a page, its preview and
// the next page ask for the same ones.
type fileSessions struct {
	mu    sync.Mutex
	found []fileAnswer // the newest last
}

// fileAnswer is the sessions of a filter, in a version of the file.
type fileAnswer struct {
	filter      query.Filter
	dataVersion int64
	sessions    map[string]bool
}

// maxFileAnswers is how many filters are cached.
const maxFileAnswers = 8

// narrowFrom is the number of messages from which asking the word index which of them name an
// argument for a file takes less time than reading them all.
const narrowFrom = 2_000

// sessionsWithFile returns the sessions of a snapshot that work on a file, by the filter
// file:. The words of its path narrow the messages down by the indexes; the arguments of
// the calls of these are read.
func (e *Engine) sessionsWithFile(ctx context.Context, snap *snapshot.Snapshot, filter query.Filter) (map[string]bool, error) {
	pattern := files.NewPattern(filter.Value, filter.Prefix)
	found := map[string]bool{}
	err := e.db.ReadTx(ctx, func(conn db.Querier) error {
		version := e.db.SameVersion(ctx, conn)
		if known, ok := e.fileSessions.get(filter, version); ok {
			found = known
			return nil
		}
		matches := map[[2]string]bool{} // by folder and path
		add := func(session, path string) {
			if found[session] {
				return
			}
			key := [2]string{snap.FolderOf(session), path}
			matched, ok := matches[key]
			if !ok {
				matched = pattern.Matches(key[0], path)
				matches[key] = matched
			}
			if matched {
				found[session] = true
			}
		}
		ids, ex, err := e.fileCandidates(ctx, conn, version, pattern.Groups(snap.Folders()))
		if err == nil {
			err = e.fileCalls.Each(ctx, e.fileSource(ex), ids, add)
		}
		if db.IsCorrupt(err) {
			err = e.salvagedFiles(ctx, add)
		}
		if err == nil && snap.DataVersion == version { // its folders are of this version
			e.fileSessions.put(fileAnswer{filter, version, found})
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return found, err
}

// The names of files that are offered as values of file:.
const (
	recentFileMessages = 2_000 // messages with files that the names are read from
	maxFileNames       = 500
)

// fileNames returns the names of the files that the newest messages work on, the most
// frequent first, without counts: the counts over all messages are not known.
func (e *Engine) fileNames(ctx context.Context) ([]query.FieldValue, error) {
	counts := map[string]int{}
	add := func(_, path string) { counts[files.Name(path)]++ }
	err := e.db.ReadTx(ctx, func(conn db.Querier) error {
		ids, ex, err := e.fileCandidates(ctx, conn, e.db.SameVersion(ctx, conn), nil)
		if err != nil {
			return err
		}
		ids.KeepLast(recentFileMessages)
		return e.fileCalls.Each(ctx, e.fileSource(ex), ids, add)
	})
	if db.IsCorrupt(err) {
		err = e.salvagedFiles(ctx, add)
	}
	if err != nil {
		return nil, e.db.WrapError("read messages of", cmp.Or(ctx.Err(), err))
	}
	values := make([]query.FieldValue, 0, len(counts))
	for name := range counts {
		values = append(values, query.FieldValue{Value: name})
	}
	sort.Slice(values, func(i, j int) bool {
		a, b := values[i].Value, values[j].Value
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) < 0
	})
	return values[:min(len(values), maxFileNames)], nil
}

// fileSource is the database for package filecalls, in the read transaction of an
// executor.
func (e *Engine) fileSource(ex *executor) filecalls.Source {
	source := filecalls.Source{Tx: ex.tx}
	if ex.words.table != "" && e.db.Schema.HasSyncTriggers(ex.words.table) {
		source.Changes = ex.changesOf(&ex.words)
	}
	return source
}

// fileCandidates returns the messages that call tools and match one of some groups; where
// groups is nil, those that may have an argument for a file. It also gives the executor
// that found them.
func (e *Engine) fileCandidates(ctx context.Context, conn db.Querier, version int64, groups []match.Group) (*idset.Set, *executor, error) {
	var withFile []match.Group
	for _, name := range files.ArgumentNames() {
		withFile = append(withFile, match.Group{All: []match.Term{{Text: name}}})
	}
	narrow := groups != nil
	if !narrow {
		groups = withFile
	}
	ex := e.newExecutor(conn, query.Query{Groups: groups}, version)
	ids, err := ex.messages(ctx)
	if err != nil {
		return nil, nil, err
	}
	roles := e.sessions.RoleSets.Read()
	ids.Subtract(idset.Difference(&roles.ReadIDs, &roles.WithCalls))
	if narrow && ids.Len() > narrowFrom && ex.words.table != "" && ex.words.isWhole() {
		named, err := e.newExecutor(conn, query.Query{Groups: withFile}, version).messages(ctx)
		if err != nil {
			return nil, nil, err
		}
		ids.Intersect(named)
	}
	return ids, ex, nil
}

// get returns the answer to a filter in a version of the file, if it is cached.
func (s *fileSessions) get(f query.Filter, version int64) (map[string]bool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.found {
		if version != 0 && a.filter == f && a.dataVersion == version {
			return a.sessions, true
		}
	}
	return nil, false
}

func (s *fileSessions) put(a fileAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.found) == maxFileAnswers {
		s.found = slices.Delete(s.found, 0, 1)
	}
	s.found = append(s.found, a)
}
