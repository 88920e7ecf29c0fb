import { markdownCode, markdownText } from '../../report/forms/markdown-text.ts'
import type { VariablesOutcome } from './outcome.ts'
import { defaultText, workerText } from './words.ts'

type Class = VariablesOutcome['classes'][number]
type Variable = Class['variables'][number]

/** The variables as Markdown: a table for each class, for a wiki or the README of a stack. */
export function variablesMarkdown({ classes }: VariablesOutcome): string {
  return `${classes.map(classText).join('\n')}`
}

function classText(one: Class): string {
  const isUsed = one.variables.some(({ setBy }) => setBy.length > 0)
  const titles = ['Variable', 'Type', 'Default', 'Description', ...(isUsed ? ['Set by'] : [])]
  const rows = one.variables.flatMap((variable) => rowsOf(variable, isUsed))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    `## ${markdownText(one.release)}`,
    '',
    `Kubernetes ${markdownText(one.kubernetesVersion)}. ${markdownText(workerText(one))}`,
    '',
    ...(rows.length === 0
      ? ['The class has no variables.']
      : [line(titles), line(titles.map(() => '---')), ...rows.map(line)]),
    ...(one.definesMore ? ['', 'A runtime extension defines further variables.'] : []),
    '',
  ].join('\n')
}

function rowsOf({ name, setBy, fields, ...value }: Variable, isUsed: boolean): readonly (readonly string[])[] {
  const users = setBy.map(
    ({ cluster, level }) => `${markdownText(cluster)}${level === 'override' ? ' (override)' : ''}`,
  )
  return [
    [...cellsOf(name, value), ...(isUsed ? [users.join(', ')] : [])],
    ...fields.map((field) => [
      ...cellsOf(`${name}${field.path.startsWith('[') ? '' : '.'}${field.path}`, field),
      ...(isUsed ? [''] : []),
    ]),
  ]
}

function cellsOf(name: string, value: Omit<Variable, 'name' | 'fields' | 'setBy' | 'schema'>): readonly string[] {
  const shown = defaultText(value)
  const said = [value.description, ...value.constraints.map(capitalized)].filter((text) => text !== '')
  return [
    cell(markdownCode(name)),
    markdownText(value.type),
    value.isRequired ? '**required**' : shown === undefined ? '' : cell(markdownCode(shown)),
    said.map((text) => markdownText(text)).join('<br>'),
  ]
}

/** A cell ends at a bar, also within code. */
function cell(code: string): string {
  return code.replaceAll('|', String.raw`\|`)
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
