package model

import "strings"

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
