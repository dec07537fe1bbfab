package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// The other half of TestMemoryDoesNotGrowWithTheFile: a process that does one
// thing and says how much memory it took at most.
func TestMemoryChild(t *testing.T) {
	debug.SetGCPercent(100) // as in the program
	path := os.Getenv("STORE_TEST_MEMORY")
	if path == "" {
		t.Skip("runs inside TestMemoryDoesNotGrowWithTheFile")
	}
	s := reopen(t, path)
	switch os.Getenv("STORE_TEST_MEMORY_DOES") {
	case "export":
		f, err := os.Create(path + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Export(t.Context(), f, model.ExportOptions{})
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	case "delete":
		u, err := s.Delete(t.Context(), texts(t, s, `SELECT id FROM sessions`), model.DeleteOptions{})
		if err == nil {
			err = u.Close()
		}
		if left := Count(t, s, `SELECT count(*) FROM messages`); err != nil || left > 0 {
			t.Fatal(left, "messages are left:", err)
		}
	case "import": // into what the delete has left
		f, err := os.Open(path + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if r, err := s.Import(t.Context(), f, model.ImportOptions{}); err != nil || r.Messages == 0 || r.BadLines > 0 {
			t.Fatal(r, err)
		}
	}
	// Of this process alone; what the system calls its largest size may be
	// that of the process which started it.
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "VmHWM:") {
			fmt.Println(lines.Text())
		}
	}
}

// Export, delete and import take the memory of one message at a time: a file
// with ten times the text takes them no more, whether the text is of one long
// conversation or of many short ones.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	campaign.Only(t) // it takes seconds
	does := []string{"export", "delete", "import"}
	took := map[string][2]int{}
	for i, n := range []int{60, 600} {
		path := filepath.Join(t.TempDir(), "state.db")
		if _, err := Migrate(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		db := otherConnection(t, path)
		for _, table := range []string{"messages_fts", "messages_fts_trigram"} { // keeping them takes most of the time
			for _, event := range []string{"insert", "delete", "update"} {
				Must(t, db, `DROP TRIGGER `+table+`_`+event)
			}
			Must(t, db, `DROP TABLE `+table)
		}
		const text = `replace(hex(zeroblob(4000)), '0', 'ab ')` // 24 KB
		Must(t, db, session("long"), message("long", n),
			fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
				INSERT INTO sessions (id, source, started_at) SELECT 'short' || n, 'cli', 1700000000 FROM i`, n),
			`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', '', 1 FROM sessions WHERE id <> 'long'`,
			`UPDATE messages SET content = `+text)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for _, what := range does {
			out, err := child(t.Context(), "TestMemoryChild", "STORE_TEST_MEMORY="+path, "STORE_TEST_MEMORY_DOES="+what).CombinedOutput()
			_, said, _ := strings.Cut(string(out), "VmHWM:")
			peak := took[what]
			if _, scan := fmt.Sscan(said, &peak[i]); err != nil || scan != nil {
				t.Fatalf("%s: %v\n%s", what, err, out)
			}
			took[what] = peak
		}
		info, err := os.Stat(path + ".jsonl")
		if err != nil || info.Size() < int64(n)*48_000 {
			t.Fatal(info, err)
		}
	}
	for _, what := range does {
		few, many := took[what][0], took[what][1]
		t.Logf("%s: at most %d KB with 3 MB of text, %d KB with 30 MB", what, few, many)
		if many > few+16<<10 {
			t.Errorf("%s takes %d KB more where the file is ten times as large", what, many-few)
		}
	}
}
