package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// change is one change, and how it is undone.
type change struct {
	what  string // said once it is undone
	do    func(context.Context) error
	close func() error // discards what is kept for it; nil for nothing
}

// verb is a command of the prompt.
type verb struct {
	name, takes, help string
	most              int // conversations that it takes by number, at least one; 0 for none
	run               runner
}

// runner runs a command, with what is typed behind the numbers; nil for a command of the
// program.
type runner func(p *Prompt, ctx context.Context, of []model.Conversation, rest string) error

const many = 1 << 20 // conversations of a command that takes any number

// commands returns the commands of the prompt, in the order of its help.
func commands() []verb {
	return []verb{
		{"read", "NUMBER [MESSAGE]", "read the conversation, or from the message with this number from :matches", 1, (*Prompt).read},
		{"tools", "NUMBER", "read it with tool calls, results and reasoning", 1, show(Reading{Tools: true})},
		{"recap", "NUMBER", "read how it ended", 1, show(Reading{Recap: true})},
		{"matches", "NUMBER", "list the messages in it that match the search", 1, (*Prompt).hits},
		{"details", "NUMBER", "all details: IDs, folder, counts, files, usage, stored columns", 1, (*Prompt).details},
		{"files", "NUMBER", "list the files it worked on", 1, nil},
		{"lineage", "NUMBER", "its segments, branches and subagents, with costs", 1, (*Prompt).lineage},
		{"resume", "NUMBER", "resume it in Hermes", 1, (*Prompt).resume},
		{"command", "NUMBER", "print the command that resumes it", 1, (*Prompt).resumeCommand},
		{"copy", "NUMBER [WHAT]", "copy its ID, or its title, command, folder, last answer, or a message by its number from :matches", 1, (*Prompt).copy},
		{"compare", "NUMBER [NUMBER]", "show where two conversations diverge, or a branch and its parent", 2, nil},
		{"note", "NUMBER [TEXT]", "show or change your note on it; \"\" removes it", 1, annotate("note")},
		{"tag", "NUMBER [TAG…]", "show or change your tags on it; \"\" removes them, tag:word finds them", 1, annotate("tags")},
		{"rename", "NUMBER TITLE", "change its title; \"\" removes it", 1, (*Prompt).rename},
		{"pin", "NUMBER…", "keep at the top of the list", many, setFlag((*store.Store).SetPinned, true, "Pinned", "Unpinned")},
		{"unpin", "NUMBER…", "undo :pin", many, setFlag((*store.Store).SetPinned, false, "Unpinned", "Pinned")},
		{"archive", "NUMBER…", "archive", many, setFlag((*store.Store).SetArchived, true, "Archived", "Unarchived")},
		{"unarchive", "NUMBER…", "undo :archive", many, setFlag((*store.Store).SetArchived, false, "Unarchived", "Archived")},
		{"delete", "NUMBER…", "delete with all segments and subagents; asks first", many, (*Prompt).delete},
		{"undo", "", "undo the last change, then the ones before it", 0, (*Prompt).undoLast},
		{"export", "NUMBER… FILE", "write to a new file: .md, .html or .jsonl", many, (*Prompt).export},
		{"list", "", "print the list again, with new numbers", 0, (*Prompt).again},
		{"more", "", "print more of the list", 0, (*Prompt).more},
		{"clear", "", "end the search and list everything", 0, (*Prompt).clear},
		{"scope", "[NAME]", "choose the scope: " + strings.Join(output.Names(model.Scopes()), ", "), 0, (*Prompt).scope},
		{"sort", "[NAME]", "choose the order: " + strings.Join(output.Names(query.Orders()), ", "), 0, (*Prompt).sort},
		{"clutter", "", "list clutter and why it is: empty conversations, ghosts, duplicates", 0, (*Prompt).clutter},
		{"inactive", "[DAYS]", "list ended conversations that have been inactive for that many days (default 90)", 0, (*Prompt).inactive},
		{"notes", "", "list your notes, tags and bookmarks", 0, nil},
		{"running", "", "list the open sessions: which are working and which are waiting for you", 0, nil},
		{"stats", "[FLAGS]", "count sessions, messages, tokens and costs; :stats --by month sums them up by month", 0, nil},
		{"storage", "[FLAGS]", "show what takes space in the database", 0, nil},
		{"doctor", "[FLAGS]", "check the database and report problems", 0, nil},
		{"filters", "", "explain the filters of a search, such as source:telegram", 0, (*Prompt).filters},
		{"help", "", "list these commands", 0, (*Prompt).help},
		{"quit", "", "leave", 0, func(*Prompt, context.Context, []model.Conversation, string) error { return errLeave }},
	}
}

