import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../../../src/model/field.ts'
import type { Manifest, RenderedFolder } from '../../../src/model/manifest.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { serializeFolder } from '../../../src/write/serialize-folder.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { evaluate } from './go-template.ts'

/** Writes the files of folders as `render` does. */
export async function writeFolders(root: string, written: readonly RenderedFolder[]): Promise<void> {
  for (const folder of written) {
    const { files } = serializeFolder(folder, createNodePorts().crypto)
    await mkdir(join(root, folder.path), { recursive: true })
    for (const [name, { bytes }] of files) await writeFile(join(root, folder.path, name), bytes)
  }
}

/** What `kubectl kustomize` makes of a folder, in an order of its own. */
export function kustomize(folder: string): readonly string[] {
  const text = execFileSync(kubeBinaries()?.kubectl ?? '', ['kustomize', folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
  return sorted(parseAllDocuments(text).map((document) => document.toJS() as unknown))
}

/** Objects as text, in an order of their own. */
export function sorted(objects: readonly unknown[]): readonly string[] {
  return objects.map((object) => stringify(object, { sortMapEntries: true })).toSorted()
}

/** The objects of folders as plain values. */
export function objectsOf(of: readonly RenderedFolder[]): readonly unknown[] {
  return of.flatMap(({ manifests }) => manifests.map(({ object }): unknown => JSON.parse(formatGoJson(object))))
}

/**
 * Adds to a folder's kustomization.yaml the patches of an ApplicationSet for these values, as Argo CD does; tells how
 * many.
 */
export async function addPatches(
  folder: string,
  set: Manifest | undefined,
  values: Readonly<Record<string, string>>,
): Promise<number> {
  const annotations = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`values.stackmason.dev/${name}`, value]),
  )
  const found = itemsAt(set?.object ?? null, 'spec', 'template', 'spec', 'source', 'kustomize', 'patches')
  const patches = found.map((patch) => ({
    ...(fieldAt(patch, 'target') !== undefined && {
      target: JSON.parse(formatGoJson(fieldAt(patch, 'target') ?? null)) as unknown,
    }),
    patch: evaluate(textAt(patch, 'patch'), annotations),
  }))
  const file = join(folder, 'kustomization.yaml')
  const kustomization: unknown = parse(await readFile(file, 'utf8'))
  await writeFile(file, stringify({ ...Object(kustomization), patches }))
  return patches.length
}
