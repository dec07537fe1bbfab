package architecture

import (
	"regexp"
	"strings"
	"testing"
)

var statementBeforeTaglessSwitch = regexp.MustCompile(`(?m)^\s*switch .+; \{$`)

// A reader looks for the tag of a switch before its brace. The statement stands on a line of its
// own instead, and two ways are if and else.
func TestNoSwitchHidesAStatementBeforeItsCases(t *testing.T) {
	for name, file := range repository(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		for _, found := range statementBeforeTaglessSwitch.FindAllString(file.text, -1) {
			t.Errorf("%s: %s", name, strings.TrimSpace(found))
		}
	}
}
