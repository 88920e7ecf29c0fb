import { Dict, goTypeOf, type Value } from '../model/value.ts'
import { parseGoYaml, YamlError } from './go-yaml/go-yaml-parse.ts'
import { mergeMaps } from './merge-maps.ts'

/**
 * Reads values as Helm does (pkg/chart/v2/loader, LoadValues): every document of the text must be a map, later ones are
 * merged over earlier ones, numbers are float64. Text without values gives an empty map.
 * @throws YamlError
 */
export function parseValues(text: string): Dict {
  let values = new Dict()
  for (const { start, end } of splitDocuments(text)) {
    const document = parseDocument(text.slice(start, end), start)
    if (document === null) continue
    if (!(document instanceof Dict)) {
      const found = Array.isArray(document) ? 'array' : goTypeOf(document).replace('float64', 'number')
      throw new YamlError(`values must be a map, not ${found}`, start)
    }
    values = mergeMaps(values, document)
  }
  return values
}

function parseDocument(text: string, offset: number): Value {
  try {
    return parseGoYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const { problem } = error
    throw new YamlError(error.message, offset + error.offset, { ...problem, from: offset + problem.from })
  }
}

interface DocumentRange {
  readonly start: number
  readonly end: number
}

/** Cuts at lines that start with `---` and say no more than a comment (k8s.io/apimachinery util/yaml, YAMLReader). */
function splitDocuments(text: string): readonly DocumentRange[] {
  const ranges: DocumentRange[] = []
  let start = 0
  for (const match of text.matchAll(/^---(.*)$/gm)) {
    const rest = match[1]?.trim() ?? ''
    if (rest !== '' && !rest.startsWith('#')) {
      const unquoted = 'error reading yaml document: invalid Yaml document separator'
      const message = `${unquoted}: ${rest}`
      throw new YamlError(message, match.index, { text: message, from: match.index, unquoted })
    }
    if (match.index > start) ranges.push({ start, end: match.index })
    start = match.index + match[0].length
  }
  return [...ranges, { start, end: text.length }]
}
