package query

import (
	"testing"
	"time"

	"hermes-sessions/model"
)

func TestFiltersByWhatIsKnown(t *testing.T) {
	c := &model.Conversation{RootID: "work/a", LastActive: time.UnixMicro(10)}
	q := Parse("is:new kafka", false)
	matches := func(k *Known) bool {
		fs := Resolve(q.Filters, func(Filter) *Known { return k })
		return Predicate(fs, time.Now(), func(Filter) bool { return false }, nil)(c)
	}
	for read, want := range map[int64]bool{9: true, 10: false} {
		if matches(NewKnown(map[string]int64{"work/a": read})) != want {
			t.Errorf("read until %d: not %t", read, want)
		}
	}
	if matches(nil) || matches(NewKnown(nil)) {
		t.Error("matches though nothing is known")
	}
	local := NewKnown(map[string]int64{"a": 9, "b": 9}).Renamed(func(root string) string {
		if root == "b" {
			return ""
		}
		return "work/" + root
	})
	if !matches(local) || len(local.roots) != 1 {
		t.Errorf("renamed: %v", local)
	}
	if q.Filters[0].Known != nil {
		t.Error("the query itself was changed")
	}
}
