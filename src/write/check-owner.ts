import { joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/utf8.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Files } from '../model/ports.ts'
import { OWNER_FILE, parseOwner, type TreeOwner } from './tree-owner.ts'

/** Where a tree is to be written, and for which fleet. */
export interface OwnerOptions {
  readonly output: string
  readonly owner: TreeOwner
  readonly display: (path: string) => string
}

/**
 * Whose the tree will be after the run, or why another fleet must not write to it. A fleet keeps its tree when it is renamed and when it moves; a tree
 * that does not say whose it is goes to the first that comes.
 */
export async function checkOwner(
  { output, owner, display }: OwnerOptions,
  files: Files,
): Promise<TreeOwner | Diagnostic> {
  const path = joinPath(output, OWNER_FILE)
  if ((await files.stat(path))?.type !== 'file') return owner
  const found = parseOwner(decodeUtf8(await files.read(path)))
  if (found === undefined || found.file === owner.file) return owner
  const hasMoved = found.name === owner.name && !(await isFleet(joinPath(output, found.file), files))
  // the file stays as it is: where a folder outside of the repository lies may differ from machine to machine
  if (hasMoved) return found
  return {
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `the output folder holds the tree of fleet ${quote(found.name)} (${found.file}); this is fleet ${quote(owner.name)} (${owner.file})`,
    file: display(OWNER_FILE),
    hint: 'Give each fleet a folder of its own in spec.output.path. If this fleet takes over the tree of the other, write its name and file here, then render.',
  }
}

async function isFleet(path: string, files: Files): Promise<boolean> {
  return (await files.stat(path))?.type === 'file'
}

function quote(text: string): string {
  return JSON.stringify(text)
}
