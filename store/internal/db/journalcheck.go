package db

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"hermes-sessions/model"
)

// The header of a rollback journal (https://sqlite.org/fileformat2.html#the_rollback_journal).
const (
	journalMagic   = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journalHeader  = 28
	uncounted      = 1<<32 - 1 // records that go to the end of the journal, which may be torn
	maxJournalUnit = 1 << 16   // bytes of a sector or a page
)

// journalFault is why a journal must not be rolled back.
type journalFault int

const (
	journalFits journalFault = iota
	journalForeign
	journalDamaged
)

// checkJournal returns an error where SQLite would lose something by rolling back the journal
// beside a file, which it does when it opens the file, and then removes the journal.
func (d *DB) checkJournal() error {
	fault, nonce := d.readJournal()
	if fault == journalFits {
		return nil
	}
	// A program may have been writing there.
	if again, same := d.readJournal(); again != fault || same != nonce {
		return nil
	}
	path := model.ShellWord(d.Path)
	if fault == journalForeign {
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path,
			Message: "the journal beside the database belongs to another database, or to an older copy of this one, and SQLite would write it over the file; nothing was opened",
			Remedy:  model.AdviseToRun("end the programs that use the file, then keep the journal under another name", fmt.Sprintf("mv %[1]s-journal %[1]s.other-journal", path)),
		}
	}
	return &model.Error{
		Kind: model.KindDamaged, Path: d.Path,
		Message: "the journal of an unfinished change is damaged: SQLite would undo only part of the change and remove the journal; nothing was opened",
		Remedy: model.AdviseToRun("end the programs that use the file, keep a copy of it and its journal, then let SQLite undo what it can",
			fmt.Sprintf("cp %[1]s %[1]s.damaged && cp %[1]s-journal %[1]s.damaged-journal && sqlite3 %[1]s 'PRAGMA schema_version'", path)),
	}
}

// fileStart returns the header of a database file, the size of its pages, and its length. ok is
// false where it is no file of SQLite, or not readable: its first page may have to be rolled back.
func fileStart(path string) (start [journalHeader]byte, page uint32, length int64, ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return start, 0, 0, false
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return start, 0, 0, false
	}
	_, _ = io.ReadFull(file, start[:]) // what is missing stays zero, and then is no database
	if page = uint32(binary.BigEndian.Uint16(start[16:])); page == 1 {
		page = maxJournalUnit
	}
	return start, page, info.Size(), string(start[:6]) == "SQLite"
}

// isJournalUnit reports whether a number can be the size of a sector or a page: a power of two.
func isJournalUnit(n, least uint32) bool { return n >= least && n <= maxJournalUnit && n&(n-1) == 0 }

// readJournal compares the journal beside a file with the file, and gives the random number
// that tells one journal from the next.
func (d *DB) readJournal() (fault journalFault, nonce uint32) {
	f, err := os.Open(d.Path + "-journal")
	if err != nil {
		return journalFits, 0
	}
	defer f.Close() //nolint:errcheck // it was only read
	var start [journalHeader]byte
	var size uint32
	var length int64
	ok := false
	withoutSQLite(d.Path, func() { start, size, length, ok = fileStart(d.Path) })
	if !ok { // or SQLite has the file open already, and has judged the journal
		return journalFits, 0
	}
	number := binary.BigEndian.Uint32
	in := bufio.NewReaderSize(f, 64<<10)
	var head [journalHeader]byte
	var sector, pages uint32
	kept := false // the first page is in the journal
	record := make([]byte, 8+size)
	for first := true; ; first = false {
		_, err := io.ReadFull(in, head[:])
		isHeader := err == nil && string(head[:8]) == journalMagic
		// SQLite removes a journal whose header has another magic number, or no records, and
		// rolls nothing back. It writes both at once, and before that zeros.
		if first && err == nil && head[0] != 0 && (!isHeader || number(head[8:]) == 0) && holdsRecord(f, len(record)) {
			return journalDamaged, number(head[12:])
		}
		if !isHeader {
			break
		}
		count, sum := number(head[8:]), number(head[12:])
		if first {
			nonce = sum
			pages = number(head[16:])
			sector = number(head[20:])
			page := number(head[24:])
			sizes := isJournalUnit(sector, 32) && isJournalUnit(page, 512)
			switch {
			case !sizes && count == 0:
				return journalFits, nonce
			case !sizes:
				return journalDamaged, nonce
			case page != size:
				return journalForeign, nonce
			}
		}
		_, _ = in.Discard(int(sector) - journalHeader) // the next read fails too
		for n := uint32(0); n < count; n++ {
			_, err := io.ReadFull(in, record)
			page := number(record)
			if err != nil || page == 0 || page <= pages && !isJournaled(record, sum) {
				if count == uncounted {
					break
				}
				return journalDamaged, nonce
			}
			// Each change that is finished adds 1 to the counter on the first page.
			if counter := number(start[24:]); page == 1 {
				if before := number(record[4+24:]); counter-before > 1 && d.WalSize() == 0 {
					return journalForeign, nonce
				}
				kept = true
			}
		}
		// The next header is at the start of a sector.
		if used := uint64(count) * uint64(len(record)) % uint64(max(sector, 1)); used > 0 {
			_, _ = in.Discard(int(uint64(sector) - used)) // the next read fails too
		}
	}
	// A change that makes the file longer has kept its first page before.
	if !kept && pages > 0 && int64(pages)*int64(size) < length {
		return journalForeign, nonce
	}
	return journalFits, nonce
}

// holdsRecord reports whether a journal is long enough for a record of some bytes.
func holdsRecord(journal *os.File, bytes int) bool {
	info, err := journal.Stat()
	return err == nil && info.Size() >= int64(journalHeader+bytes)
}

// isJournaled reports whether a record of a journal has the checksum that belongs to it.
func isJournaled(record []byte, sum uint32) bool {
	page := record[4 : len(record)-4]
	for i := len(page) - 200; i > 0; i -= 200 {
		sum += uint32(page[i])
	}
	return binary.BigEndian.Uint32(record[len(page)+4:]) == sum
}
