import { parseGoYaml } from '../../codec/go-yaml/go-yaml-parse.ts'
import type { Manifest, ManifestOrigin } from '../../model/manifest.ts'
import type { Value } from '../../model/value.ts'
import type { LocateText } from '../explain/template-places.ts'
import { parseManifests } from './parse-manifests.ts'
import { Recent } from './recent.ts'

/** Characters of text of which the objects are remembered; they take about ten times that. */
const ROOM = 4_000_000

/** Reads the YAML of rendered documents. What it returns may be shared: never change it. */
export interface DocumentReader {
  /** The first document of a text, as objects of Kubernetes are read. @throws YamlError */
  readonly parse: (text: string) => Value
  /** The objects of a text; see `parseManifests`. @throws StackmasonError OBJECT_INVALID */
  readonly manifests: (text: string, origin: ManifestOrigin, locate?: LocateText) => readonly Manifest[]
}

/**
 * Makes a reader that reads equal texts once, and knows the manifests of equal texts of one template by identity, so
 * that whoever finishes or writes them can know them too: most of a fleet's documents differ by nothing. Sound because
 * both depend on the text and its origin alone.
 */
export function createDocumentReader(): DocumentReader {
  const values = new Recent<{ readonly value: Value }>(ROOM)
  const manifests = new Recent<readonly Manifest[]>(ROOM)
  const parse = (text: string): Value => {
    const known = values.get(text)
    if (known !== undefined) return known.value
    // Helm keeps documents trimmed and ends each with a line break when it writes them: a block scalar at the end keeps
    // its own
    const value = parseGoYaml(`${text}\n`, { integers: 'int' })
    values.set(text, { value }, text.length)
    return value
  }
  return {
    parse,
    manifests(text, origin, locate) {
      const key = [origin.from, origin.unit, origin.template, origin.document ?? 0, text].join('\n')
      const known = manifests.get(key)
      if (known !== undefined) return known
      const found = parseManifests(text, origin, { parse, locate })
      manifests.set(key, found, text.length)
      return found
    },
  }
}
