package theme

// Theme is a palette for dark terminals and one for light ones, under the name that
// users choose it by. Some have the same palette for both.
type Theme struct {
	Name        string
	Help        string
	Base        string // of one of the user's own: the theme that it changes
	Dark, Light Palette
}

func (t Theme) of(light bool) Palette {
	if light {
		return t.Light
	}
	return t.Dark
}

// Themes lists all themes. The first is the default.
func Themes() []Theme {
	return []Theme{
		{Name: "auto", Help: "Dark or light, as the terminal is", Dark: Dark, Light: Light},
		{Name: "dark", Help: "For dark terminals", Dark: Dark, Light: Dark},
		{Name: "light", Help: "For light terminals", Dark: Light, Light: Light},
		{Name: "harbor", Help: "A harbor at night: deep water, lamps, signal colors", Dark: Harbor, Light: Harbor},
		{Name: "linen", Help: "Ink on warm paper", Dark: Linen, Light: Linen},
		{Name: "high-contrast", Help: "The strongest contrast, dark or light", Dark: HighContrast, Light: HighContrastLight},
		{Name: "color-blind", Help: "For color-blind eyes: no meaning rests on red against green, dark or light", Dark: ColorBlind, Light: ColorBlindLight},
		{Name: "ansi16", Help: "The terminal's own 16 colors", Dark: ANSI, Light: ANSILight},
		{Name: "mono", Help: "No colors: weight and reverse video only", Dark: Mono, Light: Mono},
	}
}

// named returns the theme of a name among ours and others. The zero Theme has no colors.
func named(name string, others []Theme) Theme {
	for _, t := range append(Themes(), others...) {
		if t.Name == name {
			return t
		}
	}
	return Theme{}
}

