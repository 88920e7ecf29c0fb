import { advise, type Diagnostic } from '../../model/diagnostic.ts'
import type { KindScope } from '../../model/fleet.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { formatTag, releasePrefix } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { stackFolder } from '../../model/tree-path.ts'
import { Dict } from '../../model/value.ts'
import type { ChartRenderer } from './chart-renderer.ts'
import { refuseDuplicates } from './duplicates.ts'
import type { Placer } from './place.ts'
import { createScopeLookup } from './scope.ts'

/** Choices of the fleet that hold for every render. */
export interface StackOptions {
  readonly helmVersion: 3 | 4
  readonly instanceLabel: boolean
  readonly scopes: readonly KindScope[]
}

/** A release's class objects as they go to git, and its ClusterClass for what depends on it. */
export interface RenderedClass {
  readonly folder: RenderedFolder
  readonly clusterClass?: Dict
  readonly findings: readonly Diagnostic[]
}

/**
 * Renders a release's class chart as CSO does: release name `<provider>-<stack>-<major>-<minor>`, the ClusterStack's namespace, no values, no CRDs.
 * @throws StackmasonError as the chart engine; OBJECT_*
 */
export function renderClass(
  release: Release,
  namespace: string,
  options: StackOptions & { readonly charts: ChartRenderer; readonly place: Placer },
): RenderedClass {
  const tag = formatTag(release.name)
  const noValues = {
    TEMPLATE_FAIL: () => 'A cluster class gets no values: correct its chart, or use another release.',
  } as const
  const { manifests, findings } = advise(noValues, () =>
    options.charts.render({
      chart: release.clusterClass,
      values: new Dict(),
      release: { name: releasePrefix(release.name), namespace },
      includeCrds: false,
      helmVersion: options.helmVersion,
      from: tag,
      unit: 'cluster-class',
    }),
  )
  const placed = options.place(manifests, {
    namespace,
    scopeOf: createScopeLookup(
      manifests.map((manifest) => manifest.object),
      options.scopes,
    ),
    instanceLabel: options.instanceLabel,
  })
  refuseDuplicates(placed)
  const clusterClass = placed.find((manifest) => manifest.kind === 'ClusterClass')?.object
  return {
    folder: { path: stackFolder(namespace, tag), manifests: placed },
    findings,
    ...(clusterClass === undefined ? {} : { clusterClass }),
  }
}
