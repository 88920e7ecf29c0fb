import { baseName } from '../../codec/path.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import { isResourceDefinition, storageVersion } from '../../model/resource-definition.ts'
import { parseOrNull } from './parse-committed.ts'
import type { Texts } from './tree-files.ts'

/** A committed definition: its name, and the version in which its objects are stored. */
export type StoredDefinition = readonly [name: string, version: string]

/** Reads a committed definition; undefined for a file that holds none. */
export type ReadDefinition = (text: string) => StoredDefinition | undefined

/** True if a file of the tree holds a definition, as files are named. */
export function isDefinitionFile(path: string): boolean {
  return path.endsWith('.yaml') && baseName(path).startsWith('customresourcedefinition-')
}

/** Makes a {@link ReadDefinition}: definitions are large, and those of many clusters are alike. */
export function createDefinitionReader(): ReadDefinition {
  const known = new Map<string, StoredDefinition | undefined>()
  return (text) => {
    if (!known.has(text)) known.set(text, readDefinition(text))
    return known.get(text)
  }
}

function readDefinition(text: string): StoredDefinition | undefined {
  const object = parseOrNull(text)
  const head = { apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') }
  const [name, version] = [textAt(object, 'metadata', 'name'), storageVersion(object)]
  return isResourceDefinition(head) && name !== '' && version !== '' ? [name, version] : undefined
}

/** The definitions for which the files beside a Cluster ask the controller, by names of files. */
export function migratedDefinitions(files: Texts, cluster: string): ReadonlySet<string> {
  const migrated = new Set<string>()
  for (const [file, text] of files) {
    if (!file.startsWith(`storagemigration-${cluster}.`)) continue
    const object = parseOrNull(text)
    const [definition] = itemsAt(object, 'spec', 'customResourceDefinitions')
    const isOurs = textAt(object, 'spec', 'clusterRef', 'name') === cluster && typeof definition === 'string'
    if (isOurs && textAt(object, 'metadata', 'name') === `${cluster}.${definition}`) migrated.add(definition)
  }
  return migrated
}
