import { type CommandSpec, type OptionSpec, shownOptions } from '../arguments/command-spec.ts'
import { generalOptions } from '../arguments/general-options.ts'
import { wrapWords } from '../../report/wrap-words.ts'

/** Longer lines are hard to read. */
const MAX_WIDTH = 100
const NAME_WIDTH = 26
/** However narrow the terminal is. */
const LEAST_TEXT = 20

/** The help of the whole program. `width`: columns of the terminal. */
export function formatProgramHelp(commands: readonly CommandSpec[], width: number = MAX_WIDTH): string {
  const row = rowFormatter(width)
  return [
    'Stackmason expands Cluster Stack releases into plain Kubernetes manifests that are kept in git.',
    '',
    'Usage: stackmason COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...commands.map((command) => row(command.name, command.summary)),
    '',
    'Options:',
    ...generalOptions.map((option) => row(spellings(option), option.summary)),
    '',
    'Run `stackmason COMMAND --help` for one command.',
    '',
  ].join('\n')
}

/** The help of one command. `width`: columns of the terminal. */
export function formatCommandHelp(command: CommandSpec, width: number = MAX_WIDTH): string {
  const row = rowFormatter(width)
  return [
    ...command.description.flatMap((paragraph) => [...wrap(paragraph, Math.min(width, MAX_WIDTH)), '']),
    `Usage: ${usageOf(command)}`,
    '',
    ...section(
      'Arguments:',
      command.operands.map((operand) => row(operand.name, operand.summary)),
    ),
    ...section(
      'Options:',
      shownOptions(command).map((option) => row(spellings(option), option.summary)),
    ),
    ...section(
      'Exit status:',
      command.exitStatus.map((line) => wrapWords(`  ${line}`, { width: Math.min(width, MAX_WIDTH), indent: '    ' })),
    ),
    ...section(
      'Examples:',
      command.examples.flatMap((example) => [`  ${example.command}`, `      ${example.summary}`]),
    ),
  ].join('\n')
}

/** How a command is called: `stackmason render [OPTIONS]` with the operands. */
export function usageOf(command: CommandSpec): string {
  const operands = command.operands.map(({ name, isOptional, isRepeated }) => {
    const word = isRepeated === true ? `${name}...` : name
    return isOptional ? `[${word}]` : word
  })
  return ['stackmason', command.name, ...operands, '[OPTIONS]'].join(' ')
}

/** How an option is given: `-o, --output FORMAT`. */
export function spellings(option: OptionSpec): string {
  const short = option.short === undefined ? '' : `-${option.short}, `
  return `${short}--${option.name}${option.placeholder === undefined ? '' : ` ${option.placeholder}`}`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, '']
}

function rowFormatter(width: number): (name: string, text: string) => string {
  return (name, text) => {
    const [first = '', ...rest] = wrap(text, Math.max(LEAST_TEXT, Math.min(width, MAX_WIDTH) - NAME_WIDTH - 2))
    const indent = ' '.repeat(NAME_WIDTH + 2)
    const head = `  ${name.padEnd(NAME_WIDTH)}`
    const lines = [
      ...(name.length >= NAME_WIDTH ? [head, `${indent}${first}`] : [head + first]),
      ...rest.map((line) => indent + line),
    ]
    return lines.join('\n')
  }
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
