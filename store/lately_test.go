package store

import (
	"strings"
	"testing"

	"hermes-sessions/model"
)

// A search takes texts over from the one before, but none that was changed
// meanwhile, by whomever.
func TestTheNextKeyShowsWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := said(t, "v11.db", "the old xylophone stands here")
	shows := func(query, want string) {
		t.Helper()
		m := everything(t, s, query).Matches
		if len(m) != 1 || !strings.Contains(marked(m[0].Best.Snippet), want) {
			t.Errorf("%s shows %+v, not %q", query, m, want)
		}
	}
	shows("xylophone", "old «xylophone»")
	shows("the xylophone", "«the» old «xylophone»")
	if len(s.lately.kept.now) == 0 {
		t.Error("no text is kept for the next key")
	}
	change(t, s.path, `UPDATE messages SET content = 'the new xylophone stands here' WHERE content LIKE '%old xylophone%'`)
	shows("xylophone", "new «xylophone»")
	if _, err := s.AppendMessage(t.Context(), "asked", NewMessage{Role: "user", Content: "one more xylophone"}); err != nil {
		t.Fatal(err)
	}
	shows("xylophone", "one more «xylophone»")
}

// What is kept for the next key is bounded: texts may be of any size.
func TestWhatIsKeptForTheNextKeyIsBounded(t *testing.T) {
	t.Parallel()
	var l lately
	p := l.take(1)
	for id := range int64(10) {
		p.keep(passage{hit: model.Hit{MessageID: id}, said: strings.Repeat("x", mostKept/4)})
	}
	l.put(1, p)
	if n := len(l.kept.now); n != 4 {
		t.Errorf("%d texts of a quarter of the room are kept", n)
	}
	if _, ok := l.take(2).again(0); ok {
		t.Error("a text of another moment is given")
	}
}
