import { parsePositionedYaml, type ReadDocument } from '../codec/yaml/positioned-yaml.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import { fieldAt } from '../model/field.ts'
import { nearestName } from '../model/nearest-name.ts'
import type { Span } from '../model/source.ts'
import { Dict } from '../model/value.ts'
import { inputFinding, inputProblem } from './build-input.ts'
import type { YamlFile } from '../edit/open-yaml.ts'

/** A version to write into Chart.yaml files of addons. */
export interface DependencyVersion {
  /** The chart that is depended on, or the addon whose only dependency is meant. */
  readonly of: { readonly chart: string } | { readonly addon: string }
  readonly version: string
  readonly at: Span
}

/** One row of a version table: a Kubernetes version and what goes with it. */
export interface VersionRow {
  /** With `v`: `v1.34.7`. */
  readonly kubernetesVersion: string
  readonly kubernetes: { readonly major: number; readonly minor: number }
  readonly dependencies: readonly DependencyVersion[]
  readonly at: Span
}

/**
 * The columns that tables of cluster stacks have (cluster-stacks hack/generate_version.py), and the chart that each is
 * about.
 */
const CHART_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['cinder_csi', 'openstack-cinder-csi'],
  ['occm', 'openstack-cloud-controller-manager'],
])
const COLUMNS: readonly string[] = ['kubernetes', ...CHART_COLUMNS.keys(), 'dependencies', 'addons']

/**
 * Reads a version table: a list of rows with `kubernetes`, the known columns, `dependencies` (by chart) and `addons`
 * (by addon).
 * @throws StackmasonError BUILD_INPUT_INVALID, with every problem
 */
export function parseVersionTable({ name, bytes }: YamlFile): readonly VersionRow[] {
  const source = { name, text: decodeUtf8(bytes) }
  const { documents, problems: syntax } = parsePositionedYaml(source)
  if (syntax.length > 0) throw new StackmasonError(syntax.map((found) => ({ ...found, code: 'BUILD_INPUT_INVALID' })))
  const [document, second] = documents
  if (document === undefined || second !== undefined || !Array.isArray(document.value)) {
    const at = second?.span ?? document?.span ?? { source, start: 0, end: 0 }
    throw inputProblem('a version table is a list of rows', { at })
  }
  const problems: Diagnostic[] = []
  const rows = document.value.map((_row, index) => readRow(document, index, problems))
  if (problems.length > 0) throw new StackmasonError(problems)
  return rows.filter((row) => row !== undefined)
}

function readRow(document: ReadDocument, index: number, problems: Diagnostic[]): VersionRow | undefined {
  const row = fieldAt(document.value, index)
  const at = document.spanOf([index])
  const note = (path: readonly string[], message: string, hint?: string): void => {
    problems.push(inputFinding('error', message, { at: document.spanOf([index, ...path]), hint }))
  }
  if (!(row instanceof Dict)) {
    note([], 'a row is a map, such as `kubernetes: 1.34.7` and one line for each addon')
    return undefined
  }
  const text = (path: readonly string[]): string => {
    const found = fieldAt(row, ...path)
    if (typeof found === 'string' && /^[^\s\p{C}]+$/u.test(found)) return found
    note(path, `${path.join('.')} must be a version as text`, 'Put it in quotes if it looks like a number.')
    return ''
  }
  const dependencies: DependencyVersion[] = []
  for (const column of row.keys()) {
    const chart = CHART_COLUMNS.get(column)
    if (chart !== undefined) {
      dependencies.push({ of: { chart }, version: text([column]), at: document.spanOf([index, column]) })
    } else if (column === 'dependencies' || column === 'addons') {
      const map = row.get(column)
      if (!(map instanceof Dict)) note([column], `${column} must be a map of names and versions`)
      else {
        for (const name of map.keys()) {
          const of = column === 'addons' ? { addon: name } : { chart: name }
          dependencies.push({ of, version: text([column, name]), at: document.spanOf([index, column, name]) })
        }
      }
    } else if (column !== 'kubernetes') {
      const near = nearestName(column, COLUMNS)
      const hint = `${near === undefined ? '' : `Did you mean ${near}? `}Known columns: ${COLUMNS.join(', ')}.`
      problems.push(
        inputFinding('error', `unknown column ${column}`, { at: document.spanOf([index, column], 'key'), hint }),
      )
    }
  }
  const said = text(['kubernetes'])
  const kubernetes = matchKubernetes(said)
  if (kubernetes === undefined) {
    if (said !== '') note(['kubernetes'], 'kubernetes must be a full version such as 1.34.7')
    return undefined
  }
  return { ...kubernetes, dependencies, at }
}

/** A full Kubernetes version, with or without `v`. */
export function matchKubernetes(text: string): Pick<VersionRow, 'kubernetesVersion' | 'kubernetes'> | undefined {
  const match = /^v?((\d{1,9})\.(\d{1,9})\.\d{1,9})$/.exec(text)
  const [major, minor] = [Number(match?.[2] ?? 0), Number(match?.[3] ?? 0)]
  if (major === 0 || minor === 0) return undefined
  return { kubernetesVersion: `v${match?.[1] ?? ''}`, kubernetes: { major, minor } }
}

/**
 * The rows for the wanted Kubernetes versions (`1.34` or `1.34.7`), all of them without any, in the table's order.
 * @throws StackmasonError BUILD_INPUT_INVALID when a version is in no row, or two rows would become the same release
 */
export function selectRows(
  rows: readonly VersionRow[],
  wanted: readonly string[],
  table: string,
): readonly VersionRow[] {
  const matches = (row: VersionRow, version: string): boolean =>
    `${row.kubernetesVersion}.`.startsWith(`v${version.replace(/^v/, '')}.`)
  const known = rows.map(({ kubernetesVersion }) => kubernetesVersion.slice(1)).join(', ')
  const absent = wanted.filter((version) => !rows.some((row) => matches(row, version)))
  if (absent.length > 0 || rows.length === 0) {
    const message =
      rows.length === 0 ? 'the table has no rows' : `the table has no row for Kubernetes ${absent.join(', ')}`
    throw inputProblem(message, { file: table, hint: rows.length === 0 ? 'Add a row.' : `It has ${known}.` })
  }
  const selected = rows.filter((row) => wanted.length === 0 || wanted.some((version) => matches(row, version)))
  for (const [index, { kubernetes, at }] of selected.entries()) {
    const first = selected.findIndex(
      (row) => row.kubernetes.major === kubernetes.major && row.kubernetes.minor === kubernetes.minor,
    )
    if (first !== index) {
      const message = `two rows are for Kubernetes ${kubernetes.major}.${kubernetes.minor}, and releases carry the minor version only`
      throw inputProblem(message, { at, hint: 'Choose one of them with --kubernetes and the full version.' })
    }
  }
  return selected
}
