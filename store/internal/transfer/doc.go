// Package transfer moves sessions between a database and files of JSON lines.
//
// There are two formats. An export (export.go) is the documented one of Hermes:
// a session with its messages on each line. A backup (backup.go) is this
// program's own: a row of any table on each line, every value as it was stored,
// so that a delete can be undone exactly.
//
//	                 ┌ {"id": …, "messages": […]}    Export, Import
//	state.db  ◄───►  │
//	                 └ {"table": …, "row": {…}}      RowEncoder, Restore
//
// Import recognizes a backup by its first line and restores it. Otherwise it
// reads line by line:
//
//  1. jsonScanner reads a line piece by piece. A long line waits in a Spool, in
//     memory up to 4 MB and then in a temporary file.
//  2. scanHeader checks the line without keeping the messages of a long one.
//  3. writeBatch imports the lines that wait in one transaction of about 30 ms,
//     each completely or not at all. It first tries without savepoints, because
//     a savepoint makes FTS5 write out what it has gathered; only when a line
//     turns out to be wrong it tries again with one for each line.
//
// Restore puts back the lines of a backup in four passes: system prompts,
// sessions, everything else, then links to parents. Up to 128 KB are one
// transaction; more are restored in chunks, after a check for conflicts that
// changes nothing.
//
// Where to change what: the shape of an export in export.go; the lines of a
// backup in backup.go; the rules of an import in importsession.go; the rules of
// what may be put back, and over what, in restorerows.go; where bytes wait in
// spool.go.
package transfer
