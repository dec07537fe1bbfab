package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// textView is the text of a conversation in a window: which items are shown, how far they
// are unfolded, their lines, and the position of the window. It reads nothing; an item
// that has not been read yet is an ellipsis.
type textView struct {
	sh   shell.Shell
	Conv model.Conversation
	rows kit.Rows
	w, h int // of the screen

	pages       *pages  // nil until it has been read
	turnNumbers []int32 // of messages, by countTurns; nil until needed

	renderer *renderer
	cache    *renderCache[itemKey]
	styles   int // generation of the styles
	marks    int // generation of the highlights

	flush   bool   // the text begins in the first column and has the whole width
	lead    int    // this message has a line with its author, as the first in an excerpt
	earlier string // above the first message, "" for nothing
	news    newMessages
	noted   map[int64]string // by message, what the user has noted; at 0 on the conversation

	notedVersion int // changes with noted

	folds  map[int]bool // items folded or unfolded one by one
	wholes map[int]bool // items whose text is not cut short
	habits
}

// habits are the display settings that stay from one conversation to the next.
type habits struct {
	tools     bool // tool work is unfolded
	systems   bool // system messages are unfolded
	reasoning bool // reasoning is unfolded
	numbered  bool // messages show their number, and prompts the sums of their turn
	chopped   bool // long lines of code are cut instead of wrapped
	outline   outlineWish
}

// outlineWish says whether the prompts are shown beside the text: by itself where the window
// is very wide, or as the reader has chosen.
type outlineWish uint8

const (
	outlineByWidth outlineWish = iota
	outlineShown
	outlineHidden
)

// outlined reports whether the prompts are shown beside the text.
func (v *textView) outlined() bool {
	return v.outline == outlineShown && v.w >= besideFrom || v.outline == outlineByWidth && v.w >= besideByItself
}

// margin returns the columns left of the text and the width of the text.
func (v *textView) margin() (left, width int) {
	switch {
	case v.flush:
		return 0, max(1, v.w)
	case v.w >= 72: // in the middle
		width = min(v.w-6-v.aside(), measure)
		return max(4, (v.w-v.aside()-width)/2), width
	case v.w >= 30:
		return 2, v.w - 3
	}
	if v.w < 8 {
		return 0, max(1, v.w)
	}
	return 1, v.w - 1
}

// render returns an item as it is now, from the cache if possible.
func (v *textView) render(item int) rendered {
	p, ok := v.itemAt(item)
	if !ok {
		return rendered{}
	}
	if r, ok := v.cache.get(p.key); ok {
		return r
	}
	if p.message == nil {
		return rendered{lines: []string{v.sh.Styles().Faint.Render(v.sh.Styles().Glyphs.Ellipsis)}}
	}
	v.renderer.quick = true // the background adds the colors of code
	d := v.renderer.render(p)
	v.cache.put(p.key, d)
	return d
}

// renderWhole returns an item rendered to its end, without leaving work to the background.
// A search needs it to find the line of a match.
func (v *textView) renderWhole(item int) rendered {
	r := v.render(item)
	p, ok := v.itemAt(item)
	if !ok || !r.rough || p.message == nil {
		return r
	}
	v.renderer.quick = false
	r = v.renderer.render(p)
	v.cache.put(p.key, r)
	return r
}

// itemAt returns the item of a row; ok is false if it has no lines. Its message is nil if
// it has not been read yet.
func (v *textView) itemAt(item int) (p renderItem, ok bool) {
	i, ofWork := item/2, item%2 == 1
	if v.pages.skeletons[i].Author == model.NoAuthor {
		return renderItem{key: itemKey{item: item}}, !ofWork
	}
	_, width := v.margin()
	p = renderItem{key: itemKey{item: item, width: width, styles: v.styles, query: v.marks}, message: v.pages.messages[i]}
	p.key.whole = v.wholes[item]
	p.key.numbered = v.numbered
	p.key.chopped = v.chopped
	if ofWork {
		return v.toolItem(p, i)
	}
	return v.textItem(p, i)
}

