import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, RemoteChart } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source, Span } from '../../model/source.ts'
import { readChart } from '../../sources/chart/read-chart.ts'
import type { CompleteChart } from './complete-charts.ts'

/**
 * Charts and template folders that addons.yaml names, as it names them: by absolute path, or as a chart of a
 * repository.
 */
export interface OwnAddons {
  readonly ownCharts: ReadonlyMap<string, Chart>
  readonly ownTemplates: ReadonlyMap<string, readonly Source[]>
}

/** The charts that addons of the clusters' own use, each once: by path, or with the repository that has it. */
export function ownChartPaths(clusters: readonly Cluster[]): ReadonlyMap<string, RemoteChart | undefined> {
  return new Map(
    clusters.flatMap(({ addons }) =>
      addons.flatMap(({ chart, remote }) => (chart === undefined ? [] : [[chart, remote] as const])),
    ),
  )
}

/**
 * Reads the addons that a cluster brings itself.
 * @throws StackmasonError CHART_*, ARCHIVE_*, FILE_*, CONFIG_REFERENCE for a folder without templates
 */
export async function readOwnAddons(
  cluster: Cluster,
  root: string,
  { ports, complete }: { readonly ports: Ports; readonly complete: CompleteChart },
): Promise<OwnAddons> {
  const ownCharts = new Map<string, Chart>()
  const ownTemplates = new Map<string, readonly Source[]>()
  for (const { enabled, chart, remote, templates, at } of cluster.addons) {
    if (chart !== undefined && remote !== undefined && enabled) ownCharts.set(chart, await complete.remote(remote))
    if (chart !== undefined && remote === undefined) ownCharts.set(chart, await complete(await readChart(chart, ports)))
    if (templates !== undefined) {
      const files = await readTemplateFolder(templates, root, ports)
      if (enabled && files.length === 0) throw noTemplates(relativePath(root, templates), at)
      ownTemplates.set(templates, files)
    }
  }
  return { ownCharts, ownTemplates }
}

/** To render nothing would take the addon's objects out of the cluster. */
function noTemplates(folder: string, at: Span): StackmasonError {
  return new StackmasonError({
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `the templates folder ${folder} holds no *.hbs and no *.yaml file`,
    at,
    hint: 'Put a template into it, or switch the addon off with `enabled: false`.',
  })
}

/** The `*.hbs`, `*.yaml` and `*.yml` files below a folder, in path order; links out of the fleet are refused. */
async function readTemplateFolder(folder: string, root: string, ports: Ports): Promise<readonly Source[]> {
  const files: Source[] = []
  for (const entry of await ports.files.entries(folder)) {
    const path = joinPath(folder, entry.name)
    if (entry.type === 'directory') files.push(...(await readTemplateFolder(path, root, ports)))
    else if (/\.(?:hbs|yaml|yml)$/.test(entry.name)) {
      const real = await ports.files.realPath(path)
      if (!isInside(await ports.files.realPath(root), real)) {
        throw new StackmasonError({
          code: 'FILE_OUTSIDE',
          severity: 'error',
          message: `${relativePath(root, path)} leads out of the fleet repository`,
          file: path,
        })
      }
      files.push({ name: relativePath(root, path), text: decodeUtf8(await ports.files.read(real)), path })
    }
  }
  return files
}
