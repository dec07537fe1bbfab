package closest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
)

// now is after all conversations of texts.
var now = time.Date(2026, 6, 18, 12, 0, 0, 0, time.UTC)

// texts is a source whose conversations are texts, one message per line; lines of
// tools begin with "tool:", those
// of the user with "you:". Conversation i has the title titles[i], and
// the source sources[i] where there are any.
type texts struct {
	titles, conversations []string
	sources               []string
	hidden                []int32
	lookups               int
}

// each calls f with every message.
func (s *texts) each(f func(id int64, conversation int32, text string)) {
	id := int64(0)
	for i, c := range s.conversations {
		for line := range strings.Lines(c) {
			id++
			f(id, int32(i), line)
		}
	}
}

func (s *texts) Rows(_ context.Context, terms []match.Term) (*idset.Set, error) {
	s.lookups++
	ids, m := &idset.Set{}, match.NewMatcher(groupsOf(terms))
	s.each(func(id int64, _ int32, text string) {
		if m.Match(text) {
			ids.Add(id)
		}
	})
	return ids, nil
}

func (s *texts) Terms(_ context.Context, prefix string, _ int) (terms []string, err error) {
	s.each(func(_ int64, _ int32, text string) {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !match.IsWord(r) }) {
			if strings.HasPrefix(w, prefix) {
				terms = append(terms, w)
			}
		}
	})
	slices.Sort(terms)
	return slices.Compact(terms), nil
}

func (s *texts) HasTerm(ctx context.Context, term string) (bool, error) {
	terms, err := s.Terms(ctx, term, 1)
	return slices.Contains(terms, term), err
}

func (s *texts) Count(_ context.Context, ids *idset.Set, each func(conversation, bySpeakers, byTools int32)) error {
	counts := make([][2]int32, len(s.conversations))
	s.each(func(id int64, n int32, text string) {
		if ids.Has(id) {
			if strings.HasPrefix(text, "tool:") {
				counts[n][1]++
			} else {
				counts[n][0]++
			}
		}
	})
	for n, c := range counts {
		if c != [2]int32{} {
			each(int32(n), c[0], c[1])
		}
	}
	return nil
}

func (s *texts) ConversationOf(_ context.Context, message int64) (found int32, err error) {
	found = -1
	s.each(func(id int64, n int32, _ string) {
		if id == message {
			found = n
		}
	})
	return found, nil
}

func (s *texts) ReadRoles(context.Context, *idset.Set) error { return nil }

func (s *texts) IsTool(message int64) (is bool) {
	s.each(func(id int64, _ int32, text string) { is = is || id == message && strings.HasPrefix(text, "tool:") })
	return is
}

func (s *texts) ReadMessages(_ context.Context, ids []int64, each func(id int64, byUser bool, bytes int)) error {
	s.each(func(id int64, _ int32, text string) {
		if slices.Contains(ids, id) {
			each(id, strings.HasPrefix(text, "you:"), len(text))
		}
	})
	return nil
}

func (s *texts) MessageCount(n int32) int { return strings.Count(s.conversations[n], "\n") + 1 }

func (s *texts) Titles(m *match.Matcher) (found []int32) {
	for i, t := range s.titles {
		if t != "" && m.Match(t) {
			found = append(found, int32(i))
		}
	}
	return found
}

func (s *texts) OfSource(name string) (found []int32) {
	for i, source := range s.sources {
		if source == name {
			found = append(found, int32(i))
		}
	}
	return found
}

func (s *texts) Title(n int32) string { return s.titles[n] }

// Active is a day for each conversation, from the first of January 2026 on.
func (s *texts) Active(n int32) (from, to time.Time) {
	day := time.Date(2026, 1, 1+int(n), 12, 0, 0, 0, time.UTC)
	return day, day
}

func (s *texts) ConversationCount() int { return len(s.conversations) }

func (s *texts) Visibility(n int32) Visibility {
	if slices.Contains(s.hidden, n) {
		return OutOfScope
	}
	return Shown
}

func (s *texts) Version() any { return "now" }

// rank ranks the conversations of a source and returns their numbers.
func rank(t *testing.T, s *texts, text string) (*Ranking, []int32) {
	t.Helper()
	r, err := Rank(t.Context(), s, query.Parse(text, false), now, false, &Cache{})
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int32
	for _, c := range r.Candidates {
		numbers = append(numbers, c.Conversation)
	}
	return r, numbers
}

