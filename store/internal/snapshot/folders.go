package snapshot

// Folders returns the folders of all sessions, each once.
func (snap *Snapshot) Folders() (folders []string) {
	known := map[string]bool{"": true}
	last := ""
	for i := range snap.Live() {
		if f := snap.Folder(i); f != last && !known[f] {
			known[f] = true
			folders = append(folders, f)
			last = f
		}
	}
	return folders
}

// FolderOf returns the folder of the session with an id, or that of its conversation where
// the session has none.
func (snap *Snapshot) FolderOf(id string) string {
	i, ok := snap.Position(id)
	if !ok {
		return ""
	}
	if f := snap.Folder(i); f != "" {
		return f
	}
	return snap.ConversationAt(i).CWD
}