func (v *textView) textItem(p renderItem, i int) (_ renderItem, ok bool) {
	skeleton := &v.pages.skeletons[i]
	p.key.headed = v.headed(i)
	k := v.pages.segment(i)
	if v.silent(i) {
		return p, false
	}
	p.key.above = v.above(i, k)
	if v.numbered && skeleton.Author == model.AuthorUser {
		p.key.turn = v.turn(i)
	}
	p.key.open = v.foldState(p.key.item, v.reasoning)
	if skeleton.Author == model.AuthorSystem {
		p.key.open = v.foldState(p.key.item, v.systems)
	}
	return p, true
}

// silent reports whether message i has no text of its own on the screen.
func (v *textView) silent(i int) bool {
	skeleton, run := &v.pages.skeletons[i], int(v.pages.pairing.RunStart[i])
	inRun := run >= 0 && run != i
	if skeleton.Author == model.AuthorTool && v.pages.segment(i) == 0 {
		return true
	} else if inRun && !skeleton.HasContent && !(skeleton.HasReasoning && v.unfolded(run)) {
		return true
	}
	return skeleton.Author == model.AuthorAgent && !skeleton.HasContent && !skeleton.HasReasoning && !v.headed(i) && run >= 0
}

func (v *textView) toolItem(p renderItem, i int) (_ renderItem, ok bool) {
	skeleton, run := &v.pages.skeletons[i], int(v.pages.pairing.RunStart[i])
	if run < 0 {
		return p, false
	}
	p.key.head, p.key.open = run == i, v.unfolded(run)
	orphan := skeleton.Author == model.AuthorTool && v.pages.pairing.Caller[i] < 0
	if !p.key.head && (!p.key.open || len(skeleton.CallNames) == 0 && !orphan) {
		return p, false
	}
	if p.key.head {
		v.sumRun(&p, i)
	}
	if p.key.open {
		p.answered = orphan
		v.addResults(&p, i)
	}
	return p, true
}

// sumRun adds up the run of tool work that begins with message i.
func (v *textView) sumRun(p *renderItem, i int) {
	end := int(v.pages.pairing.RunEnd[i])
	p.key.headed = v.headed(i)
	p.key.took = v.took(i, end-1)
	for j := i; j < end; j++ {
		g := &v.pages.skeletons[j]
		p.key.calls += len(g.CallNames)
		if g.Failure != "" {
			p.key.failed++
			p.key.failure = g.Failure
			p.failing = ""
			if at := v.pages.pairing.Caller[j]; at >= 0 {
				if k := slices.Index(v.pages.skeletons[at].CallIDs, g.ResultOf); k >= 0 {
					p.failing = v.pages.skeletons[at].CallNames[k]
				}
			}
		}
		if g.Author == model.AuthorTool && v.pages.pairing.Caller[j] < 0 {
			p.key.orphans++
		}
	}
	for j := i; j < end && !v.cache.finished(p.key); j++ {
		p.names = append(p.names, v.pages.skeletons[j].CallNames...)
		p.objects = append(p.objects, v.pages.skeletons[j].CallObjects...)
	}
}

func (v *textView) addResults(p *renderItem, i int) {
	n := len(v.pages.skeletons[i].CallNames)
	p.results, p.missing = make([]*model.Message, n), make([]bool, n)
	for k, j := range v.pages.answers(i) {
		if j < 0 {
			continue
		}
		p.results[k] = v.pages.messages[j]
		p.missing[k] = p.results[k] == nil
		if p.results[k] != nil && k < 62 {
			p.key.replies |= 1 << k
		}
	}
}

// headed reports whether a message has a line with its author.
func (v *textView) headed(i int) bool {
	return v.pages.headed(i) || i == v.lead && v.pages.skeletons[i].Author == model.AuthorAgent
}

// shows reports whether message i has lines, by itself or below the call that it answers.
func (v *textView) shows(i int) bool {
	if caller := v.pages.pairing.Caller[i]; caller >= 0 {
		run := v.pages.pairing.RunStart[caller]
		return run >= 0 && v.unfolded(int(run))
	}
	for item := 2 * i; item <= 2*i+1; item++ {
		if _, ok := v.itemAt(item); ok {
			return true
		}
	}
	return false
}

