package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model/match"
)

// HitKind is the part of a conversation that matched.
type HitKind int

// The kinds, highest rank first.
const (
	HitTitle HitKind = iota
	HitID
	HitSource
	HitUser  // a message of the user
	HitAgent // a message of the agent
	HitTool  // a tool's name, arguments or result
)

// Hit is a message that matches a query. MessageID is 0 when the
// conversation's title, id or source matched instead.
type Hit struct {
	MessageID   int64
	SessionID   string
	Role        string
	ToolName    string
	CallName    string // the tool whose call has the snippet, where a message of the agent matches by a call
	OptionNames bool   // it matches by the names of the arguments of a call alone
	Summary     bool   // the snippet is of a summary of compressed context, see [SplitSummary]
	Skill       bool   // the snippet is of a skill that the user called, see [SkillCall]
	At          time.Time
	Snippet     match.Snippet
	Kind        HitKind
}

// Match is a conversation that matches a query.
type Match struct {
	Conversation
	Best Hit
	Hits int // matching messages over all segments; 0 where Close is set

	Score float64 // how well it matches, comparable among those with the same Close

	Close      bool     // it has not all words in one message, or the scope hides it, but is among the closest
	OutOfScope bool     // of Close: the scope of the list hides it
	Words      int      // of Close: how many words the query has, those of Missing included
	Missing    []string // of Close: the words that it has not, the rarest first; of a misspelled one the correction
	InParts    bool     // of Close: of another word, which no text has as a whole, it has only parts
	AllWords   bool     // of Close: it has all words, some of them in other forms
	Together   bool     // of Close: Best is a message with all words, some of them in other forms
}

// Tier is how much of a query a match has. Matches come by tier, each below its heading.
type Tier int

// The tiers.
const (
	Exact   Tier = iota // all words, in one message
	InForms             // the same, but some of them in other forms
	Apart               // all words, in different messages
	Closest             // most words, or others in their place
)

// Heading returns what stands over the matches of a tier, "" over those with all words in
// one message.
func (t Tier) Heading() string {
	return [...]string{"", "", "All words, in different messages", "Closest"}[t]
}

// String returns the tier as JSON has it.
func (t Tier) String() string { return [...]string{"all", "forms", "apart", "close"}[t] }

// Tier returns the tier of a match.
func (m *Match) Tier() Tier {
	switch {
	case !m.Close:
		return Exact
	case m.AllWords && m.Together:
		return InForms
	case m.AllWords:
		return Apart
	}
	return Closest
}

// Closeness says how much of a query one of the closest conversations has, "" where its heading
// or its snippet says it; short is for where there is little room, "" where nothing shorter says
// it. The words of Missing are only counted. otherForms says that words of the query were found in
// other forms.
func (m *Match) Closeness(otherForms bool) (text, short string) {
	lacks := len(m.Missing)
	switch {
	case lacks > 0 && m.Words == 1:
		return "0 of 1 word", "0/1"
	case lacks > 0:
		return fmt.Sprintf("%d of %d words", m.Words-lacks, m.Words), fmt.Sprintf("%d/%d", m.Words-lacks, m.Words)
	case m.InParts && m.Words == 1:
		return "only parts of it", "in parts"
	case m.InParts:
		return "one word only in parts", "in parts"
	case m.Words == 1, m.Tier() == Apart && !m.OutOfScope:
		return "", ""
	case m.Together && otherForms && !m.OutOfScope:
		return "all words, in other forms", "in other forms"
	case m.Together, m.Tier() == Apart:
		return "all words", ""
	}
	return "all words, in different messages", "in different messages"
}

// WordReading says what stands for a word of a query in the texts.
type WordReading struct {
	Word      string
	Forms     []string // other inflections, or corrected spellings, that occur in texts; of two words, the one they make
	Corrected bool     // the word occurs nowhere; Forms are what it may mean
	Inside    bool     // the word occurs nowhere by itself; it was also looked for inside others
	English   bool     // the word occurs nowhere, but is one of the language: it was not corrected

	Conversations int           // that have the word in any of these forms, which makes it rare or common
	Parts         []WordReading // few conversations have the word as a whole; its parts were looked for
}