var kitchen = []string{
	"we rewrote the recipe importer\nit was slow\ntool: recipe recipe recipe",
	"the docker build failed in CI\nfixed by pinning the base image",
	"用docker部署到服务器\n数据库连接超时",
	"call getUserName before runGateway",
	"weekly menu with soup\nanother soup",
	"tool: docker\ntool: docker images",
	"the changelog of the release\nchange the log level\n문서에서 태그를 지웠다",
}

func newTexts() *texts { return &texts{conversations: kitchen, titles: make([]string, len(kitchen))} }

func TestWhatPeopleRememberIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{
		"rewriting recipes":                      0, // inflections, an irregular one
		"fixing docker builds":                   1,
		"how did we fix the dcoker build":        1, // two letters swapped
		"docker":                                 2, // people before tools, the newer of equals first
		"pining base image":                      1, // a letter left out
		"部署服务器为什么超时":                             2, // pairs of characters
		"车库着火了":                                  2, // characters, where no pair is anywhere
		"gateway":                                3, // a part of an identifier
		"username":                               3,
		"soup for the weekend, the weekly thing": 4,
		"weeklymenu":                             4, // two words written together
		"change log":                             6, // one word written apart
		"태그가 많은 문서":                              6, // without particles
		"ｄｏｃｋｅｒ　ｂｕｉｌｄｓ":                          1, // full-width letters
	} {
		if _, got := rank(t, newTexts(), text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %d first", text, got, want)
		}
	}
}

// One word, two, or two with a hyphen: people remember the other way.
func TestOtherSpellingsAreFound(t *testing.T) {
	t.Parallel()
	src := &texts{conversations: []string{
		"the timeout is too short", "Docker Compose starts the database", "encoded as UTF-8", "a transition of 50 ms", "Python 3.11 is required",
		"a delay of 20ms", "the login page", "send an email", "written in node.js", "more nodes than before",
		"set max_retry_count", "readUserName panics",
	}, titles: make([]string, 12)}
	for text, want := range map[string]int32{
		"time-out": 0, "the time out of it": 0, "dockercompose": 1, "docker-compose": 1, "utf8": 2, "utf 8": 2, "50ms": 3, "python3.11": 4,
		"20 ms": 5, "log in": 6, "e-mail": 7, "nodejs": 8,
		"maxretrycount": 10, "maxRetryCount": 10, "max-retry-count": 10, "read_user_name": 11, "read user name": 11,
	} {
		if _, got := rank(t, src, text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %d first", text, got, want)
		}
	}
	if _, got := rank(t, src, `"time-out" "log in"`); len(got) > 0 {
		t.Errorf("in quotes they find %v", got)
	}
}

// The parts of an identifier that is nowhere as a whole are words, with inflections and typing
// errors, and the other forms are said.
func TestPartsOfWordsHaveOtherForms(t *testing.T) {
	t.Parallel()
	src := &texts{conversations: []string{
		"the task_key is empty", "an expect-error comment", "call fileName", "the file names of the ids",
	}, titles: make([]string, 4)}
	for text, want := range map[string]int32{"task_keys": 0, "expct-error": 1, "fileNames": 2, "flie_name": 3} {
		r, got := rank(t, src, text)
		if !slices.Contains(got, want) {
			t.Errorf("%q finds %v, want %d among them", text, got, want)
		}
		if len(r.Readings()) == 0 {
			t.Errorf("%q: other forms are not said", text)
		}
	}
}

