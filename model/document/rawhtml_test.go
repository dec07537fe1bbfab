package document

import (
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cputime"
)

func TestEscapeHTML(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a < b and c<d> e":                      `a < b and c&lt;d> e`,
		"<script>alert(1)</script>":             `&lt;script>alert(1)&lt;/script>`,
		`<img src=x onerror="alert(1)">`:        `&lt;img src=x onerror="alert(1)">`,
		"<!-- comment --> <?php ?> <![CDATA[x]": `&lt;!-- comment --> &lt;?php ?> &lt;\![CDATA[x]`,
		`\<b> \\<b>`:                            `&lt;b> \\&lt;b>`,
		"code `<b>` and ``<i>`</i>`` <b>":       "code `<b>` and ``<i>`</i>`` &lt;b>",
		"`open <b>\nnext <b>`":                  "`open &lt;b>\nnext &lt;b>`",
		"\\`<b>`":                               "\\`&lt;b>`",
		"| ` | <b> ` |":                         "| ` | &lt;b> ` |",
		"```html\n<b>\n```\n<b>":                "```html\n<b>\n```\n&lt;b>",
		"~~~\n<b>\n```\n<b>\n~~~\n<b>":          "~~~\n<b>\n```\n<b>\n~~~\n&lt;b>",
		"- a\n  ```\n  <b>\n<b>":                "- a\n  ```\n  <b>\n&lt;b>",
		"- ```\n  <b>\n  ```\n  <b>":            "- ```\n  &lt;b>\n  ```\n  &lt;b>",
		"> ```\n> <b>\n> ```\n\n<b>":            "> ```\n> &lt;b>\n> ```\n\n&lt;b>",
		"foo\n    ```\n    <b>":                 "foo\n    ```\n    &lt;b>",
		"- ~~~\n\n ```\n```\n<b>":               "- ~~~\n\n ```\n```\n&lt;b>",
		" ```\n```\n---~~~<b>":                  " ```\n```\n---~~~&lt;b>",
		"``` `x`\n<b>":                          "``` `x`\n&lt;b>",
		"<https://a.b> <mailto:a@b.c>":          "<https://a.b> <mailto:a@b.c>",
		"<HTTPS://a.b> <MailTo:a@b.c> <http:>":  "<HTTPS://a.b> <MailTo:a@b.c> &lt;http:>",
		"<javascript:alert(1)>":                 `&lt;javascript:alert(1)>`,

		"![a](https://x.y/p.png) ![a][b] !a":                `\![a](https://x.y/p.png) \![a][b] !a`,
		`\![a](//x.y/p.png) \\![a](p.png)`:                  `\![a](//x.y/p.png) \\\![a](p.png)`,
		"`![a](b)` [a](http://x.y) [a](b.md#c:d)":           "`![a](b)` [a](http://x.y) [a](b.md#c:d)",
		"[a](javascript:alert(1)) [a](\tJaVa&#115;cript:b)": `[a\](javascript:alert(1)) [a\](` + "\tJaVa&#115;cript:b)",
		`[a](<data:text/html,b>) [a](file:///b)`:            `[a\](&lt;data:text/html,b>) [a\](file:///b)`,
		"[a](java\\script:b) [a](\nvbscript:b)":             "[a\\](java\\script:b) [a\\](\nvbscript:b)",
		"[a]: javascript:b\n[b]: https://x.y":               "[a\\]: javascript:b\n[b]: https://x.y",
	} {
		var got strings.Builder
		if (&markdown{sink: &sink{w: &got}}).disarm(in); got.String() != want {
			t.Errorf("%q is %q, want %q", in, got.String(), want)
		}
	}
}

// A long line of tags takes time by its length, not by the square of it: that was minutes.
func TestEscapeHTMLOfALongLine(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	took := cputime.Of(func() { (&markdown{sink: &sink{w: &got}}).disarm(strings.Repeat("<div>", 500_000)) })
	if took > 20*time.Second || got.Len() != 500_000*len("&lt;div>") {
		t.Errorf("%d bytes in %v", got.Len(), took)
	}
}
