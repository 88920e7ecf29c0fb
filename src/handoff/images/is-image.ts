import type { Manifest } from '../../model/manifest.ts'

/** Whether a manifest is an image of the OpenStack resource controller. */
export function isImage({ kind, apiVersion }: Manifest): boolean {
  return kind === 'Image' && apiVersion.startsWith('openstack.k-orc.cloud/')
}