func TestAbbreviationsAreFound(t *testing.T) {
	t.Parallel()
	src := &texts{conversations: []string{
		"the Kubernetes cluster", "two large directories", "a database that commands", "i18n of the menu", "the k8s of another",
	}, titles: make([]string, 5)}
	for text, want := range map[string][]int32{
		"k8s": {4, 0}, "kubernetes": {0, 4}, "big dir": {1}, "db cmd": {2}, "internationalization": {3}, "js": nil, `"dir"`: nil,
	} {
		if _, got := rank(t, src, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
}

// People copy a piece of a hash, an ID or a number.
func TestPiecesOfWordsWithDigitsAreFound(t *testing.T) {
	t.Parallel()
	src := &texts{conversations: []string{
		"the commit is d371f1ca90b2", "flight HAT045 is delayed", "/srv/folder1 is empty", "order 4196779",
	}, titles: make([]string, 4)}
	for text, want := range map[string]int32{"1ca90": 0, "f1ca90b2": 0, "HAT04": 1, "lder1": 2, "lder1 is misssing": 2, "96779": 3, "credit_card_41967": 3} {
		if _, got := rank(t, src, text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %d first", text, got, want)
		}
	}
	if _, got := rank(t, src, "d371f1cb"); len(got) > 0 {
		t.Errorf("another hash finds %v", got)
	}
}

// A version is found beside a letter, and a file name without its first letters, as when it was
// marked badly; the words and numbers of which it consists say less.
func TestPiecesWithSymbolsAreFound(t *testing.T) {
	t.Parallel()
	src := &texts{conversations: []string{
		"0 of 4 runs, 4 of 0 left", "released as v0.4.4", "Python 3.12, and python3.13 beside it", "3 of 13", "edit mysetup_test.go", "a setup, a test", "upgrade to 2.7.0",
	}, titles: make([]string, 7)}
	for text, want := range map[string]int32{"0.4.4": 1, "3.13": 2, "etup_test.go": 4, "v2.7.0": 6} {
		if _, got := rank(t, src, text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %d first", text, got, want)
		}
	}
	if _, got := rank(t, src, strings.Repeat("x.", 40)+"setup"); len(got) == 0 {
		t.Error("a long text does not find its words")
	}
}

// Who says a word twice does not mean it twice, in whatever form; a word that is still
// typed may become another one. Few of the texts about a user have user's.
func TestWordsCountOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"tests testing tested docker": {"tests", "docker"},
		"docker dock":                 {"docker", "dock"},
		"test \"tests\" tests now":    {"test", "tests"},
		"the user's or users’s shell": {"user", "shell"},
		"it's O'Neill's":              {"O'Neill's"},
	} {
		words, _, _ := (&Ranking{}).split(query.Parse(text, true), now, true)
		var got []string
		for _, w := range words {
			got = append(got, w.term.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the words %q, want %q", text, got, want)
		}
	}
}

// Many commands have an option of one letter, so it says nothing about the topic.
func TestOptionsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = append(slices.Clone(kitchen), "jq -r\ncut -r")
	s.titles = make([]string, len(s.conversations))
	r, got := rank(t, s, "pnpm -r soup")
	if !slices.Equal(got, []int32{4}) || !slices.Equal(r.FunctionWords(), []string{"-r"}) {
		t.Errorf("found %v without %q, want the one with soup, without -r", got, r.FunctionWords())
	}
}

// When it was is not what it was about: a text that happens to say yesterday is not closer.
func TestTimeWordsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = append(slices.Clone(kitchen), "the guests left yesterday\nlast week, 3 days ago")
	s.titles = make([]string, len(s.conversations))
	for _, text := range []string{"soup yesterday", "soup last week", "soup 3 days ago", "昨天 soup"} {
		if r, got := rank(t, s, text); !slices.Equal(got, []int32{4}) || len(r.FunctionWords()) == 0 {
			t.Errorf("%s: found %v without %q, want the one with soup", text, got, r.FunctionWords())
		}
	}
	if _, got := rank(t, s, "yesterday"); !slices.Equal(got, []int32{7}) {
		t.Errorf("the word alone finds %v", got)
	}
}

func TestTitlesCount(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.titles[5] = "Docker clean-up"
	if _, got := rank(t, s, "docker"); len(got) == 0 || got[0] != 5 {
		t.Errorf("the conversation with the title is not first: %v", got)
	}
	if _, got := rank(t, s, "cleaning"); !slices.Equal(got, []int32{5}) {
		t.Errorf("a word of a title alone finds %v", got)
	}
}

// People remember where a conversation was: its source is no word that it lacks, and no
// spelling to correct.
func TestSourcesCount(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.sources = []string{"cli", "slack", "cli", "cli", "telegram", "cli", "cli"}
	s.conversations = append(slices.Clone(kitchen[:6]), "a snack with soup and docker")
	r, got := rank(t, s, "slack docker kubernetes")
	if len(got) == 0 || got[0] != 1 {
		t.Fatalf("found %v", got)
	}
	if words, missing, _ := r.Missing(r.Candidates[0]); words != 3 || !slices.Equal(missing, []string{"kubernetes"}) {
		t.Errorf("of %d words %q are missing", words, missing)
	}
	if got := r.Readings(); len(got) > 0 {
		t.Errorf("other forms: %+v", got)
	}
	if _, got := rank(t, s, "telegram soup"); len(got) < 2 || got[0] != 4 {
		t.Errorf("found %v", got)
	}
	if _, got := rank(t, s, `"telegram" "kubernetes"`); len(got) > 0 {
		t.Errorf("words in quotes find %v", got)
	}
}

