package db

import (
	"database/sql"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
)

// DB is one open session database: its connections, its schema, and the one
// connection that writes. Its methods may be called from several goroutines at
// once.
type DB struct {
	Path        string
	file        os.FileInfo // as it was at opening, nil before
	Pool        *sql.DB     // readers: query_only
	Schema      Schema
	Clock       func() time.Time
	Transcripts string       // folder of transcript files, "" for none
	OwnWrites   atomic.Int64 // how often this process has written
	readOnly    bool         // asked for, or all that the file allows
	Writer      writer

	statementCache statementCache
	VersionWatch   versionWatch
	fileRights     fileRights
	notesMu        sync.Mutex
	notes          []model.HealthNote
}

// New gives the database at a path. [DB.Open] opens it.
func New(path string) *DB { return &DB{Path: path, Clock: time.Now} }
