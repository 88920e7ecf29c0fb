import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/** The image that machines boot from, and how they look for it: as an Image object of their namespace, or by name in the cloud. */
export interface ChosenImage {
  readonly name: string
  readonly by: 'object' | 'name'
}

/**
 * The images that a class and, when given, the variables of a cluster choose. Rule: the variables of the openstack scs2 stack (`imageName`,
 * `imageAddVersion`, `imageIsOrc`); a class without them has what its machine templates say.
 */
export function chosenImages(
  folder: readonly Manifest[],
  version: string,
  cluster: Pick<Cluster, 'object'> | undefined,
): readonly ChosenImage[] {
  const variables = itemsAt(folder.find(({ kind }) => kind === 'ClusterClass')?.object ?? null, 'spec', 'variables')
  const declared = variables.find((variable) => textAt(variable, 'name') === 'imageName')
  if (declared === undefined) return fromTemplates(folder)
  const valueOf = (name: string): Value => {
    const given = itemsAt(cluster?.object ?? null, 'spec', 'topology', 'variables').find(
      (entry) => textAt(entry, 'name') === name,
    )
    const variable = variables.find((entry) => textAt(entry, 'name') === name)
    return fieldAt(given ?? null, 'value') ?? fieldAt(variable ?? null, 'schema', 'openAPIV3Schema', 'default') ?? null
  }
  const base = valueOf('imageName')
  if (typeof base !== 'string' || base === '') return []
  const name = valueOf('imageAddVersion') === true ? `${base}-${version}` : base
  return [{ name, by: valueOf('imageIsOrc') === true ? 'object' : 'name' }]
}

function fromTemplates(folder: readonly Manifest[]): readonly ChosenImage[] {
  const images = new Map<string, ChosenImage>()
  for (const { object } of folder.filter(isOpenStackMachine)) {
    const image = dictAt(object, 'spec', 'template', 'spec', 'image') ?? new Dict()
    const reference = textAt(image, 'imageRef', 'name')
    const filtered = textAt(image, 'filter', 'name')
    if (reference !== '') images.set(`object ${reference}`, { name: reference, by: 'object' })
    if (filtered !== '') images.set(`name ${filtered}`, { name: filtered, by: 'name' })
  }
  return [...images.values()]
}

/** Whether a manifest is a template of machines that boot from an image of OpenStack. */
export function isOpenStackMachine({ kind }: Pick<Manifest, 'kind'>): boolean {
  return kind === 'OpenStackMachineTemplate'
}
