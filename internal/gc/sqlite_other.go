//go:build !linux

package gc

func freeSQLiteMemory() {}
