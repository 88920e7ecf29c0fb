import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fieldAt, textAt } from '../../model/field.ts'
import { HANDOFF, KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import type { Dict } from '../../model/value.ts'
import { type Break, foldersNamedIn, resourcesOf } from './find-broken.ts'
import { hasMoreDocuments, parseCommitted } from './parse-committed.ts'

/** A folder of the handoff by itself. */
interface HandoffFolder {
  readonly breaks: readonly Break[]
  /** Folders that its list includes: they are built with it. */
  readonly includes: ReadonlySet<string>
  /** Folders that its objects name: these are built by themselves. */
  readonly applies: ReadonlySet<string>
  /** Its objects by what tells them apart, and the file of each. */
  readonly objects: readonly (readonly [object: string, path: string])[]
}

/** Finds what keeps a GitOps tool from a folder below `handoff`. */
export interface ReachFinder {
  /**
   * The breaks that keep a GitOps tool, pointed at `handoff`, from this folder below it or from its present content. A
   * tool builds a folder with all that it includes: what breaks there lets nothing of it through.
   */
  readonly folder: (folder: string) => readonly Break[]
  /** The same, for a folder of the tree that some object in this folder or below it must name. */
  readonly target: (target: string, folder: string) => readonly Break[]
}

/** The fields of a list that changes nothing of what it lists. */
const PLAIN = new Set(['apiVersion', 'kind', 'resources'])

/**
 * The kinds that are written here, and the fields of `spec` that their definitions require. An API server that lacks a
 * kind, or a field, refuses all that is applied with it.
 */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['v1 Namespace', []],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', ['interval', 'prune', 'sourceRef']],
  ['argoproj.io/v1alpha1 Application', ['destination', 'project']],
  ['argoproj.io/v1alpha1 ApplicationSet', ['generators', 'template']],
  ['argoproj.io/v1alpha1 AppProject', []],
])

/**
 * Makes a {@link ReachFinder}: `files` are all of the handoff, by path relative to the output folder. Folders that many
 * hang on are read once.
 */
export function createReachFinder(files: ReadonlyMap<string, string>, display: (path: string) => string): ReachFinder {
  const folders = new Map<string, HandoffFolder>()
  const tree = { files, folders: new Set([...files.keys()].flatMap(foldersAbove)), display }
  const read = createFolderReader(tree)
  const folderAt = (path: string): HandoffFolder => {
    const known = folders.get(path) ?? read(path)
    folders.set(path, known)
    return known
  }
  const builds = new Map<string, readonly Break[]>()
  const buildOf = (path: string): readonly Break[] => {
    const known = builds.get(path) ?? findInBuild(path, folderAt, display)
    builds.set(path, known)
    return known
  }
  const find = (folder: string): readonly Break[] => {
    const found: Break[] = [...folderAt(folder).breaks]
    for (let at = folder; ; at = dirName(at)) {
      const above = at === HANDOFF ? undefined : folderAt(dirName(at))
      if (above?.includes.has(at) !== true) found.push(...buildOf(at))
      if (above === undefined) break
      if (above.breaks.length === 0 && !above.includes.has(at) && !above.applies.has(at))
        found.push({
          path: joinPath(dirName(at), KUSTOMIZATION_FILE),
          reason: `nothing that this file lists applies ${baseName(at)}`,
        })
    }
    return [...new Map(found.map((one) => [`${one.path} ${one.reason}`, one])).values()]
  }
  const names = (path: string, target: string): boolean => {
    const { includes, objects } = folderAt(path)
    const isNamed = ([, file]: HandoffFolder['objects'][number]): boolean =>
      foldersNamedIn(parsed(files.get(file) ?? '', file) ?? null, dirName(target)).includes(target)
    return objects.some(isNamed) || [...includes].some((below) => names(below, target))
  }
  return {
    folder: find,
    target: (target, folder) => {
      const breaks = find(folder)
      if (breaks.length > 0 || names(folder, target)) return breaks
      const path = joinPath(folder, KUSTOMIZATION_FILE)
      return [{ path, reason: `nothing that this file lists applies ${display(target)}` }]
    },
  }
}

/** Finds breaks in a folder, in those that it includes, and between them. */
function findInBuild(
  path: string,
  folderAt: (path: string) => HandoffFolder,
  display: (path: string) => string,
): readonly Break[] {
  const found: Break[] = []
  const objects = new Map<string, string>()
  const visit = (at: string): void => {
    const folder = folderAt(at)
    found.push(...folder.breaks)
    for (const [object, file] of folder.objects) {
      const other = objects.get(object)
      if (other === undefined) objects.set(object, file)
      else found.push({ path: file, reason: `this file holds the same object as ${display(other)}` })
    }
    for (const below of folder.includes) visit(below)
  }
  visit(path)
  return found
}

