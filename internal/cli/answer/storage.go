package answer

import "hermes-sessions/model"

// Storage is the answer of storage: what takes space in a database file. Texts are
// measured as stored; what a delete would free is estimated.
type Storage struct {
	Files         FileSizes         `json:"files"`
	TextBytes     int64             `json:"text_bytes"`     // texts of all messages and sessions
	OverheadBytes int64             `json:"overhead_bytes"` // everything else: indexes, numbers, the bytes around each row
	Messages      int               `json:"messages"`       // including rewound and compacted ones
	Conversations []StorageOfOne    `json:"conversations"`  // the largest first
	Total         int               `json:"total"`          // all conversations, whatever the limit
	Sources       []StorageOfSource `json:"sources"`        // the largest first
	Months        []StorageOfMonth  `json:"months"`         // the newest first
}

// StorageOfSeveral is the answer of storage for several databases.
type StorageOfSeveral struct {
	Databases []StorageOfDatabase `json:"databases"`
}

// StorageOfDatabase is what takes space in one of them. IDs have no profile prefix.
type StorageOfDatabase struct {
	Name string `json:"name"` // as in the IDs of lists: work/ID
	Storage
}

// StorageOfOne is the space that a conversation takes.
type StorageOfOne struct {
	ID         string `json:"id"` // of the newest segment
	RootID     string `json:"root_id"`
	Title      any    `json:"title" schema:"string|null"`
	Source     string `json:"source"`
	LastActive any    `json:"last_active" schema:"number|null"`
	StoredBytes
}

// StorageOfSource is the space that the conversations of a source take.
type StorageOfSource struct {
	Source        string `json:"source"`
	Conversations int    `json:"conversations"`
	StoredBytes
}

// StorageOfMonth is the space that the messages of a month take, in the local time zone.
type StorageOfMonth struct {
	Month any `json:"month" schema:"string|null"` // 2026-03; null for messages without a time
	StoredBytes
}

// StoredBytes is what some messages take.
type StoredBytes struct {
	Messages  int   `json:"messages"`
	TextBytes int64 `json:"text_bytes"`           // measured
	Freed     int64 `json:"freed_bytes_estimate"` // by a deletion and a vacuum after it: texts, and part of their copies in the search index
}

// FileSizes are the sizes of the files of a database.
type FileSizes struct {
	Path      string `json:"path"`
	Journal   string `json:"journal_mode"`
	Bytes     int64  `json:"bytes"`      // of the file
	WALBytes  int64  `json:"wal_bytes"`  // of the write-ahead log
	FreeBytes int64  `json:"free_bytes"` // empty pages inside the file, which a vacuum frees
}

// FileSizesOf returns the sizes of files for JSON.
func FileSizesOf(s model.FileSizes) FileSizes {
	return FileSizes{Path: s.Path, Journal: s.Journal, Bytes: s.File, WALBytes: s.Log, FreeBytes: s.Free}
}

// Compacted is the answer of storage with --vacuum or --checkpoint.
type Compacted struct {
	Vacuumed     bool      `json:"vacuumed"`
	Checkpointed bool      `json:"checkpointed"` // false if another process keeps the log in use
	Before       FileSizes `json:"before"`
	After        FileSizes `json:"after"`
}