// unfolded reports whether the run that begins with message run is unfolded.
func (v *textView) unfolded(run int) bool { return v.foldState(2*run+1, v.tools) }

func (v *textView) foldState(item int, usual bool) bool {
	if open, ok := v.folds[item]; ok {
		return open
	}
	return usual
}

// hold makes a change and keeps the current item at its line of the window.
func (v *textView) hold(change func()) {
	if v.pages == nil || v.rows.Len == 0 {
		change()
		v.rows.Settle()
		return
	}
	y := v.heightAt(v.rows.Selected)
	change()
	v.snap()
	if y >= v.rows.Height {
		y = v.rows.Height / 3
	}
	v.show(v.rows.Selected, 0, y)
}

// heightAt returns the line of the window at which an item begins; negative if it begins
// above the window.
func (v *textView) heightAt(item int) int {
	if item < v.rows.Top {
		return 0
	}
	y := -v.rows.Skip
	for i := v.rows.Top; i < item && y <= v.rows.Height; i++ {
		y += len(v.rows.Lines(i))
	}
	return y
}

// show makes an item current and puts one of its lines at line y of the window.
func (v *textView) show(item, line, y int) {
	v.rows.Selected = max(0, min(item, v.rows.Len-1))
	v.rows.Top, v.rows.Skip = v.rows.Selected, line
	if y < 0 {
		v.rows.Skip -= y
	} else {
		v.rows.Up(y)
	}
	v.rows.Settle()
}

// snap moves the cursor from an item without lines to the run that it is folded into, or
// to the nearest item with lines.
func (v *textView) snap() {
	if v.rows.Len == 0 || len(v.rows.Lines(v.rows.Selected)) > 0 {
		return
	}
	if run := v.pages.pairing.RunStart[v.rows.Selected/2]; run >= 0 && len(v.rows.Lines(int(2*run+1))) > 0 {
		v.rows.Selected = int(2*run + 1)
		return
	}
	first, last := v.rows.InView()
	for d := 1; d < v.rows.Len; d++ {
		for _, i := range []int{v.rows.Selected + d, v.rows.Selected - d} {
			if i >= first && i <= last && len(v.rows.Lines(i)) > 0 {
				v.rows.Selected = i
				return
			}
		}
		if d > last-first+2 {
			break
		}
	}
	v.rows.Selected = v.nextVisible(v.rows.Selected, -1)
}

// nextVisible returns the next item with lines in a direction, or the same item if there is
// none.
func (v *textView) nextVisible(item, dir int) int {
	for i := item + dir; i >= 0 && i < v.rows.Len; i += dir {
		if len(v.rows.Lines(i)) > 0 {
			return i
		}
	}
	return item
}

// pairTools pairs the tool calls with their results among the messages read so far. A run
// that was unfolded stays unfolded if it turns out to begin earlier.
func (v *textView) pairTools() {
	v.turnNumbers = nil
	v.pages.pairing = model.PairTools(v.pages.skeletons, v.pages.outline.SegmentStarts, v.reasoning)
	for item, open := range v.folds {
		if run := v.pages.pairing.RunStart[item/2]; item%2 == 1 && run >= 0 && int(run) != item/2 {
			delete(v.folds, item)
			v.folds[int(2*run+1)] = open
		}
	}
}

// line scrolls by a line; at an end, where the window cannot move, it moves the cursor.
func (v *textView) line(dir int) {
	top, skip := v.rows.Top, v.rows.Skip
	v.rows.Scroll(dir)
	if v.rows.Top == top && v.rows.Skip == skip {
		v.rows.Selected = v.nextVisible(v.rows.Selected, dir)
	}
}

// page moves the window and the cursor by a page.
func (v *textView) page(dir int) {
	top, skip := v.rows.Top, v.rows.Skip
	v.rows.Scroll(dir * max(v.rows.Height-1, 1))
	first, last := v.rows.InView()
	v.rows.Selected = first
	if v.rows.Top == top && v.rows.Skip == skip && dir > 0 { // the last page
		v.rows.Selected = last
	}
}

