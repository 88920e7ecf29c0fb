import { formatPointer } from '../../../src/model/field.ts'
import type { LocatedToken, Manifest } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { Dict, type Value } from '../../../src/model/value.ts'
import { manifestOf } from '../../render/stack/objects.ts'

/**
 * A manifest with placeholders as rendering leaves them: `<<NAME>>` in a text of the YAML is one; a text that is
 * `<<NAME:integer>>` is one that the object needs as a number.
 */
export function placeholderManifest(yaml: string, unit = 'addon'): Manifest {
  const tokens = createTokenTable()
  const deferred: LocatedToken[] = []
  const fill = (value: Value, path: readonly string[]): Value => {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, String(index)]))
    if (value instanceof Dict) {
      const copy = new Dict()
      for (const [key, child] of value) copy.set(key, fill(child, [...path, key]))
      return copy
    }
    if (typeof value !== 'string' || !/<<\w+(?::integer)?>>/.test(value)) return value
    const isInteger = value.endsWith(':integer>>')
    const text = value.replaceAll(/<<(\w+?)(?::integer)?>>/g, (_, name: string) =>
      tokens.add({ kind: 'runtime', type: isInteger ? 'port' : 'host', path: name }),
    )
    const written = value.replaceAll(/<<(\w+?)(?::integer)?>>/g, (_, name: string) => `\${${name}}`)
    deferred.push({
      pointer: formatPointer(path),
      text,
      tokens,
      written,
      ...(isInteger && { isInteger: true as const }),
    })
    return written
  }
  const manifest = manifestOf(yaml, unit)
  const object = fill(manifest.object, [])
  if (!(object instanceof Dict)) throw new Error('not a map')
  return { ...manifest, object, deferred }
}
