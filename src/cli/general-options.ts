import type { OptionSpec } from './command-spec.ts'

/** Options that every command has. */
export const generalOptions: readonly OptionSpec[] = [
  { name: 'help', short: 'h', type: 'flag', summary: 'show this help' },
  { name: 'no-color', type: 'flag', summary: 'write no colours; so does a NO_COLOR in the environment' },
]

/** Machine output of commands that report. */
export const outputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  type: 'value',
  placeholder: 'FORMAT',
  choices: ['text', 'json'],
  summary: 'form of the report on standard output: text or json',
}
