import { encodeValue } from '../../generate/published-value.ts'
import type { BoundValue, Placeholder } from '../../model/binding.ts'
import { chartRootOf } from '../../model/class-reference.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { holdsAssumption, refuseRuntimeValue } from '../../model/runtime-value.ts'
import { GoInt, type Value } from '../../model/value.ts'
import type { BoundCluster } from './bind-cluster.ts'
import { replaceValues } from './replace-values.ts'

/**
 * Fills placeholders with values that are given for a preview, as the tool would in the cluster: into the finished
 * objects, text as text and numbers as numbers. A placeholder stays where one of its values is not given.
 * @throws StackmasonError CONFIG_WRONG_TYPE for a value that the controller would not publish
 */
export function fillPlaceholders(bound: BoundCluster, given: Cluster['runtimeValues']): BoundCluster {
  if (given.size === 0) return bound
  const texts = publishedTexts(bound.binding.values, given)
  const filled = new Map<string, Map<string, Value>>()
  const open = bound.placeholders.filter((placeholder) => {
    const value = filledValue(placeholder, texts)
    if (value === undefined) return true
    const key = `${placeholder.folder}\n${objectKey(placeholder.object)}`
    filled.set(key, (filled.get(key) ?? new Map<string, Value>()).set(placeholder.pointer, value))
    return false
  })
  const folders = bound.folders.map((folder) => ({
    ...folder,
    manifests: folder.manifests.map((manifest) => {
      const values = filled.get(`${folder.path}\n${objectKey(manifest)}`)
      return values === undefined ? manifest : withValues(manifest, values)
    }),
  }))
  return { ...bound, folders, placeholders: open }
}

function objectKey({ apiVersion, kind, namespace = '', name }: Placeholder['object']): string {
  return [apiVersion, kind, namespace, name].join('\n')
}

/** The texts that the controller would publish, by name. */
function publishedTexts(values: readonly BoundValue[], given: Cluster['runtimeValues']): ReadonlyMap<string, string> {
  // a field can be published in two ways
  const problems = new Map<string, Diagnostic>()
  const texts = values.flatMap(({ name, from, type, encode, assumptions }): [string, string][] => {
    if (!('fieldPath' in from)) return []
    const path = `${chartRootOf(from.kind)}.${from.fieldPath}`
    const entry = given.get(path)
    if (entry === undefined) return []
    const { value, at } = entry
    const refusal = refuseRuntimeValue(type, value)
    const broken = assumptions.find((assumption) => !holdsAssumption(value, assumption))
    const problem =
      refusal ??
      (broken === undefined
        ? undefined
        : `must ${'isSet' in broken ? 'be set' : `not be "${broken.notEqual}"`}: charts were rendered on that`)
    if (problem !== undefined)
      problems.set(path, { code: 'CONFIG_WRONG_TYPE', severity: 'error', message: `${path} ${problem}`, at })
    return [[name, encodeValue(value, encode)]]
  })
  if (problems.size > 0) throw new StackmasonError([...problems.values()])
  return new Map(texts)
}

function filledValue({ parts, names, isInteger }: Placeholder, texts: ReadonlyMap<string, string>): Value | undefined {
  if (!names.every((name) => texts.has(name))) return undefined
  const filled = parts.map((part) => ('text' in part ? part.text : (texts.get(part.name) ?? ''))).join('')
  return isInteger === true && /^-?[0-9]+$/.test(filled) ? new GoInt(BigInt(filled), 'int64') : filled
}

function withValues({ deferred = [], ...manifest }: Manifest, values: ReadonlyMap<string, Value>): Manifest {
  const left = deferred.filter(({ pointer }) => !values.has(pointer))
  return { ...manifest, object: replaceValues(manifest.object, values), ...(left.length > 0 && { deferred: left }) }
}
