import { type CommandSpec, type OptionSpec, shownOptions } from '../arguments/command-spec.ts'

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
    const paths = completes === undefined ? '' : ` $(compgen ${completes === 'files' ? '-f' : '-d'} -- "$current")`
    return [
      `    ${command.name})`,
      '      case "$previous" in',
      ...values,
      `        *) COMPREPLY=($(compgen -W "${offer}" -- "$current")${paths}) ;;`,
      '      esac ;;',
    ].join('\n')
  })
  return `# bash completion for stackmason
_stackmason() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help" -- "$current"))
    return
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
  if (option.completes === undefined) return ':'
  return `COMPREPLY=($(compgen ${option.completes === 'files' ? '-f' : '-d'} -- "$current"))`
}

function formatZsh(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => {
    const specs = [
      ...shownOptions(command).map(zshOption),
      ...command.operands.map((operand) => {
        const choices = command.name === 'help' ? commands.map(({ name }) => name) : operand.choices
        const prefix = operand.isRepeated === true ? '*:' : operand.isOptional ? '::' : ':'
        return `'${prefix}${operand.name.toLowerCase()}:${zshAction(choices, operand.completes)}'`
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
_stackmason() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map((command) => `      '${command.name}:${zshText(command.summary)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command="\${words[2]}"
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
    option.type === 'flag'
      ? ''
      : `:${(option.placeholder ?? '').toLowerCase()}:${zshAction(option.choices, option.completes)}`
  const text = `[${zshText(option.summary)}]${value}`
  if (option.short === undefined) return `'${repeat}${longName(option)}${text}'`
  const excluded = repeat === '' ? `(-${option.short} ${longName(option)})` : '*'
  return `'${excluded}'{-${option.short},${longName(option)}}'${text}'`
}

function zshAction(choices: readonly string[] | undefined, completes: 'files' | 'folders' | undefined): string {
  if (choices !== undefined) return `(${choices.join(' ')})`
  if (completes === undefined) return ''
  return completes === 'files' ? '_files' : '_files -/'
}

function zshText(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`).replaceAll("'", "'\\''")
}

function formatFish(commands: readonly CommandSpec[]): string {
  const lines = ['# fish completion for stackmason', 'complete -c stackmason -f']
  for (const command of commands) {
    lines.push(`complete -c stackmason -n __fish_use_subcommand -a ${command.name} -d ${fishText(command.summary)}`)
  }
  for (const command of commands) {
    const condition = `-n '__fish_seen_subcommand_from ${command.name}'`
    for (const option of shownOptions(command)) lines.push(`complete -c stackmason ${condition} ${fishOption(option)}`)
    for (const operand of command.operands) {
      const choices = command.name === 'help' ? commands.map(({ name }) => name) : operand.choices
      if (choices !== undefined) lines.push(`complete -c stackmason ${condition} -a '${choices.join(' ')}'`)
      else if (operand.completes === 'folders')
        lines.push(`complete -c stackmason ${condition} -a '(__fish_complete_directories)'`)
      else if (operand.completes === 'files') lines.push(`complete -c stackmason ${condition} -F`)
    }
  }
  return `${lines.join('\n')}\n`
}

function fishOption(option: OptionSpec): string {
  const names = `${option.short === undefined ? '' : `-s ${option.short} `}-l ${option.name}`
  const value =
    option.type === 'flag'
      ? ''
      : option.choices === undefined
        ? ` -r${option.completes === undefined ? '' : ' -F'}`
        : ` -x -a '${option.choices.join(' ')}'`
  return `${names}${value} -d ${fishText(option.summary)}`
}

function fishText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
}
