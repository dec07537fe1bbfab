// Package faultvfs puts a file system under SQLite that fails on request, for tests.
//
// The driver's own package vfs can only read, so this one wraps the VFS that SQLite uses
// anyway. Register makes the wrapper the default of the process: every connection goes
// through it, those of the store too, without any change of theirs. Files outside of a
// watched folder pass through untouched.
//
// Of a watched folder every operation is a step with a number. A [Fault] says at which
// step what goes wrong. The writes that reach the disk are recorded, and when each was
// synced, so that [Disk.CutPower] can make the folder as a power cut would leave it.
package faultvfs
