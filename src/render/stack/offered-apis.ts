import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { ApiQuery } from '../chart/capabilities.ts'

/** The API versions that CustomResourceDefinitions among the objects serve, as a cluster lists them, sorted. */
export function offeredApis(manifests: readonly Manifest[]): readonly string[] {
  const found = new Set<string>()
  for (const { object } of manifests.filter(isResourceDefinition)) {
    const group = textAt(object, 'spec', 'group')
    const name = textAt(object, 'spec', 'names', 'kind')
    for (const version of itemsAt(object, 'spec', 'versions')) {
      if (fieldAt(version, 'served') === false || group === '' || name === '') continue
      const groupVersion = `${group}/${textAt(version, 'name')}`
      found.add(groupVersion).add(`${groupVersion}/${name}`)
    }
  }
  return [...found].sort(compareBytes)
}

/** True if a chart that asked these questions may answer differently when these versions are added. */
export function dependsOn(queries: readonly ApiQuery[], added: readonly string[]): boolean {
  return queries.some((query) => (query === 'all' ? added.length > 0 : added.includes(query.missing)))
}
