import { plural } from '../../report/plural.ts'
import { printable, printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import { wrapWords } from '../../report/wrap-words.ts'
import type { TextReport } from '../command.ts'
import type { VariablesOutcome } from './outcome.ts'
import { defaultText, workerText } from './words.ts'

type Class = VariablesOutcome['classes'][number]
type Variable = Class['variables'][number]
type Value = Omit<Variable, 'name' | 'fields' | 'setBy' | 'schema'>

/** Widest column of names; longer ones push the rest of their line. */
const WIDEST = 32
/** Characters of a description on a terminal: JSON has all of it. */
const LONGEST = 300
/** Clusters that are named. */
const NAMED = 3

/** The variables for people: a line for each, what is to be known of it below. */
export function variablesText({ classes }: VariablesOutcome, _: ShortenPath, width = 120): TextReport {
  if (classes.length === 0) return { output: 'No classes are rendered.\n' }
  const lines = classes.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...classLines(one, width)])
  return { output: printableLines(lines), isUnbroken: true }
}

function classLines(one: Class, width: number): readonly string[] {
  const { release, kubernetesVersion, clusters, variables, definesMore } = one
  const used = clusters.length === 0 ? '' : `, ${plural(clusters.length, 'cluster')}`
  const head = `${release}: Kubernetes ${kubernetesVersion}, ${plural(variables.length, 'variable')}${used}.`
  const rows = variables.flatMap((variable) => rowsOf(variable))
  const names = Math.min(WIDEST, Math.max(4, ...rows.map(({ name }) => printable(name).length)))
  const types = Math.max(4, ...rows.map(({ value }) => value.type.length))
  return [
    ...wrapWords(`${head} ${workerText(one)}`, { width, indent: '  ' }).split('\n'),
    ...(rows.length === 0 ? [] : ['', `${'NAME'.padEnd(names)}  ${'TYPE'.padEnd(types)}  DEFAULT`]),
    ...rows.flatMap(({ name, value, details }) => [
      `${name.padEnd(names)}  ${value.type.padEnd(types)}  ${value.isRequired ? 'required' : (defaultText(value) ?? '')}`.trimEnd(),
      ...details.flatMap((text) => {
        const indent = name.startsWith(' ') ? '      ' : '    '
        return wrapWords(indent + text, { width, indent }).split('\n')
      }),
    ]),
    ...(definesMore ? ['', 'A runtime extension defines further variables.'] : []),
  ]
}

interface Row {
  readonly name: string
  readonly value: Value
  readonly details: readonly string[]
}

function rowsOf({ name, setBy, fields, ...value }: Variable): readonly Row[] {
  const users = setBy.map(({ cluster, level }) => (level === 'override' ? `${cluster} (override)` : cluster))
  return [
    { name, value, details: [...detailsOf(value), ...(users.length === 0 ? [] : [`set by ${nameSome(users)}`])] },
    ...fields.map((field) => ({
      name: `  ${field.path}`,
      value: field,
      details: detailsOf(field),
    })),
  ]
}

function detailsOf({ description, constraints }: Value): readonly string[] {
  const text = description.split(/\s+/).join(' ').trim()
  return [
    ...(text === '' ? [] : [text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text]),
    ...(constraints.length === 0 ? [] : [shorten(constraints.join('; '))]),
  ]
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function nameSome(names: readonly string[]): string {
  const rest = names.length - NAMED
  return rest > 0 ? `${names.slice(0, NAMED).join(', ')} and ${String(rest)} more` : names.join(', ')
}
