package analysis

import "strings"

// Unabbreviated returns what a word is short for, command for cmd and kubernetes for k8s, and the
// other way round only where the abbreviation has a number: the others are also parts of file
// names and code. It is "" for all other words. word is in lower case.
func Unabbreviated(word string) string { return abbreviations[word] }

var abbreviations = func() map[string]string {
	full := map[string]string{}
	pairs := strings.Fields(`
arch architecture args arguments auth authentication btn button cert certificate cfg configuration chg change cmd
command conf configuration config configuration creds credentials db database deps dependencies dir directory dirs
directories docs documentation env environment err error func function img image js javascript lib library msg message
params parameters pkg package py python pw password repo repository req request resp response tmp temporary ts
typescript vars variables ver version`)
	numbered := strings.Fields("a11y accessibility i18n internationalization k8s kubernetes l10n localization o11y observability")
	for i := 0; i < len(numbered); i += 2 {
		pairs = append(pairs, numbered[i], numbered[i+1], numbered[i+1], numbered[i])
	}
	for i := 0; i < len(pairs); i += 2 {
		full[pairs[i]] = pairs[i+1]
	}
	return full
}()