// SpanReading says for which stretch of time words of a query stand: september for 2026-09.
type SpanReading struct{ Words, Span string }

// During returns the stretch of time that a whole query names, "" where it has other words.
func During(query string, spans []SpanReading) string {
	if len(spans) == 1 && strings.EqualFold(spans[0].Words, strings.TrimSpace(query)) {
		return spans[0].Span
	}
	return ""
}

// OtherForms returns the forms of words that occur in texts beside those of the query, each
// once. Corrected spellings are not among them.
func OtherForms(words []WordReading) (forms []string) {
	for _, w := range words {
		for _, form := range w.Forms {
			typed := func(w WordReading) bool { return strings.EqualFold(w.Word, form) }
			if !w.Corrected && !slices.Contains(forms, form) && !slices.ContainsFunc(words, typed) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// ReadingNotes say what stands for words of a query: first for those that occur nowhere as
// typed, then what dates mean, and with forms the inflections.
func ReadingNotes(words []WordReading, spans []SpanReading, forms bool) (notes []string) {
	for _, w := range words {
		if w.Corrected {
			notes = append(notes, `"`+w.Word+`"`+NotAnywhere+`: showing "`+strings.Join(w.Forms, `" or "`)+`"`)
		}
	}
	for _, s := range spans {
		if s.Words != s.Span {
			notes = append(notes, s.Words+": "+s.Span)
		}
	}
	if also := OtherForms(words); forms && len(also) > 0 {
		notes = append(notes, "also: "+strings.Join(also, ", "))
	}
	return notes
}

// NotAnywhere says that a word occurs nowhere as typed.
const NotAnywhere = " is not in any conversation"

// SearchResults are the results of a search. "In the scope" means the scopes that
// the search shows.
type SearchResults struct {
	Matches       []Match
	Conversations int    // with all words in one message, as typed, in the scope, before the limit
	Hits          int    // matching messages in the scope
	HiddenHits    int    // matching messages outside the scope
	HiddenScope   Scope  // the scope with the most hidden matches
	IndexNote     string // what the index could not answer, else ""

	HiddenConversations int // conversations that match outside the scope

	Close       int           // conversations behind those that match, before the limit
	Further     int           // conversations behind those that are further away (query.ListOptions.Further)
	Spans       []SpanReading // the dates that the query names, for which Close is ranked
	Unquoted    int           // what the query would find without its quotes, where it finds nothing
	Readings    []WordReading // the words that stand in other forms too, of Close
	CloseGroups []match.Group // any word of the query in any form: what Close is marked by

	CloseWords    []WordReading // all words that Close was ranked by, for --explain
	FunctionWords []string      // words that say nothing of the topic and were left out of Close

	RowsOnly bool // more may match than the counts say (query.ListOptions.RowsOnly), or nothing was counted (FirstPage)

	Hints []string // filters that this database cannot answer, and why
	Plan  []string // how the search was executed, for --explain
}

// Inserted reports whether the snippet is of a text that Hermes put into a message.
func (h Hit) Inserted() bool { return h.Summary || h.Skill }

// Speaker says whose words a hit is, as every screen does: "you", "hermes", "summary",
// "skill", the name of a tool, else the role. It is "" for a hit in a title, an id or a source.
func (h Hit) Speaker() string {
	switch {
	case h.MessageID == 0:
		return ""
	case h.Summary:
		return "summary"
	case h.Skill:
		return "skill"
	case h.Kind == HitTool && h.CallName != "":
		return h.CallName
	case h.Role == "user":
		return "you"
	case h.Role == "assistant" && h.Kind != HitTool:
		return "hermes"
	case h.ToolName != "":
		return h.ToolName
	case h.Role == "assistant":
		return "tool"
	}
	return h.Role
}
