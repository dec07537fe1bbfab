package ui

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// clipboardTime is how long the system's clipboard may take.
const clipboardTime = 2 * time.Second

// copied says whether a text has reached the clipboard.
type copied struct {
	text, what string
	err        error
}

// copyText puts text into the clipboard and shows a toast. A terminal does not
// report whether it took the text, so the toast says only that it was sent.
func copyText(sh shell.Shell, q shell.CopyText) tea.Cmd {
	text, what := q.Text, q.What
	if redact := sh.Env().Outside.Redact; redact != nil && !q.Exact {
		masked, kinds := redact(text)
		if text = masked; kinds != "" {
			if what == q.Text {
				what = masked
			}
			what += " · redacted " + kinds
		}
	}
	if strings.TrimSpace(text) == "" {
		return sh.Refuse("there is no text to copy")
	}
	if len(text) > kit.MaxCopied {
		return sh.Say(what + " is too large to copy: " + kit.Size(len(text)) + ", and terminals accept " + kit.Size(kit.MaxCopied) +
			"; use the editor, the pager or an export")
	}
	put := sh.Env().Outside.Clipboard
	if put == nil {
		return tea.Batch(tea.SetClipboard(text), sh.Say("sent to the terminal's clipboard: "+what))
	}
	ctx := sh.Env().Context
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, clipboardTime)
		defer cancel()
		return copied{text, what, put(ctx, text)}
	}
}

// report tells the result. Where the system's clipboard failed, the terminal is asked,
// once directly and once past a multiplexer that would keep it to itself.
func (c copied) report(sh shell.Shell) tea.Cmd {
	if c.err == nil {
		return sh.Say("copied: " + c.what)
	}
	past := "\x1bPtmux;\x1b\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(c.text)) + "\a\x1b\\"
	return tea.Batch(tea.SetClipboard(c.text), tea.Raw(past), sh.Say("sent to the terminal's clipboard: "+c.what))
}
