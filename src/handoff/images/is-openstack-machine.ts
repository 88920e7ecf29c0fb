import type { Manifest } from '../../model/manifest.ts'

/** Whether a manifest is a template of machines that boot from an image of OpenStack. */
export function isOpenStackMachine({ kind }: Pick<Manifest, 'kind'>): boolean {
  return kind === 'OpenStackMachineTemplate'
}
