package cli

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

func TestDoctorCommand(t *testing.T) {
	dir := home(t)
	code, out, errs := run(t, dir, "", "doctor")
	if code != 0 || errs != "" {
		t.Fatal(code, out, errs)
	}
	for _, want := range []string{
		"state.db\n", "schema       11\n", "contains     4 sessions, 3 messages\n", "journal      wal\n",
		"permissions  -rw-------\n", "index        inline, words and trigrams, compared with the texts\n", "  ! values that Hermes does not write", "\n\nNo problems found. Lines with ! are advice.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	var found struct {
		Healthy bool
		Version int `json:"schema_version"`
		Mode    string
		Index   struct {
			Words, Trigrams *struct{ Missing, Surplus int }
		}
		Problems []answer.Finding
	}
	code, out, _ = run(t, dir, "", "doctor", "--full", "--json")
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 {
		t.Fatal(code, err, out)
	}
	if !found.Healthy || found.Version != 11 || found.Mode != "0600" || found.Index.Words == nil || found.Index.Trigrams == nil || found.Problems == nil {
		t.Errorf("%+v", found)
	}
}

// A file that nothing else opens is what a doctor is for: the answer is the
// answer.Finding, on standard output.
func TestDoctorOfAFileThatDoesNotOpen(t *testing.T) {
	dir := t.TempDir()
	if code, out, errs := run(t, dir, "", "doctor"); code != 1 || errs != "" || !strings.Contains(out, "✗ no Hermes history") || !strings.Contains(out, "--demo") {
		t.Error(code, out, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.db"), []byte("this is a letter to a friend, and no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, dir, "", "doctor")
	if code != 1 || errs != "" || !strings.Contains(out, "✗ this is not a SQLite database\n") || !strings.HasSuffix(out, "1 problem found.\n") {
		t.Error(code, out, errs)
	}
	var found struct {
		Healthy  bool
		Version  *int `json:"schema_version"`
		Problems []answer.Finding
	}
	code, out, _ = run(t, dir, "", "doctor", "--json")
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 || found.Healthy || found.Version != nil {
		t.Fatal(code, err, out)
	}
	if len(found.Problems) != 1 || found.Problems[0].Kind != model.KindNotADatabase || found.Problems[0].Remedy == "" {
		t.Errorf("%+v", found)
	}
}

// doctor --migrate asks first, keeps a copy, names the faults it has repaired, and
// creates no database where there is none.
func TestDoctorMigrates(t *testing.T) {
	dir := home(t)
	path := filepath.Join(dir, "state.db")
	if code, out, _ := run(t, dir, "", "doctor", "--migrate", "--yes"); code != 0 || !strings.Contains(out, "Nothing to do") {
		t.Error(code, out)
	}
	damage(t, path, `DROP INDEX idx_sessions_title_unique; DROP TRIGGER messages_fts_insert;
		UPDATE sessions SET title = 'other' WHERE id = 'open'`)
	if code, out, _ := run(t, dir, "", "doctor"); code != 1 || !strings.Contains(out, "✗ 1 title belongs to more than one session") ||
		!strings.Contains(out, "messages_fts_insert") || !strings.Contains(out, "2 problems found.") {
		t.Error(code, out)
	}
	if code, _, errs := run(t, dir, "y\n", "doctor", "--migrate"); code != 2 || !strings.Contains(errs, "--yes") {
		t.Error(code, errs)
	}
	var done struct {
		From, To int
		Backup   string
		Repaired []string
	}
	code, out, errs := run(t, dir, "", "doctor", "--migrate", "--yes", "--json")
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 {
		t.Fatal(code, err, out, errs)
	}
	if done.From != 11 || done.To != 11 || len(done.Repaired) < 3 {
		t.Errorf("%+v", done)
	}
	if _, err := os.Stat(done.Backup); err != nil {
		t.Error(err)
	}
	if code, out, _ := run(t, dir, "", "doctor"); code != 0 {
		t.Error(code, out)
	}
	for _, args := range []string{"--migrate --full", "--yes", "--no-backup"} {
		if code, _, _ := run(t, dir, "", append([]string{"doctor"}, strings.Fields(args)...)...); code != 2 {
			t.Error(args, code)
		}
	}
	nowhere := t.TempDir()
	if code, _, _ := run(t, nowhere, "", "doctor", "--migrate", "--yes"); code != 1 {
		t.Error(code)
	}
	if found, err := os.ReadDir(nowhere); err != nil || len(found) > 0 {
		t.Error("made something of nothing", found, err)
	}
}

// doctor --salvage writes a new file, lists what is lost by conversation, and exits with
// 1 where something is. It writes over nothing.
func TestDoctorSalvage(t *testing.T) {
	dir := home(t)
	saved := filepath.Join(dir, "saved.db")
	code, out, errs := run(t, dir, "", "doctor", "--salvage", saved)
	if code != 0 || errs != "" || !strings.Contains(out, "Wrote 4 sessions and 3 messages to ") || !strings.HasSuffix(out, "Nothing was lost.\n") {
		t.Fatal(code, out, errs)
	}
	if code, out, errs := run(t, dir, "", "doctor", "--salvage", saved); code != 1 || out != "" || !strings.Contains(errs, "this file already exists") {
		t.Error(code, out, errs)
	}
	for _, args := range []string{"--salvage= ", "--salvage x.db --full", "--salvage x.db --demo"} {
		if code, _, _ := run(t, dir, "", append([]string{"doctor"}, strings.Split(strings.TrimSpace(args), " ")...)...); code != 2 {
			t.Errorf("%s: %d", args, code)
		}
	}
	damaged := filepath.Dir(fixtures.Database(t, "damaged/index-lacks-rows-b.db")) // as state.db
	code, out, errs = run(t, damaged, "", "doctor", "--salvage", filepath.Join(dir, "other.db"))
	if code != 1 || errs != "" || !strings.Contains(out, "✗ 20260304_013349_6e0b8d42 (no title): 1 session row and 0 messages lost, 4 messages left\n") {
		t.Error(code, out, errs)
	}
	var found struct {
		Whole    bool
		Messages int
		Lost     []struct {
			ID       string
			Sessions int `json:"lost_sessions"`
		}
	}
	code, out, _ = run(t, damaged, "", "doctor", "--json", "--salvage", filepath.Join(dir, "third.db"))
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 || found.Whole || found.Messages != 240 || len(found.Lost) != 1 || found.Lost[0].Sessions != 1 {
		t.Error(code, err, out)
	}
}

// Both commands write the size of a file in the same unit.
func TestDoctorAndStorageAgreeOnTheSize(t *testing.T) {
	dir := home(t)
	_, checked, _ := run(t, dir, "", "doctor")
	_, measured, _ := run(t, dir, "", "storage")
	_, size, _ := strings.Cut(checked, "  size         ")
	size, _, _ = strings.Cut(size, "\n")
	size, _, _ = strings.Cut(size, " and ")
	if size == "" || !strings.Contains(measured, "  file             "+size+"\n") {
		t.Errorf("doctor says %q, storage\n%s", size, measured)
	}
}

// A file whose header is lost is no database for SQLite, and one whose header states too few pages
// is not opened; a salvage has the rows of both. Of another file it says what SQLite says.
func TestSalvageWithoutAHeader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, out := filepath.Join(dir, "state.db"), filepath.Join(dir, "saved.db")
	content := fixtures.Read(t, "v25.db")
	short := slices.Clone(content)
	binary.BigEndian.PutUint32(short[28:], uint32(len(short)/4096/3))
	clear(content[:100])
	for _, file := range []struct {
		content []byte
		code    int
		printed string
		err     string
	}{
		{content, 1, "Wrote 101 sessions and 374 messages to " + out, ""},
		{short, 1, "Wrote 101 sessions and 374 messages to " + out, ""},
		{[]byte(strings.Repeat("no database\n", 1000)), 1, "", "this is not a SQLite database"},
	} {
		if err := os.WriteFile(path, file.content, 0o600); err != nil {
			t.Fatal(err)
		}
		code, printed, errs := run(t, dir, "", "doctor", "--salvage", out)
		if code != file.code || !strings.HasPrefix(printed, file.printed) || !strings.Contains(errs, file.err) {
			t.Errorf("%d %s%s", code, printed, errs)
		}
		if err := os.Remove(out); err != nil && file.err == "" {
			t.Error(err)
		}
	}
}
