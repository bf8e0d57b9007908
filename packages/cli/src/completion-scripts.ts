/** Completion scripts of the shells, from the tree of commands. The words are the program's own, in single quotes. */
import type { CompletedCommand } from './completion-tree.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** The script of a shell, which it evaluates at its start. */
export const completionScripts: Readonly<Record<Shell, (tree: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** A word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** `case` arms of the commands that have something to offer. */
function arms(tree: readonly CompletedCommand[], body: (command: CompletedCommand) => string): string {
  return tree.map((command) => `    ${quoted(command.path)}) ${body(command)} ;;`).join('\n')
}

/** Arms by command and option before the cursor, for options with a list of values. */
function choiceArms(tree: readonly CompletedCommand[], body: (choices: readonly string[]) => string): string {
  return tree
    .flatMap(({ path, options }) =>
      options
        .filter(({ choices }) => choices.length > 0)
        .map(({ flags, choices }) => {
          const patterns = flags.map((flag) => quoted(`${path} ${flag}`)).join('|')
          return `    ${patterns}) ${body(choices)} ;;`
        }),
    )
    .join('\n')
}

/** Which words go one command deeper. */
const steps = (tree: readonly CompletedCommand[]) =>
  tree
    .slice(1)
    .map(({ path }) => quoted(path))
    .join('|')

function bashScript(tree: readonly CompletedCommand[]): string {
  return `# Completion of hub for bash: eval "$(hub completion bash)"
_hub() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=hub words='' options='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${steps(tree)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${choiceArms(tree, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur")); return`)}
  esac
  case "$at" in
${arms(tree, ({ commands, values, options }) => `words=${quoted([...commands.map(({ name }) => name), ...values].join(' '))} options=${quoted(options.flatMap(({ flags }) => flags).join(' '))}`)}
  esac
  [[ $cur == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _hub hub
`
}

function zshScript(tree: readonly CompletedCommand[]): string {
  // In _describe a colon separates a word from its text.
  const described = (word: string, about: string) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)
  return `#compdef hub
# Completion of hub for zsh: eval "$(hub completion zsh)"
_hub() {
  local at=hub word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    ${steps(tree)}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${choiceArms(tree, (choices) => `compadd -- ${choices.map(quoted).join(' ')}; return`)}
  esac
  case "$at" in
${arms(tree, ({ commands, values, options }) => {
  const offered = [
    ...commands.map(({ name, about }) => described(name, about)),
    ...values.map((value) => described(value, '')),
  ]
  return `commands=(${offered.join(' ')}); options=(${options.flatMap(({ flags, about }) => flags.map((flag) => described(flag, about))).join(' ')})`
})}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options
  elif (( \${#commands} )); then _describe command commands
  else _files
  fi
}
if [[ $funcstack[1] == _hub ]]; then _hub "$@"; else compdef _hub hub; fi
`
}

function fishScript(tree: readonly CompletedCommand[]): string {
  const text = (words: string) => `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = tree.flatMap(({ path, commands, values, options }) => {
    const here = `complete -c hub -n ${text(`test (__hub_at) = ${JSON.stringify(path)}`)}`
    return [
      ...commands.map(({ name, about }) => `${here} -f -a ${text(name)} -d ${text(about)}`),
      ...values.map((value) => `${here} -f -a ${text(value)}`),
      ...options.map(({ flags, about, choices }) => {
        const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        const given = choices.length > 0 ? ` -x -a ${text(choices.join(' '))}` : ''
        return `${here} ${names.join(' ')}${given} -d ${text(about)}`
      }),
    ]
  })
  return `# Completion of hub for fish: hub completion fish | source
function __hub_at
    set -l at hub
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${tree
              .slice(1)
              .map(({ path }) => text(path))
              .join(' ')}
                set at "$at $word"
        end
    end
    echo $at
end
${lines.join('\n')}
`
}
