package export

import (
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/store"
)

// Of several databases, those that can be read are exported, and the errors name the
// others; one that is alone gives its own error.
func TestExportOfSeveralGoesOn(t *testing.T) {
	t.Parallel()
	var parts []Part
	for _, name := range []string{"v02.db", "v11.db", "v07.db"} {
		s, err := store.Open(t.Context(), fixtures.Database(t, name))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() //nolint:errcheck // nothing was written
		parts = append(parts, Part{Store: s})
	}
	for _, format := range Formats() {
		write := func(parts ...Part) (string, int, error) {
			var out strings.Builder
			n, err := Write(t.Context(), parts, &out, Options{Format: format, Zone: time.UTC}, nil)
			return out.String(), n, err
		}
		sound, n, err := write(parts[1])
		if err != nil || n == 0 {
			t.Fatalf("%d %v", n, err)
		}
		for _, i := range []int{0, 2} {
			if err := parts[i].Store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		out, got, err := write(parts...)
		all, ok := err.(Failures) //nolint:errorlint // as it is returned
		if !ok || len(all) != 2 || got != n {
			t.Fatalf("%s: %d of %d sessions, %v", format, got, n, err)
		}
		for i, of := range []int{0, 2} {
			if text := all[i].Error(); !strings.Contains(text, parts[of].Store.Path()) || !strings.Contains(text, "not exported") {
				t.Errorf("%s: %s", format, text)
			}
		}
		if format == "jsonl" && out != sound {
			t.Errorf("%d bytes, want %d", len(out), len(sound))
		}
		if _, _, err := write(parts[0]); err == nil || strings.Contains(err.Error(), "not exported") {
			t.Errorf("%s: of the only database: %v", format, err)
		}
	}
}
