package db

import (
	"os"
	"path/filepath"
	"strings"
)

// SessionOfTranscript returns the session whose transcript file has a name; ok is false for any other
// file.
func SessionOfTranscript(name string) (id string, ok bool) {
	if id, ok = strings.CutSuffix(name, ".jsonl"); ok {
		return id, id != ""
	}
	if id, ok = strings.CutSuffix(name, ".json"); !ok || strings.HasPrefix(id, "request_dump_") || id == "sessions" {
		return "", false // what was sent, and the gateway's list of chats
	}
	id = strings.TrimPrefix(id, "session_")
	return id, id != ""
}

// TranscriptNames returns the names of the transcript files of a session in a folder, which may be ""
// for none. It does not list the folder.
func TranscriptNames(folder, session string) (names []string) {
	if folder == "" || session == "" || strings.ContainsAny(session, `/\`+"\x00") {
		return nil
	}
	for _, name := range []string{session + ".json", "session_" + session + ".json", session + ".jsonl"} {
		if id, ok := SessionOfTranscript(name); !ok || id != session {
			continue
		}
		if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	return names
}