// Of two conversations with the same words the one is closer that is shorter, has them in
// a shorter message, side by side, or in one of the user.
func TestWhereTheWordsStandCounts(t *testing.T) {
	t.Parallel()
	rest := strings.Repeat(" and so on", 100)
	for name, two := range map[string][2]string{
		"shorter conversation": {"pinned the base image", "pinned the base image" + strings.Repeat("\nfine", 60)},
		"shorter message":      {"pinned the base image\nfine" + rest, "pinned the base image" + rest + "\nfine"},
		"side by side":         {"an image, and pinned base images", "pinned images, and a base image"},
		"message of the user":  {"you: pin the base image\ndone", "pin the base image\nyou: done"},
	} {
		s := &texts{conversations: two[:], titles: make([]string, 2)}
		if _, got := rank(t, s, "pinning base images"); !slices.Equal(got, []int32{0, 1}) {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

func TestMissingWordsAreNamedRarestFirst(t *testing.T) {
	t.Parallel()
	r, got := rank(t, newTexts(), "was the docker image for the soup failing on kubernetes")
	if len(got) == 0 || got[0] != 1 {
		t.Fatalf("found %v", got)
	}
	words, missing, _ := r.Missing(r.Candidates[0])
	if words != 5 || !slices.Equal(missing, []string{"kubernetes", "soup"}) {
		t.Errorf("of %d words %v are missing", words, missing)
	}
}

// A misspelled word is not missing where its correction stands, and elsewhere it is the
// correction that is missing.
func TestCorrectionIsMissingInsteadOfTheMisspelledWord(t *testing.T) {
	t.Parallel()
	r, _ := rank(t, newTexts(), "dcoker soup")
	seen := 0
	for _, c := range r.Candidates {
		_, missing, _ := r.Missing(c)
		if slices.Equal(missing, []string{"docker"}) || slices.Equal(missing, []string{"soup"}) {
			seen++
		} else if len(missing) > 0 {
			t.Errorf("conversation %d lacks %q", c.Conversation, missing)
		}
	}
	if seen < 2 {
		t.Errorf("only %d of %d candidates lack a word", seen, len(r.Candidates))
	}
}

func TestReadingsSayOtherForms(t *testing.T) {
	t.Parallel()
	r, _ := rank(t, newTexts(), `rewriting dcoker "docker build" soup`)
	got := r.Readings()
	if len(got) != 2 || got[0].Word != "rewriting" || !slices.Equal(got[0].Forms, []string{"rewrote"}) || got[0].Corrected ||
		got[1].Word != "dcoker" || !slices.Equal(got[1].Forms, []string{"docker"}) || !got[1].Corrected {
		t.Errorf("%+v", got)
	}
}

// A conversation that has two words of the query as one lacks neither.
func TestCompoundIsNoMissingWord(t *testing.T) {
	t.Parallel()
	s := &texts{conversations: []string{"the changelog is done", "change it\nin the log of kubernetes", "change log"}, titles: make([]string, 3)}
	r, got := rank(t, s, "change log kubernetes")
	if len(got) != 3 {
		t.Fatalf("found %v", got)
	}
	for _, c := range r.Candidates {
		if words, missing, _ := r.Missing(c); words != 3 || c.Conversation == 0 && !slices.Equal(missing, []string{"kubernetes"}) {
			t.Errorf("of %d words conversation %d lacks %q", words, c.Conversation, missing)
		}
	}
	if got := r.Readings(); len(got) != 1 || got[0].Word != "change log" || !slices.Equal(got[0].Forms, []string{"changelog"}) {
		t.Errorf("%+v", got)
	}
	if r, _ := rank(t, s, "change log"); !r.Together(Candidate{Message: r.Candidates[slices.IndexFunc(r.Candidates, func(c Candidate) bool { return c.Conversation == 0 })].Message}) {
		t.Error("the message with the compound has not all words")
	}
}

func TestFunctionPairsAreOnlyLookedUpWhereThereAreNoOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{"我们怎么部署": {"们怎", "么部", "部署"}, "多少": {"多少"}, "API가": {"API"}} {
		var got []string
		for _, u := range partsOf(match.Term{Text: text}) {
			got = append(got, u.typed[0].Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the parts %v, want %v", text, got, want)
		}
	}
}

func TestQuotesAreOnlyAsTyped(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"fixing"`, `"dcoker"`, `"serName"`} {
		if _, got := rank(t, newTexts(), text); len(got) > 0 {
			t.Errorf("%s finds %v", text, got)
		}
	}
}

func TestOutOfScopeOnlyWhereClosest(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.hidden = []int32{1}
	if _, got := rank(t, s, "docker build failed base image"); len(got) == 0 || got[0] != 1 {
		t.Errorf("the only one with all of it is not found: %v", got)
	}
	s.hidden = []int32{5}
	if _, got := rank(t, s, "docker"); slices.Contains(got, 5) {
		t.Errorf("one that is not closer is found: %v", got)
	}
}

func TestWordsAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	s, cache := newTexts(), &Cache{}
	ask := func(text string) int {
		before := s.lookups
		if _, err := Rank(t.Context(), s, query.Parse(text, true), now, false, cache); err != nil {
			t.Fatal(err)
		}
		return s.lookups - before
	}
	ask("docker build ")
	if n := ask("docker build "); n != 0 {
		t.Errorf("the same words are looked up %d times", n)
	}
	if n := ask("docker build sou"); n == 0 || n > 4 {
		t.Errorf("one more word takes %d look-ups", n)
	}
}

// Conversation i of texts was active on the day i+1 of January.
func TestDatesPreferTheirConversations(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"the flight was delayed", "the flight was delayed", "the flight was delayed\nnot in january", "nothing of it", "a delayed train"}
	s.titles, s.sources = make([]string, 5), nil
	for text, want := range map[string]int32{
		"delayed flight 1 january":        0,
		"delayed flight 2 january":        1,
		"delayed flight 2nd of january":   1,
		"delayed flight on the 4 january": 2, // nobody talked of it then; the word is there
		"delayed flight 31 february":      1, // as without: the newest of equals
		"delayed flight january.go":       2,
	} {
		if _, got := rank(t, s, text); len(got) == 0 || got[0] != want {
			t.Errorf("%s finds %v, want %d first", text, got, want)
		}
	}
	r, got := rank(t, s, "delayed flight 4 january")
	if slices.Contains(got, 3) || len(r.Spans()) != 1 || r.Spans()[0].Span != "2026-01-04" {
		t.Errorf("found %v by %v, want none of that day alone", got, r.Spans())
	}
	if r, _ := rank(t, s, "delayed flight 1 january"); len(r.Candidates) == 0 {
		t.Error("nothing found")
	} else if _, missing, _ := r.Missing(r.Candidates[0]); len(missing) > 0 {
		t.Errorf("the conversation of the day lacks %v", missing)
	}
}

// The parts of a date say nothing beside words for the topic: of 3月 no 3 and no 月.
func TestDatesHaveNoParts(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"部署失败", "第3个月", "31 boxes, 01 crates", "the flight was delayed"}
	s.titles, s.sources = make([]string, 4), nil
	for text, want := range map[string][]int32{"部署 3月": {0}, "flight 2026-01-31": {3}, "flight january": {3}, "3月": {1}, "2026-01-31": {2}} {
		if _, got := rank(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", text, got, want)
		}
	}
}

// A title that is a month is found as a title is, and no month puts a conversation above one with
// the topic.
func TestATitleThatIsAMonth(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"plans", "the flight was delayed", "nothing of it"}
	s.titles, s.sources = []string{"January", "", "January"}, make([]string, 3)
	for text, want := range map[string][]int32{"january": {2, 0}, "plans january": {0, 2}, "flight january": {1, 2, 0}, "31 january": {2, 0}} {
		if _, got := rank(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", text, got, want)
		}
	}
}

// What is said of a word is true.
func TestAWordIsNoTypingError(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"a noble store", "the abs and the ent", "open the check and the list"}
	s.titles, s.sources = make([]string, 3), nil
	for text, want := range map[string]bool{"nobel": false, "swore": false, "absent": false, "nobl": true, "checklist": true} {
		r, got := rank(t, s, text)
		if (len(got) > 0) != want {
			t.Errorf("%s finds %v", text, got)
		}
		if text == "checklist" {
			if _, missing, _ := r.Missing(r.Candidates[0]); !slices.Equal(missing, []string{text}) {
				t.Errorf("two halves are claimed as the word: %v", missing)
			}
		}
		if w := r.Words()[0]; w.English && w.Corrected || w.English == (text == "nobl") {
			t.Errorf("%+v", w)
		}
	}
}

// A word with marks that is nowhere is looked for without them.
func TestMarksAreTakenOff(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"retry the home page", "$PATH is set", "C is a language"}
	s.titles, s.sources = make([]string, 3), nil
	for text, want := range map[string][]int32{"$HOME": {0}, "#retry": {0}, "/retry": {0}, "retry+": {0}, "~retry~": {0}, "C++": nil, "$PATH": {1}} {
		r, got := rank(t, s, text)
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", text, got, want)
		}
		if readings := r.Readings(); want != nil && want[0] == 0 && (len(readings) != 1 || !readings[0].Corrected) {
			t.Errorf("%s is read as %+v", text, readings)
		}
	}
}

// A text without spaces is not missing where some of it is there, nor is it found.
func TestATextInPartsIsNotMissing(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"部署了一个服务器", "数据库连接超时"}
	s.titles, s.sources = make([]string, 2), nil
	r, got := rank(t, s, "数据库迁移失败回滚方案")
	if !slices.Equal(got, []int32{1}) {
		t.Fatalf("found %v", got)
	}
	if _, missing, inParts := r.Missing(r.Candidates[0]); len(missing) > 0 || !inParts || r.Candidates[0].HasAllWords() {
		t.Errorf("missing %v, in parts: %v, all: %v", missing, inParts, r.Candidates[0].HasAllWords())
	}
}

// A text without spaces may be several words, which other conversations have apart. One that has
// less than half of it is not close.
func TestATextThatFewHaveIsAlsoLookedForInParts(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"帮我写测试案例", "又写了一些测试案例", "案例分析", "테스트를 실행했다", "테스트 코드"}
	s.titles, s.sources = make([]string, 5), nil
	r, got := rank(t, s, "帮我写测试案例")
	if !slices.Equal(got, []int32{0, 1}) {
		t.Fatalf("found %v", got)
	}
	for _, c := range r.Candidates {
		_, missing, inParts := r.Missing(c)
		if whole := c.Conversation == 0; len(missing) > 0 || inParts == whole || c.HasAllWords() != whole {
			t.Errorf("%d: missing %v, in parts: %v, all: %v", c.Conversation, missing, inParts, c.HasAllWords())
		}
	}
	if w := r.Words()[0]; w.Conversations != 1 || len(w.Parts) == 0 {
		t.Errorf("read as %+v", w)
	}
	if _, got := rank(t, s, "테스트를"); !slices.Equal(got, []int32{3, 4}) {
		t.Errorf("a Korean word is found in %v", got)
	}
	if r, _ := rank(t, s, "테스트를"); len(r.Words()[0].Parts) > 0 {
		t.Errorf("a Korean word has parts: %+v", r.Words())
	}
	for i := range maxWhole + 1 { // with many that have the whole, the parts would only add noise
		s.conversations, s.titles = append(s.conversations, "写测试案例 "+strconv.Itoa(i)), append(s.titles, "")
	}
	if r, _ := rank(t, s, "写测试案例"); len(r.Words()[0].Parts) > 0 {
		t.Errorf("a frequent text is read as %+v", r.Words()[0])
	}
}

// Parts of a text are not called another form of it, although all of them are there.
func TestAllPartsAreOnlyParts(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"in may\nlet it go", "go ahead\ngo", "it rained in may"}
	s.titles, s.sources = make([]string, 3), nil
	r, got := rank(t, s, "may.go")
	if len(got) != 3 || got[0] != 0 {
		t.Fatalf("found %v", got)
	}
	for _, c := range r.Candidates {
		if _, missing, inParts := r.Missing(c); len(missing) > 0 || !inParts || c.HasAllWords() {
			t.Errorf("%d: missing %v, in parts: %v, all: %v", c.Conversation, missing, inParts, c.HasAllWords())
		}
	}
}

// All words come before fewer, and what is far behind the best is marked.
func TestTiersAndTheCut(t *testing.T) {
	t.Parallel()
	s := newTexts()
	s.conversations = []string{"typescript\ncompiler\nerror", "error error", "typescript typescript\ntypescript\ntypescript", "error", "error", "error", "an error"}
	s.titles, s.sources = make([]string, 7), nil
	r, got := rank(t, s, "typescript compiler error")
	if len(got) == 0 || got[0] != 0 || !r.Candidates[0].HasAllWords() || r.Candidates[0].Far {
		t.Fatalf("found %v", got)
	}
	for _, c := range r.Candidates[1:] {
		if c.HasAllWords() || c.Far != (c.Score < strictCut*r.bestScore) {
			t.Errorf("%+v, the best has %f", c, r.bestScore)
		}
	}
	if last := r.Candidates[len(r.Candidates)-1]; !last.Far {
		t.Errorf("an error alone is near: %+v, the best has %f", last, r.bestScore)
	}
}
