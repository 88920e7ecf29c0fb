import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatGoJson } from '../../codec/json/go-json.ts'
import { dictAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

const KIB = 1024
/** Of all annotations of an object (apimachinery, ValidateAnnotationsSize). */
const MAX_ANNOTATIONS = 256 * KIB
/** Of the data of a ConfigMap or Secret (k8s.io/api/core/v1, MaxSecretSize). */
const MAX_DATA = 1024 * KIB
/** Of a request to etcd, by default. */
const MAX_OBJECT = 1536 * KIB

/** Objects that no API server stores, because they are too large. */
export const oversizedObjects: Rule = unitRule(
  {
    code: 'OBJECT_TOO_LARGE',
    severity: 'error',
    explanation: [
      'API servers refuse more than 256 KiB of annotations and ConfigMaps and Secrets of more than 1 MiB; etcd refuses requests of more than 1.5 MiB by default. The whole unit of such an object fails.',
    ],
  },
  (unit) => (unit.isKept ? [] : unit.folders.flatMap(({ manifests }) => manifests.flatMap(oversized))),
)

function oversized(manifest: Manifest): readonly RuleFinding[] {
  const { object } = manifest
  const excess = (what: string, limit: number, ...path: readonly string[]): readonly RuleFinding[] => [
    {
      message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${what} more than ${String(limit / KIB)} KiB, which API servers refuse`,
      ...placeIn(manifest, ...path),
      hint: 'Divide it among several objects, or leave out what is not needed.',
    },
  ]
  const annotations = dictAt(object, 'metadata', 'annotations')
  if (annotations !== undefined && bytesOf(annotations) > MAX_ANNOTATIONS)
    return excess('its annotations have', MAX_ANNOTATIONS, 'metadata', 'annotations')
  // most objects are small, and need no writing
  if (isSmall(object)) return []
  const text = formatGoJson(object)
  const isData = manifest.apiVersion === 'v1' && (manifest.kind === 'ConfigMap' || manifest.kind === 'Secret')
  const data = dictAt(object, 'data') ?? new Dict()
  // what base64 holds is three quarters of it
  const share = manifest.kind === 'Secret' ? 0.75 : 1
  if (isData && bytesOf(data) * share > MAX_DATA) return excess('its data has', MAX_DATA, 'data')
  return encodeUtf8(text).length > MAX_OBJECT ? excess('it has', MAX_OBJECT) : []
}

/** Objects that were looked at: clusters have many in common. */
const known = new WeakMap<Dict, boolean>()

/** True for what is below all limits, however it is written: JSON needs six characters for one at most. */
function isSmall(object: Dict): boolean {
  const before = known.get(object) ?? lengthOf(object) <= MAX_DATA / 4
  known.set(object, before)
  return before
}

/** The characters in a value, and some for each mark between them. */
function lengthOf(value: Value): number {
  if (typeof value === 'string') return value.length + 4
  let length = 8
  if (Array.isArray(value)) for (const item of value) length += lengthOf(item)
  else if (value instanceof Dict) for (const [key, child] of value) length += key.length + 4 + lengthOf(child)
  return length
}

function bytesOf(map: Dict): number {
  let bytes = 0
  for (const [key, value] of map)
    bytes += encodeUtf8(key).length + (typeof value === 'string' ? encodeUtf8(value).length : 0)
  return bytes
}
