// Package db opens one session database of Hermes Agent and is the only way to its
// tables: connections, schema, values, write transactions, errors. What the tables
// mean is in the packages above (snapshot, transcript, search, trash, transfer).
//
// # What it gives
//
//	open.go, db.go     [DB.Open]: a file of any version, as it is
//	schema.go          [Schema]: which tables and columns the file has, read from it,
//	                   never inferred from the version number
//	conditions.go      conditions for WHERE that depend on the schema
//	statements.go      statements that are prepared once
//	parallel.go        two reads at the same time
//	tx.go, query.go    [DB.ReadTx], [DB.PairTx]: reads in one transaction;
//	                   single values, lists of ids, many ids in one statement
//	record.go,         rows as they are stored, in the order of their columns
//	messages.go        messages decoded for a person
//	values.go          any value in any column, read as what the column is for
//	write.go,          [DB.Write]: one write transaction, [Tx]
//	writer.go          the one connection that writes
//	chunker.go         [Chunker]: a long change as many short transactions
//	preconditions.go   what a change must not run into
//	watch.go           [DB.DataVersion]: has another process written?
//	filechange.go      [DB.FileChange]: has the file been replaced, overwritten, removed?
//	errors.go          [model.Error]: a kind for scripts, a sentence, a remedy; by the codes of
//	                   SQLite in resultcodes.go
//	health.go          [DB.Notes]: what is wrong with a file that can still be read
//	remedies.go        what helps against an error, for a person and for a program
//	bypass.go          reading without the indexes of a file that are damaged
//	journal.go,        journal modes, and whether the journal and the write-ahead log
//	journalcheck.go,   can be read
//	logcheck.go
//	postgres.go        whether Hermes keeps its sessions elsewhere
//	rights.go          whether the system lets this process write
//	trigramnul.go      messages whose trigrams older versions of SQLite wrote wrong
//
// # The rules it keeps
//
//   - Readers cannot write. Each connection of the pool has query_only set, and
//     looking at an idle history changes no byte of it. Opening runs no DDL, keeps the
//     journal mode and writes no version (store/README.md#opening,
//     store/README.md#journal-mode).
//   - A write is BEGIN IMMEDIATE … COMMIT on a single connection, tried up to 15 times
//     with a random pause of 20 to 150 ms while another process holds the lock: the
//     retries of Hermes, so that neither starves the other
//     (store/README.md#write-rules). A call may run its function more than once.
//   - The schema is read again inside each write transaction, since a newer Hermes may
//     have changed it after the file was opened (store/README.md#newer-files).
//   - A long change holds the lock for about 30 ms at a time, 60 while no other process
//     writes, with pauses of at least 30 ms between (store/README.md#q28).
//   - No change is made to sessions that another process is writing, nor to messages
//     whose index needs a tokenizer that only Hermes loads
//     (store/README.md#sessions-in-use, store/README.md#tokenizer-trap).
//   - No statement that a person's action leads to is DDL. Only the migration changes
//     the schema (store/README.md#migration).
//
// One place writes into a shadow table of FTS5: trigramnul.go, which says why.
package db
