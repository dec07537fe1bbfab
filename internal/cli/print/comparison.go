package print

import (
	"fmt"
	"strconv"
	"strings"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/compare"
	"hermes-sessions/model/prose"
)

// ComparisonObject returns a comparison for JSON.
func ComparisonObject(p compare.Pair) answer.Comparison {
	o := answer.Comparison{Common: p.Common, Same: p.Same(), A: sideObject(p, 0), B: sideObject(p, 1)}
	if p.Last[0].Message != 0 {
		o.Last = p.Last[0].Text
	}
	return o
}

func sideObject(p compare.Pair, side int) answer.ComparedSide {
	c, s := p.Conversations[side], &p.Sides[side]
	o := answer.ComparedSide{
		ID: c.ID, RootID: c.RootID, Title: output.OrNull(c.Title), Messages: s.Messages, First: output.OrNull(s.First.Message), Seconds: s.Duration().Seconds(),
		Prompts: []answer.ComparedText{}, Tools: []answer.ComparedTool{}, Files: []answer.ComparedFile{}, Usage: answer.UsageOf(c.Total),
	}
	for _, said := range s.Prompts {
		o.Prompts = append(o.Prompts, answer.ComparedText{Message: said.Message, Text: said.Text})
	}
	for _, t := range s.Tools {
		o.Tools = append(o.Tools, answer.ComparedTool(t))
	}
	for _, f := range s.Files {
		o.Files = append(o.Files, answer.ComparedFile{Path: f.Path, Writes: f.Writes})
	}
	if s.Answer.Message != 0 {
		o.Outcome = &answer.ComparedText{Message: s.Answer.Message, Text: s.Answer.Text}
	}
	return o
}

// maxListed is how many prompts and files are printed.
const maxListed = 10

// Comparison prints a comparison as text.
func Comparison(out *output.Writer, p compare.Pair) error {
	for k, name := range []string{"A", "B"} {
		fmt.Fprintf(out, "%s  %s  %s\n", out.Bold(name), Title(p.Conversations[k]), out.Faint(output.Clean(p.Conversations[k].ID)))
	}
	fmt.Fprintf(out, "\n%s\n", p.Verdict())
	if p.Last[0].Message != 0 {
		fmt.Fprintf(out, "Last common message: %s\n", shortText(p.Last[0].Text))
	}
	for k, name := range []string{"A", "B"} {
		printSide(out, name, p.Conversations[k], &p.Sides[k])
	}
	return out.Flush()
}

func printSide(out *output.Writer, name string, c model.Conversation, s *compare.Side) {
	fmt.Fprintf(out, "\n%s\n", out.Bold(name+" after that"))
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintln(out, " ", output.Cell(name, 9, 9), value)
		}
	}
	messages := output.Count(s.Messages, "message", "messages")
	if d := compare.DurationText(s.Duration()); d != "" {
		messages += " in " + d
	}
	line("messages", messages)
	line("usage", model.CompactNumber(c.Total.Tokens())+" tokens, "+c.Total.Cost.String()+" (the whole conversation)")
	line("tools", toolText(s))
	for i, f := range s.Files {
		if i == maxListed {
			line("", output.Count(len(s.Files)-i, "more file", "more files"))
			break
		}
		line(map[bool]string{true: "files"}[i == 0], output.Clean(f.Path)+compare.Times(f.Writes))
	}
	for i, said := range s.Prompts {
		if i == maxListed {
			line("", output.Count(len(s.Prompts)+s.Unlisted-i, "more prompt", "more prompts"))
			break
		}
		line(map[bool]string{true: "prompts"}[i == 0], shortText(said.Text)+" "+out.Faint("#"+strconv.FormatInt(said.Message, 10)))
	}
	if s.Answer.Message != 0 {
		line("outcome", shortText(s.Answer.Text)+" "+out.Faint("#"+strconv.FormatInt(s.Answer.Message, 10)))
	}
}

// toolText names the tools of a side with their calls.
func toolText(s *compare.Side) string {
	var parts []string
	for _, t := range s.Tools {
		text := output.Clean(t.Name) + compare.Times(t.Calls)
		if t.Failed > 0 {
			text += fmt.Sprintf(" (%d failed)", t.Failed)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// shortText returns the beginning of a text on one line.
func shortText(text string) string {
	r := []rune(output.Clean(prose.Inline(text)))
	if len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return string(r)
}
