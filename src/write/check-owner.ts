import { OWNER_FILE } from '../model/tree-path.ts'
import { dirName, joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Files } from '../model/ports.ts'
import type { TreeListing } from './read-tree.ts'
import { parseOwner, type TreeOwner } from './tree-owner.ts'

/** Where a tree is to be written, and for which fleet. */
export interface OwnerOptions {
  readonly output: string
  readonly owner: TreeOwner
  readonly display: (path: string) => string
}

/**
 * Whose the tree will be after the run, or why another fleet must not write to it. A fleet keeps its tree when it is
 * renamed and when it moves; a tree that does not say whose it is goes to the first that comes.
 */
export async function checkOwner(
  { output, owner, display }: OwnerOptions,
  files: Files,
): Promise<TreeOwner | Diagnostic> {
  const path = joinPath(output, OWNER_FILE)
  if ((await files.stat(path))?.type !== 'file') return owner
  const found = parseOwner(decodeUtf8(await files.read(path)))
  if (found.file === owner.file) return owner
  if (found.file === undefined && (found.name === undefined || found.name === owner.name)) return owner
  const { name = '', file = '' } = found
  const hasMoved = name === owner.name && file !== '' && !(await isFleet(joinPath(output, file), files))
  // the file stays as it is: where a folder outside of the repository lies may differ from machine to machine
  if (hasMoved) return { name, file }
  return {
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `the output folder holds the tree of fleet ${quote(name)} (${file === '' ? 'no path' : file}); this is fleet ${quote(owner.name)} (${owner.file})`,
    file: display(OWNER_FILE),
    hint: 'Give each fleet its own folder in spec.output.path. If this fleet takes over the tree of the other, write its name and file here, then render.',
  }
}

/** A tree on a branch apart from the fleet's files. */
export interface PublishedOwner {
  /** The text of its file. */
  readonly text: string
  /** That file, from the root of the repository. */
  readonly file: string
  /** The branch, for messages. */
  readonly branch: string
  /** Name of the fleet that is published. */
  readonly fleet: string
}

/**
 * Why a fleet must not publish over the tree of a branch: there the path of stackmason.yaml is the same for fleets of
 * other repositories and branches, so the name decides.
 */
export function findOtherPublisher({ text, file, branch, fleet }: PublishedOwner): Diagnostic | undefined {
  const { name } = parseOwner(text)
  if (name === undefined || name === fleet) return undefined
  return {
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `branch ${branch} holds the tree of fleet ${quote(name)} (${file}); this is fleet ${quote(fleet)}`,
    hint: `Give each fleet a branch or a folder of its own: spec.publish.branch, spec.publish.path. If this fleet was renamed, or takes over that tree, write \`fleet: ${fleet}\` into ${file} on that branch, and publish again.`,
  }
}

/** The problem of a tree that lies in the output folder of this one, by the listing: a render would remove it. */
export function findInnerTree({ inner }: TreeListing, display: (path: string) => string): Diagnostic | undefined {
  const [first] = inner
  if (first === undefined) return undefined
  return nested(display(joinPath(first, OWNER_FILE)), 'a folder of the output holds a tree of its own')
}

/**
 * The problem of an output folder that lies in another tree, looked for up to the root of the repository: a render of
 * that one would remove it.
 */
export async function findOuterTree(output: string, files: Files): Promise<Diagnostic | undefined> {
  for (let at = output; dirName(at) !== at && dirName(at) !== '' && !(await isThere(joinPath(at, '.git'), files));) {
    at = dirName(at)
    const path = joinPath(at, OWNER_FILE)
    if (await isThere(path, files))
      return nested(path, 'the output folder lies in a folder that holds a tree of its own')
  }
  return undefined
}

function nested(file: string, message: string): Diagnostic {
  return {
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `${message}; each render of the outer one would remove the inner one`,
    file,
    hint: 'Set spec.output.path in stackmason.yaml to a folder outside of the other tree. If that tree is not needed any more, remove it.',
  }
}

async function isThere(path: string, files: Files): Promise<boolean> {
  return (await files.stat(path)) !== undefined
}

async function isFleet(path: string, files: Files): Promise<boolean> {
  return (await files.stat(path))?.type === 'file'
}

function quote(text: string): string {
  return JSON.stringify(text)
}
