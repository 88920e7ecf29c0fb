import { dictAt, itemsAt, type PathStep } from './field.ts'
import { workerLists } from './topology-variables.ts'
import type { Dict } from './value.ts'

/** A template that a ClusterClass names, and where it does. */
export interface TemplateReference {
  readonly path: readonly PathStep[]
  readonly reference: Dict
}

/** The templates that a ClusterClass names, in both forms: `ref` of v1beta1, `templateRef` of v1beta2. */
export function templatesOfClass(clusterClass: Dict): readonly TemplateReference[] {
  const workers = workerLists.flatMap((list) =>
    itemsAt(clusterClass, 'spec', 'workers', list).flatMap((_, index) => {
      const path = ['spec', 'workers', list, index]
      return [
        [...path, 'template', 'bootstrap', 'ref'],
        [...path, 'template', 'infrastructure', 'ref'],
        [...path, 'bootstrap', 'templateRef'],
        [...path, 'infrastructure', 'templateRef'],
      ]
    }),
  )
  const own = [['infrastructure'], ['controlPlane'], ['controlPlane', 'machineInfrastructure']].flatMap((path) => [
    ['spec', ...path, 'ref'],
    ['spec', ...path, 'templateRef'],
  ])
  return [...own, ...workers].flatMap((path) => {
    const reference = dictAt(clusterClass, ...path)
    return reference === undefined ? [] : [{ path, reference }]
  })
}
