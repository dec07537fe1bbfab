package db

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxConfigBytes is how much of a config.yaml is looked at, in bytes.
const maxConfigBytes = 1 << 20

// onPostgres has the values with which a setting moves the sessions to PostgreSQL. Each is of
// another line of development of Hermes (store/README.md#the-file). "probe" only tries PostgreSQL out.
var onPostgres = map[string][]string{
	"database.backend":       {"postgres", "postgresql"},
	"sessions.state_backend": {"postgres", "postgresql", "authority"},
	"sessiondb.provider":     {"postgres", "postgresql"},
}

// postgresSetting returns the setting by which the config.yaml beside the database moves the
// sessions to PostgreSQL, "" for none.
func (d *DB) postgresSetting() string {
	path := filepath.Join(filepath.Dir(d.Path), "config.yaml")
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigBytes {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for name, value := range settings(string(b)) {
		if slices.Contains(onPostgres[name], value) {
			return name
		}
	}
	return ""
}

// settings gives the keys directly below the top level of a YAML text, as section.key, with
// their values in small letters. It understands no more of YAML.
func settings(yaml string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		section, depth := "", 0
		for line := range strings.Lines(yaml) {
			line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), " #")
			key, value, ok := pair(line)
			if !ok || strings.HasPrefix(key, "#") {
				continue
			}
			if top := line[0] != ' ' && line[0] != '\t'; top {
				section, depth = key, 0
				if !strings.HasPrefix(value, "{") {
					continue
				}
				for part := range strings.SplitSeq(strings.Trim(value, "{} "), ",") {
					if key, value, ok := pair(part); ok && !yield(section+"."+key, value) {
						return
					}
				}
				continue
			}
			// Only direct children count; the first of them says how deep they stand.
			if indent := len(line) - len(strings.TrimLeft(line, " \t")); depth == 0 {
				depth = indent
			} else if indent != depth {
				continue
			}
			if !yield(section+"."+key, value) {
				return
			}
		}
	}
}

// pair splits "key: value", without quotes and in small letters where it is the value.
func pair(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	return strings.Trim(key, "\"' \t"), strings.ToLower(strings.Trim(value, "\"' \t")), ok
}