// The palettes. Dark, Light, ColorBlind, ColorBlindLight, ANSI and ANSILight stand on
// the terminal's own background, the others bring one. ANSI uses those of the
// terminal's sixteen colors that can be read in every common scheme: no blue, no red
// and no bright black on dark grounds; what they would say is said by marks, weight and
// fills. Mono uses no colors.
var (
	Dark = Palette{
		Dark: true, Selection: "#2B3447",
		Text: "#D8DEE9", Muted: "#A9B2C3", Faint: "#8590A3", Accent: "#8FB8F6", Border: "#788297",
		Hit: "#FFCF5C", Match: "#F5D76E", OnMatch: "#1B1600",
		Good: "#93C98F", Warn: "#E9B872", Bad: "#F49A9A", Danger: "#A82A36", OnDanger: "#FFFFFF",
		User: "#EBA0C4", Agent: "#8FD0C0", Summary: "#A8B8D8", Tool: "#BBADEA", Argument: "#C0C8D6", Output: "#A9B2C3",
		Added: "#A6D8A0", Removed: "#F4A6A6", AddedGround: "#17301F", RemovedGround: "#3A1D22",
		CodeTheme: "hermes-dark",
	}
	Light = Palette{
		Selection: "#DCE8FA",
		Text:      "#24292F", Muted: "#4F5863", Faint: "#68717D", Accent: "#0A58B5", Border: "#7B8490",
		Hit: "#875200", Match: "#FFE58A", OnMatch: "#241C00",
		Good: "#1A6B2D", Warn: "#875400", Bad: "#B3202A", Danger: "#B3202A", OnDanger: "#FFFFFF",
		User: "#93356F", Agent: "#0B6257", Summary: "#46587A", Tool: "#5B3BA8", Argument: "#3B434D", Output: "#4F5863",
		Added: "#14592A", Removed: "#9C1B25", AddedGround: "#DFF2E1", RemovedGround: "#FBE3E3",
		CodeTheme: "hermes-light",
	}
	Harbor = Palette{
		Dark: true, Ground: "#0F1B24", Surface: "#162833", Selection: "#1E3B4C",
		Text: "#DCE6E8", Muted: "#A7BAC2", Faint: "#829AA5", Accent: "#7FC8D8", Border: "#6C8B99",
		Hit: "#FFC777", Match: "#FFC777", OnMatch: "#1C1203",
		Good: "#9BD08B", Warn: "#F2B872", Bad: "#F79D94", Danger: "#A8323A", OnDanger: "#FFFFFF",
		User: "#F3B0A0", Agent: "#8FD6B8", Summary: "#A9BEDD", Tool: "#C0B6EA", Argument: "#C2D0D5", Output: "#A3B5BD",
		Added: "#A9D8A0", Removed: "#F5AFA6", AddedGround: "#143428", RemovedGround: "#3A2028",
		CodeTheme: "hermes-harbor",
	}
	Linen = Palette{
		Ground: "#F7F1E6", Surface: "#EEE6D6", Selection: "#E6DAC2",
		Text: "#33302B", Muted: "#5A5248", Faint: "#756C5F", Accent: "#1B5870", Border: "#857A6A",
		Hit: "#8A3F08", Match: "#F6CF7A", OnMatch: "#2B1D00",
		Good: "#3A6322", Warn: "#784900", Bad: "#A1302A", Danger: "#A1302A", OnDanger: "#FFFFFF",
		User: "#8A3354", Agent: "#1B6054", Summary: "#4B5A80", Tool: "#62438C", Argument: "#4A443B", Output: "#5A5248",
		Added: "#2F5E1A", Removed: "#8E281F", AddedGround: "#E0EACB", RemovedGround: "#F6DCD1",
		CodeTheme: "hermes-linen",
	}
	HighContrast = Palette{
		Dark: true, Ground: "#000000", Surface: "#101010", Selection: "#0B2A66",
		Text: "#FFFFFF", Muted: "#EDEDED", Faint: "#D6D6D6", Accent: "#8FDBFF", Border: "#C8C8C8",
		Hit: "#FFE14D", Match: "#FFE14D", OnMatch: "#000000",
		Good: "#7CFF8A", Warn: "#FFC966", Bad: "#FFB0B0", Danger: "#FF8080", OnDanger: "#000000",
		User: "#FFB8DE", Agent: "#6FFFE0", Summary: "#C6D8FF", Tool: "#DCCBFF", Argument: "#F6F6F6", Output: "#E4E4E4",
		Added: "#A8FFA8", Removed: "#FFC0C0", AddedGround: "#00300F", RemovedGround: "#470008",
		CodeTheme: "hermes-high-contrast",
	}
	HighContrastLight = Palette{
		Ground: "#FFFFFF", Surface: "#F2F2F2", Selection: "#CFE3FF",
		Text: "#000000", Muted: "#1C1C1C", Faint: "#333333", Accent: "#00337A", Border: "#4A4A4A",
		Hit: "#6B2700", Match: "#FFE14D", OnMatch: "#000000",
		Good: "#00471B", Warn: "#5C3600", Bad: "#85000E", Danger: "#85000E", OnDanger: "#FFFFFF",
		User: "#6E0047", Agent: "#00463D", Summary: "#1F3560", Tool: "#3F1A8A", Argument: "#0F0F0F", Output: "#262626",
		Added: "#003D17", Removed: "#73000C", AddedGround: "#DDF5DF", RemovedGround: "#FFE2E2",
		CodeTheme: "hermes-high-contrast-light",
	}
	ColorBlind = Palette{
		Dark: true, Selection: "#2B3447",
		Text: "#D8DEE9", Muted: "#A9B2C3", Faint: "#8590A3", Accent: "#7CC4F2", Border: "#788297",
		Hit: "#FFB347", Match: "#F0E442", OnMatch: "#14120A",
		Good: "#7FBDFF", Warn: "#F4E07A", Bad: "#FF9D5C", Danger: "#B34700", OnDanger: "#FFFFFF",
		User: "#F2B06B", Agent: "#63B8F0", Summary: "#B8C0CC", Tool: "#EBD3E6", Argument: "#C0C8D6", Output: "#A9B2C3",
		Added: "#A3CFFF", Removed: "#FFB583", AddedGround: "#12294A", RemovedGround: "#40230F",
		CodeTheme: "hermes-color-blind",
	}
	ColorBlindLight = Palette{
		Selection: "#DCE8FA",
		Text:      "#24292F", Muted: "#4F5863", Faint: "#68717D", Accent: "#00588F", Border: "#7B8490",
		Hit: "#7A4B00", Match: "#F0E442", OnMatch: "#14120A",
		Good: "#00559B", Warn: "#6B5400", Bad: "#9C3D00", Danger: "#9C3D00", OnDanger: "#FFFFFF",
		User: "#8A4700", Agent: "#005E9C", Summary: "#4C5664", Tool: "#7A2058", Argument: "#3B434D", Output: "#4F5863",
		Added: "#00407A", Removed: "#853200", AddedGround: "#DCEBFB", RemovedGround: "#FCE6D6",
		CodeTheme: "hermes-color-blind-light",
	}
	ANSI = Palette{
		Dark:  true,
		Faint: "6", Accent: "14", Border: "6", Hit: "14", Match: "6", OnMatch: "0",
		Good: "2", Warn: "15", Bad: "15", Danger: "1", OnDanger: "15",
		User: "15", Agent: "6", Summary: "6", Tool: "14", Output: "6",
		Added: "2",
	}
	ANSILight = Palette{
		Faint: "8", Accent: "5", Border: "8", Hit: "5", Match: "5", OnMatch: "15",
		Bad: "1", Danger: "1", OnDanger: "15", User: "5", Tool: "5", Removed: "1",
	}
	Mono = Palette{Dark: true}
)
