import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { Dict, type Value } from '../model/value.ts'

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Hashes by file name of an old inventory; none of one that is damaged, and none for names that lead out of the folder.
 */
export function readOldInventory(text: string): ReadonlyMap<string, string> {
  const root = parsed(text)
  const files = root instanceof Dict && root.get('kind') === 'Inventory' ? root.get('files') : undefined
  if (!Array.isArray(files)) return NONE
  const entries = files.flatMap((file) => {
    const entry = readEntry(file)
    return entry === undefined ? [] : [entry]
  })
  return new Map(entries)
}

function parsed(text: string): Value {
  try {
    return parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return null
    throw error
  }
}

function readEntry(value: Value): readonly [string, string] | undefined {
  if (!(value instanceof Dict)) return undefined
  const name = value.get('path')
  const hash = value.get('sha256')
  if (typeof name !== 'string' || !/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') return undefined
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? [name, hash] : undefined
}
