import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { hasGeneratedHead, readGeneratedSource } from '../../codec/text/generated-head.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { addonName } from '../../model/addon-unit-key.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { KUSTOMIZATION_FILE, parseTreeFolder } from '../../model/tree-path.ts'
import { dict, Dict, type Value } from '../../model/value.ts'
import { parseCommitted } from './parse-committed.ts'

/** The committed content below a folder of the tree. */
export interface CommittedContent {
  readonly folders: readonly RenderedFolder[]
  /** The fields of each kustomization.yaml other than the list of resources, by the path of its folder. */
  readonly kustomizations: ReadonlyMap<string, Dict>
  /** The texts of all files, by the path of their folder and by name; those of the GitOps tool's objects, too. */
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/**
 * Folders of the tree as they are committed: `files` are all that lie below the folder `base`, by their path relative
 * to it. Written anew, the folders give the same files. As in rendering, `cluster` comes first, and folders are in the
 * order in which the folder above includes them; folders that only include others are left to the planning of units.
 * @throws StackmasonError OBJECT_INVALID for a file that holds no object: to leave it out would take the object from
 * the cluster
 */
export function keepFolders(base: string, files: ReadonlyMap<string, string>): readonly RenderedFolder[] {
  const folders = inOrderOfIncludes([...keepTexts(base, files)].map(([path, inFolder]) => keepFolder(path, inFolder)))
  const isCluster = ({ path }: RenderedFolder): boolean => path === `${base}/cluster`
  return [...folders.filter(isCluster), ...folders.filter((folder) => !isCluster(folder))].filter(
    ({ includes }) => includes === undefined,
  )
}

/** The texts of files by the path of their folder and by name. `base` and `files` as for {@link keepFolders}. */
export function keepTexts(
  base: string,
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byFolder = new Map<string, Map<string, string>>()
  for (const path of [...files.keys()].toSorted(compareBytes)) {
    const slash = path.lastIndexOf('/')
    const folder = slash === -1 ? base : `${base}/${path.slice(0, slash)}`
    const inFolder = byFolder.get(folder) ?? new Map<string, string>()
    byFolder.set(folder, inFolder.set(path.slice(slash + 1), files.get(path) ?? ''))
  }
  return byFolder
}

/** Lets the folders that one includes change places among themselves: own addons are listed as they are declared. */
function inOrderOfIncludes(folders: readonly RenderedFolder[]): readonly RenderedFolder[] {
  const ordered = [...folders]
  for (const { path, includes = [] } of folders) {
    const included = includes.flatMap((name) => folders.filter((folder) => folder.path === joinPath(path, name)))
    const slots = ordered.flatMap((folder, index) => (included.includes(folder) ? [index] : []))
    for (const [index, slot] of slots.entries()) ordered.splice(slot, 1, ...included.slice(index, index + 1))
  }
  return ordered
}

/** Of trees that older versions wrote. */
const inventoryFile = '.stackmason-inventory.yaml'

/**
 * The fields of each kustomization.yaml other than the list of resources, by the path of its folder: of folders that
 * only include others, too. `base` and `files` as for {@link keepFolders}.
 */
export function keepKustomizations(base: string, files: ReadonlyMap<string, string>): ReadonlyMap<string, Dict> {
  return new Map(
    [...files].flatMap(([path, text]) => {
      if (baseName(path) !== KUSTOMIZATION_FILE) return []
      const more = withoutList(parseCommitted(text, `${base}/${path}`))
      return more.size === 0 ? [] : [[joinPath(base, dirName(path)), more] as const]
    }),
  )
}

function withoutList(kustomization: Dict): Dict {
  const listing = new Set(['apiVersion', 'kind', 'resources'])
  return dict([...kustomization].filter(([field]) => !listing.has(field)))
}

function keepFolder(path: string, files: ReadonlyMap<string, string>): RenderedFolder {
  const read = (name: string): Value => {
    const text = files.get(name)
    return text === undefined ? null : parseCommitted(text, `${path}/${name}`)
  }
  const templates = new Map(
    itemsAt(read(inventoryFile), 'files').map((entry) => [textAt(entry, 'path'), textAt(entry, 'template')]),
  )
  const listing = new Set(itemsAt(read(KUSTOMIZATION_FILE), 'resources'))
  // somebody else's file that is not applied stays so
  const isOurs = (name: string, text: string): boolean =>
    listing.size === 0 || listing.has(name) || hasGeneratedHead(text)
  const names = [...files].flatMap(([name, text]) =>
    name !== KUSTOMIZATION_FILE && name.endsWith('.yaml') && !name.startsWith('.') && isOurs(name, text) ? [name] : [],
  )
  const unit = parseTreeFolder(path)?.kind === 'addons' ? addonName(path) : 'committed'
  const manifests = names.map((name): Manifest => {
    const text = files.get(name) ?? ''
    const object = parseCommitted(text, `${path}/${name}`)
    const namespace = fieldAt(object, 'metadata', 'namespace')
    const template = readGeneratedSource(text) ?? templates.get(name) ?? ''
    return {
      apiVersion: textAt(object, 'apiVersion'),
      kind: textAt(object, 'kind'),
      name: textAt(object, 'metadata', 'name'),
      ...(typeof namespace === 'string' && { namespace }),
      object,
      origin: { from: `${path}/${name}`, unit, template: template === '' ? `${path}/${name}` : template },
    }
  })
  const includes = itemsAt(read(KUSTOMIZATION_FILE), 'resources').flatMap((resource) =>
    typeof resource === 'string' && !files.has(resource) ? [resource] : [],
  )
  const listed = read(KUSTOMIZATION_FILE)
  const kustomization = listed instanceof Dict ? withoutList(listed) : new Dict()
  return { path, manifests, ...(includes.length > 0 && { includes }), ...(kustomization.size > 0 && { kustomization }) }
}
