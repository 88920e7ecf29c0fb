import { isInside } from '../../codec/path.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { HandoffConfig } from '../../model/handoff-config.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'

/** A field of stackmason.yaml that decides about a line of an object of the GitOps tool. */
export interface HandoffSetting {
  /** `spec.handoff.flux.interval` */
  readonly field: string
  /** Its value in stackmason.yaml; of one that is not there what it belongs into. */
  readonly at: Span
  /** Set: the fleet does not say it, and the line has the default. */
  readonly isDefault?: true
}

/** The parts of a fleet that objects of a GitOps tool are made with. */
export type HandoffFleet = Pick<Fleet, 'handoff' | 'handoffAt' | 'handoffFields' | 'outputWritten'>

/** Where the objects of a tool have its settings: path in the object, path below the tool. */
type SettingPlaces = readonly (readonly [place: string, setting: string])[]

const flux: SettingPlaces = [
  ['spec/interval', 'interval'],
  ['spec/retryInterval', 'retryInterval'],
  ['spec/timeout', 'timeout'],
  ['spec/path', 'path'],
  ['spec/sourceRef', 'source'],
  ['spec/sourceRef/kind', 'source.kind'],
  ['spec/sourceRef/name', 'source.name'],
  ['spec/sourceRef/namespace', 'source.namespace'],
  ['spec/serviceAccountName', 'serviceAccountName'],
  ['spec/decryption', 'decryption'],
  ['spec/decryption/provider', 'decryption.provider'],
  ['spec/decryption/secretRef', 'decryption.secretName'],
  ['spec/decryption/secretRef/name', 'decryption.secretName'],
  ['metadata/labels/sharding.fluxcd.io~1key', 'shard'],
]

const application: SettingPlaces = [
  ['spec/project', 'project'],
  ['spec/source/repoURL', 'repoURL'],
  ['spec/source/targetRevision', 'targetRevision'],
  ['spec/source/path', 'path'],
  ['spec/destination/namespace', 'namespace'],
]
const namespaced: SettingPlaces = [['metadata/namespace', 'namespace']]

const argocd: ReadonlyMap<string, SettingPlaces> = new Map([
  ['Application', [...namespaced, ...application]],
  [
    'ApplicationSet',
    [...namespaced, ...application.map(([place, setting]) => [`spec/template/${place}`, setting] as const)],
  ],
  [
    'AppProject',
    [...namespaced, ['metadata/name', 'project'], ['spec/sourceRepos', 'repoURL'], ['spec/sourceRepos/0', 'repoURL']],
  ],
  ['ConfigMap', namespaced],
])

/** Finds the setting that an entry of an object of the GitOps tool was taken from; undefined for all others. */
export function handoffSetting(
  { kind, object }: Pick<Manifest, 'kind' | 'object'>,
  path: readonly PathStep[],
  fleet: HandoffFleet,
): HandoffSetting | undefined {
  const { handoff, handoffAt, handoffFields, outputWritten } = fleet
  if (handoff === undefined || handoffAt === undefined || handoffFields === undefined) return undefined
  const place = path.map((step) => String(step).replaceAll('/', '~1')).join('/')
  const places = handoff.tool === 'flux' ? (kind === 'Kustomization' ? flux : []) : (argocd.get(kind) ?? [])
  const [, setting] = places.find(([known]) => known === place) ?? []
  if (setting === undefined || !isTaken(fieldAt(object, ...path), { object, setting, handoff })) return undefined
  const written = handoffFields.get(`${handoff.tool}.${setting}`)
  const field = `spec.handoff.${handoff.tool}.${setting}`
  if (written !== undefined) return { field, at: written }
  if (setting === 'path' && outputWritten !== undefined) return { field: 'spec.output.path', at: outputWritten.at }
  return { field, at: handoffFields.get(handoff.tool) ?? handoffAt, isDefault: true }
}

interface Taking {
  readonly object: Value
  readonly setting: string
  readonly handoff: HandoffConfig
}

/** True if the value is that of the setting: a template of the fleet's own may write another, and artifacts do. */
function isTaken(value: Value | undefined, { object, setting, handoff }: Taking): boolean {
  if (setting === 'source' || setting.startsWith('source.')) {
    if (handoff.tool !== 'flux') return false
    const { name, kind } = handoff.source
    return [name, kind].every(
      (text, index) => text === fieldAt(object, 'spec', 'sourceRef', ['name', 'kind'][index] ?? ''),
    )
  }
  if (typeof value !== 'string') return true
  const given = settingsOf(handoff).get(setting)
  if (given === undefined) return false
  return setting === 'path' ? given === '.' || isInside(given, value) : value === given
}

function settingsOf(handoff: HandoffConfig): ReadonlyMap<string, string | undefined> {
  if (handoff.tool === 'argocd') {
    const { namespace, project, repoURL, targetRevision, path } = handoff
    return new Map(Object.entries({ namespace, project, repoURL, targetRevision, path }))
  }
  const { interval, retryInterval, timeout, path, serviceAccountName, shard, decryption } = handoff
  return new Map([
    ...Object.entries({ interval, retryInterval, timeout, path, serviceAccountName, shard }),
    ['decryption.provider', decryption?.provider],
    ['decryption.secretName', decryption?.secretName],
  ])
}
