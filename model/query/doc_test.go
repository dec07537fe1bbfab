package query

import (
	"os"
	"strings"
	"testing"
)

func TestThePackageCommentHasAnExampleOfEveryFilter(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Fields() {
		_, rest, ok := strings.Cut(string(doc), "//\t"+string(f.Field)+":")
		if !ok {
			t.Errorf("doc.go has no line for the filter %s:", f.Field)
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		example, _, _ := strings.Cut(line, "  ")
		if q := Parse(string(f.Field)+":"+example, false); len(q.Filters) != 1 {
			t.Errorf("the example %s:%s is not a filter: %+v", f.Field, example, q)
		}
	}
}