// command runs a command of the prompt. With errLeave it returns the ids to resume.
func (p *Prompt) command(ctx context.Context, line string) ([]string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	all := commands()
	if name == "hits" { // as in earlier versions
		name = "matches"
	}
	i := slices.IndexFunc(all, func(c verb) bool { return c.name == name })
	if i < 0 {
		f := fault.Usage("there is no command :%s", name)
		f.Remedy = ":help lists the commands"
		var known []string
		for _, c := range all {
			known = append(known, c.name)
		}
		if near := fault.Nearest(name, known); near != "" {
			f.Remedy = "did you mean :" + near + "?"
		}
		return nil, f
	}
	c := all[i]
	var numbers []int
	for rest = strings.TrimSpace(rest); rest != "" && len(numbers) < c.most; {
		word, behind, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(strings.TrimSuffix(word, ","))
		if err != nil {
			break
		}
		numbers, rest = append(numbers, n), strings.TrimSpace(behind)
	}
	if c.most > 0 && len(numbers) == 0 {
		return nil, fault.Usage(":%s needs a number of the list: :%[1]s %s", c.name, c.takes)
	}
	of, err := p.numbered(numbers)
	if err != nil {
		return nil, err
	}
	if c.run == nil {
		return nil, p.program(ctx, name, of, rest)
	}
	if err := c.run(p, ctx, of, rest); err != nil {
		if errors.Is(err, errLeave) && len(of) > 0 {
			return []string{of[0].ID}, err
		}
		return nil, err
	}
	return nil, nil
}

func (p *Prompt) say(format string, args ...any) error {
	_, err := fmt.Fprintf(p.Out, format+"\n", args...)
	return err
}

// sayWrapped says something that may be wrapped: it has no command to copy.
func (p *Prompt) sayWrapped(text string) error {
	return p.say("%s", output.Wrap(text, p.Out.Width(), ""))
}

func (p *Prompt) help(context.Context, []model.Conversation, string) error {
	for _, c := range commands() {
		if err := p.sayWrapped(strings.TrimSpace(":"+c.name+" "+c.takes) + ": " + c.help + "."); err != nil {
			return err
		}
	}
	return p.sayWrapped("A number alone resumes that conversation, or prints its ID with --print-id. Everything else is a search.\nTo search for a number or a colon, put it in quotes.")
}

func (p *Prompt) filters(context.Context, []model.Conversation, string) error {
	return p.sayWrapped(p.Do.Language)
}

func (p *Prompt) read(ctx context.Context, of []model.Conversation, rest string) error {
	o := Reading{}
	if rest != "" {
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil || n <= 0 {
			return fault.Usage("%q is not the number of a message; :matches lists them", rest)
		}
		o.Message = n
	}
	return show(o)(p, ctx, of, rest)
}

// show prints a conversation, a screen at a time, and remembers that it was read.
func show(o Reading) runner {
	return func(p *Prompt, ctx context.Context, of []model.Conversation, _ string) error {
		if err := p.inPages(func() error { return p.Do.Show(ctx, of[0].ID, o) }); err != nil || p.Do.Memory == nil || o.Recap {
			return err
		}
		outline, err := p.Store.Outline(ctx, of[0].ID)
		if err != nil || len(outline.MessageIDs) == 0 {
			return err
		}
		c := outline.Conversation
		p.Do.Memory.Note(c.RootID, shell.LastRead{At: p.Now(), Until: c.LastActive, Message: slices.Max(outline.MessageIDs)})
		return p.Do.Memory.Save()
	}
}

func (p *Prompt) lineage(ctx context.Context, of []model.Conversation, _ string) error {
	root, err := p.Store.Lineage(ctx, of[0].ID)
	if err != nil {
		return err
	}
	return p.inPages(func() (err error) {
		root.Walk(func(n *model.Node, depth int) bool {
			err = p.say("%s", nodeInWords(n, depth, n.ID == of[0].ID))
			return err == nil
		})
		t := root.Total
		return errors.Join(err, p.say("In total: %s, %s, cost %s.", output.Count(t.Sessions, "session", "sessions"), output.Count(t.Messages, "message", "messages"), output.Clean(t.Usage.Cost.String())))
	})
}

