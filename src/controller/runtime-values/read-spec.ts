import type {
  BoundValue,
  ExistingSecret,
  GeneratedSecret,
  Generator,
  SecretEntry,
  ValueOrigin,
} from '../../model/binding.ts'
import type { RuntimeKind } from '../../model/class-reference.ts'
import type { TokenAssumption, TokenType } from '../../model/token.ts'
import { fieldAt, listField, textField, textsField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'

/** The spec of a RuntimeValues object. */
export interface RuntimeValuesSpec {
  readonly clusterName: string
  readonly values: readonly BoundValue[]
  readonly generators: readonly Generator[]
  /** Secrets of the workload cluster. */
  readonly secrets: readonly GeneratedSecret[]
  /** Where the values go; empty where there are none. */
  readonly configMap: string
  /** Argo CD is to know the cluster, with the values. */
  readonly argoCluster: boolean
}

const kinds: readonly RuntimeKind[] = ['Cluster', 'ControlPlane', 'InfrastructureCluster']
const types: readonly TokenType[] = ['host', 'port', 'id', 'string', 'integer']
const encodings: readonly NonNullable<BoundValue['encode']>[] = ['base64', 'escaped']
/** A key that Flux takes; it refuses a whole map for any other. */
const valueName = /^[A-Za-z](?:[A-Za-z0-9_]*[A-Za-z0-9])?$/

/**
 * Reads what is asked for; the API server has checked it by the definition, but maybe by that of another version.
 * @throws RangeError that says which part is not understood
 */
export function readSpec(object: KubeObject): RuntimeValuesSpec {
  const spec = fieldAt(object.content, 'spec')
  const values = listField(spec, 'values').map(readValue)
  const configMap = textField(spec, 'publish', 'configMap') ?? ''
  const argoCluster = fieldAt(spec, 'publish', 'argoCluster') === true
  if (values.length > 0 && configMap === '' && !argoCluster) throw new RangeError('publish.configMap is missing')
  return {
    clusterName: textField(spec, 'clusterName') ?? object.name,
    values,
    generators: listField(spec, 'generators').map(readGenerator),
    secrets: listField(spec, 'secrets').map(readSecret),
    configMap,
    argoCluster,
  }
}

function readValue(value: unknown, index: number): BoundValue {
  const name = textField(value, 'name') ?? ''
  const at = `values[${String(index)}]`
  if (name.length > 63 || !valueName.test(name)) throw new RangeError(`${at}.name is no name of a variable`)
  const type = oneOf(types, textField(value, 'type'))
  if (type === undefined) throw new RangeError(`${at}.type is not known`)
  const from = readOrigin(fieldAt(value, 'from'))
  if (from === undefined) throw new RangeError(`${at}.from is neither a field nor a generator`)
  const asked = textField(value, 'encode')
  const encode = oneOf(encodings, asked)
  if (asked !== encode) throw new RangeError(`${at}.encode is not known`)
  const assumptions = listField(value, 'assumptions').map((assumption) => {
    const read = readAssumption(assumption)
    if (read === undefined) throw new RangeError(`${at}.assumptions holds one that is not known`)
    return read
  })
  return { name, type, from, ...(encode !== undefined && { encode }), assumptions }
}

function readOrigin(from: unknown): ValueOrigin | undefined {
  const kind = oneOf(kinds, textField(from, 'kind'))
  const [fieldPath, generator, part] = [
    textField(from, 'fieldPath'),
    textField(from, 'generator'),
    textField(from, 'part'),
  ]
  if (kind !== undefined && fieldPath !== undefined && generator === undefined) return { kind, fieldPath }
  return generator !== undefined && part !== undefined && kind === undefined ? { generator, part } : undefined
}

function readAssumption(assumption: unknown): TokenAssumption | undefined {
  const notEqual = textField(assumption, 'notEqual')
  if (notEqual !== undefined) return { notEqual }
  return fieldAt(assumption, 'isSet') === true ? { isSet: true } : undefined
}

function readGenerator(generator: unknown, index: number): Generator {
  const [name, made] = [textField(generator, 'name'), textField(generator, 'function')]
  if (name === undefined || made === undefined)
    throw new RangeError(`generators[${String(index)}] has no name or function`)
  const args = listField(generator, 'arguments').map((argument) => {
    if (typeof argument !== 'string') throw new RangeError(`generators[${String(index)}].arguments are no texts`)
    return argument
  })
  const existing = readExisting(fieldAt(generator, 'existing'), `generators[${String(index)}].existing`)
  return { name, function: made, arguments: args, ...(existing !== undefined && { existing }) }
}

function readExisting(existing: unknown, at: string): ExistingSecret | undefined {
  if (existing === undefined) return undefined
  const keys = listField(existing, 'keys').map((entry) => {
    const [part, key] = [textField(entry, 'part'), textField(entry, 'key')]
    if (part === undefined || key === undefined) throw new RangeError(`${at}.keys holds one without part or key`)
    return { part, key }
  })
  return { ...readPlace(existing, at), keys }
}

/** A name of an object, or of its namespace. */
const objectName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

function readPlace(value: unknown, at: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = [textField(value, 'namespace'), textField(value, 'name')]
  if (!objectName.test(namespace) || !objectName.test(name)) throw new RangeError(`${at} names no Secret`)
  return { namespace, name }
}

function readSecret(secret: unknown, index: number): GeneratedSecret {
  const at = `secrets[${String(index)}]`
  const type = textField(secret, 'type')
  const data = listField(secret, 'data').map((entry) => {
    const read = readEntry(entry)
    if (read === undefined) throw new RangeError(`${at}.data holds an entry that is not understood`)
    return read
  })
  if (data.length === 0) throw new RangeError(`${at} has no data`)
  return {
    ...readPlace(secret, at),
    ...(type !== undefined && { type }),
    labels: textsField(secret, 'labels'),
    annotations: textsField(secret, 'annotations'),
    data,
  }
}

function readEntry(entry: unknown): SecretEntry | undefined {
  const [key, generator, part] = [textField(entry, 'key'), textField(entry, 'generator'), textField(entry, 'part')]
  const [template, asked] = [textField(entry, 'template'), textField(entry, 'decode')]
  if (key === undefined || !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || (asked ?? 'base64') !== 'base64') return undefined
  const common: Pick<SecretEntry, 'key' | 'decode'> = { key, ...(asked !== undefined && { decode: 'base64' }) }
  if (template !== undefined && generator === undefined) return { ...common, template }
  return generator !== undefined && part !== undefined && template === undefined
    ? { ...common, generator, part }
    : undefined
}

function oneOf<T extends string>(choices: readonly T[], text: string | undefined): T | undefined {
  return choices.find((choice) => choice === text)
}
