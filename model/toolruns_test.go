package model

import (
	"slices"
	"strings"
	"testing"
)

func TestSpeaker(t *testing.T) {
	for role, want := range map[string]Author{
		"user": AuthorUser, "assistant": AuthorAgent, "tool": AuthorTool, "system": AuthorSystem, "": AuthorOther, "developer": AuthorOther, "User": AuthorOther,
	} {
		if got := (Message{Role: role}).Author(); got != want {
			t.Errorf("role %q is %v, want %v", role, got, want)
		}
	}
}

func TestSummarizeRun(t *testing.T) {
	long := strings.Repeat("a", 200)
	for _, c := range []struct {
		groups  []CallGroup
		results int
		want    string
	}{
		{[]CallGroup{{"read_file", 1, []string{"a.go"}}, {"terminal", 2, []string{"make", "make test"}}}, 0, "read_file a.go · terminal ×2 make; make test"},
		{[]CallGroup{{"terminal", 1, nil}}, 2, "terminal · 2 results without a call"},
		{nil, 1, "1 result without a call"},
		{
			[]CallGroup{{"a", 1, []string{long}}, {"b", 1, []string{long}}, {"c", 3, []string{long}}},
			0,
			"a " + long[:60] + "… · b " + long[:59] + "… · c ×3",
		},
	} {
		if got := SummarizeRun(c.groups, c.results); got != c.want {
			t.Errorf("%+v, %d: %q, want %q", c.groups, c.results, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	for text, want := range map[string]string{
		"Error: no such file":                     "failed",
		"  error while reading":                   "failed",
		"Traceback (most recent call last):\n  …": "failed",
		`{"error": "not found"}`:                  "failed",
		`{"output": "x", "error": null}`:          "",
		`{"output": "x", "error": ""}`:            "",
		`{"output": "ok", "exit_code": 0}`:        "",
		`{"output": "no", "exit_code": 2}`:        "exit 2",
		`{"exit_code": 127, "error": "no"}`:       "exit 127",
		`{"exit_code": null}`:                     "",
		`{"exit_code": -1, "output": ""}`:         "exit -1",
		`{"output": "` + strings.Repeat("a line\\n", 100) + `", "exit_code": 1, "error": null}`:  "exit 1",
		`{"output": "\"exit_code\": 1` + strings.Repeat("a line\\n", 100) + `", "exit_code": 0}`: "",
		`{"output": "` + strings.Repeat("a line\\n", 100) + `Error: no rule", "exit_code": 0}`:   "", // by its own word it did not fail
		strings.Repeat("a line\n", 100) + "Error: no rule":                                       "", // the words of an output say nothing
		`{"success": false}`:                      "failed",
		`{"success": true}`:                       "",
		`{"Success": FALSE}`:                      "failed",
		`{"note": "x", "ERROR" : "no"}`:           "failed",
		`{"output": "Exited With Exit Code 4"}`:   "",
		`{"output": "Executed With Exit Code 4"}`: "exit 4",
		"Exit code 1\nsyntax error":               "exit 1",
		"Exit code 0\nfine":                       "",
		"exit code 1 is mentioned":                "exit 1",
		"the exit code 1 is mentioned":            "",
		"Command `ls` executed with exit code 2.": "exit 2",
		"Command `ls` executed with exit code 0.": "",
		"Chunk ID: 1\nProcess exited with code 3": "exit 3",
		"Chunk ID: 1\nProcess exited with code 0": "",
		"<tool_use_error>No such tool":            "failed",
		"0 errors, 3 warnings":                    "",
		"the word error in a text":                "",
		"":                                        "",
	} {
		if got := (Message{Role: "tool", Content: Content{Text: text}}).Failure(); got != want {
			t.Errorf("Failure(%q) = %q, want %q", text, got, want)
		}
	}
	if (Message{Role: "user", Content: Content{Text: "Error: mine"}}).Failed() {
		t.Error("what a user says is not a failed result")
	}
}

// skeletons makes skeletons from a short notation, one word each: u, s, a (says), r
// (reasons only), a:x,y or c:x,y (calls with these ids, saying something or
// not), t:x (the result of x), ? (not read).
func skeletons(words string) []Skeleton {
	var out []Skeleton
	for w := range strings.FieldsSeq(words) {
		kind, ids, _ := strings.Cut(w, ":")
		var g Skeleton
		if ids != "" && kind != "t" {
			g.CallIDs = strings.Split(ids, ",")
			g.CallNames = slices.Clone(g.CallIDs)
		}
		switch kind {
		case "u":
			g.Author, g.HasContent = AuthorUser, true
		case "s":
			g.Author, g.HasContent = AuthorSystem, true
		case "a":
			g.Author, g.HasContent = AuthorAgent, true
		case "r":
			g.Author, g.HasReasoning = AuthorAgent, true
		case "c":
			g.Author = AuthorAgent
		case "t":
			g.Author, g.HasContent, g.ResultOf = AuthorTool, true, ids
		}
		out = append(out, g)
	}
	return out
}

func TestToolPairing(t *testing.T) {
	for _, c := range []struct {
		name      string
		talk      string
		starts    []int
		reasoning bool
		run       []int32
		caller    []int32
	}{
		{
			name: "a run goes on until something is said",
			talk: "u c:1,2 t:1 t:2 c:3 t:3 a u", run: []int32{-1, 1, 1, 1, 1, 1, -1, -1}, caller: []int32{-1, -1, 1, 1, -1, 4, -1, -1},
		},
		{
			name: "words before calls end the run before and begin one",
			talk: "c:1 t:1 a:2 t:2", run: []int32{0, 0, 2, 2}, caller: []int32{-1, 0, -1, 2},
		},
		{
			name: "results in another order",
			talk: "c:1,2 t:2 t:1", run: []int32{0, 0, 0}, caller: []int32{-1, 0, 0},
		},
		{
			name: "ids that come again belong to the newest call",
			talk: "c:1 t:1 u c:1 t:1", run: []int32{0, 0, -1, 3, 3}, caller: []int32{-1, 0, -1, -1, 3},
		},
		{
			name: "a second result of the same call is separate",
			talk: "c:1 t:1 t:1", run: []int32{0, 0, 0}, caller: []int32{-1, 0, -1},
		},
		{
			name: "a result without a call heads a run of its own",
			talk: "u t:9 a", run: []int32{-1, 1, -1}, caller: []int32{-1, -1, -1},
		},
		{
			name: "a result without an id answers nothing",
			talk: "c:1 t t:1", run: []int32{0, 0, 0}, caller: []int32{-1, -1, 0},
		},
		{
			name: "a late result is shown with its call and begins nothing",
			talk: "c:1 u t:1 a", run: []int32{0, -1, -1, -1}, caller: []int32{-1, -1, 0, -1},
		},
		{
			name: "no run crosses a seam",
			talk: "c:1 t:1 c:2 t:2", starts: []int{0, 2}, run: []int32{0, 0, 2, 2}, caller: []int32{-1, 0, -1, 2},
		},
		{
			name: "empty segments are passed over",
			talk: "c:1 c:2", starts: []int{0, 1, 1}, run: []int32{0, 1}, caller: []int32{-1, -1},
		},
		{
			name: "reasoning does not part a run while it is hidden",
			talk: "c:1 t:1 r:2 t:2", run: []int32{0, 0, 0, 0}, caller: []int32{-1, 0, -1, 2},
		},
		{
			name: "reasoning parts a run while it is shown",
			talk: "c:1 t:1 r:2 t:2", reasoning: true, run: []int32{0, 0, 2, 2}, caller: []int32{-1, 0, -1, 2},
		},
		{
			name: "what has not been read parts a run and its pairs",
			talk: "c:1 ? t:1", run: []int32{0, -1, 2}, caller: []int32{-1, -1, -1},
		},
	} {
		w := PairTools(skeletons(c.talk), c.starts, c.reasoning)
		if !slices.Equal(w.RunStart, c.run) || !slices.Equal(w.Caller, c.caller) {
			t.Errorf("%s: %s\n runs %v callers %v\n want %v         %v", c.name, c.talk, w.RunStart, w.Caller, c.run, c.caller)
		}
		for i, head := range w.RunStart {
			if head >= 0 && (w.RunStart[head] != head || int(w.RunEnd[head]) <= i) {
				t.Errorf("%s: message %d is in the run of %d, which ends at %d", c.name, i, head, w.RunEnd[head])
			}
		}
	}
}

func TestToolPairingTellsCallsOfAMessageApart(t *testing.T) {
	w := PairTools(skeletons("c:x,y,z t:z t:x t:y"), nil, false)
	if want := []int16{0, 2, 0, 1}; !slices.Equal(w.CallIndex, want) {
		t.Errorf("results answer calls %v, want %v", w.CallIndex, want)
	}
}

func TestSkeleton(t *testing.T) {
	m := Message{Role: "assistant", Content: Content{Text: " \n"}, Reasoning: "hm", Calls: []ToolCall{{ID: "1", Name: "terminal"}}}
	if g := m.Skeleton(); g.HasContent || !g.HasReasoning || g.Author != AuthorAgent || !slices.Equal(g.CallNames, []string{"terminal"}) || !slices.Equal(g.CallIDs, []string{"1"}) {
		t.Errorf("skeleton of a silent call: %+v", g)
	}
	if g := (Message{Role: "user", Content: Content{Media: []Attachment{{Kind: "image"}}}}).Skeleton(); !g.HasContent {
		t.Error("a picture says something")
	}
	if g := (Message{Role: "tool", ToolCallID: "7", ToolName: "patch", Content: Content{Text: "Error: x"}}).Skeleton(); g.ResultOf != "7" || g.ToolName != "patch" || g.Failure != "failed" {
		t.Errorf("skeleton of a result: %+v", g)
	}
}
