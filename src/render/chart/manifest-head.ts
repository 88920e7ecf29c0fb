import { formatFloat32G } from '../../codec/json/go-float.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { shownKey } from '../../model/shown-name.ts'

/** The fields of a document that Helm reads. */
export interface ManifestHead {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly annotations: ReadonlyMap<string, string>
}

/** A document is YAML but its head has the wrong shape. */
export class HeadError extends Error {
  constructor(field: string, value: Value) {
    const found = Array.isArray(value) ? 'a list' : value instanceof Dict ? 'a map' : 'a scalar'
    super(`${field} must not be ${found}`)
    this.name = 'HeadError'
  }
}

/**
 * Reads the head of a document as Helm does (pkg/release/v1/util, SimpleHead): only the first of several documents,
 * field names without regard to case, numbers and booleans taken as text.
 * @throws HeadError when it is no object
 */
export function readManifestHead(value: Value): ManifestHead {
  const document = mapOf(value, 'a document')
  const metadata = mapOf(fieldOf(document, 'metadata'), 'metadata')
  const annotations = mapOf(fieldOf(metadata, 'annotations'), 'metadata.annotations')
  return {
    apiVersion: textOf(fieldOf(document, 'apiVersion'), 'apiVersion'),
    kind: textOf(fieldOf(document, 'kind'), 'kind'),
    name: textOf(fieldOf(metadata, 'name'), 'metadata.name'),
    annotations: new Map([...annotations].map(([key, value]) => [key, textOf(value, `annotation ${shownKey(key)}`)])),
  }
}

function mapOf(value: Value, field: string): Dict {
  if (value instanceof Dict) return value
  if (value === null) return new Dict()
  throw new HeadError(field, value)
}

function fieldOf(map: Dict, name: string): Value {
  const exact = map.get(name)
  if (exact !== undefined) return exact
  for (const [key, value] of map) if (key.toLowerCase() === name.toLowerCase()) return value
  return null
}

function textOf(value: Value, field: string): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return formatFloat32G(value)
  if (value instanceof GoInt) return String(value.value)
  throw new HeadError(field, value)
}
