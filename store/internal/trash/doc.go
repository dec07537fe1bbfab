// Package trash deletes sessions and brings them back. Losing one row is the worst
// that this program can do, so everything here follows one rule: a row is backed up
// in the transaction that deletes it, and a backup file that was named is synced to
// disk before the transaction commits.
//
//	ids ─► plan ─► blockers ─► for each group of conversations, one transaction:
//	                             1. back up rows         ─► UndoLog (transfer.Spool:
//	                             2. check preconditions      memory, temporary file
//	                             3. delete the rows          or the named backup)
//	                             4. sync the backup
//	                             5. commit
//	                           then remove the transcript files of its sessions
//
//	UndoLog ─► Restore (package transfer)
//
// The steps:
//
//   - Plan (plan.go). From the snapshot of all sessions: which sessions go with the
//     ids that were named, grouped by what only makes sense to delete as a whole,
//     and which stay and lose their parent. PlanDelete gives the plan to a person;
//     what was agreed to comes back as DeleteOptions.Expected.
//   - Blockers (blockers.go). Reasons why a conversation cannot be deleted: another
//     process is writing it, rows of an unknown table refer to it, or it is not what
//     was agreed to. With DeleteOptions.SkipBlocked the others are deleted.
//   - Preconditions (delete.go). The same questions once more inside the transaction,
//     read from the file: what another process did since the plan was made makes the
//     delete plan again (at most three times) or refuse.
//   - Chunks (delete.go). Up to 128 KB are deleted in one transaction, several short
//     conversations together. A longer conversation goes in chunks of about 30 ms
//     with pauses, newest messages first and each session with its last message, so
//     that other writers do not wait; a crash between two chunks leaves its beginning,
//     which is a conversation that can be read.
//   - Rows (sessionrows.go, foreignkeys.go). What belongs to a session in other
//     tables is backed up and deleted with it; a table of a newer Hermes that is not
//     known refuses the delete. What triggers of the file change in rows that stay is
//     backed up, too; what they may not change refuses the delete (db.SideEffect).
//   - Files (transcriptfiles.go). Backed up before the rows go, removed after them,
//     and only if they did not change in between.
//   - Undo (undo.go). The UndoLog holds the lines of the backup that were committed;
//     a transaction that fails rewinds it to where it began. Restore puts the rows
//     back, links to parents included.
//   - Saved (interrupted.go). With a folder for it the UndoLog is a file, locked by its
//     process, and named by what is going on. One that no process has locked was left by
//     a kill, and the next start offers to restore it, or is kept for a later undo, within
//     limits of age and size. Its first line tells the database that it is from.
//
// Prune and PruneGhosts (prune.go) choose old and empty conversations and delete
// them in the same way; Prune passes over what is blocked or no longer old by then.
// CleanupFindings (cleanup.go) only proposes.
//
// To change which sessions go together, see model.Lineage.PlanDeletion; how much
// one transaction takes, package db (chunker.go); the format of the backup, package
// transfer (backup.go).
package trash
