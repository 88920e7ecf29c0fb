import type { ImageVariableNames } from '../../model/fleet.ts'

/** Variables of the openstack scs2 stack. */
const SCS2: Required<ImageVariableNames> = {
  name: 'imageName',
  addVersion: 'imageAddVersion',
  isObject: 'imageIsOrc',
}

/** The names of the variables that choose images: those of the openstack scs2 stack where the fleet gives no others. */
export function imageVariableNames(names: ImageVariableNames | undefined): Required<ImageVariableNames> {
  return { ...SCS2, ...names }
}
