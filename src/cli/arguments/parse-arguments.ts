import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { alternatives } from './alternatives.ts'
import { type CommandSpec, type OptionSpec, shownOptions } from './command-spec.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { formOf } from './output-targets.ts'

/** A command line, checked against the command's table. */
export interface ParsedArguments {
  /** Values by option name, in order; a flag that is set has one empty value. */
  readonly options: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
}

/**
 * Parses the words after the command's name: `--name value`, `--name=value`, `-n value`, `-nvalue`, flags in one word
 * (`-qo json`), `--` before words that are no options.
 * @throws StackmasonError USAGE with every problem
 */
export function parseArguments(words: readonly string[], command: CommandSpec): ParsedArguments {
  const options = new Map<string, string[]>()
  const operands: string[] = []
  const problems: string[] = []
  const queue = [...words]
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') operands.push(...queue.splice(0))
    else if (word.startsWith('--')) takeLong(word)
    else if (word.startsWith('-') && word !== '-') takeShort(word)
    else operands.push(word)
  }
  problems.push(...operandProblems(operands, command))
  // Whoever asks for help gets it, whatever else is wrong.
  if (problems.length > 0 && !options.has('help')) throw usageError(problems, command)
  return { options, operands }

  function takeLong(word: string): void {
    const equals = word.indexOf('=')
    const name = equals === -1 ? word.slice(2) : word.slice(2, equals)
    const option = command.options.find((known) => known.name === name || known.aliases?.includes(name) === true)
    if (option === undefined) problems.push(unknownOption(`--${name}`, command))
    else take(option, `--${name}`, equals === -1 ? undefined : word.slice(equals + 1))
  }

  function takeShort(word: string): void {
    for (let at = 1; at < word.length; at++) {
      const option = command.options.find((known) => known.short === word[at])
      if (option === undefined) {
        problems.push(unknownOption(`-${word[at] ?? ''}`, command))
        return
      }
      if (option.type !== 'flag') {
        const rest = word.slice(at + 1).replace(/^=/, '')
        take(option, `-${word[at] ?? ''}`, rest === '' ? undefined : rest)
        return
      }
      take(option, `-${word[at] ?? ''}`, undefined)
    }
  }

  function take(option: OptionSpec, spelling: string, given: string | undefined): void {
    if (option.type === 'flag') {
      if (given !== undefined && given !== 'true' && given !== 'false')
        problems.push(`option ${spelling} takes no value`)
      if (given === 'false') options.delete(option.name)
      else options.set(option.name, [''])
      return
    }
    const value = given ?? queue.shift()
    if (value === undefined) problems.push(`option ${spelling} needs a value: ${option.placeholder ?? ''}`)
    else if (option.choices?.includes(option.takesFile === true ? formOf(value) : value) === false) {
      problems.push(`option ${spelling} takes ${alternatives(option.choices)}, not ${JSON.stringify(value)}`)
    } else options.set(option.name, option.type === 'list' ? [...(options.get(option.name) ?? []), value] : [value])
  }
}

/** True if the flag is set. */
export function isSet(parsed: ParsedArguments, name: string): boolean {
  return parsed.options.has(name)
}

/** The option's value; undefined when it is not given. */
export function valueOf(parsed: ParsedArguments, name: string): string | undefined {
  return parsed.options.get(name)?.at(-1)
}

/** All values of an option that may be repeated. */
export function valuesOf(parsed: ParsedArguments, name: string): readonly string[] {
  return parsed.options.get(name) ?? []
}

/** The error for a command line that does not parse. */
export function usageError(problems: readonly string[], command: CommandSpec | undefined): StackmasonError {
  return new StackmasonError(
    problems.map((message): Diagnostic => ({
      code: 'USAGE',
      severity: 'error',
      message,
      hint: `See \`stackmason ${command === undefined ? '' : `${command.name} `}--help\`.`,
    })),
  )
}

function unknownOption(spelling: string, command: CommandSpec): string {
  const known = shownOptions(command).flatMap((option) => [
    `--${option.name}`,
    ...(option.short === undefined ? [] : [`-${option.short}`]),
  ])
  const near = nearestName(spelling, spelling.startsWith('--') ? known.filter((name) => name.startsWith('--')) : [])
  return `${command.name} has no option ${spelling}${near === undefined ? '' : `; did you mean ${near}?`}`
}

function operandProblems(operands: readonly string[], command: CommandSpec): readonly string[] {
  const required = command.operands.filter((operand) => !operand.isOptional)
  const missing = required.slice(operands.length)
  const extra = command.operands.at(-1)?.isRepeated === true ? [] : operands.slice(command.operands.length)
  const wrong = command.operands.flatMap((operand, index) => {
    const given = operands[index]
    if (given === undefined || operand.choices === undefined || operand.choices.includes(given)) return []
    return [`${operand.name} is one of ${operand.choices.join(', ')}, not ${JSON.stringify(given)}`]
  })
  return [
    ...missing.map((operand) => `${command.name} needs ${operand.name}: ${operand.summary}`),
    ...extra.map((word) => `${command.name} takes no ${JSON.stringify(word)} here`),
    ...wrong,
  ]
}
