package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A word of ASCII beside a script without spaces is found by both searches, with its
// snippet marked.
func TestQ35WordsBesideOtherScripts(t *testing.T) {
	t.Parallel()
	e := openWithMessages(t, "v11.db", "我们用docker部署", "docker镜像", "k8s和docker", "用dockers部署", "mydocker部署", "用DOCKER，好",
		`{"command": "echo \u7528docker\u90e8\u7f72"}`, `\u7528dockerfile`, "u7528docker", "テストdockerテスト", "도커docker입니다", "ใช้docker", "在2024年", "用Go写", "go语言", "golang和go", "用golang写", "AI助手", "为何why用podman的")
	for asked, want := range map[string]int{
		"docker": 8, "dock*": 10, "dockerfile": 1, "k8s": 1, "docker k8s": 1, "docker -k8s": 7, "docker 部署": 2, `"docker"`: 8,
		"k8s OR 2024": 2, "docker zyzzyva": 0, "kubernetes": 0, "docker-compose": 0, "DOCKER": 8, "部署 -docker": 2,
		"go": 3, "go*": 4, "ai": 1, "写 go": 1, "why podman": 1, "why did podman": 0, "why zyzzyva": 0, "why podman OR why docker OR k8s": 2,
	} {
		if got := finds(t, e, asked); got != want {
			t.Errorf("%s finds %d messages, want %d", asked, got, want)
		}
	}
	for _, m := range searchAllScopes(t, e, "k8s").Matches {
		if m.ID == "asked" && !strings.Contains(marked(m.Best.Snippet), "«k8s»和docker") {
			t.Errorf("the snippet is %s", marked(m.Best.Snippet))
		}
	}
	hits, total, err := e.SearchMessages(t.Context(), "2024", Options{Limit: -1})
	if err != nil || total == 0 || !slices.ContainsFunc(hits, func(h MessageHit) bool { return strings.Contains(h.Snippet, "在>>>2024<<<年") }) {
		t.Errorf("%d messages, %+v; %v", total, hits, err)
	}
	ids, err := e.HitIDs(t.Context(), query.Parse("docker", false), "asked")
	if err != nil || len(ids) != 8 {
		t.Errorf("the conversation has %d hits, want 8; %v", len(ids), err)
	}
	for _, scope := range []model.Scope{model.ScopeAll} {
		found, err := e.Search(t.Context(), query.Parse("docker -k8s", true), query.ListOptions{Scope: scope, Closest: true})
		if err != nil || found.Hits < 7 {
			t.Errorf("%d hits, want 7 or more; %v", found.Hits, err)
		}
	}
}

// A command that searches once finds all words of a message, however each of them stands
// beside a script, and words of two letters, which the trigrams do not find.
func TestOneSearchForSeveralWordsBesideOtherScripts(t *testing.T) {
	t.Parallel()
	texts := []string{"用docker和go写", "docker和go写", "用docker go", "go docker 文", "用podman和go写", "用dockers和go", "文 docker gone"}
	for asked, want := range map[string]int{"go docker": 4, "docker go": 4, "podman go": 1, "podman go docker": 0, "docker go OR podman": 5, "docker -gone": 4} {
		if got := finds(t, openWithMessages(t, "v11.db", texts...), asked); got != want {
			t.Errorf("%s finds %d messages, want %d", asked, got, want)
		}
	}
}

// Words beside scripts without spaces are found in files of many messages and in those
// without trigrams too, where a word of the index begins with such a script.
func TestWordsBesideOtherScriptsWithoutTrigrams(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db"} {
		path := fixtures.Database(t, name)
		other := otherConnection(t, path)
		must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('asked', 'cli', 1780000000)`)
		e, written := openAt(t, path), 0
		for _, texts := range [][]string{ // each batch is a change while the file is open
			{"我们用docker部署", "docker镜像", "和k8s和docker", "用dockers部署", "mydocker部署", "用DOCKER，好", `echo \u7528docker`},
			{"テストdockerテスト", "도커docker입니다", "ใช้docker", "在2024年", "u7528docker", "用dockér", "用go写"},
		} {
			for _, text := range texts {
				written++
				must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, 'asked', 'user', CAST(x'%x' AS TEXT), %d)`,
					maxBorderID+written, text, 1780000000+written))
			}
			for _, asked := range []string{"docker", "dock*", "dockers", "k8s", "docker -k8s", "docker 部署", `"docker"`, "2024", "202*", "部署 -docker", "go", "kubernetes"} {
				got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" })
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s: by index %v, by reading %v", name, asked, got, want)
				}
			}
			if err := e.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := finds(t, e, "docker"); got != 8 {
			t.Errorf("%s: docker finds %d messages, want 8", name, got)
		}
		hits, _, err := e.SearchMessages(t.Context(), "2024", Options{Limit: -1})
		if err != nil || !slices.ContainsFunc(hits, func(h MessageHit) bool { return strings.Contains(h.Snippet, "在>>>2024<<<年") }) {
			t.Errorf("%s: %+v; %v", name, hits, err)
		}
	}
}

