import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { KUSTOMIZATION_FILE } from '../model/tree-path.ts'
import { dict, Dict, type Value } from '../model/value.ts'

/** A file of a folder: its name and its text. */
export interface NamedText {
  readonly name: string
  readonly text: string
}

/**
 * Returns what finds the committed file that says the same as one that is to be written, whatever its name and the
 * order of what it says; each is found once.
 */
export function createCommittedFiles(
  committed: ReadonlyMap<string, string>,
): (file: NamedText) => NamedText | undefined {
  let byContent: Map<string, string[]> | undefined
  const taken = new Set<string>()
  const namesOf = (content: string): readonly string[] => {
    byContent ??= groupByContent(committed)
    return (byContent.get(content) ?? []).filter((name) => !taken.has(name))
  }
  return ({ name, text }) => {
    if (committed.get(name) !== text) {
      const names = namesOf(contentOf(name, text) ?? '')
      const found = names.includes(name) ? name : names.find((other) => !isList(other) && !isList(name))
      if (found === undefined) return undefined
      taken.add(found)
      return { name: found, text: committed.get(found) ?? text }
    }
    taken.add(name)
    return { name, text }
  }
}

function groupByContent(committed: ReadonlyMap<string, string>): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [name, text] of committed) {
    const content = contentOf(name, text)
    if (content !== undefined) names.set(content, [...(names.get(content) ?? []), name])
  }
  return names
}

function isList(name: string): boolean {
  return name === KUSTOMIZATION_FILE
}

/** The content of a file in one form; undefined for one that holds no object. */
function contentOf(name: string, text: string): string | undefined {
  try {
    const value = parseGoYaml(text, { integers: 'int' })
    if (!(value instanceof Dict)) return undefined
    return formatManifestYaml(isList(name) ? inOneOrder(value) : value)
  } catch (error) {
    if (error instanceof YamlError || error instanceof StackmasonError) return undefined
    throw error
  }
}

/** GitOps tools order what a kustomization.yaml lists by themselves. */
function inOneOrder(kustomization: Dict): Dict {
  const listed = kustomization.get('resources')
  const resources: readonly Value[] = Array.isArray(listed) ? listed : []
  return dict([...kustomization, ['resources', resources.map(String).toSorted()]])
}
