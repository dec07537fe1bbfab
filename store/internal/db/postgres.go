package db

import (
	"os"
	"path/filepath"
	"strings"
)

// maxConfigBytes is how much of a config.yaml is looked at, in bytes.
const maxConfigBytes = 1 << 20

// onPostgres reports whether the config.yaml beside the database moves the
// sessions to PostgreSQL. It understands that one key and nothing else.
func (d *DB) onPostgres() bool {
	path := filepath.Join(filepath.Dir(d.Path), "config.yaml")
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigBytes {
		return false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	return strings.HasPrefix(configuredBackend(string(b)), "postgres")
}

// configuredBackend finds database.backend in a YAML text, "" if it is not there.
func configuredBackend(yaml string) string {
	inside, depth := false, 0
	for line := range strings.Lines(yaml) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), " #")
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		key, value = strings.Trim(key, `"' `), strings.TrimSpace(value)
		if top := line[0] != ' ' && line[0] != '\t'; top {
			inside, depth = key == "database", 0
			if inside && strings.HasPrefix(value, "{") {
				for part := range strings.SplitSeq(strings.Trim(value, "{} "), ",") {
					if k, v, _ := strings.Cut(part, ":"); strings.Trim(k, `"' `) == "backend" {
						return strings.ToLower(strings.Trim(v, `"' `))
					}
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
		if inside && key == "backend" {
			return strings.ToLower(strings.Trim(value, `"'`))
		}
	}
	return ""
}
