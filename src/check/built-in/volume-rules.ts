import { dictAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { dnsLabel, dnsSubdomain } from '../../model/kubernetes-names.ts'
import { Dict } from '../../model/value.ts'
import {
  type BuiltInRules,
  each,
  fileMode,
  filePath,
  given,
  hasBacksteps,
  isEmpty,
  isGiven,
  maybeOneOf,
  maybeRelativePath,
  named,
  none,
  notEmpty,
  notNegativeQuantity,
  ofText,
  problem,
  range,
  type RuleTable,
  someItems,
  tokenSeconds,
  whole,
} from './rule-parts.ts'
import type { FoundProblem, ObjectRule, ValueRule } from '../schema/schema-node.ts'

const SOURCES: ReadonlySet<string> = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'persistentVolumeClaim',
  'photonPersistentDisk',
  'portworxVolume',
  'projected',
  'quobyte',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphereVolume',
])

/** One source a volume; without one it is an empty folder. */
const oneSource = whole((volume) => {
  const [first, second] = [...volume].flatMap(([name, value]) => (SOURCES.has(name) && value !== null ? [name] : []))
  return first === undefined || second === undefined
    ? none
    : problem(`left out: the volume has ${first}, and one source is all`, second)
})

const oneProjection = whole((source) => {
  const [first, second] = [...source].flatMap(([name, value]) => (value instanceof Dict ? [name] : []))
  return first === undefined || second === undefined ? none : problem(`left out beside ${first}`, second)
})

/** Files of one volume have names of their own. */
const projectedPaths = whole((volume) => {
  const seen = new Set<string>()
  return itemsAt(volume, 'sources').flatMap((source, index) =>
    ['secret', 'configMap', 'downwardAPI'].flatMap((kind) =>
      itemsAt(source, kind, 'items').flatMap((item, at) => {
        const path = textAt(item, 'path')
        if (path === '') return none
        if (seen.has(path))
          return problem('a path that no file before it has', 'sources', index, kind, 'items', at, 'path')
        seen.add(path)
        return none
      }),
    ),
  )
})

/** The driver of a volume. */
export const csiDriver: ValueRule = ofText(
  'the name of a driver: a domain of 63 characters at most',
  (text) => text.length <= 63 && dnsSubdomain.allows(text.toLowerCase()),
)

const hostPath = ofText('a path of the node, not empty and without ..', (text) => text !== '' && !hasBacksteps(text))

/** A disk or who asks for it, in one of three forms. */
export const iscsiName: ValueRule = ofText(
  'a name such as iqn.2001-04.com.example:disk, eui. and 16 or naa. and 32 letters and digits',
  (text) =>
    text.startsWith('iqn')
      ? /iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/.test(text)
      : /^(?:eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32})$/.test(text),
)

/** The number of a disk. */
export const lun: ValueRule = range(0, 255)

/** Who logs in has a password. */
export const iscsiLogin: ObjectRule = whole((source) =>
  ['chapAuthDiscovery', 'chapAuthSession'].some((field) => given(source, field) === true) &&
  !isGiven(source, 'secretRef')
    ? problem('set where chapAuthDiscovery or chapAuthSession is true', 'secretRef')
    : none,
)

/** A template of claims has labels and annotations, and no more. */
const claimMetadata = whole((template) =>
  [...(dictAt(template, 'metadata') ?? new Dict())].flatMap(([name, value]) =>
    name === 'labels' || name === 'annotations' || isEmpty(value)
      ? none
      : problem('left out: a template of claims has labels and annotations', 'metadata', name),
  ),
)

/** The source of a claim that is made later: of a claim itself the server drops what it does not know. */
export function sourceOfTemplate(spec: Dict | undefined, ...place: readonly PathStep[]): readonly FoundProblem[] {
  const source = spec && dictAt(spec, 'dataSource')
  if (source === undefined) return none
  const group = textAt(source, 'apiGroup')
  if (group !== '' && !dnsSubdomain.allows(group))
    return problem('the name of a group', ...place, 'dataSource', 'apiGroup')
  return group === '' && !['', 'PersistentVolumeClaim'].includes(textAt(source, 'kind'))
    ? problem('PersistentVolumeClaim where there is no apiGroup', ...place, 'dataSource', 'kind')
    : none
}

const templateSource = whole((template) => sourceOfTemplate(dictAt(template, 'spec'), 'spec'))

const publishSecret = whole((source) => {
  const reference = dictAt(source, 'nodePublishSecretRef')
  return reference === undefined || dnsSubdomain.allows(textAt(reference, 'name'))
    ? none
    : problem('the name of a Secret', 'nodePublishSecretRef', 'name')
})

const bundle = whole((source) => {
  const [hasName, hasSigner] = [isGiven(source, 'name'), isGiven(source, 'signerName')]
  if (hasName && hasSigner) return problem('left out beside name', 'signerName')
  if (!hasName && !hasSigner) return problem('a map with name or signerName')
  return hasName && isGiven(source, 'labelSelector') ? problem('left out beside name', 'labelSelector') : none
})

