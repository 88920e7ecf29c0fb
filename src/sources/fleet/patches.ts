import { placeOf } from '../../codec/yaml/positioned-yaml.ts'
import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { JsonPatchOperation, Patch } from '../../model/fleet.ts'
import { Dict } from '../../model/value.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { type ConfigDocument, isMapDocument, parseObjectDocuments } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { type FolderEntry, readSource } from './fleet-files.ts'
import type { Reading } from './reading.ts'

/** The patches of the given files, in the order of files and documents; problems are noted. */
export async function readPatches(files: readonly FolderEntry[], reading: Reading): Promise<readonly Patch[]> {
  const patches: Patch[] = []
  for (const file of files) {
    const source = await readSource(file.path, reading)
    if (source === undefined) continue
    for (const document of parseObjectDocuments(source, documentKinds.patch, reading)) {
      const patch = readPatch(document, reading)
      if (patch !== undefined) patches.push(patch)
    }
  }
  return patches
}

function readPatch(document: ConfigDocument, reading: Reading): Patch | undefined {
  if (!isMapDocument(document, documentKinds.patch, reading)) return undefined
  if (!checkKind(document, documentKinds.patch, reading)) return undefined
  if (!checkSchema(document, 'patch', reading)) return undefined
  const { value } = document
  const target = dictAt(value, 'spec', 'target') ?? new Dict()
  const text = (key: keyof Patch['target']): Patch['target'] => {
    const found = target.get(key)
    return typeof found === 'string' ? { [key]: found } : {}
  }
  const mergePatch = dictAt(value, 'spec', 'mergePatch')
  const isJsonPatch = fieldAt(value, 'spec', 'jsonPatch') !== undefined
  return {
    target: {
      ...text('group'),
      ...text('version'),
      ...text('kind'),
      ...text('name'),
      ...text('namespace'),
      ...text('addon'),
    },
    ...(isJsonPatch && { jsonPatch: readOperations(document) }),
    ...(mergePatch !== undefined && { mergePatch }),
    optional: fieldAt(value, 'spec', 'optional') === true,
    at: document.spanOf(['spec', 'target'], 'key'),
    document: placeOf(document),
  }
}

const operations: readonly JsonPatchOperation['op'][] = ['add', 'remove', 'replace', 'move', 'copy', 'test']

function readOperations(document: ConfigDocument): readonly JsonPatchOperation[] {
  return itemsAt(document.value, 'spec', 'jsonPatch').flatMap((item, index) => {
    const op = operations.find((known) => known === textAt(item, 'op'))
    if (op === undefined) return []
    const from = fieldAt(item, 'from')
    const value = fieldAt(item, 'value')
    return {
      op,
      path: textAt(item, 'path'),
      ...(typeof from === 'string' && { from }),
      ...(value !== undefined && { value }),
      at: document.spanOf(['spec', 'jsonPatch', index, 'path']),
    }
  })
}
