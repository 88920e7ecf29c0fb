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
import { createLocator, type Locator, type LocatorInputs } from '../explain/locator.ts'
import { createTraceMemory, type TraceMemory } from '../explain/trace-memory.ts'
import { type ChartRenderer, type ChartRun, traceChart } from './chart-renderer.ts'
import { refuseDuplicates } from './duplicates.ts'
import { findBadNames } from './find-bad-names.ts'
import { findRefusedFields } from './find-refused-fields.ts'
import type { Finisher } from './create-finisher.ts'
import { createScopeLookup } from './scope.ts'

/** Choices of the fleet that hold for every render. */
export interface StackOptions {
  readonly helmVersion: 3 | 4
  readonly instanceLabel: boolean
  readonly scopes: readonly KindScope[]
}

const CLASS_UNIT = 'cluster-class'
const CORRECT_CHART = 'A cluster class gets no values: correct its chart, or use another release.'

/** A release's class objects as they go to git, and its ClusterClass for what depends on it. */
export interface RenderedClass {
  readonly folder: RenderedFolder
  readonly clusterClass?: Dict
  readonly findings: readonly Diagnostic[]
  readonly locator: Locator
}

/** How classes are rendered. */
export interface ClassOptions extends StackOptions {
  readonly charts: ChartRenderer
  readonly finish: Finisher
  readonly traceMemory?: TraceMemory
}

/**
 * Renders a release's class chart as CSO does: release name `<provider>-<stack>-<major>-<minor>`, the ClusterStack's
 * namespace, no values, no CRDs.
 * @throws StackmasonError as the chart engine; OBJECT_*
 */
export function renderClass(release: Release, namespace: string, options: ClassOptions): RenderedClass {
  const tag = formatTag(release.name)
  const noValues = { TEMPLATE_FAIL: () => CORRECT_CHART } as const
  const run = classRun(release, namespace, options)
  const locator = createLocator({ patches: [], traced: tracing(run, options) })
  return locating(locator, () => {
    const { manifests, findings } = advise(noValues, () => options.charts.render(run))
    const finished = options.finish(manifests, {
      namespace,
      scopeOf: createScopeLookup(
        manifests.map((manifest) => manifest.object),
        options.scopes,
      ),
      instanceLabel: options.instanceLabel,
    })
    refuseDuplicates(finished)
    const refused = [...findBadNames(finished), ...findRefusedFields(finished, CORRECT_CHART)]
    if (refused.length > 0) throw new StackmasonError(refused)
    const clusterClass = finished.find((manifest) => manifest.kind === 'ClusterClass')
    return {
      folder: { path: stackFolder(namespace, tag), manifests: finished },
      findings: findings.map((finding) => locateFinding(finding, locator)),
      locator,
      ...(clusterClass === undefined ? {} : { clusterClass: clusterClass.object }),
    }
  })
}

/** Where a field of a ClusterClass is written. */
export type LocateInClass = (path: readonly PathStep[]) => Span | undefined

/** Locates fields in the ClusterClass of a release; nothing is rendered before it is asked. */
export function createClassLocator(
  release: Release,
  namespace: string,
  options: Pick<ClassOptions, 'helmVersion' | 'charts' | 'traceMemory'>,
): LocateInClass {
  const traced = tracing(classRun(release, namespace, options), options)
  const locator = createLocator({ patches: [], traced })
  return (path) => {
    const clusterClass = traced(CLASS_UNIT).find(({ manifest }) => manifest.kind === 'ClusterClass')
    return clusterClass && locator.locate(clusterClass.manifest, path).at
  }
}

function classRun(release: Release, namespace: string, { helmVersion }: Pick<ClassOptions, 'helmVersion'>): ChartRun {
  return {
    chart: release.clusterClass,
    values: new Dict(),
    release: { name: releasePrefix(release.name), namespace },
    includeCrds: false,
    helmVersion,
    from: formatTag(release.name),
    unit: CLASS_UNIT,
  }
}

/** Renders the class again when its unit is asked for. */
function tracing(
  run: ChartRun,
  { charts, traceMemory: remember = createTraceMemory() }: Pick<ClassOptions, 'charts' | 'traceMemory'>,
): LocatorInputs['traced'] {
  return (unit) => (unit === CLASS_UNIT ? remember(run, () => traceChart(run, charts)) : [])
}
