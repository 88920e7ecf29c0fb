import { type CommandSpec, type Completes, type OptionSpec, shownOptions } from '../arguments/command-spec.ts'

/** Writes the completion script of one shell from the command table. */
export function formatCompletion(shell: 'bash' | 'zsh' | 'fish', commands: readonly CommandSpec[]): string {
  return { bash: formatBash, zsh: formatZsh, fish: formatFish }[shell](commands)
}

function longName(option: OptionSpec): string {
  return `--${option.name}`
}

function words(option: OptionSpec): readonly string[] {
  return [longName(option), ...(option.short === undefined ? [] : [`-${option.short}`])]
}

/** Names of the fleet are asked of the program, what lies on the disk is known to shells. */
function isOfFleet(completes: Completes): boolean {
  return completes !== 'files' && completes !== 'folders'
}

function formatBash(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => {
    const values = command.options
      .filter((option) => option.type !== 'flag')
      .map((option) => `        ${words(option).join('|')}) ${bashValue(option)} ;;`)
    const operandWords =
      command.name === 'help'
        ? commands.map(({ name }) => name)
        : command.operands.flatMap((operand) => operand.choices ?? [])
    const completes = command.operands.find((operand) => operand.completes !== undefined)?.completes
    const offer = [...operandWords, ...shownOptions(command).map(longName)].join(' ')
    const more = completes === undefined ? '' : `; ${bashCompletes(completes, '+=')}`
    return [
      `    ${command.name})`,
      '      case "$previous" in',
      ...values,
      `        *) COMPREPLY=($(compgen -W "${offer}" -- "$current"))${more} ;;`,
      '      esac ;;',
    ].join('\n')
  })
  return `# bash completion for stackmason
_stackmason_names() {
  local name
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete "$1" -- "\${COMP_WORDS[@]:0:COMP_CWORD + 1}" 2>/dev/null </dev/null)
}
_stackmason() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help" -- "$current"))
    return
  fi
  # --name=value comes as three words
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -F _stackmason stackmason
`
}

function bashValue(option: OptionSpec): string {
  if (option.choices !== undefined) return `COMPREPLY=($(compgen -W "${option.choices.join(' ')}" -- "$current"))`
  return option.completes === undefined ? ':' : bashCompletes(option.completes, '=')
}

function bashCompletes(completes: Completes, how: '=' | '+='): string {
  if (isOfFleet(completes)) return `_stackmason_names ${completes}`
  return `COMPREPLY${how}($(compgen ${completes === 'files' ? '-f' : '-d'} -- "$current"))`
}

function formatZsh(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => {
    const specs = [
      ...shownOptions(command).map(zshOption),
      ...command.operands.map((operand) => {
        const choices = command.name === 'help' ? commands.map(({ name }) => name) : operand.choices
        const prefix = operand.isRepeated === true ? '*:' : operand.isOptional ? '::' : ':'
        return `'${prefix}${zshName(operand.name)}:${zshAction(choices, operand.completes)}'`
      }),
    ]
    return [
      `    ${command.name})`,
      '      _arguments \\',
      ...specs.map((spec, at) => `        ${spec}${at === specs.length - 1 ? '' : ' \\'}`),
      '      ;;',
    ].join('\n')
  })
  return `#compdef stackmason
# zsh completion for stackmason
_stackmason_names() {
  local -a names
  names=("\${(@f)$("\${stackmason_words[1]/#\\~/$HOME}" __complete "$1" -- "\${stackmason_words[@]}" 2>/dev/null </dev/null)}")
  names=("\${(@)names:#}")
  compadd -a names
}
_stackmason() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map((command) => `      '${command.name}:${zshText(command.summary)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  local -a stackmason_words=("\${(@)words[1,CURRENT]}")
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "\${funcstack[1]}" = _stackmason ]; then
  _stackmason "$@"
else
  compdef _stackmason stackmason
fi
`
}

function zshOption(option: OptionSpec): string {
  const repeat = option.type === 'list' ? '*' : ''
  const value =
    option.type === 'flag' ? '' : `:${zshName(option.placeholder ?? '')}:${zshAction(option.choices, option.completes)}`
  const text = `[${zshText(option.summary)}]${value}`
  // the value may also follow in the same word
  const name = option.type === 'flag' ? longName(option) : `${longName(option)}=`
  if (option.short === undefined) return `'${repeat}${name}${text}'`
  const excluded = repeat === '' ? `(-${option.short} ${longName(option)})` : '*'
  return `'${excluded}'{-${option.short},${name}}'${text}'`
}

function zshAction(choices: readonly string[] | undefined, completes: Completes | undefined): string {
  if (choices !== undefined) return `(${choices.join(' ')})`
  if (completes === undefined) return ''
  // the space keeps zsh from putting options of its own before the kind
  if (isOfFleet(completes)) return ` _stackmason_names ${completes}`
  return completes === 'files' ? '_files' : '_files -/'
}

/** What a value is called: only a colon means something there. */
function zshName(text: string): string {
  return text.toLowerCase().replaceAll(':', '\\:')
}

function zshText(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`).replaceAll("'", "'\\''")
}

function formatFish(commands: readonly CommandSpec[]): string {
  const lines = [
    '# fish completion for stackmason',
    'function __stackmason_names',
    '  command -q stackmason; or return',
    '  set -l current (commandline -ct)',
    '  stackmason __complete $argv[1] -- (commandline -opc) "$current" 2>/dev/null </dev/null',
    'end',
    // an operand may be named as a command is
    'function __stackmason_command',
    '  set -l words (commandline -opc)',
    '  test "$words[2]" = $argv[1]',
    'end',
    'complete -c stackmason -f',
  ]
  for (const command of commands) {
    lines.push(`complete -c stackmason -n __fish_use_subcommand -a ${command.name} -d ${fishText(command.summary)}`)
  }
  for (const command of commands) {
    const condition = `-n '__stackmason_command ${command.name}'`
    for (const option of shownOptions(command)) lines.push(`complete -c stackmason ${condition} ${fishOption(option)}`)
    for (const operand of command.operands) {
      const choices = command.name === 'help' ? commands.map(({ name }) => name) : operand.choices
      if (choices !== undefined) lines.push(`complete -c stackmason ${condition} -a '${choices.join(' ')}'`)
      else if (operand.completes === 'folders')
        lines.push(`complete -c stackmason ${condition} -a '(__fish_complete_directories)'`)
      else if (operand.completes === 'files') lines.push(`complete -c stackmason ${condition} -F`)
      else if (operand.completes !== undefined)
        lines.push(`complete -c stackmason ${condition} -a '(__stackmason_names ${operand.completes})'`)
    }
  }
  return `${lines.join('\n')}\n`
}

function fishOption(option: OptionSpec): string {
  const names = `${option.short === undefined ? '' : `-s ${option.short} `}-l ${option.name}`
  const value = option.type === 'flag' ? '' : fishValue(option)
  return `${names}${value} -d ${fishText(option.summary)}`
}

function fishValue({ choices, completes }: OptionSpec): string {
  if (choices !== undefined) return ` -x -a '${choices.join(' ')}'`
  if (completes === undefined) return ' -x'
  return isOfFleet(completes) ? ` -x -a '(__stackmason_names ${completes})'` : ' -r -F'
}

function fishText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
}