// message moves the cursor to the next item in a direction and brings it into the window.
func (v *textView) message(dir int) {
	if i := v.nextVisible(v.rows.Selected, dir); i != v.rows.Selected {
		v.rows.Move(i)
	}
}

// fold folds or unfolds an item. If its text is cut short, it is first shown to the end.
func (v *textView) fold(item int) {
	r, i := v.render(item), item/2
	v.rows.Selected = item
	switch {
	case r.cut && !v.wholes[item]:
		v.hold(func() { v.wholes[item] = true })
	case item%2 == 1 && v.pages.pairing.RunStart[i] >= 0:
		head := int(2*v.pages.pairing.RunStart[i] + 1)
		v.hold(func() {
			open := !v.unfolded(head / 2)
			v.folds[head] = open
			if !open {
				v.shorten(head)
			}
		})
	case len(r.foldPoints) > 0:
		v.hold(func() {
			usual := v.reasoning
			if v.pages.skeletons[i].Author == model.AuthorSystem {
				usual = v.systems
			}
			v.folds[item] = !v.foldState(item, usual)
			delete(v.wholes, item)
		})
	case v.wholes[item]:
		v.hold(func() { delete(v.wholes, item) })
	default:
		// The text has nothing to fold, so the tool work below it is meant.
		if next := item + 1; item%2 == 0 && len(v.rows.Lines(next)) > 0 {
			v.fold(next)
		}
	}
}

// shorten cuts the output of a run short again.
func (v *textView) shorten(head int) {
	for i := head / 2; i < int(v.pages.pairing.RunEnd[head/2]); i++ {
		delete(v.wholes, 2*i+1)
	}
}

// foldAll folds everything, or unfolds everything if nothing is unfolded.
func (v *textView) foldAll() {
	open := v.tools || v.systems
	for _, o := range v.folds {
		open = open || o
	}
	v.hold(func() {
		v.tools, v.systems = !open, !open
		clear(v.folds)
		clear(v.wholes)
	})
}

// refold changes which kinds of items are unfolded, and clears the folds made one by one in
// tool work, or with work false in texts.
func (v *textView) refold(change func(), work bool) {
	v.hold(func() {
		change()
		for item := range v.folds {
			if (item%2 == 1) == work {
				delete(v.folds, item)
			}
		}
		v.pairTools()
	})
}

// arrive goes to the message of a hit and unfolds what hides it. Its first highlighted line,
// or with dir below 0 its last, is put at a third of the window; mark is its index among
// those of the item.
func (v *textView) arrive(i, dir int) (mark int) {
	item := v.unfoldAround(i)
	r := v.render(item)
	if len(r.hits) == 0 && r.cut && v.renderer.match != nil {
		v.wholes[item] = true
		r = v.renderWhole(item)
	}
	line := 0
	if n := len(r.hits); n > 0 {
		step := 1
		if dir < 0 {
			mark, step = n-1, -1
		}
		for k := mark; k >= 0 && k < n; k += step {
			if v.messageOf(item, r.hits[k]) == i {
				mark = k
				break
			}
		}
		line = r.hits[mark]
	}
	for line == 0 && line < len(r.lines)-1 && r.lines[line] == "" {
		line++
	}
	v.show(item, line, v.rows.Height/3)
	return mark
}

// messageOf returns the position of the message that a line of an item belongs to: below a
// tool call stands its result.
func (v *textView) messageOf(item, line int) int {
	i := item / 2
	if item%2 == 0 {
		return i
	}
	for k, r := range v.render(item).results {
		if r.from <= line && line < r.to {
			if j := v.pages.answers(i)[k]; j >= 0 {
				return j
			}
		}
	}
	return i
}

