import { fieldAt, isRecord, listField, numberField, textField, textsField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'

/** The spec of a StorageMigration object. */
export interface StorageMigrationSpec {
  /** A Cluster of Cluster API in the namespace of the object; undefined: the cluster that the controller works on. */
  readonly clusterName: string | undefined
  /** Names of definitions in their order, or the labels of those that are meant. */
  readonly definitions: readonly string[] | ReadonlyMap<string, string>
  readonly objectsPerSecond: number
  /** Nothing is written. */
  readonly isPreflight: boolean
  /** Definitions with another storage version are waited for; undefined: each is migrated to the one that it has. */
  readonly storageVersion: string | undefined
}

const definitionName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/
const MOST_DEFINITIONS = 128
const PER_SECOND = 20
const MOST_PER_SECOND = 1000

/**
 * Reads what is asked for; the API server has checked it by the definition, but maybe by that of another version.
 * @throws RangeError that says which part is not understood
 */
export function readSpec(object: KubeObject): StorageMigrationSpec {
  const spec = fieldAt(object.content, 'spec')
  const clusterRef = fieldAt(spec, 'clusterRef')
  const clusterName = textField(clusterRef, 'name')
  if (clusterRef !== undefined && (clusterName ?? '') === '') throw new RangeError('clusterRef has no name')
  const objectsPerSecond = numberField(spec, 'objectsPerSecond') ?? PER_SECOND
  if (!Number.isInteger(objectsPerSecond) || objectsPerSecond < 1 || objectsPerSecond > MOST_PER_SECOND) {
    throw new RangeError(`objectsPerSecond must be from 1 to ${String(MOST_PER_SECOND)}`)
  }
  const storageVersion = textField(spec, 'storageVersion')
  if (fieldAt(spec, 'storageVersion') !== undefined && (storageVersion ?? '') === '')
    throw new RangeError('storageVersion must be a text, and not empty')
  return {
    clusterName,
    definitions: readDefinitions(spec),
    objectsPerSecond,
    isPreflight: fieldAt(spec, 'preflight') === true,
    storageVersion,
  }
}

function readDefinitions(spec: unknown): StorageMigrationSpec['definitions'] {
  const named = fieldAt(spec, 'customResourceDefinitions')
  const labels = fieldAt(spec, 'selector', 'matchLabels')
  if ((named === undefined) === (labels === undefined)) {
    throw new RangeError('name customResourceDefinitions, or select them by label; not both, not neither')
  }
  if (labels !== undefined) {
    const texts = textsField(spec, 'selector', 'matchLabels')
    const isWhole = isRecord(labels) && texts.size === Object.keys(labels).length && texts.size > 0
    if (!isWhole) throw new RangeError('selector.matchLabels must be a map of texts, and not empty')
    return texts
  }
  const names = listField(spec, 'customResourceDefinitions').map((name, index) => {
    if (typeof name === 'string' && name.length <= 253 && definitionName.test(name)) return name
    throw new RangeError(`customResourceDefinitions[${String(index)}] is not named <plural>.<group>`)
  })
  if (names.length === 0 || names.length > MOST_DEFINITIONS) {
    throw new RangeError(`customResourceDefinitions must be 1 to ${String(MOST_DEFINITIONS)} names`)
  }
  return [...new Set(names)]
}
