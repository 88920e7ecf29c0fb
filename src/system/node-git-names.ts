import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { commonDirectory, gitDirectory } from './node-git-repository.ts'

/** Where git looks for a name, in its order, within the part of the repository that all work trees share. */
const PLACES: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `refs/${name}`,
  (name) => `refs/tags/${name}`,
  (name) => `refs/heads/${name}`,
  (name) => `refs/remotes/${name}`,
  (name) => `refs/remotes/${name}/HEAD`,
]

/** The name of a branch or tag, and no search through a history; what is of one work tree alone is left to git. */
const NAME = /^(?!HEAD$|@$|(?:main-worktree|worktrees|refs\/(?:bisect|worktree|rewritten))\/)\w[\w./-]*$/
/** Looks like a shortened id, which stands for another object as soon as there is one more that begins like it. */
const SHORT_ID = /^[0-9a-f]{4,}$/

/**
 * The commits that names stood for when git was asked. A run asks for its base a dozen times, and each answer takes two
 * processes; a name stands for the same commit as long as no file is another in which git looks for it.
 */
export class NamedCommits {
  readonly #known = new Map<string, { readonly mark: string; readonly commit: string }>()

  /** The commit of a name; `ask` gives what git says, `''` where it knows none. */
  async find(root: string | undefined, name: string, ask: () => Promise<string>): Promise<string> {
    const key = `${root ?? ''}\0${name}`
    const mark = root === undefined ? undefined : markOf(root, name)
    if (mark === undefined) return ask()
    const known = this.#known.get(key)
    if (known?.mark === mark) return known.commit
    const commit = await ask()
    // somebody may have moved it in between
    if (commit !== '' && root !== undefined && markOf(root, name) === mark) this.#known.set(key, { mark, commit })
    return commit
  }
}

/** Another text when a name may stand for another commit; undefined where only git can tell. */
function markOf(root: string, name: string): string | undefined {
  if (!NAME.test(name) || name.includes('..') || SHORT_ID.test(name)) return undefined
  const directory = gitDirectory(root)
  const common = commonDirectory(directory)
  const packed = statSync(join(common, 'packed-refs'), { bigint: true, throwIfNoEntry: false })
  // its folder stands for another store of refs than files
  if (statSync(join(common, 'reftable'), { throwIfNoEntry: false }) !== undefined) return undefined
  const texts = [join(directory, name), ...PLACES.map((place) => join(common, place(name)))].map(textOf)
  // a name that stands for another one changes with that
  if (texts.some((text) => text?.startsWith('ref:'))) return undefined
  const facts = packed && [packed.ino, packed.size, packed.mtimeNs, packed.ctimeNs].map(String)
  return JSON.stringify([directory, common, facts ?? null, ...texts.map((text) => text ?? null)])
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
