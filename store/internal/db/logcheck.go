package db

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"

	"hermes-sessions/model"
)

// LostInLog counts the transactions of the write-ahead log of a database that no program
// reads, because the log is damaged before or in them: the next one that writes, or empties
// the log, writes over them. A log without content, or of another format, has none.
//
// The index of the log (-shm) is not asked where the log ends: closing that file would drop the
// locks that SQLite has on it in this process. So a change that a killed program has not announced
// counts as lost once a shorter one of another program is before it.
func LostInLog(path string) (int, error) {
	lost, damaged, err := lostInLog(path+"-wal", nil)
	if err != nil || lost == 0 {
		return 0, err
	}
	// A program may have been writing there.
	again, at, err := lostInLog(path+"-wal", nil)
	if at != damaged {
		again = 0
	}
	return again, err
}

// FramesBehindDamage returns where a damaged log has pages behind the damage, each in its last
// version, by their numbers. They are as they were written: see lostInLog. lost is how many
// transactions no program reads.
func FramesBehindDamage(path string) (at map[uint32]int64, lost int, err error) {
	at = map[uint32]int64{}
	lost, _, err = lostInLog(path+"-wal", func(page uint32, offset int64) { at[page] = offset })
	return at, lost, err
}

// CheckLog returns an error of [model.KindDamaged] where writing into the write-ahead log, or
// emptying it, would lose transactions.
func (d *DB) CheckLog() error {
	lost, err := LostInLog(d.Path)
	if err != nil {
		return d.WrapError("read the write-ahead log of", err)
	}
	if lost == 0 {
		return nil
	}
	return &model.Error{Kind: model.KindDamaged, Path: d.Path, Message: LostInLogText(lost) + "; nothing was changed", Remedy: AdviseLogCopy(d.Path)}
}

// LostInLogText says how many transactions a damaged log has.
func LostInLogText(lost int) string {
	return "the write-ahead log is damaged: " + model.Quantity(lost, "change") + " after the damage cannot be read"
}

// AdviseLogCopy advises to keep a damaged log, over which the next program writes.
func AdviseLogCopy(path string) model.Remedy {
	return model.AdviseToRun("save what is intact behind the damage with doctor --salvage, end the programs that use the file, keep a copy of it and its log, then empty the log",
		fmt.Sprintf("cp %[1]s %[1]s.damaged && cp %[1]s-wal %[1]s.damaged-wal && sqlite3 %[1]s 'PRAGMA wal_checkpoint(TRUNCATE)'", model.ShellWord(path)))
}

// Sizes of a write-ahead log, and its number in the first four bytes without the last bit,
// which is set where checksums are of big-endian numbers (https://sqlite.org/fileformat2.html#walformat).
const (
	logHeader   = 32
	frameHeader = 24
	logMagic    = 0x377f0682
)

// maxForeignFrames ends the search for frames of this log: after so many frames in a row that
// belong to earlier logs. A log that was once large keeps its size, and SQLite writes it from
// the start again.
const maxForeignFrames = 1 << 14

