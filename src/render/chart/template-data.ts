import type { Source } from '../../model/source.ts'
import { Dict, dict, goInt, type GoObject } from '../../model/value.ts'
import { createChartFiles } from './chart-files.ts'
import type { ChartNode } from './chart-node.ts'
import { createChartObject } from './chart-object.ts'
import { ChartValues } from './chart-values.ts'
import type { HelmVersion } from './coalesce.ts'
import { findTable } from './values-path.ts'

/** The fields of `.Release`. */
export interface ReleaseOptions {
  readonly name: string
  readonly namespace: string
  readonly isUpgrade: boolean
  readonly revision: number
}

/** A template that takes part in a render. */
export interface ChartTemplate {
  /** `ROOT/charts/SUB/templates/x.yaml`, as Helm prints it. */
  readonly path: string
  readonly source: Source
  /** The template's dot; shared by all templates of one chart, changes to it are seen by those that run later. */
  readonly data: ChartValues
  /** `ROOT/charts/SUB/templates`. */
  readonly basePath: string
}

interface Context {
  readonly helmVersion: HelmVersion
  readonly capabilities: GoObject
  readonly release: Dict
  /** By path. */
  readonly templates: Map<string, ChartTemplate>
}

/**
 * Returns every template of the tree with its data (Helm pkg/engine, recAllTpls). `values` are the coalesced values of
 * the root; the maps below dependencies' names are handed to those as they are, so that all see each other's changes.
 */
export function collectTemplates(
  root: ChartNode,
  values: Dict,
  options: { readonly helmVersion: HelmVersion; readonly capabilities: GoObject; readonly release: ReleaseOptions },
): readonly ChartTemplate[] {
  const { helmVersion, capabilities, release } = options
  const context: Context = { helmVersion, capabilities, release: releaseMap(release), templates: new Map() }
  collect(root, { values, path: root.name, isRoot: true }, context)
  return [...context.templates.values()]
}

function releaseMap({ name, namespace, isUpgrade, revision }: ReleaseOptions): Dict {
  return dict([
    ['Name', name],
    ['Namespace', namespace],
    ['IsUpgrade', isUpgrade],
    ['IsInstall', !isUpgrade],
    ['Revision', goInt(revision)],
    ['Service', 'Helm'],
  ])
}

interface Place {
  readonly values: Dict
  readonly path: string
  readonly isRoot: boolean
}

function collect(node: ChartNode, { values, path, isRoot }: Place, context: Context): Dict {
  const { helmVersion, capabilities, release } = context
  const subcharts = new Dict()
  const data = dict([
    ['Chart', createChartObject(node, isRoot, helmVersion)],
    ['Files', createChartFiles(node.chart.files)],
    ['Release', release],
    ['Capabilities', capabilities],
    ['Values', new ChartValues(values, helmVersion)],
    ['Subcharts', subcharts],
  ])
  for (const child of node.dependencies) {
    // A name with a dot is taken for a path by Helm, and so finds nothing.
    const own = findTable(values, child.name) ?? new Dict()
    subcharts.set(
      child.name,
      collect(child, { values: own, path: `${path}/charts/${child.name}`, isRoot: false }, context),
    )
  }
  const isLibrary = node.chart.metadata.type === 'library'
  const shared = new ChartValues(data, helmVersion)
  for (const source of node.chart.templates) {
    if (isLibrary && !isPartial(source.name)) continue
    const template = { path: `${path}/${source.name}`, source, data: shared, basePath: `${path}/templates` }
    // charts of one name (an archive beside its folder, an alias) share paths, and the last counts, as in Helm
    context.templates.set(template.path, template)
  }
  return data
}

/** True if a template is only there to be included. */
export function isPartial(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('_')
}
