import { withBuiltInDefaults } from '../model/built-in-defaults.ts'
import { fieldAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'

/**
 * An object of a built-in kind as API servers compare it with another: with its defaults, and without what means the
 * same where it is absent.
 */
export function asStored(object: Dict): Dict {
  const stored = withBuiltInDefaults(withoutNothing(object))
  return textAt(stored, 'kind') === 'Service' ? withBothAddresses(stored) : stored
}

function withoutNothing(object: Dict): Dict {
  const rest = new Dict()
  for (const [name, value] of object) {
    if (isNothing(name, value)) continue
    rest.set(name, value instanceof Dict ? withoutNothing(value) : Array.isArray(value) ? value.map(below) : value)
  }
  return rest
}

function below(value: Value): Value {
  if (Array.isArray(value)) return value.map(below)
  return value instanceof Dict ? withoutNothing(value) : value
}

/** To Go a list without items is no list, and `false` is no value where the field is not a pointer. */
function isNothing(name: string, value: Value): boolean {
  if (value === null || (Array.isArray(value) && value.length === 0)) return true
  return value === false && PLAIN_SWITCHES.has(name)
}

/** Fields of pods and volumes in which absent means `false`; of others the server keeps both apart. */
const PLAIN_SWITCHES: ReadonlySet<string> = new Set([
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
