package hermes

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
)

// maxConfig is the size of a config.yaml that is read, in bytes.
const maxConfig = 1 << 20

// PruneSettings reads what the config.yaml beside a database says about deleting old
// sessions. It is nil for a file that no Hermes opens. What the small part of YAML that
// is read here does not cover is a problem, and never a guess.
func PruneSettings(l Location) *model.PruneSettings {
	if l.DB == "" || filepath.Base(l.DB) != "state.db" {
		return nil
	}
	file := filepath.Join(filepath.Dir(l.DB), "config.yaml")
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &model.PruneSettings{Days: model.DefaultRetentionDays}
	case err != nil:
		return &model.PruneSettings{Problem: "config.yaml cannot be read"}
	case !info.Mode().IsRegular() || info.Size() > maxConfig:
		return &model.PruneSettings{Problem: "config.yaml is too large, or not a regular file"}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return &model.PruneSettings{Problem: "config.yaml cannot be read"}
	}
	return pruneSettings(string(text))
}

// pruneSettings reads the settings from the text of a config.yaml.
func pruneSettings(text string) *model.PruneSettings {
	p := &model.PruneSettings{Days: model.DefaultRetentionDays}
	keys, problem := sessionsBlock(text)
	if problem != "" {
		p.Problem = problem
		return p
	}
	readDaysBySource(p, keys)
	if v, there := keys["auto_prune"]; there {
		switch strings.ToLower(v) {
		case "true", "yes", "on", "1":
			p.Auto = new(true)
		case "false", "no", "off", "0":
			p.Auto = new(false)
		default:
			p.Problem = "sessions.auto_prune in config.yaml is " + cmp.Or(v, "empty") + ", not true or false"
		}
	}
	if v, there := keys["retention_days"]; there {
		days, err := strconv.Atoi(strings.Trim(v, `"'`))
		if err != nil {
			p.Problem = "sessions.retention_days in config.yaml is " + cmp.Or(v, "empty") + ", not a number of days"
		}
		p.Days = days
	}
	return p
}

// bySource is the key with the ages of single sources.
const bySource = "source_retention_days"

// readDaysBySource reads the ages of single sources. Hermes ignores what is not a mapping, and
// ages below one day.
func readDaysBySource(p *model.PruneSettings, keys map[string]string) {
	all := map[string]string{}
	if value := keys[bySource]; !flowMapping(value, all) {
		if strings.HasPrefix(value, "{") {
			p.Problem = unread
		}
		return
	}
	for key, value := range keys {
		if source, ok := strings.CutPrefix(key, bySource+"."); ok {
			all[source] = value
		}
	}
	for source, value := range all {
		days, err := strconv.Atoi(strings.Trim(value, `"'`))
		switch {
		case err != nil:
			p.Problem = "sessions." + bySource + " of " + source + " in config.yaml is " + cmp.Or(value, "empty") + ", not a number of days"
		case days > 0:
			if p.DaysBySource == nil {
				p.DaysBySource = map[string]int{}
			}
			p.DaysBySource[source] = days
		}
	}
}

// sessionsBlock returns the keys directly below sessions in a YAML text with their values as
// written, and those below bySource with its name and a dot before them, or why they cannot be
// told.
func sessionsBlock(text string) (keys map[string]string, problem string) {
	keys = map[string]string{}
	if !wellFormed(text) {
		return nil, unread
	}
	inside := false
	var depth, documents, blocks int
	ages, agesDepth := false, 0 // below bySource
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimLeft(line, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		indent := len(line) - len(bare)
		if indent == 0 {
			inside = false
			switch {
			case strings.HasPrefix(line, "---"):
				if documents++; documents > 1 {
					return nil, "config.yaml has several documents"
				}
				continue
			case line[0] == '{' || line[0] == '<' || line[0] == '\t':
				return nil, unread
			}
		}
		key, value, ok := strings.Cut(bare, ":")
		if key = strings.Trim(strings.TrimSpace(key), `"'`); !ok {
			continue
		}
		value = withoutComment(value)
		switch {
		case indent == 0 && key == "sessions":
			if blocks++; blocks > 1 {
				return nil, "config.yaml has sessions twice"
			}
			inside, depth = value == "", 0
			if !flowMapping(value, keys) {
				return nil, unread
			}
		case !inside:
		case bare[0] == '\t' || key == "<<":
			return nil, unread
		default:
			depth = cmp.Or(depth, indent)
			if indent == depth {
				keys[key] = value
				ages, agesDepth = key == bySource, 0
			} else if ages {
				agesDepth = cmp.Or(agesDepth, indent)
				if indent == agesDepth {
					keys[bySource+"."+key] = value
				}
			}
		}
	}
	for _, v := range keys {
		if strings.Contains(v, "${") || strings.HasPrefix(v, "*") || strings.HasPrefix(v, "&") || strings.HasPrefix(v, "!") {
			return nil, "sessions in config.yaml uses a variable, an alias or a tag"
		}
	}
	return keys, ""
}

// wellFormed reports whether a text has none of the faults for which Hermes refuses the whole
// file, as far as single lines show them: bytes that are no text, brackets that stay open, a
// key below a value.
func wellFormed(text string) bool {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return false
	}
	block, valued := -1, -1 // indents of the last line that a text follows, and of one with a value
	open := false
	for line := range strings.Lines(text) {
		dash := len(line) - len(strings.TrimLeft(line, " "))
		bare := strings.TrimLeft(line, " -")
		indent := len(line) - len(bare) // of the key, in a list behind its dash
		bare = withoutComment(bare)
		if bare == "" || block >= 0 && dash > block {
			continue
		}
		if open {
			if indent == 0 && bare[0] != ']' && bare[0] != '}' {
				return false
			}
			open = !strings.HasSuffix(bare, "]") && !strings.HasSuffix(bare, "}")
			continue
		}
		block = -1
		_, value, key := strings.Cut(bare+" ", ": ")
		if key && valued >= 0 && indent > valued {
			return false
		}
		value, valued = strings.TrimSpace(value), -1
		switch {
		case bare[0] == '|' || bare[0] == '>':
			block = dash
		case !key:
		case value == "" || strings.ContainsAny(value[:1], "\"'&!*"):
		case value[0] == '|' || value[0] == '>':
			block = indent
		case value[0] == '[' || value[0] == '{':
			open = !strings.HasSuffix(value, "]") && !strings.HasSuffix(value, "}")
		default:
			valued = indent
		}
	}
	return !open
}

// unread is the problem that is reported of YAML in other forms than those read here.
const unread = "config.yaml uses YAML that this program does not read"

// flowMapping adds the keys of a mapping in braces on one line. It is false for a value of
// another form; nothing is a mapping too.
func flowMapping(value string, keys map[string]string) bool {
	switch {
	case value == "" || value == "null" || value == "~" || value == "{}":
		return true
	case !strings.HasPrefix(value, "{") || !strings.HasSuffix(value, "}") || strings.ContainsAny(value[1:len(value)-1], "{}[]\"'&*"):
		return false
	}
	for part := range strings.SplitSeq(value[1:len(value)-1], ",") {
		k, v, _ := strings.Cut(part, ":")
		keys[strings.TrimSpace(k)] = strings.TrimSpace(v)
	}
	return true
}

// withoutComment returns a value without the spaces and the comment around it.
func withoutComment(value string) string {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "#") {
		return ""
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}