const mode = { defaultMode: [fileMode] }
const blockImage: BuiltInRules = { fields: { monitors: [someItems], image: [notEmpty] } }

/** Volumes of pods. */
export const volumeRules: RuleTable = [
  ['api.core.v1.Volume', { fields: { name: [named(dnsLabel)] }, whole: [oneSource] }],
  ['api.core.v1.EmptyDirVolumeSource', { fields: { sizeLimit: [notNegativeQuantity] } }],
  [
    'api.core.v1.HostPathVolumeSource',
    {
      fields: {
        path: [hostPath],
        type: [
          maybeOneOf('BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'),
        ],
      },
    },
  ],
  ['api.core.v1.GitRepoVolumeSource', { fields: { repository: [notEmpty], directory: [maybeRelativePath] } }],
  [
    'api.core.v1.NFSVolumeSource',
    { fields: { server: [notEmpty], path: [ofText('an absolute path', (text) => text.startsWith('/'))] } },
  ],
  ['api.core.v1.SecretVolumeSource', { required: ['secretName'], fields: { secretName: [notEmpty], ...mode } }],
  ['api.core.v1.ConfigMapVolumeSource', { required: ['name'], fields: { name: [notEmpty], ...mode } }],
  ['api.core.v1.DownwardAPIVolumeSource', { fields: mode }],
  ['api.core.v1.ProjectedVolumeSource', { fields: mode, whole: [projectedPaths] }],
  ['api.core.v1.VolumeProjection', { whole: [oneProjection] }],
  ['api.core.v1.SecretProjection', { required: ['name'], fields: { name: [notEmpty] } }],
  ['api.core.v1.ConfigMapProjection', { required: ['name'], fields: { name: [notEmpty] } }],
  [
    'api.core.v1.ServiceAccountTokenProjection',
    {
      fields: {
        path: [filePath],
        expirationSeconds: [tokenSeconds],
      },
    },
  ],
  [
    'api.core.v1.ClusterTrustBundleProjection',
    { fields: { path: [filePath] }, whole: [{ ...bundle, minors: { first: 33 } }] },
  ],
  ['api.core.v1.KeyToPath', { fields: { key: [notEmpty], path: [filePath], mode: [fileMode] } }],
  ['api.core.v1.PersistentVolumeClaimVolumeSource', { fields: { claimName: [notEmpty] } }],
  ['api.core.v1.CSIVolumeSource', { fields: { driver: [csiDriver] }, whole: [publishSecret] }],
  ['api.core.v1.EphemeralVolumeSource', { required: ['volumeClaimTemplate'] }],
  ['api.core.v1.PersistentVolumeClaimTemplate', { whole: [claimMetadata, templateSource] }],
  [
    'api.core.v1.ISCSIVolumeSource',
    {
      optional: ['lun'],
      fields: { targetPortal: [notEmpty], iqn: [iscsiName], initiatorName: [iscsiName], lun: [lun] },
      whole: [iscsiLogin],
    },
  ],
  ['api.core.v1.FlexVolumeSource', { fields: { driver: [notEmpty] } }],
  ['api.core.v1.AzureFileVolumeSource', { fields: each(['secretName', 'shareName'], notEmpty) }],
  [
    'api.core.v1.ScaleIOVolumeSource',
    { optional: ['secretRef'], required: ['volumeName'], fields: each(['gateway', 'system', 'volumeName'], notEmpty) },
  ],
  ['api.core.v1.RBDVolumeSource', blockImage],
  ['api.core.v1.RBDPersistentVolumeSource', blockImage],
  ['api.core.v1.CephFSVolumeSource', { fields: { monitors: [someItems] } }],
  ['api.core.v1.CephFSPersistentVolumeSource', { fields: { monitors: [someItems] } }],
  ['api.core.v1.VsphereVirtualDiskVolumeSource', { fields: { volumePath: [notEmpty] } }],
  ['api.core.v1.GCEPersistentDiskVolumeSource', { fields: { pdName: [notEmpty] } }],
  ['api.core.v1.AWSElasticBlockStoreVolumeSource', { fields: { volumeID: [notEmpty] } }],
  ['api.core.v1.CinderVolumeSource', { fields: { volumeID: [notEmpty] } }],
  ['api.core.v1.CinderPersistentVolumeSource', { fields: { volumeID: [notEmpty] } }],
  ['api.core.v1.PortworxVolumeSource', { fields: { volumeID: [notEmpty] } }],
  ['api.core.v1.PhotonPersistentDiskVolumeSource', { fields: { pdID: [notEmpty] } }],
  ['api.core.v1.GlusterfsVolumeSource', { fields: each(['endpoints', 'path'], notEmpty) }],
  ['api.core.v1.QuobyteVolumeSource', { fields: each(['registry', 'volume'], notEmpty) }],
  ['api.core.v1.StorageOSVolumeSource', { required: ['volumeName'], fields: { volumeName: [notEmpty] } }],
]
