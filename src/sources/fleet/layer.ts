import { joinPath } from '../../codec/path.ts'
import type { Patch, ValuesFile } from '../../model/fleet.ts'
import { Dict } from '../../model/value.ts'
import { type Addons, noAddons, readAddons } from './addons-document.ts'
import { checkSchema } from './check-schema.ts'
import { parseDocuments } from './config-document.ts'
import { type FolderEntry, listFolder, readSource } from './fleet-files.ts'
import { readPatches } from './patches.ts'
import type { Reading } from './reading.ts'
import { noteUnread } from './unread-files.ts'

/** The declarations of one folder below clusters/ for everything below it. */
export interface Layer {
  readonly addons: Addons
  /** By addon name. */
  readonly values: ReadonlyMap<string, ValuesFile>
  readonly patches: readonly Patch[]
  /** Entries of the folder that are none of these. */
  readonly rest: readonly FolderEntry[]
}

/** Reads addons.yaml, values/ and patches/ of a folder as far as they are there; problems are noted. */
export async function readLayer(entries: readonly FolderEntry[], reading: Reading): Promise<Layer> {
  const find = (name: string, type: FolderEntry['type']): FolderEntry | undefined =>
    entries.find((entry) => entry.name === name && entry.type === type)
  const addonsFile = find('addons.yaml', 'file')
  const valuesFolder = find('values', 'directory')
  const patchesFolder = find('patches', 'directory')
  return {
    addons: addonsFile === undefined ? noAddons : await readAddons(joinPath(addonsFile.path), reading),
    values: await readValues(valuesFolder === undefined ? [] : await listYaml(valuesFolder, reading), reading),
    patches: await readPatches(patchesFolder === undefined ? [] : await listYaml(patchesFolder, reading), reading),
    rest: entries.filter((entry) => ![addonsFile, valuesFolder, patchesFolder].includes(entry)),
  }
}

/** The YAML files of a folder that holds nothing else; the rest is noted. */
export async function listYaml(folder: FolderEntry, reading: Reading): Promise<readonly FolderEntry[]> {
  const entries = await listFolder(folder.path, reading)
  const files = entries.filter(({ name, type }) => type === 'file' && name.endsWith('.yaml'))
  for (const entry of entries) {
    if (files.includes(entry)) continue
    if (entry.type === 'directory') noteUnread(entry, { hint: `Put its files into ${folder.name}/ itself.` }, reading)
    else {
      const stem = entry.name.replace(/\.(?:ya?ml|json)$/i, '')
      noteUnread(entry, stem === entry.name ? {} : { hint: `Rename it to ${stem}.yaml.` }, reading)
    }
  }
  return files
}

async function readValues(files: readonly FolderEntry[], reading: Reading): Promise<ReadonlyMap<string, ValuesFile>> {
  const values = new Map<string, ValuesFile>()
  for (const file of files) {
    const source = await readSource(file.path, reading)
    if (source === undefined) continue
    const [document, second] = parseDocuments(source, { integers: 'float64' }, reading)
    if (second !== undefined) {
      const message = 'a values file must hold one document only'
      reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at: second.start })
    }
    if (document !== undefined && !checkSchema(document, 'values', reading)) continue
    const found = document?.value instanceof Dict ? document.value : new Dict()
    values.set(file.name.slice(0, -'.yaml'.length), { source, values: found })
  }
  return values
}
