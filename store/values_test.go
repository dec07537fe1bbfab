package store

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// A cost without a price is unknown, never free.
func TestCostOfASession(t *testing.T) {
	for _, c := range []struct {
		estimated, actual any
		status            string
		want              model.Cost
	}{
		{nil, nil, "", model.Cost{}},
		{0.0, nil, "", model.Cost{}},
		{0.0, 0.0, "unknown", model.Cost{}},
		{"junk", nil, "estimated", model.Cost{}},
		{math.NaN(), nil, "", model.Cost{}},
		{0.5, nil, "", model.Cost{USD: 0.5, Known: true, Estimated: true}},
		{0.5, 0.0, "estimated", model.Cost{USD: 0.5, Known: true, Estimated: true}},
		{0.5, 0.25, "", model.Cost{USD: 0.25, Known: true}},
		{0.0, nil, "included", model.Cost{Known: true}},
		{0.5, 0.0, "actual", model.Cost{Known: true}},
		{-0.5, -0.25, "actual", model.Cost{}},
		{nil, nil, "actual", model.Cost{}},
		{0.5, -0.25, "actual", model.Cost{USD: 0.5, Known: true, Estimated: true}},
	} {
		if got := snapshot.SessionCost(c.estimated, c.actual, c.status); got != c.want {
			t.Errorf("%v, %v, %q: %+v, want %+v", c.estimated, c.actual, c.status, got, c.want)
		}
	}
}

// Every value of a time column is read as the time that was meant, or
// as none.
func TestTimesAreReadInEveryUnit(t *testing.T) {
	noon := time.Unix(1_772_400_000, 500_000_000)
	for _, v := range []any{1772400000.5, "1772400000.5", []byte(" 1772400000.5 "), 1772400000500.0, int64(1772400000500000), 1772400000.5e9} {
		if got := db.AsTime(v); got.Sub(noon).Abs() > time.Microsecond {
			t.Errorf("%v is %v", v, got)
		}
	}
	for _, v := range []any{nil, "not a number", "", math.NaN(), math.Inf(1), 1e300, -1e300} {
		if got := db.AsTime(v); !got.IsZero() {
			t.Errorf("%v is %v", v, got)
		}
	}
	if got := db.AsTime(-5.0); got.Unix() != -5 {
		t.Errorf("-5 is %v", got)
	}
}

// meant returns the session that a name means, "" for none and for several.
func meant(t testing.TB, s *Store, name string) string {
	t.Helper()
	m, err := s.MatchName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if m.By == model.NameUnknown || len(m.Sessions) != 1 {
		return ""
	}
	return m.Sessions[0].ID
}

// A person names a session by its id, the beginning of one, or its title.
func TestNamesOfSessions(t *testing.T) {
	s := openFixture(t, "v11.db")
	for name, want := range map[string]string{
		"20260303_211245_5bf439": "20260303_211245_5bf439",
		"20260303_211245":        "20260303_211245_5bf439",
		"my project #2":          "20260301_153254_3fa021",
		"my project":             "20260302_002228_01ab7e", // #3, the newest of the series
		"":                       "", "nope": "", "%": "", "202603": "",
	} {
		if got := meant(t, s, name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if m, err := s.MatchName(t.Context(), "202603"); err != nil || m.By != model.NameID || len(m.Sessions) < 10 {
		t.Errorf("%+v %v", m, err)
	}
}

// A series is whatever continues a title with " #", in any case of ASCII letters, and its newest
// session is meant although another has the title itself; "Bot Chat" alone is no series.
func TestTitleOfASeries(t *testing.T) {
	path := fixture(t, "v11.db")
	_, err := otherConnection(t, path).ExecContext(t.Context(), `INSERT INTO sessions (id, source, started_at, title) VALUES
		('b1', 'cli', 5, 'Bot Chat'), ('b2', 'cli', 6, 'Bot Chat #2'), ('ü', 'cli', 7, 'über'), ('ü2', 'cli', 8, 'ÜBER #2'), ('p', 'cli', 9, '50%_'), ('p2', 'cli', 9, '50x_ #2'),
		('q1', 'cli', 10, 'Q4 Project'), ('q2', 'cli', 40, 'Q4 Project #2'), ('q10', 'cli', 30, 'Q4 Project #10'),
		('qbug', 'cli', 50, 'Q4 Project #bug'), ('qlow', 'cli', 60, 'q4 project')`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for title, want := range map[string]string{
		"Q4 Project": "qbug", "q4 project": "qbug", "Q4 Project #2": "q2", "Q4 Project #bug": "qbug",
		"Bot Chat": "b1", "bot chat": "b2", "über": "ü", "50%_": "p",
	} {
		got, err := s.ResolveTitle(t.Context(), title)
		if err != nil || got != want {
			t.Errorf("%q is %q, want %q (%v)", title, got, want, err)
		}
		if title != "über" && meant(t, s, title) != want { // a person's über is also ÜBER
			t.Errorf("%q means %q, want %q", title, meant(t, s, title), want)
		}
	}
}

// An exported line is what Python's json.dumps(ensure_ascii=False) writes.
func TestExportSpelling(t *testing.T) {
	path := fixture(t, "v11.db")
	_, err := otherConnection(t, path).ExecContext(t.Context(), `
		INSERT INTO sessions (id, source, started_at, title) VALUES ('exp', 'cli', 1770000000, 'Ünï "q" 😀');
		INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES
			('exp', 'user', char(0) || 'json:[{"type": "text", "text": "\u5927"}]', NULL, 1770000001.5),
			('exp', 'assistant', 'a/b' || char(9, 10, 127), '{oops', 1770000002)`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b bytes.Buffer
	if n, err := s.Export(t.Context(), &b, model.ExportOptions{IDs: []string{"exp"}}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	line := b.String()
	for _, part := range []string{
		`{"id": "exp", "source": "cli", "user_id": null, `, `"started_at": 1770000000.0, "ended_at": null, `, `"title": "Ünï \"q\" 😀"`,
		`"messages": [{"id": `, `"content": [{"type": "text", "text": "大"}], `, "\"content\": \"a/b\\t\\n\x7f\", ", `"tool_calls": [], `, `"timestamp": 1770000001.5, `,
	} {
		if !strings.Contains(line, part) {
			t.Errorf("%q is not in %s", part, line)
		}
	}
	if !strings.HasSuffix(line, "}]}\n") || strings.Count(line, "\n") != 1 {
		t.Errorf("the line ends in %q", line[max(0, len(line)-20):])
	}
	_, err = s.Export(t.Context(), &b, model.ExportOptions{IDs: []string{"nope"}})
	expect(t, err, model.KindNotFound)
}
