import { itemsAt } from '../../model/field.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'

/** The variables that the class in a stack's folder declares. */
export function classVariables({ manifests }: Pick<RenderedFolder, 'manifests'>): readonly Value[] {
  return itemsAt(manifests.find(({ kind }) => kind === 'ClusterClass')?.object ?? null, 'spec', 'variables')
}
