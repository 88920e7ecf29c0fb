import { volumeSources } from '../../model/volume-sources.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { dnsLabel, dnsSubdomain, labelKey } from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict } from '../../model/value.ts'
import type { ValueRule } from '../schema/schema-node.ts'
import {
  each,
  eachItem,
  given,
  hasBacksteps,
  isGiven,
  maybeNamed,
  maybeOneOf,
  named,
  none,
  notEmpty,
  notNegative,
  ofText,
  oneOf,
  positiveQuantity,
  problem,
  qualifiedName,
  repeated,
  type RuleTable,
  since,
  someItems,
  tokenSeconds,
  whole,
} from './rule-parts.ts'
import { csiDriver, iscsiLogin, iscsiName, lun } from './volume-rules.ts'

const accessMode = oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod')

/** An access mode for one pod alone excludes the others. */
const accessModes = whole((spec) => {
  const modes = itemsAt(spec, 'accessModes')
  return modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod')
    ? problem('ReadWriteOncePod alone, or without it', 'accessModes')
    : none
})

/** A claim wants some storage. */
const claimed = whole((spec) => {
  const wanted = fieldAt(spec, 'resources', 'requests', 'storage') ?? null
  const amount = wanted === null ? 0n : billionthsOf(wanted)
  return amount === undefined || amount > 0n ? none : problem('a quantity above 0', 'resources', 'requests', 'storage')
})

const ownSource = whole((spec) => {
  const [source, reference] = [dictAt(spec, 'dataSource'), dictAt(spec, 'dataSourceRef')]
  if (source === undefined || reference === undefined) return none
  if (textAt(reference, 'namespace') !== '')
    return problem('left out where dataSourceRef has a namespace', 'dataSource')
  const isSame = ['apiGroup', 'kind', 'name'].every((field) => given(source, field) === given(reference, field))
  return isSame ? none : problem('equal to dataSourceRef, or left out', 'dataSource')
})

/** The server drops any other dataSource of a claim. */
const sourceOfClaim = whole((spec) => {
  const source = dictAt(spec, 'dataSourceRef')
  if (source === undefined) return none
  const group = textAt(source, 'apiGroup')
  if (group !== '' && !dnsSubdomain.allows(group)) return problem('the name of a group', 'dataSourceRef', 'apiGroup')
  return group === '' && !['', 'PersistentVolumeClaim'].includes(textAt(source, 'kind'))
    ? problem('PersistentVolumeClaim where there is no apiGroup', 'dataSourceRef', 'kind')
    : none
})

