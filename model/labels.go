package model

import (
	"path"
	"strings"
)

// MediaLabel gives the placeholder of an attachment in a text, by its name or kind:
// [image: plan.png].
func MediaLabel(name string) string {
	switch name {
	case "image", "audio", "video", "file", "document":
		return "[" + name + "]"
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic":
		return "[image: " + name + "]"
	case ".mp3", ".wav", ".ogg", ".m4a", ".flac", ".opus":
		return "[audio: " + name + "]"
	case ".mp4", ".mov", ".webm", ".mkv":
		return "[video: " + name + "]"
	case "":
		return "[" + name + "]"
	}
	return "[file: " + name + "]"
}

// EventName names the event that a message stands for, by its display_kind
// (store/README.md#recap).
func EventName(kind string) string {
	switch kind {
	case "model_switch":
		return "model changed"
	case "async_delegation_complete":
		return "background delegation completed"
	case "auto_continue":
		return "resumed interrupted turn"
	}
	return strings.ReplaceAll(kind, "_", " ")
}
