import { dictAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { isLate } from '../references/missing-target.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Images of machines that are fetched from an address and compared with nothing. */
export const unverifiedNodeImages: Rule = unitRule(
  {
    code: 'NODE_IMAGE_UNVERIFIED',
    severity: 'warning',
    explanation: [
      'Machines boot what the address of their image gives on that day. With a checksum another file is refused; without one nobody notices, and it runs as root on every node.',
      'Looked at are Image objects of the OpenStack resource controller that upload from an address, and templates of machines whose image has a `url` (Metal3). Those that a release describes are NODE_IMAGE_OPTION. The `live-iso` of Metal3 takes no checksum, and images that are only referred to by name are of whoever uploads them.',
    ],
  },
  ({ isKept, folders }) => (isKept ? [] : folders.flatMap(({ manifests }) => manifests.flatMap(unverifiedOf))),
)

function unverifiedOf(manifest: Manifest): readonly RuleFinding[] {
  const path = unverifiedAddress(manifest)
  if (path === undefined || isLate(manifest, path)) return []
  return [
    {
      message: `${shownObject({ ...manifest, namespace: manifest.namespace })} fetches the image of machines without a checksum`,
      ...placeIn(manifest, ...path),
      hint: 'Add the checksum that the publisher of the image states.',
    },
  ]
}

const DOWNLOAD = ['spec', 'resource', 'content', 'download'] as const
const MACHINE_IMAGE = ['spec', 'template', 'spec', 'image'] as const

/** Where the address of an image stands that has no checksum beside it. */
function unverifiedAddress({ apiVersion, kind, object, origin }: Manifest): readonly PathStep[] | undefined {
  const group = groupOf(apiVersion)
  if (group === 'openstack.k-orc.cloud' && kind === 'Image') {
    const isManaged = (textAt(object, 'spec', 'managementPolicy') || 'managed') === 'managed'
    const isOurs = origin.unit === 'node-images'
    if (isOurs || !isManaged || textAt(object, ...DOWNLOAD, 'url') === '') return undefined
    return textAt(object, ...DOWNLOAD, 'hash', 'value') === '' ? [...DOWNLOAD, 'url'] : undefined
  }
  if (group !== 'infrastructure.cluster.x-k8s.io' || !kind.endsWith('MachineTemplate')) return undefined
  const image = dictAt(object, ...MACHINE_IMAGE) ?? null
  if (textAt(image, 'url') === '' || textAt(image, 'checksum') !== '' || textAt(image, 'format') === 'live-iso')
    return undefined
  return [...MACHINE_IMAGE, 'url']
}
