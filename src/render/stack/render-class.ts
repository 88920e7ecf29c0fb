import { advise, type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { PathStep } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import type { KindScope } from '../../model/fleet.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { formatTag, releasePrefix } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { stackFolder } from '../../model/tree-path.ts'
import { Dict } from '../../model/value.ts'
import { locateFinding, locating } from '../explain/locate-findings.ts'
import { createLocator, type Locator } from '../explain/locator.ts'
import { createTraceMemory, type TraceMemory } from '../explain/trace-memory.ts'
import { type ChartRenderer, type ChartRun, traceChart } from './chart-renderer.ts'
import { refuseDuplicates } from './duplicates.ts'
import { findBadNames } from './find-bad-names.ts'
import type { Placer } from './place.ts'
import { createScopeLookup } from './scope.ts'

/** Choices of the fleet that hold for every render. */
export interface StackOptions {
  readonly helmVersion: 3 | 4
  readonly instanceLabel: boolean
  readonly scopes: readonly KindScope[]
}

const CLASS_UNIT = 'cluster-class'

/** A release's class objects as they go to git, and its ClusterClass for what depends on it. */
export interface RenderedClass {
  readonly folder: RenderedFolder
  readonly clusterClass?: Dict
  readonly findings: readonly Diagnostic[]
  readonly locator: Locator
  /** Where a field of the ClusterClass is written. */
  readonly locateField: (path: readonly PathStep[]) => Span | undefined
}

/**
 * Renders a release's class chart as CSO does: release name `<provider>-<stack>-<major>-<minor>`, the ClusterStack's
 * namespace, no values, no CRDs.
 * @throws StackmasonError as the chart engine; OBJECT_*
 */
export function renderClass(
  release: Release,
  namespace: string,
  options: StackOptions & {
    readonly charts: ChartRenderer
    readonly place: Placer
    readonly traceMemory?: TraceMemory
  },
): RenderedClass {
  const tag = formatTag(release.name)
  const noValues = {
    TEMPLATE_FAIL: () => 'A cluster class gets no values: correct its chart, or use another release.',
  } as const
  const run: ChartRun = {
    chart: release.clusterClass,
    values: new Dict(),
    release: { name: releasePrefix(release.name), namespace },
    includeCrds: false,
    helmVersion: options.helmVersion,
    from: tag,
    unit: CLASS_UNIT,
  }
  const remember = options.traceMemory ?? createTraceMemory()
  const locator = createLocator({
    patches: [],
    traced: (unit) => (unit === CLASS_UNIT ? remember(run, () => traceChart(run, options.charts)) : []),
  })
  return locating(locator, () => {
    const { manifests, findings } = advise(noValues, () => options.charts.render(run))
    const placed = options.place(manifests, {
      namespace,
      scopeOf: createScopeLookup(
        manifests.map((manifest) => manifest.object),
        options.scopes,
      ),
      instanceLabel: options.instanceLabel,
    })
    refuseDuplicates(placed)
    const badNames = findBadNames(placed)
    if (badNames.length > 0) throw new StackmasonError(badNames)
    const clusterClass = placed.find((manifest) => manifest.kind === 'ClusterClass')
    return {
      folder: { path: stackFolder(namespace, tag), manifests: placed },
      findings: findings.map((finding) => locateFinding(finding, locator)),
      locator,
      locateField: (path) => clusterClass && locator.locate(clusterClass, path).at,
      ...(clusterClass === undefined ? {} : { clusterClass: clusterClass.object }),
    }
  })
}
