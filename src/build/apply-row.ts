import { dirName, joinPath } from '../codec/path.ts'
import type { ChartFile } from '../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import { releasePrefix } from '../model/release-name.ts'
import { inputFinding } from './build-input.ts'
import type { YamlChange } from '../edit/yaml-change.ts'
import { type EditableDocument, openDocument } from './open-document.ts'
import { isMultiStage, type StackFolder } from './make-assets.ts'
import type { DependencyVersion, VersionRow } from './version-table.ts'

/** A provider directory made for one Kubernetes version, and what a person should look at. */
export interface AppliedRow {
  readonly folder: StackFolder
  readonly findings: readonly Diagnostic[]
}

interface AddonChart {
  readonly path: string
  /** Folder of the addon; `cluster-addon` in the old form. */
  readonly addon: string
  readonly yaml: EditableDocument
}

/**
 * Makes the provider directory for a row of the version table: the Kubernetes version, the charts' names, and the
 * versions of addon charts. Nothing else of the files changes, so a row that says what the files say already leaves
 * them alone. A vendored copy of a chart that the row replaces is left out, and Chart.lock with it. Rules:
 * cluster-stacks hack/generate_version.py.
 * @throws StackmasonError BUILD_INPUT_INVALID, with every version that has no place to go
 */
export function applyRow(folder: StackFolder, row: VersionRow): AppliedRow {
  const name = { ...folder.name, kubernetes: row.kubernetes }
  const prefix = releasePrefix({ ...name, version: { major: 0, channel: 'stable', patch: '' } })
  const edits = new Map<string, YamlChange[]>()
  const add = (path: string, edit: YamlChange): void => {
    edits.set(path, [...(edits.get(path) ?? []), edit])
  }
  add(folder.configFile, { how: 'replace', path: configPath(folder), value: row.kubernetesVersion })
  for (const kind of isMultiStage(folder.files) ? ['cluster-class'] : ['cluster-class', 'cluster-addon']) {
    const path = `${kind}/Chart.yaml`
    if (folder.files.some((file) => file.path === path))
      add(path, { how: 'replace', path: ['name'], value: `${prefix}-${kind}` })
  }
  const charts = findAddonCharts(folder)
  const problems: Diagnostic[] = []
  const dropped = new Set<string>()
  const findings: Diagnostic[] = []
  for (const dependency of row.dependencies) {
    const places = findPlaces(dependency, charts, problems)
    for (const { chart, index } of places) {
      const path = ['dependencies', index, 'version'] as const
      if (textAt(chart.yaml.value, ...path) === dependency.version) continue
      add(chart.path, { how: 'replace', path, value: dependency.version })
      const vendored = findVendored(folder.files, chart, textAt(chart.yaml.value, 'dependencies', index, 'name'))
      for (const file of [...vendored, joinPath(dirName(chart.path), 'Chart.lock')]) dropped.add(file)
      if (vendored.length > 0)
        findings.push(notVendored(`${folder.path}/${chart.path}`, chart.addon, { row, dependency }))
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  const files = folder.files
    .filter(({ path }) => !dropped.has(path))
    .map((file) => edited(file, edits.get(file.path), folder.path))
  return { folder: { ...folder, name, kubernetesVersion: row.kubernetesVersion, files }, findings }
}

/** Where csctl.yaml says the Kubernetes version; stack.yaml says it at the top. */
function configPath({ configFile }: StackFolder): readonly string[] {
  return configFile === 'stack.yaml' ? ['kubernetesVersion'] : ['config', 'kubernetesVersion']
}

function edited(file: ChartFile, edits: readonly YamlChange[] | undefined, folder: string): ChartFile {
  if (edits === undefined) return file
  return { path: file.path, bytes: openDocument({ name: joinPath(folder, file.path), bytes: file.bytes }).edit(edits) }
}

function findAddonCharts({ files, path: folder }: StackFolder): readonly AddonChart[] {
  return files.flatMap(({ path, bytes }) => {
    const match = /^(?:cluster-addon\/([^/]+)|(cluster-addon))\/Chart\.yaml$/.exec(path)
    if (match === null) return []
    return [{ path, addon: match[1] ?? match[2] ?? '', yaml: openDocument({ name: joinPath(folder, path), bytes }) }]
  })
}

interface Place {
  readonly chart: AddonChart
  readonly index: number
}

function findPlaces(
  { of, at }: DependencyVersion,
  charts: readonly AddonChart[],
  problems: Diagnostic[],
): readonly Place[] {
  if ('chart' in of) {
    const places = charts.flatMap((chart) =>
      itemsAt(chart.yaml.value, 'dependencies').flatMap((item, index) =>
        fieldAt(item, 'name') === of.chart ? [{ chart, index }] : [],
      ),
    )
    if (places.length === 0) {
      problems.push(inputFinding('error', `no addon depends on a chart ${JSON.stringify(of.chart)}`, { at }))
    }
    return places
  }
  const chart = charts.find(({ addon }) => addon === of.addon)
  const count = chart === undefined ? 0 : itemsAt(chart.yaml.value, 'dependencies').length
  if (chart !== undefined && count === 1) return [{ chart, index: 0 }]
  const addon = JSON.stringify(of.addon)
  const message =
    chart === undefined
      ? `there is no addon ${addon}`
      : `addon ${addon} has ${count} dependencies, so it must be said which of them is meant`
  const hint =
    chart === undefined
      ? `There are ${charts.map((known) => known.addon).join(', ')}.`
      : 'Use `dependencies`, which names charts.'
  problems.push(inputFinding('error', message, { at, hint }))
  return []
}

/** The files of the copy that lies in charts/. */
function findVendored(files: readonly ChartFile[], chart: AddonChart, name: string): readonly string[] {
  const charts = `${dirName(chart.path)}/charts/`
  return files
    .map(({ path }) => path)
    .filter((path) => {
      if (!path.startsWith(`${charts}${name}`)) return false
      return /^(?:\/|-v?\d[^/]*\.tgz$)/.test(path.slice(charts.length + name.length))
    })
}

function notVendored(
  file: string,
  addon: string,
  { row, dependency }: { readonly row: VersionRow; readonly dependency: DependencyVersion },
): Diagnostic {
  const message = `for Kubernetes ${row.kubernetesVersion} addon ${addon} is built without the copy in its charts/ folder, which is not of version ${dependency.version}`
  const hint = 'Users of the release fetch the chart: `stackmason update` locks it.'
  return inputFinding('warning', message, { file, hint })
}