const volume = whole((spec) => {
  const [first, second] = volumeSources.filter((name) => isGiven(spec, name))
  const capacity = dictAt(spec, 'capacity') ?? new Dict()
  const root = textAt(spec, 'hostPath', 'path')
  return [
    ...(first === undefined ? problem('a map with a source such as csi or nfs') : none),
    ...(second === undefined ? none : problem(`left out beside ${first ?? ''}`, second)),
    ...(capacity.has('storage') ? none : problem('set', 'capacity', 'storage')),
    ...[...capacity.keys()].flatMap((name) =>
      name === 'storage' ? none : problem('left out: a volume has storage', 'capacity', name),
    ),
    ...(isGiven(spec, 'local') && !isGiven(spec, 'nodeAffinity')
      ? problem('set for a local volume', 'nodeAffinity')
      : none),
    ...(root !== '' && /^\/+(?:\.\/*)*$/.test(root) && textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? problem('another than Recycle for the root of a node', 'persistentVolumeReclaimPolicy')
      : none),
    ...(isGiven(spec, 'nodeAffinity') && dictAt(spec, 'nodeAffinity', 'required') === undefined
      ? problem('set', 'nodeAffinity', 'required')
      : none),
  ]
})

const attributesClass = whole(
  (spec) =>
    isGiven(spec, 'volumeAttributesClassName') && !isGiven(spec, 'csi')
      ? problem('left out unless the source is csi', 'volumeAttributesClassName')
      : none,
  { first: 34 },
)

const secretReferences = whole((source) =>
  ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'].flatMap(
    (field) => {
      const reference = dictAt(source, field)
      if (reference === undefined) return none
      return [
        ...(dnsSubdomain.allows(textAt(reference, 'name')) ? none : problem('the name of a Secret', field, 'name')),
        ...(dnsLabel.allows(textAt(reference, 'namespace')) ? none : problem('a namespace', field, 'namespace')),
      ]
    },
  ),
)

/** The most that a class of storage may say to its driver. */
const MOST_PARAMETERS = 512
const MOST_CHARACTERS = 256 * 1024

const parameters = whole((object) => {
  const found = dictAt(object, 'parameters')
  if (found === undefined) return none
  if (found.size > MOST_PARAMETERS) return problem(`a map of ${String(MOST_PARAMETERS)} entries at most`, 'parameters')
  const length = [...found].reduce(
    (sum, [key, text]) => sum + key.length + (typeof text === 'string' ? text.length : 0),
    0,
  )
  if (length > MOST_CHARACTERS) return problem('256 KiB at most', 'parameters')
  return found.has('') ? problem('a map without an empty key', 'parameters') : none
})

/** A term without expressions is taken for one that stands twice. */
const topology = whole((term) =>
  itemsAt(term, 'matchLabelExpressions').length === 0
    ? problem('a list that is not empty', 'matchLabelExpressions')
    : repeated(itemsAt(term, 'matchLabelExpressions'), (item) => textAt(item, 'key')).flatMap(({ index }) =>
        problem('a key that no expression before it has', 'matchLabelExpressions', index, 'key'),
      ),
)

const topologyValues = whole((item) => {
  const values = itemsAt(item, 'values')
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? problem('another than a value before it', 'values', index) : none,
  )
})

const audiences = whole((spec) => {
  const requests = itemsAt(spec, 'tokenRequests')
  return repeated(requests, (item) => `-${textAt(item, 'audience')}`).flatMap(({ index }) =>
    problem('another than one before it', 'tokenRequests', index, 'audience'),
  )
})

const someEntries: ValueRule = {
  allows: (value) => !(value instanceof Dict) || (value.size > 0 && !value.has('')),
  says: 'a map that is not empty, without an empty key',
}

/** Volumes, claims, and classes of storage. */
export const storageRules: RuleTable = [
  ['api.core.v1.PersistentVolumeClaim', { required: ['spec'] }],
  [
    'api.core.v1.PersistentVolumeClaimSpec',
    {
      required: ['accessModes', 'resources'],
      fields: {
        accessModes: [someItems, eachItem(accessMode)],
        storageClassName: [maybeNamed(dnsSubdomain)],
        volumeAttributesClassName: since(34, maybeNamed(dnsSubdomain)),
        volumeMode: [oneOf('Block', 'Filesystem')],
      },
      whole: [claimed, accessModes, sourceOfClaim, ownSource],
    },
  ],
  ['api.core.v1.TypedLocalObjectReference', { fields: each(['kind', 'name'], notEmpty) }],
  [
    'api.core.v1.TypedObjectReference',
    { fields: { ...each(['kind', 'name'], notEmpty), namespace: [maybeNamed(dnsLabel)] } },
  ],
  ['api.core.v1.PersistentVolume', { required: ['spec'] }],
  [
    'api.core.v1.PersistentVolumeSpec',
    {
      required: ['accessModes'],
      fields: {
        accessModes: [someItems, eachItem(accessMode)],
        capacity: [
          {
            allows: (value) => !(value instanceof Dict) || [...value.values()].every(positiveQuantity.allows),
            says: positiveQuantity.says,
          },
        ],
        persistentVolumeReclaimPolicy: [maybeOneOf('Delete', 'Recycle', 'Retain')],
        storageClassName: [maybeNamed(dnsSubdomain)],
        volumeAttributesClassName: since(34, named(dnsSubdomain)),
        volumeMode: [oneOf('Block', 'Filesystem')],
      },
      whole: [accessModes, volume, attributesClass],
    },
  ],
  [
    'api.core.v1.CSIPersistentVolumeSource',
    { fields: { driver: [csiDriver], volumeHandle: [notEmpty] }, whole: [secretReferences] },
  ],
  [
    'api.core.v1.LocalVolumeSource',
    { fields: { path: [ofText('a path without ..', (text) => text !== '' && !hasBacksteps(text))] } },
  ],
  [
    'api.storage.v1.StorageClass',
    {
      fields: {
        provisioner: [qualifiedName],
        reclaimPolicy: [maybeOneOf('Delete', 'Retain')],
        volumeBindingMode: [oneOf('Immediate', 'WaitForFirstConsumer')],
      },
      whole: [parameters],
    },
  ],
  ['api.core.v1.TopologySelectorTerm', { whole: [topology] }],
  [
    'api.core.v1.TopologySelectorLabelRequirement',
    { fields: { key: [named(labelKey)], values: [someItems] }, whole: [topologyValues] },
  ],
  ['api.storage.v1.CSIDriver', { optional: ['spec'] }],
  [
    'api.storage.v1.CSIDriverSpec',
    {
      fields: {
        volumeLifecycleModes: [eachItem(oneOf('Persistent', 'Ephemeral'))],
        fsGroupPolicy: [oneOf('File', 'None', 'ReadWriteOnceWithFSType')],
      },
      whole: [audiences],
    },
  ],
  ['api.storage.v1.VolumeNodeResources', { fields: { count: [notNegative] } }],
  [
    'api.core.v1.ISCSIPersistentVolumeSource',
    {
      optional: ['lun'],
      fields: { targetPortal: [notEmpty], iqn: [iscsiName], initiatorName: [iscsiName], lun: [lun] },
      whole: [iscsiLogin],
    },
  ],
  ['api.storage.v1.TokenRequest', { optional: ['audience'], fields: { expirationSeconds: [tokenSeconds] } }],
  [
    'api.core.v1.ScaleIOPersistentVolumeSource',
    { optional: ['secretRef'], required: ['volumeName'], fields: each(['gateway', 'system', 'volumeName'], notEmpty) },
  ],
  ['api.core.v1.LocalObjectReference', { emptyKeys: ['name'] }],
  ...['v1', 'v1alpha1', 'v1beta1'].map(
    (version) =>
      [
        `api.storage.${version}.VolumeAttributesClass`,
        { required: ['parameters'], fields: { driverName: [qualifiedName], parameters: [someEntries] } },
      ] as const,
  ),
  ['api.storage.v1.CSINode', { optional: ['spec'] }],
  ['api.storage.v1.CSINodeSpec', { optional: ['drivers'] }],
  ['api.storage.v1.CSINodeDriver', { fields: { nodeID: [notEmpty] } }],
]
