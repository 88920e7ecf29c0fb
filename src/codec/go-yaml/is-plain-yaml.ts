import {
  ALIAS,
  ANCHOR,
  GoYamlScanner,
  PLAIN,
  STREAM_END,
  TAG,
  TAG_DIRECTIVE,
  VERSION_DIRECTIVE,
} from './go-yaml-scanner.ts'

const PECULIAR: ReadonlySet<number> = new Set([ALIAS, ANCHOR, TAG, TAG_DIRECTIVE, VERSION_DIRECTIVE])

/**
 * True if a text has no anchors, aliases, tags, directives and merge keys, of which readers of YAML make different
 * things.
 * @throws YamlError
 */
export function isPlainYaml(text: string): boolean {
  const scanner = new GoYamlScanner(text)
  for (let type = scanner.peek(); type !== STREAM_END; type = scanner.peek()) {
    if (PECULIAR.has(type) || (type === PLAIN && scanner.text === '<<')) return false
    scanner.skip()
  }
  return true
}
