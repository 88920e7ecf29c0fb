import { withBuiltInDefaults } from '../model/built-in-defaults.ts'
import { fieldAt, textAt } from '../model/field.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'

/**
 * An object of a built-in kind as API servers compare it with another: with its defaults, and without what means the
 * same where it is absent.
 */
export function asStored(object: Dict): Dict {
  const kind = textAt(object, 'kind')
  const stored = withBuiltInDefaults(withoutNothing(object, { kind, parent: '' }))
  return kind === 'Service' ? withBothAddresses(stored) : stored
}

/** Where a map stands: in which kind, and in which field. */
interface Place {
  readonly kind: string
  readonly parent: string
}

function withoutNothing(object: Dict, { kind, parent }: Place): Dict {
  // a revision is kept as it was written, with all that is in it
  if (kind === 'ControllerRevision' && parent === 'data') return object
  const isFree = FREE_MAPS.has(parent)
  const rest = new Dict()
  for (const [name, value] of object) {
    const field = isFree ? value : below(value, { kind, parent: name })
    if (field === null || (!isFree && isNothing(name, field, { kind, parent }))) continue
    rest.set(name, field)
  }
  return rest
}

function below(value: Value, place: Place): Value {
  // maps of free keys are no lists, whatever the name
  if (Array.isArray(value)) return value.map((item) => below(item, { ...place, parent: '' }))
  return value instanceof Dict ? withoutNothing(value, place) : value
}

/**
 * To Go a list without items is no list. Neither is an empty text one, nor an empty map, 0 or `false`, where the field
 * is not a pointer: of those the server keeps both apart.
 */
function isNothing(name: string, value: Value, { kind, parent }: Place): boolean {
  if (Array.isArray(value)) return value.length === 0
  const place = `${parent}.${name}`
  if (POINTERS.has(place) && !(parent === 'csi' && kind === 'PersistentVolume')) return false
  if (value instanceof Dict) return value.size === 0 && PLAIN_MAPS.has(name)
  if (value instanceof GoInt) return value.value === 0n && PLAIN_NUMBERS.has(name)
  return value === '' ? PLAIN_TEXTS.has(name) : value === false && PLAIN_SWITCHES.has(name)
}

/** Fields that are pointers in these places alone; those of `csi` in volumes of pods. */
const POINTERS: ReadonlySet<string> = new Set([
  'azureDisk.fsType',
  'azureDisk.readOnly',
  'csi.fsType',
  'csi.readOnly',
  'dataSource.apiGroup',
  'dataSourceRef.apiGroup',
  'dataSourceRef.namespace',
  'fc.lun',
  'local.fsType',
])

/** Maps whose keys are names that people choose: what they hold is kept as it is. */
const FREE_MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'binaryData',
  'capacity',
  'data',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'options',
  'overhead',
  'parameters',
  'requests',
  'stringData',
  'volumeAttributes',
])

/** Maps that are the same empty and absent. Not those of classes, ConfigMaps and Secrets, which Go compares exactly. */
const PLAIN_MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'capacity',
  'devices',
  'labels',
  'limits',
  'matchLabels',
  'metadata',
  'nodeSelector',
  'options',
  'overhead',
  'requests',
  'volumeAttributes',
])

const PLAIN_NUMBERS: ReadonlySet<string> = new Set([
  'failureThreshold',
  'generation',
  'hostPort',
  'initialDelaySeconds',
  'lun',
  'periodSeconds',
  'successThreshold',
  'timeoutSeconds',
  'value',
])

const PLAIN_TEXTS: ReadonlySet<string> = new Set([
  'apiGroup',
  'apiVersion',
  'dnsPolicy',
  'effect',
  'fsType',
  'generateName',
  'host',
  'hostIP',
  'hostname',
  'imagePullPolicy',
  'key',
  'kind',
  'level',
  'medium',
  'name',
  'namespace',
  'nodeName',
  'operator',
  'path',
  'podManagementPolicy',
  'prefix',
  'priorityClassName',
  'protocol',
  'role',
  'schedulerName',
  'scheme',
  'secretFile',
  'service',
  'serviceAccount',
  'serviceAccountName',
  'serviceName',
  'subPath',
  'subPathExpr',
  'subdomain',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'type',
  'user',
  'value',
  'volumeName',
  'workingDir',
])

const PLAIN_SWITCHES: ReadonlySet<string> = new Set([
  'chapAuthDiscovery',
  'chapAuthSession',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
])

/** The server fills in the one of the two that is absent. */
function withBothAddresses(service: Dict): Dict {
  const spec = service.get('spec')
  if (!(spec instanceof Dict)) return service
  const [address, first] = [fieldAt(spec, 'clusterIP'), fieldAt(spec, 'clusterIPs', 0)]
  if (address === undefined && first !== undefined) spec.set('clusterIP', first)
  if (address !== undefined && address !== '' && first === undefined) spec.set('clusterIPs', [address])
  return service
}
