package model

// FileChange is what has happened to the file of an open database without SQLite: by mv,
// cp or rm. SQLite notices none of it, and would mix the old content with the new
// (store/README.md#replaced-files).
type FileChange int

// The changes of a file. From FileReplaced on, the file at the path is not the one that
// the connections have read.
const (
	FileUnchanged   FileChange = iota
	FileGone                   // nothing is at the path
	FileUnreadable             // this process may no longer read it
	FileEmptied                // it has no bytes
	FileLogGone                // its -wal, which the connections have open, is not at its path
	FileReplaced               // the path leads to another file
	FileOverwritten            // the file has the content of another
)