// unfoldAround unfolds the item of message i that contains the match, and gives it.
func (v *textView) unfoldAround(i int) int {
	skeleton, m := v.pages.skeletons[i], v.pages.messages[i]
	said, work := 2*i, 2*i+1
	run := v.pages.pairing.RunStart[i]
	matches := func(texts ...string) bool {
		if v.renderer.match == nil {
			return false
		}
		for _, text := range texts {
			for _, s := range v.renderer.match.Mark(text) {
				if s.Hit {
					return true
				}
			}
		}
		return false
	}
	if m == nil {
		return said
	}
	if skeleton.Author == model.AuthorTool {
		if caller := v.pages.pairing.Caller[i]; caller >= 0 {
			work, run = int(2*caller+1), v.pages.pairing.RunStart[caller]
		}
		if run >= 0 {
			v.folds[int(2*run+1)] = true
		}
		return work
	}
	if skeleton.HasContent && matches(m.Content.Text) || len(m.Calls) == 0 && !matches(m.Reasoning) {
		if skeleton.Author == model.AuthorSystem {
			v.folds[said] = true
		}
		return said
	}
	var calls []string
	for _, c := range m.Calls {
		calls = append(calls, c.Name, kit.FormatJSON(c.Arguments))
	}
	if run >= 0 && (matches(calls...) || !matches(m.Reasoning)) {
		if v.renderer.match != nil {
			v.folds[int(2*run+1)] = true
		}
		return work
	}
	if run >= 0 && int(run) != i {
		v.folds[int(2*run+1)] = true
	}
	v.folds[said] = true
	return said
}

// pause is how much time must pass between two messages for a line to say so.
const pause = time.Hour

// above returns the line above a message, "" for none: it says that a segment begins or how
// much time has passed. segment is 0 if no segment begins here.
func (v *textView) above(i, segment int) string {
	var parts []string
	if i == 0 && v.earlier != "" {
		parts = append(parts, v.earlier)
	}
	parts = append(parts, v.notedOn(i)...)
	if since := v.newSince(i); since != "" {
		parts = append(parts, since)
	}
	if segment > 0 {
		parts = append(parts, "compressed · segment "+strconv.Itoa(segment+1)+" of "+strconv.Itoa(len(v.pages.outline.SegmentStarts)))
	}
	if r := v.pages.outline.ReplayCounts; segment > 0 && segment < len(r) && r[segment] > 0 {
		parts = append(parts, kit.Plural(r[segment], "message", "messages")+" repeated")
	}
	if i > 0 {
		before, after := v.pages.skeletons[i-1].At, v.pages.skeletons[i].At
		if gap := after.Sub(before); !before.IsZero() && !after.IsZero() && gap >= pause {
			parts = append(parts, model.Age(after, before)+" later")
		}
	}
	if m := v.pages.outline.SegmentModels; segment > 0 && segment < len(m) && m[segment] != "" && m[segment] != m[segment-1] {
		parts = append(parts, kit.CleanLine(m[segment]))
	}
	return strings.Join(parts, " · ")
}

// visibleItem returns the item that shows message i, or the item that it is folded into.
func (v *textView) visibleItem(i int) int {
	for _, item := range []int{2 * i, 2*i + 1} {
		if len(v.rows.Lines(item)) > 0 {
			return item
		}
	}
	for _, j := range []int32{v.pages.pairing.Caller[i], v.pages.pairing.RunStart[i]} {
		if j >= 0 {
			if item := int(2*j + 1); len(v.rows.Lines(item)) > 0 {
				return item
			}
		}
	}
	return v.nextVisible(2*i, -1)
}

// shownUnder returns the position of the message below which message i is shown: the result
// of a tool call is shown below the call.
func (v *textView) shownUnder(i int) int {
	if c := v.pages.pairing.Caller[i]; c >= 0 {
		return int(c)
	}
	return i
}

func (v *textView) place() place { return place{v.rows.Selected, v.rows.Top, v.rows.Skip} }

// back goes to a place, or to the end where the conversation has become shorter since.
func (v *textView) back(p place) {
	v.rows.Top, v.rows.Skip = p.top, p.skip
	v.rows.Reset(v.rows.Len, p.sel)
}

// aside is the width of the prompts beside the text, 0 if they are not shown.
func (v *textView) aside() int {
	if v.flush || !v.outlined() || v.rows.Len == 0 {
		return 0
	}
	return max(promptsWide, min((v.w-measure)/2, 60)) // of what the text leaves, half
}