// lostInLog counts the transactions at and behind the first damaged frame, and gives the
// number of that frame. It calls sound, if it is not nil, for each frame behind it that is of this
// log and whose checksum continues that of the frame before it, of transactions that have an end.
// A file is a log where its header says so, or has the salts of its first frame.
func lostInLog(path string, sound func(page uint32, at int64)) (lost, damaged int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	const twoFrames = 128 << 10
	in := bufio.NewReaderSize(f, twoFrames)
	head := make([]byte, logHeader)
	if _, err := io.ReadFull(in, head); err != nil {
		return 0, 0, nil //nolint:nilerr // no log of SQLite
	}
	magic, page := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[8:])
	isSize := page >= 512 && page <= 1<<16 && page&(page-1) == 0
	if magic&^1 != logMagic || !isSize {
		first, err := in.Peek(frameHeader)
		if salts := head[16:24]; err != nil || !bytes.Equal(salts, first[8:16]) || bytes.Equal(salts, make([]byte, 8)) {
			return 0, 0, nil //nolint:nilerr // no log of SQLite
		}
	}
	if !isSize {
		page = 4096 // as Hermes writes
	}
	big := magic&1 != 0
	sum := logSum{}.add(big, head[:24])
	whole := sum.is(head[24:])
	if !whole {
		page = pageOfFrames(in, page)
	}
	salts := [8]byte(head[16:24])
	frame := make([]byte, frameHeader+page)
	foreign := 0
	type located struct {
		page uint32
		at   int64
	}
	var found []located        // of the current transaction
	before := sumOf(head[24:]) // as the frame before states it
	for n := 0; foreign < maxForeignFrames; n++ {
		if _, err := io.ReadFull(in, frame); err != nil {
			return lost, damaged, nil //nolint:nilerr // the end, or half a frame
		}
		if n == 0 && !whole {
			salts = [8]byte(frame[8:16]) // those of the header may be what is damaged
		}
		// After a log that was started over come frames with other salts.
		ours := [8]byte(frame[8:16]) == salts
		if foreign++; ours {
			foreign = 0
		}
		if whole {
			sum = sum.add(big, frame[:8]).add(big, frame[frameHeader:])
			if whole = ours && sum.is(frame[16:24]); !whole {
				damaged = n
			}
		}
		commit := binary.BigEndian.Uint32(frame[4:]) != 0
		if sound != nil && !whole && ours && before.add(big, frame[:8]).add(big, frame[frameHeader:]).is(frame[16:24]) {
			found = append(found, located{binary.BigEndian.Uint32(frame), logHeader + int64(n)*int64(len(frame)) + frameHeader})
		}
		before = sumOf(frame[16:24])
		if commit && ours && !whole {
			lost++
			for _, f := range found {
				sound(f.page, f.at)
			}
			found = nil
		}
	}
	return lost, damaged, nil
}

// pageOfFrames returns the bytes of a page in a log whose header is damaged: as many as lie between
// the first frame and the next one, which has the same salts; stated, where there are no two. The
// header of the database is not asked: closing the file would drop the locks that SQLite has on it.
func pageOfFrames(in *bufio.Reader, stated uint32) uint32 {
	for page := 512; page <= 1<<16; page <<= 1 {
		start, err := in.Peek(frameHeader + page + frameHeader)
		if err == nil && bytes.Equal(start[8:16], start[frameHeader+page+8:][:8]) {
			return uint32(page)
		}
	}
	return stated
}

// foreignLog reports whether the log beside a database has pages of another size than it.
// SQLite ignores a log whose header is damaged.
func foreignLog(path string) bool {
	var head, log [logHeader]byte
	for name, start := range map[string][]byte{path: head[:], path + "-wal": log[:]} {
		f, err := os.Open(name)
		if err != nil {
			return false
		}
		_, err = io.ReadFull(f, start)
		_ = f.Close() // it was only read
		if err != nil {
			return false
		}
	}
	size := uint32(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	magic := binary.BigEndian.Uint32(log[:])
	return string(head[:6]) == "SQLite" && magic&^1 == logMagic && binary.BigEndian.Uint32(log[8:]) != size &&
		logSum{}.add(magic&1 != 0, log[:24]).is(log[24:])
}

// logSum is the checksum of a log up to some place.
type logSum [2]uint32

// add returns the checksum after more bytes; big is whether the log has big-endian numbers.
func (s logSum) add(big bool, b []byte) logSum {
	for ; len(b) >= 8; b = b[8:] {
		first, second := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if big {
			first, second = bits.ReverseBytes32(first), bits.ReverseBytes32(second)
		}
		s[0] += first + s[1]
		s[1] += second + s[0]
	}
	return s
}

// sumOf returns a checksum that is stored in 8 bytes.
func sumOf(stored []byte) logSum {
	return logSum{binary.BigEndian.Uint32(stored), binary.BigEndian.Uint32(stored[4:])}
}

// is reports whether the checksum is the one that is stored in 8 bytes.
func (s logSum) is(stored []byte) bool { return sumOf(stored) == s }
