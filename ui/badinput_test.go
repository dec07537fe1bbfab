package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/uitest"
)

// badTexts are texts of scripts and characters that terminals and libraries measure
// differently, or that draw nothing, too much or backward.
func badTexts() map[string]string {
	return map[string]string{
		"devanagari": "क्षत्रिय स्त्री हिन्दी पढ़ना \u0915\u094d\u200d\u0937 सिखाना", "thai": "กำลังทำน้ำแข็ง ไทย เก้าอี้ น้ำ", "tamil": "நிறைவு கொண்டு ஸ்ரீ க்ஷௌ",
		"myanmar": "မြန်မာဘာသာ က္ကျော ကျွန်ုပ်", "khmer": "ភាសាខ្មែរ ស្ត្រី ក្រុម", "tibetan": "བོད་སྐད་ རྒྱལ་པོ", "lao": "ພາສາລາວ ນ້ຳ ກຳ",
		"arabic": "مُحَمَّدٌ كتابٌ ٢٠٢٦ لا إله", "hebrew": "שָׁלוֹם עוֹלָם בְּרֵאשִׁית", "bidi": "a \u202eb c\u202c \u2067ש 1\u2069 \u200fd", "syriac": "ܫܠܡܐ ܠܟ\u070f",
		"family": "👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨 🐈‍⬛ 👩🏽‍🚀 🧑🏿‍🤝‍🧑🏻", "flags": "🇩🇪🇫🇷🇩 🏳️‍🌈 🏴‍☠️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "tones": "👍🏻👍🏽 👍🏿 ☝🏾 🏿", "keycaps": "1️⃣ #️⃣ *️⃣ ❤️ ❤ ⚠️ ☎︎ ™️ ©️",
		"joiners": "a\u200db \u200d\u200d x\u200d 👍\u200d", "jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af 한글 \u115f\u1160 ㅋㅋ", "cjk": "日本語 ｶﾞ ﾊﾟ ︵ 〱 𠮷 葛\U000e0100", "wide": "ﷺ 𒐫 ⸻ ꧅",
		"marks": "e\u0301a\u0308 Z" + strings.Repeat("\u0335\u0489\u0361", 200) + "algo", "nothing": "x" + strings.Repeat("\u200b\u2060\ufeff\u00ad\u034f", 300) + "y",
		"variations": strings.Repeat("\ufe0f\ufe0e", 50) + "v" + strings.Repeat("\U000e0001\U000e007f", 40), "private": "\ue000\uf8ff\U000f0000 \ufffd \ufffe",
		"tabs": "a\tb\t\tc \t d", "lines": "one\r\ntwo\rthree\u2028four\u2029five\vsix\fseven\u0085eight", "controls": "\x1b[31mred\x1b[0m \x1b]0;t\a \x9b31m \x00\x7f",
		"long": strings.Repeat("0123456789", 1000), "longwide": strings.Repeat("日本", 2500), "spaces": strings.Repeat(" ", 3000) + "end", "invalid": "a\xff\xfeb\xc3( \xed\xa0\x80",
	}
}

// badHistory has one conversation with a text in every place that one can be in.
func badHistory(name, text string) *uitest.Fake {
	said := []model.Message{
		uitest.Said("user", text),
		uitest.Said("assistant", "# "+text+"\n\n- "+text+"\n\n> "+text+"\n\n| a | b |\n|---|---|\n| "+text+" | `"+text+"` |\n\n```go\n"+text+"\n```\n"),
		uitest.Calls(text, uitest.Call("1", text, `{"command":"`+text+`"}`)),
		uitest.Result("1", text, text+"\n"+text),
		uitest.Said("assistant", text),
	}
	lib := &uitest.Fake{Messages: map[string][]model.Message{}}
	for i, id := range []string{"bad", "other"} {
		var own []model.Message
		for k, m := range said {
			m.ID, m.SessionID = int64(i*10+k+1), id
			own = append(own, m)
		}
		lib.Messages[id] = own
		lib.Convs = append(lib.Convs, model.Conversation{
			Session: model.Session{ID: id, Title: text, Source: text, Model: text, CWD: "/home/" + text + "/" + name, StartedAt: uitest.Now().Add(-time.Hour), VisibleMessages: len(own)},
			RootID:  id, Segments: []string{id}, Messages: len(own), LastActive: uitest.Now().Add(-time.Minute), Preview: text,
		})
	}
	lib.Convs[1].Title = "" // its preview stands there
	return lib
}

// framed checks that all lines of the box on top are equally wide.
func (d *driver) framed(name string) *driver {
	d.t.Helper()
	if len(d.root.dialogs) == 0 {
		d.t.Fatalf("%s opens no box:\n%s", name, d.screen())
	}
	wide := -1
	for _, l := range strings.Split(d.root.dialogs.top().Box(d.w, d.h), "\n") {
		w := d.root.styles.Cells.StringWidth(l)
		if wide < 0 {
			wide = w
		} else if w != wide {
			d.t.Fatalf("%s has lines of %d and %d columns:\n%s", name, wide, w, d.screen())
		}
	}
	return d
}

// divided checks that the edge between rows and preview is in column x of every line.
func (d *driver) divided(x int) {
	d.t.Helper()
	lines := strings.Split(d.root.View().Content, "\n")
	for _, l := range lines[1 : len(lines)-1] {
		if got := d.root.styles.Cells.Cut(ansi.Strip(l), x, x+1); !strings.Contains("╭│┤├┬", got) {
			d.t.Fatalf("%q in the column of the edge:\n%s", got, d.screen())
		}
	}
}

// Whatever is stored, columns hold and borders stand: the driver compares each line of
// each screen with what a terminal draws of it.
func TestBadTextHoldsColumnsAndBorders(t *testing.T) {
	t.Parallel()
	texts := badTexts()
	for n, name := range slices.Sorted(maps.Keys(texts)) {
		if n%campaign.Length(2, 1) > 0 {
			continue
		}
		text := texts[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, measure := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
				if !campaign.On() && i != n/2%2 {
					continue // each text in one way, each way with half of them
				}
				size := [][2]int{{80, 24}, {124, 36}}[(i+len(name))%2]
				at(t, func(t *testing.T, _ *uitest.Fake) {
					d := start(t, badHistory(name, text), size[0], size[1], func(o *Options) { o.Badge = text })
					if measure == cells.ByGrapheme {
						d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
						d.settle()
					}
					if d.keys("down"); size[0] >= 120 {
						d.divided(74)
					}
					for _, box := range []string{"f4", "ctrl+x", "f2", "ctrl+d", "ctrl+y"} {
						d.keys(box).framed(box).keys("esc")
					}
					d.keys("ctrl+x", "i").framed("inspector").keys("esc")
					d.keys("ctrl+l", "esc", "right", "O", "pgdown", "home", "esc")
					d.send(tea.PasteMsg{Content: text})
					d.settle()
					d.keys("home", "left", "end")
					d.send(tea.WindowSizeMsg{Width: 30, Height: 8})
					d.settle()
					d.keys("f4", "esc", "esc", "esc")
					if len(d.root.dialogs) > 0 || len(d.root.screens) != 1 {
						t.Fatal(fmt.Sprint("not back in the list: ", d.screen()))
					}
				})
			}
		})
	}
}
