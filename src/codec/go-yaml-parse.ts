import { parseAllDocuments } from 'yaml'
import { Dict, GoInt, type Value } from '../model/value.ts'

/** Text that go-yaml would not read. */
export class YamlError extends Error {
  /** UTF-16 offset of the problem. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'YamlError'
    this.offset = offset
  }
}

/** How {@link parseGoYaml} reads numbers. */
export interface YamlParseOptions {
  readonly integers?: 'float64' | 'int'
}

/**
 * Reads the first document as sigs.k8s.io/yaml does.
 * @throws YamlError
 */
export function parseGoYaml(text: string, options: YamlParseOptions = {}): Value {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    uniqueKeys: false,
    merge: true,
    intAsBigInt: options.integers === 'int',
  })
  if (!Array.isArray(documents)) return null
  const document = documents[0]
  if (document === undefined) return null
  const problem = document.errors[0]
  if (problem !== undefined)
    throw new YamlError(`error converting YAML to JSON: yaml: ${problem.message}`, problem.pos[0])
  return convert(document.toJS({ mapAsMap: true, maxAliasCount: 1000 }))
}

function convert(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return new GoInt(value, 'int64')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(convert)
  const result = new Dict()
  if (value instanceof Map) for (const [key, item] of value) result.set(String(key), convert(item))
  return result
}
