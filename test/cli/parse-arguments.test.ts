import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/cli/command-table.ts'
import { parseArguments } from '../../src/cli/arguments/parse-arguments.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'

function parse(line: string): unknown {
  const [name = '', ...words] = line === '' ? [] : line.split(' ')
  const command = commandTable.find((known) => known.name === name)
  if (command === undefined) throw new Error(`no command ${name}`)
  try {
    const { options, operands } = parseArguments(words, command)
    return { ...Object.fromEntries(options), ...(operands.length === 0 ? {} : { operands }) }
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map((found) => `${found.code} ${found.message}`)
    throw error
  }
}

const cases: readonly { line: string; want: unknown }[] = [
  { line: 'render', want: {} },
  { line: 'render --check --cluster a --cluster=b/c', want: { check: [''], cluster: ['a', 'b/c'] } },
  { line: 'render --fleet x --fleet=y', want: { fleet: ['y'] } },
  { line: 'render --fleet=', want: { fleet: [''] } },
  { line: 'render --fleet --check', want: { fleet: ['--check'] } },
  { line: 'render -o json', want: { output: ['json'] } },
  { line: 'render -ojson', want: { output: ['json'] } },
  { line: 'render -o=json', want: { output: ['json'] } },
  { line: 'render -qo json', want: { quiet: [''], output: ['json'] } },
  { line: 'render --force', want: { 'overwrite-edited': [''] } },
  { line: 'render --check=true', want: { check: [''] } },
  { line: 'render --check --check=false', want: {} },
  { line: 'init -- --odd', want: { operands: ['--odd'] } },
  { line: 'init -', want: { operands: ['-'] } },
  { line: 'template a b --set x=1 --set y=2', want: { operands: ['a', 'b'], set: ['x=1', 'y=2'] } },
  { line: 'template b --repo https://example.com', want: { operands: ['b'], repo: ['https://example.com'] } },
  { line: 'render --chekc', want: ['USAGE render has no option --chekc; did you mean --check?'] },
  {
    line: 'render --clusters a',
    want: ['USAGE render has no option --clusters; did you mean --cluster?', 'USAGE render takes no "a" here'],
  },
  { line: 'render --xyzzy', want: ['USAGE render has no option --xyzzy'] },
  { line: 'render -x', want: ['USAGE render has no option -x'] },
  { line: 'render -qx', want: ['USAGE render has no option -x'] },
  { line: 'render --check=maybe', want: ['USAGE option --check takes no value'] },
  { line: 'render --fleet', want: ['USAGE option --fleet needs a value: PATH'] },
  { line: 'render -o', want: ['USAGE option -o needs a value: FORMAT'] },
  { line: 'render -o yaml', want: ['USAGE option -o takes text or json, not "yaml"'] },
  { line: 'render a b', want: ['USAGE render takes no "a" here', 'USAGE render takes no "b" here'] },
  { line: 'completion', want: ['USAGE completion needs SHELL: bash, zsh or fish'] },
  { line: 'completion csh', want: ['USAGE SHELL is one of bash, zsh, fish, not "csh"'] },
  { line: 'template', want: ['USAGE template needs CHART: folder or .tgz of the chart'] },
  { line: 'render --xyzzy --help', want: { help: [''] } },
]

describe('parseArguments', () => {
  test.each(cases)('$line', ({ line, want }) => {
    expect(parse(line)).toEqual(want)
  })
})