/** All files of the handoff. */
interface HandoffTree {
  readonly files: ReadonlyMap<string, string>
  /** Those with files in them or below. */
  readonly folders: ReadonlySet<string>
  readonly display: (path: string) => string
}

function foldersAbove(path: string): readonly string[] {
  const above = dirName(path)
  return above === HANDOFF ? [above] : [above, ...foldersAbove(above)]
}

/**
 * A name that is a word of YAML wherever it stands: none of its structure, no number, no part of a field that counts.
 */
const WORD = /^[a-z][a-z0-9]*-[a-z0-9-]*$/

/** What stands for the name of a folder, and what is between texts; nothing that is written has them. */
const [NAME, SEAM] = ['\u{e000}', '\u{e001}']
const EITHER = /[\u{e000}\u{e001}]/u

/**
 * Makes what reads a folder. Folders of clusters differ by the names of these alone, mostly: what is found in one of
 * them holds for all that have the same files but for the name.
 */
function createFolderReader(tree: HandoffTree): (path: string) => HandoffFolder {
  const alike = new Map<string, HandoffFolder>()
  const contents = contentsOf(tree)
  return (path) => {
    const name = baseName(path)
    const parts = contents.get(path) ?? []
    if (!WORD.test(name) || parts.some((part) => EITHER.test(part))) return readFolder(path, tree)
    const key = parts.join(SEAM).replaceAll(name, NAME)
    const known = alike.get(key)
    if (known !== undefined) return renamed(known, NAME, name)
    const folder = readFolder(path, tree)
    // what is broken is told with its own paths
    if (folder.breaks.length === 0) alike.set(key, renamed(folder, name, NAME))
    return folder
  }
}

/** By folder: the paths and texts of its files, and the folders in it. */
function contentsOf({ files, folders }: HandoffTree): ReadonlyMap<string, readonly string[]> {
  const contents = new Map<string, string[]>()
  const add = (path: string, ...parts: readonly string[]): void => {
    const own = contents.get(dirName(path)) ?? []
    contents.set(dirName(path), own)
    own.push(path, ...parts)
  }
  for (const [path, text] of files) add(path, text)
  for (const folder of folders) add(folder)
  return contents
}

function renamed({ includes, applies, objects }: HandoffFolder, from: string, to: string): HandoffFolder {
  const of = (text: string): string => text.replaceAll(from, to)
  return {
    breaks: [],
    includes: new Set(Array.from(includes, of)),
    applies: new Set(Array.from(applies, of)),
    objects: objects.map(([object, path]) => [of(object), of(path)]),
  }
}

function readFolder(path: string, { files, folders, display }: HandoffTree): HandoffFolder {
  const index = joinPath(path, KUSTOMIZATION_FILE)
  const breaks: Break[] = []
  const [includes, applies] = [new Set<string>(), new Set<string>()]
  const objects: (readonly [string, string])[] = []
  const read = (file: string): Dict | undefined => {
    const text = files.get(file)
    const object = text === undefined ? undefined : parsed(text, file)
    if (text === undefined)
      breaks.push({
        path: file,
        reason: file === index ? 'this file is gone' : `this is gone, and ${display(index)} lists it`,
      })
    else if (object === undefined) breaks.push({ path: file, reason: 'this file holds no object' })
    else if (hasMoreDocuments(text)) breaks.push({ path: file, reason: 'this file holds more than one object' })
    return object
  }
  const list = read(index)
  if ([...(list ?? [])].some(([field]) => !PLAIN.has(field)))
    breaks.push({ path: index, reason: 'this file changes what it lists' })
  for (const name of list === undefined ? [] : resourcesOf(list)) {
    const listed = joinPath(path, name)
    if (dirName(listed) === path && folders.has(listed)) includes.add(listed)
    else {
      const object = read(listed)
      if (object === undefined) continue
      const [apiVersion, kind, namespace, own] = [
        textAt(object, 'apiVersion'),
        textAt(object, 'kind'),
        textAt(object, 'metadata', 'namespace'),
        textAt(object, 'metadata', 'name'),
      ]
      const required = own === '' ? undefined : KINDS.get(`${apiVersion} ${kind}`)
      const lacking = required?.find((field) => fieldAt(object, 'spec', field) === undefined)
      if (required === undefined)
        breaks.push({ path: listed, reason: 'this file holds an object that stackmason does not write here' })
      else if (lacking !== undefined) breaks.push({ path: listed, reason: `this file lacks spec.${lacking}` })
      objects.push([`${apiVersion} ${kind} ${namespace}/${own}`, listed])
      for (const folder of foldersNamedIn(object, path)) applies.add(folder)
    }
  }
  return { breaks, includes, applies, objects }
}

function parsed(text: string, path: string): Dict | undefined {
  try {
    return parseCommitted(text, path)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
