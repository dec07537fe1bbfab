package snapshot

// Folders returns the folders of all sessions, each once.
func (c *Snapshot) Folders() (folders []string) {
	known := map[string]bool{"": true}
	last := ""
	for i := range c.Live() {
		if f := c.Folder(i); f != last && !known[f] {
			known[f] = true
			folders = append(folders, f)
			last = f
		}
	}
	return folders
}

// FolderOf returns the folder of the session with an id, or that of its conversation where
// the session has none.
func (c *Snapshot) FolderOf(id string) string {
	i, ok := c.Position(id)
	if !ok {
		return ""
	}
	if f := c.Folder(i); f != "" {
		return f
	}
	return c.ConversationAt(i).CWD
}
