import type { ChartLock } from '../../model/chart.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import { formatDependencies } from './chart-dependencies.ts'
import { inSource, listField, readDocument, textField } from './chart-field.ts'

/**
 * Reads Chart.lock or requirements.lock (Helm pkg/chart/v2, Lock). `declared` is the file with the declarations.
 * @throws StackmasonError CHART_INVALID at the field that Helm would not load
 */
export function parseChartLock(source: Source, declared: Source): ChartLock {
  const document = readDocument(source)
  const requests = inSource(declared, () => formatDependencies(readDocument(declared), 'sanitized'))
  return inSource(source, () => {
    const { items, path } = listField(document, 'dependencies')
    const dependencies = items.map((item, index) => {
      const field = (name: string): string => (item instanceof Dict ? textField(item, name, [...path, index]) : '')
      return { name: field('name'), version: field('version'), repository: field('repository') }
    })
    const locked = formatDependencies(document, 'raw')
    // The second is Helm 2's rule, which knew the declarations only.
    const digestOf = [`[${requests},${locked}]`, `{"dependencies":${requests}}`]
    return { source, dependencies, digest: textField(document, 'digest'), digestOf }
  })
}
