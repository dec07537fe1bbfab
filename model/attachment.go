package model

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"path"
	"strconv"
	"strings"

	"hermes-sessions/model/pyjson"
)

// Attachment is a part of a message that is not text: a picture, a recording or a file.
type Attachment struct {
	Kind string // image, audio, video, file, document or any other stored type
	Name string // of the file, "" if it has none
	Type string // media type, such as image/png, "" if unknown
	Size int64  // bytes, 0 if unknown
}

// ShortName is the name of an attachment, or its kind if it has none.
func (a Attachment) ShortName() string {
	return cmp.Or(a.Name, a.Kind)
}

// Placeholder stands for an attachment in a text: [image plan.png, 48 kB], or without a
// name that tells its type [image, PNG, 48 kB].
func (a Attachment) Placeholder() string {
	kind := a.shownKind()
	text := kind
	if a.Name != "" {
		text += " " + a.Name
	}
	if major, format, ok := strings.Cut(a.Type, "/"); a.Type != "" && path.Ext(a.Name) == "" {
		if ok && (major == kind || format == "pdf") {
			format, _, _ = strings.Cut(strings.TrimPrefix(format, "x-"), "+")
			text += ", " + strings.ToUpper(format)
		} else {
			text += ", " + a.Type
		}
	}
	if a.Size > 0 {
		text += ", " + ByteSize(a.Size)
	}
	return "[" + text + "]"
}

// shownKind is the kind of an attachment by its media type or extension, which say more
// than a kind such as file.
func (a Attachment) shownKind() string {
	major, _, _ := strings.Cut(a.Type, "/")
	switch major {
	case "image", "audio", "video":
		return major
	}
	switch strings.ToLower(path.Ext(a.Name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic":
		return "image"
	case ".mp3", ".wav", ".ogg", ".m4a", ".flac", ".opus":
		return "audio"
	case ".mp4", ".mov", ".webm", ".mkv":
		return "video"
	}
	return a.Kind
}

// ByteSize formats a number of bytes: 340 bytes, 48 kB, 1.2 MB, 9.6 GB.
func ByteSize(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + " kB"
	}
	if n >= 1_000_000_000 {
		return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// attachmentOf reads a part of multimodal content. APIs nest its fields in different
// objects: in image_url, file, input_audio or source, or in the part itself.
func attachmentOf(kind string, part pyjson.Object) Attachment {
	a := Attachment{Kind: strings.TrimPrefix(kind, "input_")}
	if a.Kind == "image_url" {
		a.Kind = "image"
	}
	objects := []pyjson.Object{part}
	for _, f := range part {
		if o, ok := f.Value.(pyjson.Object); ok {
			objects = append(objects, o)
		}
	}
	for _, o := range objects {
		a.readNames(o)
	}
	for _, o := range objects {
		a.readData(o)
	}
	return a
}

// readNames reads the fields that name or describe an attachment.
func (a *Attachment) readNames(o pyjson.Object) {
	for _, name := range []string{"filename", "file_name", "name", "path", "title"} {
		if s, _ := o.Get(name).(string); s != "" && a.Name == "" {
			a.Name = path.Base(s)
		}
	}
	for _, name := range []string{"media_type", "mime_type", "mimeType"} {
		if s, _ := o.Get(name).(string); s != "" && a.Type == "" {
			a.Type = s
		}
	}
	if s, _ := o.Get("format").(string); s != "" && a.Type == "" && a.Kind == "audio" {
		a.Type = "audio/" + s
	}
	for _, name := range []string{"size", "size_bytes"} {
		if n, _ := o.Get(name).(pyjson.Int); n != "" && a.Size == 0 {
			a.Size, _ = strconv.ParseInt(string(n), 10, 64) // a number out of range stays the largest
		}
	}
}

// readData reads the fields that hold the data of an attachment or its address.
func (a *Attachment) readData(o pyjson.Object) {
	for _, name := range []string{"url", "image_url", "file_url", "file_data", "data"} {
		s, _ := o.Get(name).(string)
		switch {
		case s == "":
		case strings.HasPrefix(s, "data:"):
			kind, size := dataURL(s)
			a.Type = cmp.Or(a.Type, kind)
			if a.Size == 0 {
				a.Size = size
			}
		case name == "file_data" || name == "data":
			if a.Size == 0 {
				a.Size = base64Size(s)
			}
		case a.Name == "":
			s, _, _ = strings.Cut(s, "?")
			if base := path.Base(s); base != "." && base != "/" {
				a.Name = base
			}
		}
	}
}

// dataURL returns the media type of a data URL and how many bytes it holds.
func dataURL(s string) (kind string, size int64) {
	head, data, _ := strings.Cut(strings.TrimPrefix(s, "data:"), ",")
	kind, _, _ = strings.Cut(head, ";")
	if strings.HasSuffix(head, ";base64") {
		return kind, base64Size(data)
	}
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	return kind, int64(len(data))
}

// minData is how many characters of base64 are shown as they are.
const minData = 64

// ReplaceData puts a placeholder in the place of each data URL in a text that holds more
// than a few bytes in base64.
func ReplaceData(s string) string {
	const mark = ";base64,"
	if !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	for {
		at := strings.Index(s, mark)
		if at < 0 {
			break
		}
		from, data := strings.LastIndex(s[:at], "data:"), s[at+len(mark):]
		n := len(data) - len(strings.TrimLeft(data, base64Characters))
		if n < minData || from < 0 || strings.ContainsAny(s[from:at], " \t\n\"'()<>") {
			b.WriteString(s[:at+len(mark)])
			s = data
			continue
		}
		kind, size := dataURL(s[from : at+len(mark)+n])
		b.WriteString(s[:from] + Attachment{Kind: "data", Type: kind, Size: size}.Placeholder())
		s = data[n:]
	}
	return b.String() + s
}

const base64Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"

// base64Size is how many bytes a base64 text holds, with or without its padding.
func base64Size(s string) int64 {
	return int64(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(s, "="))))
}
