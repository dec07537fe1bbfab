package fault

import "testing"

func TestNearest(t *testing.T) {
	commands := []string{"list", "search", "show", "export", "import", "doctor", "resume", "archive", "unarchive", "delete"}
	for word, want := range map[string]string{
		"lst": "list", "lsit": "list", "serach": "search", "shwo": "show", "doctr": "doctor", "archve": "archive",
		"resme": "resume", "exp": "export", "docker": "", "kafka": "", "unarchvie": "unarchive", "": "", "l": "",
	} {
		if got := Nearest(word, commands); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
