package store

import (
	"fmt"
	"strings"
	"testing"

	"hermes-sessions/model"
)

// A person names a session in any case and by a part of its title.
func TestMatchName(t *testing.T) {
	t.Parallel()
	for name, titles := range map[string]map[string]string{ // part of a title → the title, "" for none or several
		"v01.db": {"my project": "", "docker": ""},
		"v11.db": {
			"MY PROJECT": "my project #3", "my project #3": "my project #3", "my proj": "", "compressed": "my project compressed", "docker": "Docker networking",
			"AUTH Refactor": "Auth refactor", "kubernetes": "Kubernetes rollout", "GROSSE": "", "große & umlaute": "Größe & Umlaute 🎉", "unicode": "Ünïcödé & friends",
			"旅行": "广西旅行计划", "very log": "very long build log", "log very": "", "#5": "#5", "a #1": "a #1", "quoted": `"quoted" title's`, "%": "", "100%": "100% coverage", "z": "",
		},
		"v25.db": {"FIX docker BUILD": "Fix Docker Build", "fix build": "Fix Docker Build", "config.yaml": "config.yaml cleanup", "検索": "日本語の検索", "my project compressed": "my project compressed", "Project": ""},
	} {
		s := openFixture(t, name)
		for part, want := range titles {
			m, err := s.MatchName(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			one := m.By != model.NameUnknown && len(m.Sessions) == 1
			switch {
			case want == "" && one:
				t.Errorf("%s: %q is %q", name, part, m.Sessions[0].Title)
			case want != "" && (!one || m.Sessions[0].Title != want):
				t.Errorf("%s: %q is %+v, want %q", name, part, m, want)
			case want != "" && strings.EqualFold(part, want) != (m.By == model.NameTitle) && m.By != model.NameSeries:
				t.Errorf("%s: %q is found by %d", name, part, m.By)
			}
		}
	}
}

// A name that no session has brings those with similar names.
func TestMatchNameOffersSimilarOnes(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	for name, want := range map[string]string{
		"dokcer netwroking":        "Docker networking", //nolint:misspell // what is tested
		"my projcet":               "my project",
		"refactoring of auth":      "Auth refactor",
		"20260307_202747_8a0e5392": "Docker networking",
		"广西的旅行":                    "广西旅行计划",
		"zzyzx":                    "",
		"":                         "",
		" ":                        "",
	} {
		m, err := s.MatchName(t.Context(), name)
		if err != nil || m.By != model.NameUnknown || len(m.Sessions) > 3 || (len(m.Sessions) > 0) != (want != "") {
			t.Errorf("%q: %+v %v", name, m, err)
		} else if want != "" && !strings.Contains(fmt.Sprint(m.Sessions), want) {
			t.Errorf("%q offers %+v, want %q", name, m.Sessions, want)
		}
	}
}

// Ids win over titles, whole titles over several ids and parts of titles, and the
// segments of one conversation are one answer.
func TestMatchNameTriesIDsFirst(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	if _, err := otherConnection(t, path).ExecContext(t.Context(), `INSERT INTO sessions (id, source, started_at, ended_at, end_reason, parent_session_id, title) VALUES
		('zebra', 'cli', 10, 20, NULL, NULL, 'stripes'), ('other', 'cli', 30, 40, NULL, NULL, 'Zebra crossing'), ('zed1', 'cli', 40, 50, NULL, NULL, NULL),
		('zed2', 'cli', 50, 60, NULL, NULL, NULL), ('third', 'cli', 60, 70, NULL, NULL, 'ZED'),
		('chain1', 'cli', 70, 80, 'compression', NULL, 'quagga talk'), ('chain2', 'cli', 80, NULL, NULL, 'chain1', 'quagga talk #2')`); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]string{
		"zebra": "{1 [{zebra stripes}]}", "zebr": "{1 [{zebra stripes}]}", "zebra c": "{4 [{other Zebra crossing}]}", "zed": "{3 [{third ZED}]}",
		"ze": "{1 [{zed2 } {zed1 } {zebra stripes}]}", "quagga": "{4 [{chain2 quagga talk #2}]}", "Quagga Talk": "{2 [{chain2 quagga talk #2}]}",
	} {
		if m, err := s.MatchName(t.Context(), name); err != nil || fmt.Sprint(m) != want {
			t.Errorf("%q: %v %v, want %s", name, m, err, want)
		}
	}
}
