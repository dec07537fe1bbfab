package snapshot

// folder gives the folder of a session.
func (r *SessionTable) folder(i int) string {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.CWD
	}
	return r.textAt(r.rows[i].cwd)
}

// Folders gives the folders of all sessions, each once.
func (r *SessionTable) Folders() (folders []string) {
	known := map[string]bool{"": true}
	last := ""
	for i := range r.live() {
		if f := r.folder(i); f != last && !known[f] {
			known[f] = true
			folders = append(folders, f)
			last = f
		}
	}
	return folders
}

// FolderOf gives the folder of the session with an id, or that of its conversation where
// the session has none.
func (c *Snapshot) FolderOf(id string) string {
	i, ok := c.Position(id)
	if !ok {
		return ""
	}
	if f := c.folder(i); f != "" {
		return f
	}
	return c.ConversationAt(i).CWD
}
