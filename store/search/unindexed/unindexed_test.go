package unindexed

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// What is kept of a text has all that is looked for in it.
func TestStretchesHoldWhatIsLookedFor(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                             "",
		"用Docker部署":                         "\n用docker部署",
		"run it 用 docker 部署":                "\n用\n部署",
		strings.Repeat("x", 40) + "部":       "\n" + strings.Repeat("x", beside) + "部",
		"部" + strings.Repeat("x", 40):       "\n部" + strings.Repeat("x", beside),
		"部" + strings.Repeat("x", 30) + "署": "\n部" + strings.Repeat("x", 30) + "署",
		"部" + strings.Repeat("x", 40) + "署": "\n部" + strings.Repeat("x", beside) + "\n" + strings.Repeat("x", beside) + "署",
		"é部":                                "\né部",
	} {
		if got := string(appendScripts(nil, text)); got != want {
			t.Errorf("%q keeps %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"部署": "部署", "用K": "用k", "部署 数据库": "数据库", "部" + strings.Repeat("x", 40): "部", "abc": ""} {
		wanted, exact := lookUpText(text)
		if wanted != want || exact != (strings.ToLower(text) == want) {
			t.Errorf("%q is found by %q, exactly: %v", text, wanted, exact)
		}
	}
}

// Messages that come while others are read stay unread, also those of which the word index tells
// nothing; where too many are, no key reads them: the next reading does, and only them.
func TestNewMessagesAreUnread(t *testing.T) {
	var c Cache
	unchanged := func(context.Context, fts.Version) (fts.Version, *idset.Set, bool, error) {
		return fts.Version{}, &idset.Set{}, true, nil
	}
	read := func(last int64, meanwhile func()) (ids *idset.Set, all bool) {
		ids, all, err := c.Unread(t.Context(), unchanged, last, false)
		if err != nil {
			t.Fatal(err)
		}
		meanwhile()
		texts := &Texts{}
		texts.Add(last, false, "部署")
		c.Add(texts, last, all)
		return ids, all
	}
	view := func(last int64) *View {
		v, err := c.View(t.Context(), unchanged, last)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	read(1, func() { view(3) })
	if v := view(4); v == nil || !slices.Equal(slices.Collect(v.Unread().All()), []int64{2, 3, 4}) {
		t.Fatalf("%v", v)
	}
	if view(4+maxUnread) != nil {
		t.Error("a key reads all that has come")
	}
	if ids, all := read(4+maxUnread, func() {}); all || ids.Len() != 3+maxUnread {
		t.Errorf("%d are read, all: %v", ids.Len(), all)
	}
	if v := view(4 + maxUnread); v == nil || !v.Unread().Empty() {
		t.Errorf("%v", v)
	}
}

// A file that grows beyond what is read whole is read again for its long results, also where their words
// had been too much beside all else.
func TestAGrownFileIsReadAgain(t *testing.T) {
	unchanged := func(context.Context, fts.Version) (fts.Version, *idset.Set, bool, error) {
		return fts.Version{}, &idset.Set{}, true, nil
	}
	for _, leftOut := range []kind{symbols, words, runs, everything} {
		var c Cache
		add := func(texts *Texts, cutOnly bool) {
			_, all, err := c.Unread(t.Context(), unchanged, 10, cutOnly)
			if err != nil || !all {
				t.Fatal(all, err)
			}
			texts.Add(1, true, "docker")
			c.Add(texts, 10, all)
		}
		add(&Texts{held: held{leftOut: leftOut}}, false)
		add(OfCutMessages(), true)
		v, err := c.View(t.Context(), unchanged, 10)
		if err != nil || v == nil {
			t.Fatalf("%d left out: %v %v", leftOut, v, err)
		}
		if cut, ok := v.Cut(); !ok || !cut.Has(1) {
			t.Errorf("%d left out: %v", leftOut, ok)
		}
	}
}

// A history with more text than the cache may hold is read once, and then no more.
func TestTooMuchTextIsReadOnce(t *testing.T) {
	var c Cache
	unchanged := func(context.Context, fts.Version) (fts.Version, *idset.Set, bool, error) {
		return fts.Version{}, &idset.Set{}, true, nil
	}
	for round, text := range []string{strings.Repeat("部", maxBytes/3+1), ""} {
		_, all, err := c.Unread(t.Context(), unchanged, 1, false)
		if err != nil || all != (round == 0) {
			t.Fatalf("round %d: all are unread: %v; %v", round, all, err)
		}
		if all {
			texts := &Texts{}
			texts.Add(1, false, text)
			c.Add(texts, 1, all)
		}
		if v, err := c.View(t.Context(), unchanged, 1); v != nil || err != nil {
			t.Errorf("round %d: the cache answers; %v", round, err)
		}
	}
}
