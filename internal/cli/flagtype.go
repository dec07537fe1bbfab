package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// choice is a flag that takes one of a few words, each with a value.
type choice[T any] struct {
	noun   string // for any of the words in the help, such as ORDER
	words  []string
	values []T
	word   string // the chosen one
	into   *T     // where its value goes
	former map[string]T
}

// oneOf makes a flag of words and their values; the first is the default. The noun stands for any
// of the words in the help.
func oneOf[T any](into *T, noun string, words []string, values []T) *choice[T] {
	*into = values[0]
	return &choice[T]{noun, words, values, words[0], into, nil}
}

// also takes a word of earlier versions, which help and completion no longer name.
func (c *choice[T]) also(word string, value T) *choice[T] {
	c.former = map[string]T{word: value}
	return c
}

// String implements pflag.Value.
func (c *choice[T]) String() string { return c.word }

// Type implements pflag.Value.
func (c *choice[T]) Type() string { return c.noun }

// Words implements [help.Words].
func (c *choice[T]) Words() []string { return c.words }

// Set implements pflag.Value.
func (c *choice[T]) Set(s string) error {
	for i, w := range c.words {
		if s == w {
			c.word, *c.into = w, c.values[i]
			return nil
		}
	}
	if value, ok := c.former[s]; ok {
		c.word, *c.into = s, value
		return nil
	}
	return fmt.Errorf("must be one of %s", strings.Join(c.words, ", "))
}

// complete offers the words to the shell.
func (c *choice[T]) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return c.words, cobra.ShellCompDirectiveNoFileComp
}

// chooseFlag adds a flag that takes one of a few words.
func chooseFlag[T any](cmd *cobra.Command, c *choice[T], name, help string) {
	cmd.Flags().Var(c, name, help+": "+strings.Join(c.words, ", "))
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, c.complete)
}

// countValue is a flag that takes a number from 0 to maxCount.
type countValue struct{ into *int }

// countFlag adds a flag that takes a number.
func countFlag(cmd *cobra.Command, into *int, name string, value int, help string) {
	*into = value
	letter := ""
	if name == "limit" {
		letter = "n" // as of head and git log
	}
	cmd.Flags().VarP(&countValue{into}, name, letter, help)
}

// maxCount is more than any command needs, and far from an overflow.
const maxCount = 1_000_000_000

// String, Type and Set implement pflag.Value.
func (c *countValue) String() string {
	if c.into == nil {
		return ""
	}
	return strconv.Itoa(*c.into)
}

func (c *countValue) Type() string { return "NUMBER" }

func (c *countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxCount {
		return errors.New("must be a number, 0 or more")
	}
	*c.into = n
	return nil
}
