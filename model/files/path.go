package files

import (
	"path"
	"strings"
)

// resolve returns a path of a tool call with slashes and without "." and "..". A relative
// path is joined to a folder, if that is known.
func resolve(folder, name string) string {
	name, folder = slashed(name), slashed(folder)
	if !isRooted(name) && folder != "" {
		name = folder + "/" + name
	}
	return path.Clean(name)
}

// display returns a resolved path for people: relative to a folder if it is below it.
func display(folder, resolved string) string {
	if folder == "" {
		return resolved
	}
	if rest, ok := strings.CutPrefix(resolved, strings.TrimSuffix(path.Clean(slashed(folder)), "/")+"/"); ok && rest != "" {
		return rest
	}
	return resolved
}

// Name returns the last part of a path.
func Name(name string) string { return path.Base(slashed(name)) }

// slashed returns a path with slashes as separators.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// isRooted reports whether a path begins at the root, a drive or the home folder.
func isRooted(name string) bool {
	return strings.HasPrefix(name, "/") || name == "~" || strings.HasPrefix(name, "~/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// cutHome returns the parts of a folded path below a home folder, with "~" first. ok is false
// for a path that is in none.
func cutHome(parts []string) (below []string, ok bool) {
	switch {
	case len(parts) > 0 && parts[0] == "~":
		return parts, true
	case len(parts) > 1 && parts[0] == "root":
		return append([]string{"~"}, parts[1:]...), true
	case len(parts) > 2 && (parts[0] == "home" || parts[0] == "users"):
		return append([]string{"~"}, parts[2:]...), true
	case len(parts) > 3 && parts[1] == "users": // c:/users/ana
		return append([]string{"~"}, parts[3:]...), true
	}
	return nil, false
}

// split returns the parts of a path.
func split(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}
