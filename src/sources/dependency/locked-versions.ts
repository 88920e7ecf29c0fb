import { digestOf } from '../../codec/bytes/digest.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart, ChartDependency } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'

/** The versions that the lock of a chart pins, and a warning when it does not fit the chart. */
export interface LockedVersions {
  readonly versions: ReadonlyMap<ChartDependency, string>
  readonly findings: readonly Diagnostic[]
}

/**
 * The versions that Chart.lock or requirements.lock pins, by declaration (Helm pkg/downloader, Manager.Build). A lock
 * that was made for other declarations pins nothing and is reported (DEPENDENCY_LOCK_STALE).
 */
export function lockedVersions(chart: Chart, crypto: Crypto): LockedVersions {
  const { lock } = chart
  if (lock === undefined) return { versions: new Map(), findings: [] }
  const isInSync = lock.digestOf.some((text) => digestOf(encodeUtf8(text), crypto) === lock.digest)
  if (!isInSync) return { versions: new Map(), findings: [staleLock(chart, lock.source.name)] }
  const versions = new Map<ChartDependency, string>()
  chart.metadata.dependencies.forEach((declared, index) => {
    const locked = lock.dependencies[index]
    if (locked?.name === declared.name && locked.version !== '') versions.set(declared, locked.version)
  })
  return { versions, findings: [] }
}

function staleLock(chart: Chart, file: string): Diagnostic {
  return {
    code: 'DEPENDENCY_LOCK_STALE',
    severity: 'warning',
    message: `the lock of chart ${chart.metadata.name} does not fit its declared dependencies and was skipped`,
    file,
    hint: 'Run `helm dependency update` in the chart and commit the result, or remove the lock.',
  }
}
