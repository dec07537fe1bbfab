package model

import (
	"strings"
	"testing"
)

// Placeholders of parts as the APIs of OpenAI, Anthropic and Google write them.
func TestAttachmentPlaceholders(t *testing.T) {
	for part, want := range map[string]string{
		`{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}`:                                     "[image, PNG, 8 bytes]",
		`{"type": "image_url", "image_url": {"url": "https://example.com/a/cat.png?x=1", "detail": "low"}}`:                     "[image cat.png]",
		`{"type": "input_image", "image_url": "data:image/webp;base64,AAAA"}`:                                                   "[image, WEBP, 3 bytes]",
		`{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "AAAAAA=="}}`:                       "[image, JPEG, 4 bytes]",
		`{"type": "image", "source": {"type": "url", "url": "https://example.com/dog.jpg"}}`:                                    "[image dog.jpg]",
		`{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}`:                                             "[audio, WAV, 3 bytes]",
		`{"type": "file", "file": {"filename": "C/report.pdf", "file_data": "data:application/pdf;base64,AAAA"}}`:               "[file report.pdf, 3 bytes]",
		`{"type": "file", "name": "panel.png", "size": 48300}`:                                                                  "[image panel.png, 48 kB]",
		`{"type": "file", "mimeType": "video/mp4", "size_bytes": 1240000}`:                                                      "[video, MP4, 1.2 MB]",
		`{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAA"}, "title": "Manual"}`: "[document Manual, PDF, 2 bytes]",
		`{"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}}`:                                          "[image, SVG, 6 bytes]",
		`{"type": "image_url", "image_url": {"url": "data:"}}`:                                                                  "[image]",
		`{"type": "image_url", "image_url": {"url": 5}, "size": "big"}`:                                                         "[image]",
		`{"type": "image_url", "image_url": {"url": "https://example.com/"}, "size": -4}`:                                       "[image example.com]",
		`{"type": "video"}`: "[video]",
		`{"type": "3d_model", "file": {"name": "gear.stl"}}`: "[3d_model gear.stl]",
	} {
		c, broken := DecodeContent("\x00json:[" + part + "]")
		if len(c.Media) != 1 || broken != "" {
			t.Errorf("%s: %+v, %q", part, c, broken)
		} else if got := c.Media[0].Placeholder(); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
}

func TestReplaceData(t *testing.T) {
	data := strings.Repeat("QUJD", 300) // 900 bytes
	for in, want := range map[string]string{
		"plain": "plain",
		`{"shot": "data:image/png;base64,` + data + `", "ok": true}`:                       `{"shot": "[image, PNG, 900 bytes]", "ok": true}`,
		"![](data:image/png;base64," + data + ") and data:audio/wav;base64," + data + "==": "![]([image, PNG, 900 bytes]) and [audio, WAV, 900 bytes]",
		"data:application/pdf;name=a.pdf;base64," + data:                                   "[data, PDF, 900 bytes]",
		"data:;base64," + data:                                                     "[data, 900 bytes]",
		"short data:image/png;base64,QUJD":                                         "short data:image/png;base64,QUJD",
		"no data: in a text;base64," + data:                                        "no data: in a text;base64," + data,
		";base64," + data + ";base64,":                                             ";base64," + data + ";base64,",
		"data:a/b;base64,QQ== data:image/gif;base64," + data + " data:c/d;base64,": "data:a/b;base64,QQ== [image, GIF, 900 bytes] data:c/d;base64,",
	} {
		if got := ReplaceData(in); got != want {
			t.Errorf("%.60s…: %s, want %s", in, got, want)
		}
	}
}
