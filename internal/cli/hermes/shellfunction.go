package hermes

// ShellFunction returns the functions for a shell, "" if there are none: hermes, and the one for its
// prompt.
func ShellFunction(shell string) string {
	return map[string]string{"bash": bashFunction + bashPrompt, "zsh": bashFunction + zshPrompt, "fish": fishFunction + fishPrompt}[shell]
}

// At a prompt, ctrl+x ctrl+h opens the browser, and the command that resumes the chosen conversation
// becomes the line, to be read and run.

const bashPrompt = `function __hermes_sessions_choose {
  local hs_id hs_line
  hs_id=$(command HERMES_SESSIONS browse --print-id </dev/tty) || return 0
  hs_line=$(command HERMES_SESSIONS resume --print --quiet -- "$hs_id") || return 0
  READLINE_LINE=$hs_line
  READLINE_POINT=${#hs_line}
}
case $- in *i*) bind -x '"\C-x\C-h": __hermes_sessions_choose' ;; esac
`

const zshPrompt = `function __hermes_sessions_choose {
  local hs_id hs_line
  if hs_id=$(command HERMES_SESSIONS browse --print-id </dev/tty) &&
    hs_line=$(command HERMES_SESSIONS resume --print --quiet -- "$hs_id"); then
    BUFFER=$hs_line
    CURSOR=${#BUFFER}
  fi
  zle reset-prompt
}
if [[ -o interactive ]]; then
  zle -N __hermes_sessions_choose
  bindkey '^X^H' __hermes_sessions_choose
fi
`

const fishPrompt = `function __hermes_sessions_choose
    set -l hs_id (command HERMES_SESSIONS browse --print-id </dev/tty)
    and set -l hs_line (command HERMES_SESSIONS resume --print --quiet -- $hs_id)
    and commandline -r -- $hs_line
    commandline -f repaint
end
if status is-interactive
    bind \cx\ch __hermes_sessions_choose
end
`

// The functions take only those flags before "sessions" that Hermes's own picker
// passes on when it starts Hermes again. With any other flag, or where this program
// is not found, they call Hermes itself. They have to work in a shell that stops at
// unset variables (set -u).

const bashFunction = `function hermes {
  local hs_arg hs_at=flags hs_flags hs_rest
  hs_flags=() hs_rest=()
  for hs_arg in "$@"; do
    case "$hs_at" in
      rest) hs_rest+=("$hs_arg") ;;
      sessions) if [ "$hs_arg" = browse ]; then hs_at=rest; else hs_at=other; break; fi ;;
      profile) hs_flags+=("--profile=$hs_arg"); hs_at=flags ;;
      value) hs_flags+=("--hermes-arg=$hs_arg"); hs_at=flags ;;
      flags)
        case "$hs_arg" in
          sessions) hs_at=sessions ;;
          -p|--profile) hs_at=profile ;;
          --profile=*) hs_flags+=("$hs_arg") ;;
          -m|--model|--provider|--reasoning|-s|--skills) hs_flags+=("--hermes-arg=$hs_arg"); hs_at=value ;;
          --model=*|--provider=*|--reasoning=*|--skills=*) hs_flags+=("--hermes-arg=$hs_arg") ;;
          --tui|--cli|--dev|--yolo|--accept-hooks|--pass-session-id|--ignore-user-config|--ignore-rules|--safe-mode) hs_flags+=("--hermes-arg=$hs_arg") ;;
          *) hs_at=other; break ;;
        esac ;;
    esac
  done
  if [ "$hs_at" = rest ] && command -v HERMES_SESSIONS >/dev/null 2>&1; then
    command HERMES_SESSIONS browse ${hs_flags[@]+"${hs_flags[@]}"} ${hs_rest[@]+"${hs_rest[@]}"}
  else
    command hermes "$@"
  fi
}
`

const fishFunction = `function hermes --wraps hermes
    set -l hs_at flags
    set -l hs_flags
    set -l hs_rest
    for hs_arg in $argv
        switch $hs_at
            case rest
                set -a hs_rest $hs_arg
            case sessions
                if test "$hs_arg" = browse
                    set hs_at rest
                else
                    set hs_at other
                    break
                end
            case profile
                set -a hs_flags "--profile=$hs_arg"
                set hs_at flags
            case value
                set -a hs_flags "--hermes-arg=$hs_arg"
                set hs_at flags
            case flags
                switch $hs_arg
                    case sessions
                        set hs_at sessions
                    case -p --profile
                        set hs_at profile
                    case '--profile=*'
                        set -a hs_flags $hs_arg
                    case -m --model --provider --reasoning -s --skills
                        set -a hs_flags "--hermes-arg=$hs_arg"
                        set hs_at value
                    case '--model=*' '--provider=*' '--reasoning=*' '--skills=*'
                        set -a hs_flags "--hermes-arg=$hs_arg"
                    case --tui --cli --dev --yolo --accept-hooks --pass-session-id --ignore-user-config --ignore-rules --safe-mode
                        set -a hs_flags "--hermes-arg=$hs_arg"
                    case '*'
                        set hs_at other
                        break
                end
        end
    end
    if test $hs_at = rest; and command -q HERMES_SESSIONS
        command HERMES_SESSIONS browse $hs_flags $hs_rest
    else
        command hermes $argv
    end
end
`
