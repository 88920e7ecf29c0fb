import { failParse } from './go-yaml-cursor.ts'
import { DOCUMENT_START, type GoYamlScanner, TAG_DIRECTIVE, VERSION_DIRECTIVE } from './go-yaml-scanner.ts'

/** Reads the directives before a document and returns the prefixes of tags by handle. @throws YamlError */
export function parseDirectives(scanner: GoYamlScanner): ReadonlyMap<string, string> {
  const handles = new Map<string, string>()
  let hasVersion = false
  let type = scanner.peek()
  const hasDirectives = type === VERSION_DIRECTIVE || type === TAG_DIRECTIVE
  for (; type === VERSION_DIRECTIVE || type === TAG_DIRECTIVE; type = scanner.peek()) {
    const { text, suffix, start, cursor } = scanner
    if (type === VERSION_DIRECTIVE) {
      if (hasVersion) throw failParse(cursor, start, 'found duplicate %YAML directive')
      if (Number(text) !== 1 || Number(suffix) !== 1) throw failParse(cursor, start, 'found incompatible YAML document')
      hasVersion = true
    } else {
      if (handles.has(text)) throw failParse(cursor, start, 'found duplicate %TAG directive')
      handles.set(text, suffix)
    }
    scanner.skip()
  }
  if (hasDirectives && type !== DOCUMENT_START) {
    throw failParse(scanner.cursor, scanner.start, 'did not find expected <document start>')
  }
  if (!handles.has('!')) handles.set('!', '!')
  if (!handles.has('!!')) handles.set('!!', 'tag:yaml.org,2002:')
  return handles
}
