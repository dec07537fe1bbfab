package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"hermes-sessions/internal/sourcetree"
)

// source is a Go or Markdown file.
type source struct {
	text   string
	parsed *ast.File // of Go, with its comments
}

// tree is what repository has read.
var tree struct {
	sync.Once
	files map[string]source
}

// repository returns all Go and Markdown files, by path from the root. It reads and
// parses them once, from the file tree, so that it needs no git history.
func repository(t *testing.T) map[string]source {
	t.Helper()
	tree.Do(func() {
		files, positions := map[string]source{}, token.NewFileSet()
		root := os.DirFS(sourcetree.Root(t))
		err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
				return fs.SkipDir
			case d.IsDir() || path.Ext(name) != ".go" && path.Ext(name) != ".md":
				return nil
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			f := source{text: strings.ReplaceAll(string(text), "\r\n", "\n")}
			if path.Ext(name) == ".go" {
				f.parsed, err = parser.ParseFile(positions, name, f.text, parser.ParseComments|parser.SkipObjectResolution)
			}
			files[name] = f
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		tree.files = files
	})
	if tree.files == nil {
		t.Fatal("the repository could not be read")
	}
	return tree.files
}

var (
	heading     = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	fence       = regexp.MustCompile("(?ms)^```.*?^```")
	link        = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	lineStart   = regexp.MustCompile(`\n\s*//[ \t]*`)
	anchored    = regexp.MustCompile(`([\w./-]*README\.md)#([\w-]+)`)
	moreAnchors = regexp.MustCompile(`[( ]#([a-z][\w-]*)`)
	document    = regexp.MustCompile(`[\w./-]*\w\.md\b`)
	goFile      = regexp.MustCompile(`[\w./-]*\b[a-z0-9]\w*\.go\b`)
	fault       = regexp.MustCompile(`\bQ[1-9][0-9]?\b`)
	section     = regexp.MustCompile(`\([a-z]+(-[a-z]+)+ [0-9]+\.[0-9]+[),;]`)
	testName    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	testFunc    = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// anchors returns the anchors of the headings of a Markdown text, as GitHub makes
// them: lowercase, spaces as hyphens, other punctuation left out.
func anchors(text string) []string {
	var all []string
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		base := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])
		anchor := base
		for n := 1; slices.Contains(all, anchor); n++ {
			anchor = fmt.Sprintf("%s-%d", base, n)
		}
		all = append(all, anchor)
	}
	return all
}

// comments returns the text of each comment of a Go file, without its markers.
func (f source) comments() (all []string) {
	for _, group := range f.parsed.Comments {
		all = append(all, strings.Join(slices.Collect(lines(group)), " "))
	}
	return all
}

// lines returns the lines of a comment. Unlike its Text, that is with directives.
func lines(group *ast.CommentGroup) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range group.List {
			if !yield(strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))) {
				return
			}
		}
	}
}

// A comment that leads to store/README.md#q28 leads to a heading. After the
// first anchor of a comment, "and #q29" or "(#q30)" mean the same document.
func TestCitationsLeadToHeadings(t *testing.T) {
	files := repository(t)
	headings := map[string][]string{}
	for name, f := range files {
		if path.Ext(name) == ".md" {
			headings[name] = anchors(f.text)
		}
	}
	if !slices.Contains(headings["store/README.md"], "q28") {
		t.Fatal("store/README.md has no heading Q28")
	}
	check := func(from, to, anchor string) {
		t.Helper()
		all, ok := headings[to]
		if !ok {
			t.Errorf("%s cites %s, which is not in the repository", from, to)
		} else if !slices.Contains(all, anchor) {
			t.Errorf("%s cites %s#%s, which has no such heading", from, to, anchor)
		}
	}
	cited := 0
	for name, f := range files {
		if path.Ext(name) == ".go" {
			for _, c := range anchored.FindAllStringSubmatch(lineStart.ReplaceAllString(f.text, " "), -1) {
				check(name, c[1], c[2])
				cited++
			}
			for _, comment := range f.comments() {
				first := anchored.FindStringSubmatchIndex(comment)
				if first == nil || name == "internal/architecture/citations_test.go" {
					continue
				}
				for _, c := range moreAnchors.FindAllStringSubmatch(comment[first[1]:], -1) {
					check(name, comment[first[2]:first[3]], c[1])
				}
			}
			continue
		}
		for _, l := range link.FindAllStringSubmatch(fence.ReplaceAllString(f.text, ""), -1) {
			file, anchor, some := strings.Cut(l[1], "#")
			if strings.Contains(file, ":") || !some {
				continue // of another site, or of a whole file
			}
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			check(name, to, anchor)
		}
	}
	if cited < 50 {
		t.Errorf("only %d citations were found", cited)
	}
}

// What comments and pages cite is in the repository: the documents, the faults
// by their numbers, and the tests that hold them.
func TestNoCitationLeadsOut(t *testing.T) {
	files := repository(t)
	known := func(from, doc string) bool {
		_, fromRoot := files[path.Clean(doc)]
		_, beside := files[path.Join(path.Dir(from), doc)]
		return fromRoot || beside
	}
	faults := anchors(files["store/README.md"].text)
	tests, sources := map[string]bool{}, map[string]bool{}
	for name := range files {
		sources[path.Base(name)] = true
	}
	for name, f := range files {
		if path.Ext(name) == ".md" {
			for _, l := range link.FindAllStringSubmatch(fence.ReplaceAllString(f.text, ""), -1) {
				file, _, _ := strings.Cut(l[1], "#")
				if path.Ext(file) == ".md" && !strings.Contains(file, ":") && !known(name, file) {
					t.Errorf("%s leads to %s, which is not in the repository", name, file)
				}
			}
			continue
		}
		for _, m := range testFunc.FindAllStringSubmatch(f.text, -1) {
			tests[m[1]] = true
		}
		for _, comment := range f.comments() {
			for _, doc := range document.FindAllString(comment, -1) {
				if !known(name, doc) {
					t.Errorf("%s cites %s, which is not in the repository", name, doc)
				}
			}
			for _, file := range goFile.FindAllString(comment, -1) {
				if !sources[path.Base(file)] {
					t.Errorf("%s names %s, which is not in the repository", name, file)
				}
			}
			for _, q := range fault.FindAllString(comment, -1) {
				if !slices.Contains(faults, strings.ToLower(q)) {
					t.Errorf("%s cites %s, which store/README.md does not have", name, q)
				}
			}
			for _, s := range section.FindAllString(comment, -1) {
				t.Errorf("%s cites a section by its number, %q: name a heading", name, s)
			}
		}
	}
	named := testName.FindAllStringSubmatch(files["store/README.md"].text, -1)
	if len(named) < 34 {
		t.Errorf("store/README.md names only %d tests", len(named))
	}
	for _, n := range named {
		if !tests[n[1]] {
			t.Errorf("store/README.md names %s, which is no test", n[1])
		}
	}
}
