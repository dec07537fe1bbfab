package state

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model/redact"
)

// Redact is what the settings say about masking secrets.
type Redact struct {
	Always   bool              `toml:"always"`   // in the browser: exports, copies, the pager and the editor
	Also     []string          `toml:"also"`     // words of RedactWords
	Patterns map[string]string `toml:"patterns"` // the user's own, by name
}

// RedactWords are the values of --redact: secrets are masked in any case.
func RedactWords() []string { return []string{"secrets", "emails", "paths"} }

// Rules returns the rules of the settings with more words.
func (r Redact) Rules(more []string) (redact.Rules, error) {
	var rules redact.Rules
	for i, w := range slices.Concat(r.Also, more) {
		if !slices.Contains(RedactWords(), w) {
			from := "redact"
			if i < len(r.Also) {
				from = "redact.also"
			}
			return rules, fmt.Errorf("%s: %q must be one of %s", from, w, strings.Join(RedactWords(), ", "))
		}
		rules.Emails = rules.Emails || w == "emails"
		rules.Paths = rules.Paths || w == "paths"
	}
	for name, text := range r.Patterns {
		expr, err := regexp.Compile(text)
		if err != nil {
			return rules, fmt.Errorf("redact.patterns.%s: %w", name, err)
		}
		if name == "" || strings.ContainsAny(name, "[]\"\\\n") {
			return rules, fmt.Errorf("redact.patterns: the name %q must not be empty or have brackets, quotation marks or backslashes", name)
		}
		rules.Own = append(rules.Own, redact.Pattern{Name: name, Expr: expr})
	}
	sort.Slice(rules.Own, func(i, j int) bool { return rules.Own[i].Name < rules.Own[j].Name })
	return rules, nil
}