// nodeInWords describes a session of a tree without lines and marks.
func nodeInWords(n *model.Node, depth int, asked bool) string {
	kind := "first session"
	switch n.Link {
	case model.LinkSegment:
		kind = fmt.Sprintf("segment %d of %d", n.Segment, n.SegmentCount)
	case model.LinkBranch:
		kind = "branch"
	case model.LinkDelegate:
		kind = "subagent"
	}
	title := cmp.Or(n.Title, n.Preview)
	if title = output.Clean(title); title == "" {
		title = "untitled"
	}
	words := []string{
		fmt.Sprintf("Level %d", depth+1), kind, title, output.Count(n.VisibleMessages, "message", "messages"),
		"cost " + output.Clean(n.Usage.Cost.String()), output.Clean(n.ID),
	}
	if asked {
		words = append(words, "this is the one you chose")
	}
	return strings.Join(words, " · ")
}

// maxHits is how many messages :matches lists.
const maxHits = 50

func (p *Prompt) hits(ctx context.Context, of []model.Conversation, _ string) error {
	found, err := p.Store.Hits(ctx, query.ParseNamed(p.Query, false, p.Named), of[0].ID, maxHits)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return p.say("No message in it matches the search.")
	}
	for _, h := range found {
		if err := p.say("message %d, %s: %s", h.MessageID, output.Clean(of[0].Speaker(h)), print.Snippet(p.Out, h.Snippet)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Prompt) resume(context.Context, []model.Conversation, string) error { return errLeave }

func (p *Prompt) resumeCommand(ctx context.Context, of []model.Conversation, _ string) error {
	return p.Do.ResumeCommand(ctx, of[0].ID)
}

func (p *Prompt) rename(ctx context.Context, of []model.Conversation, title string) error {
	if title == "" {
		return fault.Usage("which title? :rename NUMBER TITLE, or \"\" for none")
	}
	c, err := p.Store.Conversation(ctx, of[0].ID)
	if err != nil {
		return err
	}
	if title == `""` {
		title = ""
	} else if title, _, err = model.TypedTitle(title); err != nil {
		return fmt.Errorf("rename %s: %w", c.ID, err)
	}
	edit, err := p.Store.Rename(ctx, model.Renaming{ID: c.ID, Was: c.Title, Title: title})
	if err != nil {
		return err
	}
	p.canUndo("Restored the title", edit)
	if title == "" {
		return p.say("Removed the title. :undo restores it.")
	}
	return p.say("Renamed to %s. :undo restores the title.", output.Clean(title))
}

// setFlag pins or archives conversations, or takes that back; done and undone are the words
// for both.
func setFlag(set func(*store.Store, context.Context, []string, bool) (model.Edit, error), on bool, done, undone string) runner {
	return func(p *Prompt, ctx context.Context, of []model.Conversation, _ string) error {
		edit, err := set(p.Store, ctx, idsOf(of), on)
		if err != nil {
			return err
		}
		if len(edit.Changes) == 0 {
			return p.say("Nothing to change.")
		}
		p.canUndo(undone+" "+namesOf(of), edit)
		return p.say("%s %s. :undo undoes it.", done, namesOf(of))
	}
}

// canUndo remembers how to undo an edit, and what is said then.
func (p *Prompt) canUndo(what string, edit model.Edit) {
	p.undo = append(p.undo, change{what: what, do: func(ctx context.Context) error { return p.Store.UndoEdit(ctx, edit) }})
}

func (p *Prompt) delete(ctx context.Context, of []model.Conversation, rest string) error {
	if rest != "" {
		return fault.Usage(":delete takes numbers only, not %q", rest)
	}
	ids := idsOf(of)
	plan, err := p.Store.PlanDelete(ctx, ids, model.DeleteOptions{})
	if err != nil {
		return err
	}
	lines, question, err := p.Do.Consequences(ctx, ids, plan)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := p.say("%s", line); err != nil {
			return err
		}
	}
	answer, err := p.ask(question)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return p.say("Nothing was deleted.")
	}
	undo, err := p.Store.Delete(ctx, ids, model.DeleteOptions{Expected: &plan})
	if undo != nil {
		p.undo = append(p.undo, change{
			what: "Restored " + namesOf(of), close: undo.Close,
			do: func(ctx context.Context) error {
				err := p.Store.Restore(ctx, undo, model.RestoreOptions{})
				if err == nil {
					for _, id := range ids {
						delete(p.gone, id)
					}
				}
				return err
			},
		})
		for _, id := range ids {
			p.gone[id] = true
		}
	}
	if err != nil {
		return err
	}
	return p.say("Deleted %s. :undo restores it.", namesOf(of))
}

