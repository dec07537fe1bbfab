package shell

import (
	"fmt"
	"maps"
	"slices"
)

// Typing says what printable keys do in the list.
type Typing int

// What they can do.
const (
	Searches   Typing = iota // they are typed, whatever comes; "?", ":" and "/" act before the first character
	ActsFirst                // those that the key map names act before the first character
	ActsAlways               // they act until typing is begun, and again when it has ended (vi)
)

// firstOnly are the printable keys that may act in every list, and only as the
// first character of a query.
func firstOnly() []string { return []string{"?", ":", "/"} }

// Overrides are other keys for actions, by context. They take the place of the
// action's keys in the key map; its letter stays.
type Overrides map[Context]map[Action][]string

// UnknownName says that the key map has no context or no action of a name.
type UnknownName struct {
	Name    string
	Setting string   // as in keys.list.scope
	Known   []string // the names that there are
	said    string
}

func (e *UnknownName) Error() string { return "key map: " + e.said }

// formerNames are names that actions had in settings of earlier versions. Where a screen has
// an action of such a name today, the name means that one.
func formerNames() map[Action][]Action {
	return map[Action][]Action{
		"open": {Read}, "refresh": {Reload}, "palette": {Commands}, "menu": {More}, "accept": {ChooseEntry}, "back": {Close},
		"resume-tui": {ResumeInTUI}, "resume-return": {ResumeAndReturn}, "tag": {Tags}, "history": {EarlierQueries},
		"select-range": {SelectToHere}, "checkpoint": {EmptyTheLog}, "find-next": {NextMatch}, "find-previous": {PreviousMatch},
		"next-hit": {NextMatch}, "previous-hit": {PreviousMatch},
		"next-result": {NextConversation}, "previous-result": {PreviousConversation},
		"expand": {Unfold}, "collapse": {Fold}, "expand-all": {UnfoldAll}, "collapse-all": {FoldAll},
		"next-set": {View, OtherSide}, "previous-set": {PreviousView, OtherSide},
		"day-week-month": {Unit}, "show-in-list": {List}, "scope": {Hidden},
	}
}

// formerScreens are the screens that have the actions of those of earlier versions, "" for keys
// that mean nothing now: what runs is a group of the list.
func formerScreens() map[Context]Context {
	return map[Context]Context{"clean-up": InSpace, "storage": InSpace, "running": ""}
}

// currentScreens returns overrides by the screens that have their actions today. What is set
// for a screen of today wins.
func currentScreens(own Overrides) Overrides {
	named := maps.Clone(own)
	for _, c := range slices.Sorted(maps.Keys(formerScreens())) {
		now := formerScreens()[c]
		if own[c] == nil {
			continue
		}
		if delete(named, c); now == "" {
			continue
		}
		all := maps.Clone(own[c])
		maps.Copy(all, named[now])
		named[now] = all
	}
	return named
}

// FormerNames says which screens of earlier versions have keys here, and what replaces them.
func (own Overrides) FormerNames() (said []string) {
	for _, c := range slices.Sorted(maps.Keys(formerScreens())) {
		now := formerScreens()[c]
		switch {
		case own[c] == nil:
		case now == "":
			said = append(said, fmt.Sprintf("[keys.%s] has no effect: what runs is in the list, with [keys.%s]", c, InList))
		default:
			said = append(said, fmt.Sprintf("[keys.%s] is [keys.%s] now", c, now))
		}
	}
	return said
}

// currentNames returns keys by the names that their actions have today on a screen with these
// actions. A name of today that is there itself wins.
func currentNames(own map[Action][]string, actions []string) map[Action][]string {
	named := maps.Clone(own)
	for _, a := range slices.Sorted(maps.Keys(own)) {
		if slices.Contains(actions, string(a)) {
			continue
		}
		for _, now := range formerNames()[a] {
			if _, set := own[now]; slices.Contains(actions, string(now)) {
				if delete(named, a); !set {
					named[now] = slices.Concat(named[now], own[a])
				}
			}
		}
	}
	return named
}

// Rebind returns the rows of a key map with other keys. The error is an [UnknownName] for a
// context or an action that the rows do not have.
func Rebind(rows []Binding, own Overrides) ([]Binding, error) {
	rows = slices.Clone(rows)
	actions := map[Context][]string{}
	own = currentScreens(own)
	for _, b := range rows {
		actions[b.Context] = append(actions[b.Context], string(b.Action))
	}
	for _, c := range slices.Sorted(maps.Keys(own)) {
		if actions[c] == nil {
			var screens []string
			for name := range actions {
				screens = append(screens, string(name))
			}
			slices.Sort(screens)
			return nil, &UnknownName{string(c), "keys." + string(c), screens, fmt.Sprintf("there is no screen %q", c)}
		}
		byAction := currentNames(own[c], actions[c])
		for _, a := range slices.Sorted(maps.Keys(byAction)) {
			i := slices.IndexFunc(rows, func(b Binding) bool { return b.Context == c && b.Action == a })
			if i < 0 {
				return nil, &UnknownName{string(a), fmt.Sprintf("keys.%s.%s", c, a), actions[c], fmt.Sprintf("%s has no action %q", c, a)}
			}
			rows[i].Keys, rows[i].Aliases = byAction[a], nil
		}
	}
	return rows, nil
}
