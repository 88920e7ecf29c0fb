import type { Chart } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { readChartArchive } from '../chart/build-chart.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { isSameVersion } from './choose-version.ts'
import { placeOf, type DependencyRequest } from './dependency-context.ts'

/**
 * Reads a fetched archive, which must be the chart that was asked for.
 * @throws StackmasonError FETCH_INVALID when it is another chart or version; CHART_INVALID, CHART_VALUES_INVALID,
 * ARCHIVE_*
 */
export function readArchiveOf(
  dependency: DependencyRequest,
  archive: { readonly bytes: Uint8Array; readonly version: string; readonly url: string },
  ports: Pick<Ports, 'compression'>,
): Chart {
  const chart = readChartArchive(archive.bytes, shownUrl(archive.url), ports)
  const { name, version } = chart.metadata
  if (name === dependency.name && isSameVersion(version, archive.version)) return chart
  const message = `${shownUrl(archive.url)} should be chart ${dependency.name} ${archive.version}, but is ${name} ${version}`
  throw new StackmasonError({ code: 'FETCH_INVALID', severity: 'error', message, ...placeOf(dependency) })
}
