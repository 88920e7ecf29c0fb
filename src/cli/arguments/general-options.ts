import type { OptionSpec } from './command-spec.ts'

/** Options that every command has. */
export const generalOptions: readonly OptionSpec[] = [
  { name: 'help', short: 'h', type: 'flag', summary: 'show this help' },
  { name: 'no-color', type: 'flag', summary: 'write no colours; so does NO_COLOR in the environment' },
]

/** Machine output of commands that report. */
export const outputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  type: 'value',
  placeholder: 'FORMAT',
  choices: ['text', 'json'],
  summary: 'format of the report on standard output: text or json',
}

/** Output of commands that have more forms than text and JSON; several in one run. */
export function formsOption(others: readonly string[]): OptionSpec {
  const choices = ['text', 'json', ...others]
  return {
    name: 'output',
    short: 'o',
    type: 'list',
    placeholder: 'FORMAT[=FILE]',
    choices,
    takesFile: true,
    summary: `format of the report on standard output or in FILE (text: standard output only): ${choices.join(', ')}; may be repeated`,
  }
}

/** For commands that read a fleet repository. */
export const fleetOption: OptionSpec = {
  name: 'fleet',
  type: 'value',
  placeholder: 'PATH',
  completes: 'files',
  summary: 'stackmason.yaml or its folder, instead of searching upwards from here',
}

/** For commands that render a fleet. */
export const runtimeValuesOption: OptionSpec = {
  name: 'runtime-values',
  type: 'value',
  placeholder: 'FILE',
  completes: 'files',
  summary: 'take values of running clusters from this file, for a preview',
}

/** For commands that could use the network. */
export const offlineOption: OptionSpec = {
  name: 'offline',
  type: 'flag',
  summary: 'use no network; a file that is not in the cache is an error',
}
