import type { Value } from '../../model/value.ts'
import { YamlBuilder, type YamlBuildOptions } from './go-yaml-build.ts'
import { YamlError } from './go-yaml-error.ts'
import { GoYamlScanner, STREAM_END } from './go-yaml-scanner.ts'
import { readQuickYaml } from './quick-yaml.ts'

export { YamlError }

/** How {@link parseGoYaml} reads numbers; default `float64`. */
export type YamlParseOptions = Partial<Pick<YamlBuildOptions, 'integers'>>

/**
 * Reads the first document as sigs.k8s.io/yaml v1.6 does, which is how Helm and Kubernetes read YAML: go-yaml v2 (YAML
 * 1.1 with exceptions), then JSON. No document is null; of equal keys the last wins; keys that are no strings become
 * strings.
 * @throws YamlError with go-yaml's message
 */
export function parseGoYaml(text: string, { integers = 'float64' }: YamlParseOptions = {}): Value {
  const quick = readQuickYaml(text, { integers, words: 'bool', places: 'none' })
  return quick === undefined ? parseWhole(text, integers) : quick.value
}

function parseWhole(text: string, integers: YamlBuildOptions['integers']): Value {
  const scanner = new GoYamlScanner(text)
  if (scanner.peek() === STREAM_END) return null
  const builder = new YamlBuilder(scanner, { integers, words: 'bool' })
  const value = builder.readDocument()
  // what follows is looked at, but not whether it may follow
  scanner.peek()
  const problem = builder.problem(value)
  if (problem !== undefined) throw problem
  return value
}
