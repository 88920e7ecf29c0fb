import type { Chart } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { fileOf, type Manifest, type RenderedFolder } from '../../model/manifest.ts'
import { positionAt, type Source, type Span } from '../../model/source.ts'
import { pairsOf } from './duplicates.ts'
import { describeManifest } from './patch.ts'

/** Where the objects of each addon are written, by the addon's name: its chart, or the files of its template folder. */
export type AddonSources = ReadonlyMap<string, Chart | readonly Source[]>

/**
 * Finds objects that two addons of a cluster both bring: kustomize refuses them in one unit, and two units would take them from each other at every
 * sync. `folders` are those of the addons, as they will be applied.
 */
export function findSharedObjects(
  cluster: Pick<Cluster, 'name' | 'namespace' | 'addons' | 'existingSecrets'>,
  folders: readonly RenderedFolder[],
  sources: AddonSources,
): readonly Diagnostic[] {
  const isExisting = ({ kind, namespace, name }: Manifest): boolean =>
    kind === 'Secret' && cluster.existingSecrets.some((entry) => entry.namespace === namespace && entry.name === name)
  return pairsOf(folders.flatMap(({ manifests }) => manifests)).flatMap(([first, second]): readonly Diagnostic[] => {
    if (isExisting(first)) return []
    const [one, other] = [first, second].map((manifest) => {
      const { unit, from, template } = manifest.origin
      const at = locate(manifest, sources.get(unit))
      const place = at && `${at.source.name}:${String(positionAt(at.source, at.start).line)}`
      return { unit, at, text: `${unit} (${place ?? `${template} of ${from}`})` }
    }) as [Place, Place]
    const at = other.at ?? cluster.addons.find(({ name }) => name === other.unit)?.at
    return [
      {
        code: 'OBJECT_DUPLICATE',
        severity: 'error',
        message: `cluster ${cluster.namespace}/${cluster.name}: ${describeManifest(second)} is in two addons, ${one.text} and ${other.text}`,
        ...(at === undefined ? { file: fileOf(second.origin) } : { at }),
        hint: wayOut(cluster, one, other),
      },
    ]
  })
}

interface Place {
  readonly unit: string
  readonly at: Span | undefined
  readonly text: string
}

function wayOut({ name, namespace }: Pick<Cluster, 'name' | 'namespace'>, one: Place, other: Place): string {
  return (
    `Remove the object from one of the two, by its values or in its template, or switch that addon off: ` +
    `\`enabled: false\` for ${one.unit} or ${other.unit} in ${inputPath({ namespace, name }, 'addons.yaml')}.`
  )
}

/** The line of an object's name in its template, where it is written there; else that of its kind; undefined where neither tells. */
function locate({ kind, name, origin }: Manifest, sources: Chart | readonly Source[] | undefined): Span | undefined {
  const source = findFile(origin.template, sources ?? [])
  if (source === undefined) return undefined
  const kindLine = new RegExp(String.raw`^kind: *["']?${escaped(kind)}["']?[ \t]*$`, 'gm')
  const nameLine = new RegExp(String.raw`^[ {].*\bname: *["']?${escaped(name)}["']?[ \t]*(?:[,}].*)?$`, 'gm')
  const kinds = spans(source, kindLine)
  const names = kinds.flatMap(({ start }, index) => {
    const end = kinds[index + 1]?.start ?? source.text.length
    return spans(source, nameLine).filter((line) => line.start > start && line.end <= end)
  })
  return names[0] ?? (kinds.length === 1 ? kinds[0] : undefined)
}

/** The file that a template's path names, which begins with the name of the chart, as Helm prints it. */
function findFile(path: string, sources: Chart | readonly Source[]): Source | undefined {
  if (!('templates' in sources)) return sources.find(({ name }) => name === path)
  const inChart = path.slice(path.indexOf('/') + 1)
  const found = sources.templates.find(({ name }) => name === inChart)
  if (found !== undefined) return { name: `${sources.origin}/${found.name}`, text: found.text }
  const below = inChart.replace(/^charts\//, '')
  return below === inChart
    ? undefined
    : sources.dependencies.map((dependency) => findFile(below, dependency)).find((file) => file !== undefined)
}

function spans(source: Source, pattern: RegExp): readonly Span[] {
  return [...source.text.matchAll(pattern)].map((match) => {
    const start = match.index + match[0].search(/\S/)
    return { source, start, end: match.index + match[0].trimEnd().length }
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