// A file with very many words behind a script still finds those before one.
func TestTooManyWordsBehindScripts(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 41_000 {
		fmt.Fprintf(&many, "用%x ", 0x100000+i)
	}
	e := openWithMessages(t, "v09.db", many.String(), "用docker", "docker部署")
	for asked, want := range map[string]int{"docker": 1, "部署": 1, "用docker": 1} {
		if got := finds(t, e, asked); got != want {
			t.Errorf("%s finds %d messages, want %d", asked, got, want)
		}
	}
}

// The indexes and reading every message give the same answer for words beside scripts
// without spaces, also while messages come and go.
func TestScriptBordersAreThoseOfReading(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	path := fixtures.Database(t, "v11.db")
	other := otherConnection(t, path)
	e := openAt(t, path)
	pieces := []string{
		"docker", "Docker", "dock", "build", "用", "部署", "テスト", "검색", "ไทย", "ー", "é", "café", "1", "42", "2024", " ", " ", "。", ".", "-", "_", "\n", "\\u7528", "\\u90e8",
		"\\n", "𠀀", "ｶ", "文", "K", "e\u0301", "x", "👍", "\"", "Ａ", "हि",
	}
	text := func(n int) string { return randomText(r, pieces, n) }
	found := 0
	for round := range 6 {
		for i := range 80 {
			id := 100_000 + round*100 + i
			must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, tool_calls, timestamp)
				SELECT %d, session_id, 'assistant', CAST(x'%x' AS TEXT), CASE WHEN %d THEN CAST(x'%x' AS TEXT) END, timestamp FROM messages WHERE id = 5`,
				id, text(9), i%4/3, `["`+text(6)+`"]`))
		}
		must(t, other, fmt.Sprintf(`DELETE FROM messages WHERE id >= 100000 AND id %% 7 = %d`, round))
		must(t, other, fmt.Sprintf(`UPDATE messages SET content = CAST(x'%x' AS TEXT) WHERE id >= 100000 AND id %% 11 = %d`, text(9), round))
		if round%2 == 1 {
			if err := e.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, asked := range []string{
			"docker", "dock*", "doc*", "42", "do", "do*", "4*", "build", "build docker", "docker -build", "2024", "202*", "dockerdocker", "dockerbuild", "cafe", "caf*", "docker OR build -2024",
			"docker 部署", "build*", "部署 -docker", `"docker build"`, "C# docker", "x42", "docker 42", "docker build 2024", "2024 docker -build", "docker 部署 build", "cafe docker", "docker cafe 42",
		} {
			got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" })
			if once := ids(t, openAt(t, path), asked, nil); !slices.Equal(once, want) { // as in a command that searches once
				t.Errorf("%s: once %v more, by reading %v more", asked, minus(once, want), minus(want, once))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: by index %v more, by reading %v more", asked, minus(got, want), minus(want, got))
				for _, id := range append(minus(got, want), minus(want, got)...) {
					var content, calls any
					if err := e.db.Pool.QueryRowContext(t.Context(), `SELECT content, tool_calls FROM messages WHERE id = ?`, id).Scan(&content, &calls); err == nil {
						t.Logf("%d: %q %q", id, content, calls)
					}
				}
			}
			found += len(want)
		}
	}
	if found < 1000 {
		t.Errorf("only %d messages were found", found)
	}
}

// Words are found beside scripts without spaces also where so many of them begin in
// different ways that not all can be kept in memory.
func TestMoreScriptBordersThanMemory(t *testing.T) {
	t.Parallel()
	const ascii = "abcdefghijklmnopqrstuvwxyz0123456789"
	var plain, escaped strings.Builder
	for _, first := range ascii {
		for _, second := range ascii {
			fmt.Fprintf(&plain, "用%c%c", first, second)
			fmt.Fprintf(&escaped, `\u7528%c%c `, first, second)
		}
	}
	e := openWithMessages(t, "v11.db", plain.String(), `["`+escaped.String()+`"]`, "在zz写", "在aa写", "zz aa")
	for range 2 { // the second has less to read
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, asked := range []string{"aa", "zz", "99", "q7", "zz*", "aa 写", "zz -写"} {
			got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" })
			if !slices.Equal(got, want) || len(want) < 1 {
				t.Errorf("%s: by index %v, by reading %v", asked, got, want)
			}
		}
	}
}

// randomText joins up to n pieces.
func randomText(r *rand.Rand, pieces []string, n int) string {
	var b strings.Builder
	for range 1 + r.IntN(n) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}