func (p *Prompt) undoLast(ctx context.Context, _ []model.Conversation, _ string) error {
	if len(p.undo) == 0 {
		return p.say("Nothing to undo.")
	}
	last := p.undo[len(p.undo)-1]
	if err := last.do(ctx); err != nil {
		return err
	}
	p.undo = p.undo[:len(p.undo)-1]
	if last.close != nil {
		if err := last.close(); err != nil {
			return err
		}
	}
	return p.say("%s.", last.what)
}

// forgetUndo discards what is kept for undo.
func (p *Prompt) forgetUndo() {
	for _, u := range p.undo {
		if u.close != nil {
			_ = u.close() // the file is temporary
		}
	}
}

func (p *Prompt) export(ctx context.Context, of []model.Conversation, file string) error {
	if file == "" {
		return fault.Usage("which file? :export NUMBER… FILE, with the extension .md, .html or .jsonl")
	}
	return p.Do.Export(ctx, file, of)
}

func (p *Prompt) again(ctx context.Context, _ []model.Conversation, _ string) error {
	return p.list(ctx, 0)
}

func (p *Prompt) more(ctx context.Context, _ []model.Conversation, _ string) error {
	shown := len(p.rows)
	if shown >= p.total {
		return p.say("That is all.")
	}
	p.limit += p.Limit
	return p.list(ctx, shown)
}

func (p *Prompt) clear(ctx context.Context, _ []model.Conversation, _ string) error {
	p.Query, p.limit = "", p.Limit
	return p.list(ctx, 0)
}

func (p *Prompt) scope(ctx context.Context, _ []model.Conversation, name string) error {
	return choose(p, ctx, "scope", name, &p.List.Scope, model.Scopes())
}

func (p *Prompt) sort(ctx context.Context, _ []model.Conversation, name string) error {
	return choose(p, ctx, "order", name, &p.List.Order, query.Orders())
}

// choose sets one of a few values by its name, or says which one is set.
func choose[T interface {
	comparable
	fmt.Stringer
}](p *Prompt, ctx context.Context, what, name string, into *T, values []T,
) error {
	if name == "" {
		return p.say("The %s is %s; others are %s.", what, *into, strings.Join(output.Names(values), ", "))
	}
	i := slices.Index(output.Names(values), name)
	if i < 0 {
		return fault.Usage("the %s must be one of %s", what, strings.Join(output.Names(values), ", "))
	}
	*into, p.limit = values[i], p.Limit
	return p.list(ctx, 0)
}

func idsOf(of []model.Conversation) (ids []string) {
	for _, c := range of {
		ids = append(ids, c.ID)
	}
	return ids
}

// namesOf names one conversation by its title, or counts several.
func namesOf(of []model.Conversation) string {
	if len(of) == 1 {
		return "'" + print.Title(of[0]) + "'"
	}
	return output.Count(len(of), "conversation", "conversations")
}

// inPages prints what f prints a screen at a time.
func (p *Prompt) inPages(f func() error) error {
	out := p.Out
	if err := out.Flush(); err != nil {
		return err
	}
	_, height := output.TerminalSize(p.Stdout)
	pages := &pages{prompt: p, room: max(height-1, 10)}
	out.Reset(pages)
	err := cmp.Or(f(), out.Flush())
	out.Reset(p.Stdout)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends what is printed in pages.
var errEnough = errors.New("enough was read")

// pages prints lines, and asks when a screen is full.
type pages struct {
	prompt      *Prompt
	room, lines int
}

func (p *pages) Write(b []byte) (n int, err error) {
	for line := range strings.Lines(string(b)) {
		if p.lines == p.room {
			if _, err := fmt.Fprint(p.prompt.Stdout, "Enter for more, q to stop: "); err != nil {
				return n, err
			}
			answer, err := p.prompt.nextLine()
			if err != nil {
				return n, err
			}
			if answer != "" {
				if answer != "q" { // a number, words or a command
					p.prompt.answerNext(answer)
				}
				return n, errEnough
			}
			p.lines = 0
		}
		k, err := fmt.Fprint(p.prompt.Stdout, line)
		n += k
		if err != nil {
			return n, err
		}
		if strings.HasSuffix(line, "\n") {
			p.lines++
		}
	}
	return n, nil
}
