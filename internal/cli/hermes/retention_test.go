package hermes

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/model"
)

func TestPruneSettings(t *testing.T) {
	for _, c := range []struct {
		text string
		auto string // on, off or unset
		days int
		why  string // part of the problem
	}{
		{"", "unset", 90, ""},
		{"model: x\n", "unset", 90, ""},
		{"sessions:\n  auto_prune: true\n", "on", 90, ""},
		{"\ufeff---\nsessions:   # kept\r\n    retention_days: 30 # a month\r\n    auto_prune: yes\r\nother:\n  auto_prune: false\n", "on", 30, ""},
		{"sessions:\n  nested:\n    auto_prune: true\n  auto_prune: Off\n", "off", 90, ""},
		{"other:\n  sessions:\n    auto_prune: true\n", "unset", 90, ""},
		{"text: |\n  sessions:\n    auto_prune: true\n", "unset", 90, ""},
		{"sessions: {auto_prune: true, retention_days: 7}\n", "on", 7, ""},
		{"sessions: {}\n", "unset", 90, ""},
		{"sessions:\n", "unset", 90, ""},
		{"\"sessions\":\n  'auto_prune': 1\n  retention_days: \"14\"\n", "on", 14, ""},
		{"sessions:\n  auto_prune: true\n  retention_days: -3\n", "on", -3, ""},
		{"#sessions:\n#  auto_prune: true\n", "unset", 90, ""},
		{"sessions:\n  auto_prune: \"false\"\n", "", 0, "not true or false"},
		{"sessions:\n  auto_prune:\n", "", 0, "not true or false"},
		{"sessions:\n  retention_days: many\n", "", 0, "not a number"},
		{"sessions:\n  auto_prune: ${PRUNE}\n", "", 0, "an alias"},
		{"sessions: *common\n", "", 0, "does not read"},
		{"sessions:\n  <<: *common\n", "", 0, "does not read"},
		{"sessions:\n\tauto_prune: true\n", "", 0, "does not read"},
		{"{sessions: {auto_prune: true}}\n", "", 0, "does not read"},
		{"sessions:\n  auto_prune: true\nsessions:\n  auto_prune: false\n", "", 0, "twice"},
		{"a: 1\n---\nsessions:\n  auto_prune: true\n---\nb: 2\n", "", 0, "several documents"},
		{"a: [1,\nb: }\nsessions:\n  auto_prune: true\n", "", 0, "does not read"},
		{"a: {\n  b: c}\nsessions:\n  auto_prune: true\n", "on", 90, ""},
		{"sessions:\n  auto_prune: true\n    retention_days: 5\n", "", 0, "does not read"},
		{"sessions:\n  auto_prune: false\nmodel: x\n  y: 1\n", "", 0, "does not read"},
		{"a:\n  - b: 1\n    c: 2\n  - |\n    d: 1\n      e: 2\ntext: >-\n  f: 1\n    g: 2\nsessions:\n  auto_prune: true\n", "on", 90, ""},
		{"\xff\xfes\x00e\x00", "", 0, "does not read"},
		{"sessions:\n  auto_prune:\n", "", 0, "is empty"},
		{"sessions:\n  auto_prune: true\n  source_retention_days: {cron: many}\n", "", 0, "of cron in config.yaml is many, not a number"},
		{"sessions:\n  source_retention_days:\n    cron:\n      days: 4\n", "", 0, "of cron in config.yaml is empty"},
		{"sessions:\n  source_retention_days: {\"cron\": 7}\n", "", 0, "does not read"},
		{"sessions:\n  source_retention_days:\n    cron: ${CRON}\n", "", 0, "an alias"},
	} {
		p := pruneSettings(c.text)
		auto := "unset"
		if p.Auto != nil {
			auto = map[bool]string{true: "on", false: "off"}[*p.Auto]
		}
		switch {
		case c.why != "":
			if !strings.Contains(p.Problem, c.why) {
				t.Errorf("%q: %+v, want %q", c.text, p, c.why)
			}
		case p.Problem != "" || auto != c.auto || p.Days != c.days:
			t.Errorf("%q: %+v, auto_prune %s", c.text, p, auto)
		}
	}
}

// The ages of single sources are a mapping of days; what Hermes ignores is ignored.
func TestDaysBySource(t *testing.T) {
	for text, want := range map[string]map[string]int{
		"sessions:\n  source_retention_days:\n    cron: 7 # a week\n    'webui': \"14\"\n  retention_days: 30\n": {"cron": 7, "webui": 14},
		"sessions:\n  source_retention_days: {cron: 7, subagent: 3}\n":                                           {"cron": 7, "subagent": 3},
		"sessions:\n  source_retention_days:\n    cron: 0\n    tool: -1\n    cli: 5\n":                           {"cli": 5},
		"sessions:\n  source_retention_days: 7\n":                                                                nil,
		"sessions:\n  source_retention_days:\n    - cron\n":                                                      nil,
		"sessions:\n  source_retention_days:\n":                                                                  nil,
		"sessions:\n  other:\n    cron: 7\n":                                                                     nil,
		"source_retention_days:\n  cron: 7\n":                                                                    nil,
	} {
		if p := pruneSettings(text); !maps.Equal(p.DaysBySource, want) || p.Problem != "" {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// The settings are those of the home that the database is in; other files have none.
func TestPruneSettingsOfAFile(t *testing.T) {
	dir := t.TempDir()
	at := Location{DB: filepath.Join(dir, "state.db")}
	if p := PruneSettings(at); p == nil || p.Auto != nil || p.Days != model.DefaultRetentionDays || p.Problem != "" {
		t.Errorf("without config.yaml: %+v", p)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("sessions:\n  auto_prune: on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := PruneSettings(at); p == nil || p.Auto == nil || !*p.Auto {
		t.Errorf("%+v", p)
	}
	for _, l := range []Location{{}, {DB: filepath.Join(dir, "old.db")}} {
		if p := PruneSettings(l); p != nil {
			t.Errorf("%q has %+v", l.DB, p)
		}
	}
	if err := os.Remove(filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "config.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if p := PruneSettings(at); p == nil || p.Problem == "" {
		t.Errorf("a folder: %+v", p)
	}
}
