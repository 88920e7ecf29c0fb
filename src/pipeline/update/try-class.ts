import { StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { Release } from '../../model/release.ts'
import { createChartRenderer } from '../../render/stack/chart-renderer.ts'
import { createFinisher } from '../../render/stack/create-finisher.ts'
import { renderClass } from '../../render/stack/render-class.ts'

/**
 * Renders the class of a release that is not locked yet, and forgets it: before `update` proposes what no fleet could
 * render. What depends on charts that are still to be locked is left open.
 * @throws StackmasonError as `renderClass`
 */
export function tryClass(
  release: Release,
  namespace: string,
  { fleet, ports }: { readonly fleet: Fleet; readonly ports: Pick<Ports, 'crypto' | 'clock' | 'deadline'> },
): void {
  const charts = createChartRenderer(ports.crypto, { elapsed: () => ports.clock.monotonic(), deadline: ports.deadline })
  const { helmVersion, instanceLabel, scopes } = fleet
  try {
    renderClass(release, namespace, { helmVersion, instanceLabel, scopes, charts, finish: createFinisher() })
  } catch (error) {
    const isOpen =
      error instanceof StackmasonError && error.diagnostics.some(({ code }) => code === 'CHART_DEPENDENCY_MISSING')
    if (!isOpen) throw error
  }
}
