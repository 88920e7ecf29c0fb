import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { GitError } from '../model/git.ts'

/** The files that only a repository has in its `.git`. */
const PARTS = ['HEAD', 'objects', 'refs', 'config', 'commondir']

const BRANCH = /^ref: (refs\/heads\/\S+)/
const COMMIT = /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\s*$/

/**
 * The root of the repository that a folder lies in, looked for as git does; undefined when there is none. git passes
 * over a `.git` that it does not understand, and goes on with what lies above: for whoever asks what is committed that
 * would be "nothing". It also takes any folder with the files of a `.git` for a repository, and such files can be
 * committed: git would ask the commits that they hold.
 * @throws GitError damaged, embedded
 */
export function findRepository(folder: string): string | undefined {
  const start = orNothing(() => realpathSync(folder)) ?? resolve(folder)
  const ceilings = (process.env['GIT_CEILING_DIRECTORIES'] ?? '').split(delimiter).map((path) => path && resolve(path))
  let embedded: string | undefined
  for (let at = start; at === start || !ceilings.includes(at); at = dirname(at)) {
    if (isRepository(at)) {
      if (embedded === undefined) return at
      throw new GitError('embedded', `${embedded} is a git directory (HEAD, objects, refs) in the repository ${at}`)
    }
    if (isGitDirectory(at)) embedded ??= at
    if (dirname(at) === at) return undefined
  }
  return undefined
}

/**
 * For a repository that git finds no commit in: that it is a new one.
 * @throws GitError damaged when its branch is there, and holds none; no-branch when it is not, and others are
 */
export function checkUnborn(root: string): void {
  const directory = gitDirectory(root)
  const branch = BRANCH.exec(textOf(join(directory, 'HEAD')) ?? '')?.[1]
  if (branch === undefined || branch.split('/').includes('..')) return
  const file = join(commonDirectory(directory), branch)
  if (typeOf(file) === 'file') throw damaged(root, `the branch in ${file} names no commit`)
  const other = otherBranch(commonDirectory(directory))
  if (other === undefined) return
  const name = branch.slice('refs/heads/'.length)
  const message = `${join(directory, 'HEAD')} names the branch ${name}, which has no commit; others have, like ${other}`
  throw new GitError('no-branch', message)
}

/** Some branch of a repository, also one of a remote, or a tag; undefined if it has none. */
function otherBranch(directory: string): string | undefined {
  const packed = /^[0-9a-f]+ refs\/(?:heads|remotes|tags)\/(\S+)$/m.exec(
    textOf(join(directory, 'packed-refs')) ?? '',
  )?.[1]
  const folders = ['heads', 'remotes', 'tags'].map((kind) => join(directory, 'refs', kind))
  return packed ?? folders.map(firstFile).find((name) => name !== undefined)
}

/** The first file below a folder, by its path relative to that. */
function firstFile(folder: string): string | undefined {
  const entries = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile()) return entry.name
    const below = entry.isDirectory() ? firstFile(join(folder, entry.name)) : undefined
    if (below !== undefined) return `${entry.name}/${below}`
  }
  return undefined
}

/**
 * The id of the commit that a repository is at, where HEAD, the file of its branch or the list of packed ones says it;
 * undefined where only git can tell.
 */
export function headCommit(root: string): string | undefined {
  const directory = gitDirectory(root)
  const head = textOf(join(directory, 'HEAD')) ?? ''
  const branch = BRANCH.exec(head)?.[1]
  if (branch === undefined) return COMMIT.exec(head)?.[1]
  if (branch.split('/').includes('..')) return undefined
  const common = commonDirectory(directory)
  const own = textOf(join(common, branch))
  return own === undefined ? packedCommit(common, branch) : COMMIT.exec(own)?.[1]
}

/**
 * The commit of a branch in `packed-refs`: git looks there when the branch has no file, after it has looked for that.
 */
function packedCommit(common: string, branch: string): string | undefined {
  const text = orNothing(() => readFileSync(join(common, 'packed-refs'), 'utf8')) ?? ''
  const end = text.indexOf(` ${branch}\n`)
  return end === -1 ? undefined : COMMIT.exec(text.slice(text.lastIndexOf('\n', end) + 1, end))?.[1]
}

/**
 * Stands for all commits that lead to the one that a repository is at; undefined where only git can tell, or more of
 * them may come.
 */
export function historyMark(root: string): string | undefined {
  const isShallow = typeOf(join(commonDirectory(gitDirectory(root)), 'shallow')) !== undefined
  return isShallow ? undefined : headCommit(root)
}

/** The commits that a merge which is under way merges into the last one. */
export function mergeHeads(root: string): readonly string[] {
  const lines = (textOf(join(gitDirectory(root), 'MERGE_HEAD')) ?? '').split('\n')
  return lines.flatMap((line) => COMMIT.exec(line)?.[1] ?? [])
}

/**
 * Further facts that answers about the commits of a repository depend on: where it lies, its branch, commits that a
 * shallow clone lacks or that are replaced by others.
 */
export function repositoryState(root: string): readonly string[] {
  const directory = gitDirectory(root)
  const common = commonDirectory(directory)
  const whole = (path: string): string => orNothing(() => readFileSync(path, 'utf8')) ?? ''
  const packed = whole(join(common, 'packed-refs')).match(/^.* refs\/replace\/.*$/gm) ?? []
  const replaced = orNothing(() => readdirSync(join(common, 'refs/replace'))) ?? []
  return [
    root,
    directory,
    textOf(join(directory, 'HEAD')) ?? '',
    ...mergeHeads(root),
    whole(join(common, 'shallow')),
    whole(join(common, 'info/grafts')),
    ...packed,
    ...replaced.map((name) => `${name} ${whole(join(common, 'refs/replace', name))}`).sort(),
  ]
}

function isRepository(folder: string): boolean {
  const path = join(folder, '.git')
  const type = typeOf(path)
  if (type === undefined) return false
  const directory = gitDirectory(folder)
  if (type === 'directory' && PARTS.every((name) => typeOf(join(path, name)) === undefined)) return false
  if (typeOf(directory) !== 'directory') throw damaged(folder, `.git leads to ${directory}, which is not there`)
  const head = join(directory, 'HEAD')
  const text = textOf(head)
  if (text === undefined) throw damaged(folder, `${head} cannot be read`)
  // git's own rule (validate_headref): a link to a branch, the name of one, or a commit
  if (!isLink(head) && !/^(?:ref:\s*refs\/\S|[0-9a-f]{40}(?:[0-9a-f]{24})?\s*$)/.test(text))
    throw damaged(folder, `${head} names neither a branch nor a commit`)
  const lacking = ['objects', 'refs'].find((name) => typeOf(join(commonDirectory(directory), name)) !== 'directory')
  if (lacking !== undefined) throw damaged(folder, `${join(commonDirectory(directory), lacking)} is not there`)
  return true
}

/** True for what git may take for one; its own rule is stricter, and not the same in all versions. */
function isGitDirectory(folder: string): boolean {
  const has = (name: string): boolean => orNothing(() => lstatSync(join(folder, name))) !== undefined
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')))
}

/** A work tree that was added, and a submodule, have a file that says where the rest lies. */
export function gitDirectory(folder: string): string {
  const path = join(folder, '.git')
  const directory = followed(path)
  if (directory === undefined) throw damaged(folder, `${path} does not say where it lies`)
  return directory
}

/** The git directory that a file names in its place, as in a linked work tree or a submodule. */
function followed(path: string): string | undefined {
  if (typeOf(path) !== 'file') return path
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path) ?? '')?.[1]
  return named && resolve(dirname(path), named)
}

/** True if two git directories are of one repository: its own, or those of its work trees. */
export function isSameRepository(one: string, other: string): boolean {
  const [own, named] = [one, other].map((path) => {
    const directory = followed(path)
    return directory && orNothing(() => realpathSync(commonDirectory(directory)))
  })
  return own !== undefined && own === named
}

/** Where the parts of a git directory lie that all work trees of the repository share. */
export function commonDirectory(directory: string): string {
  const named = textOf(join(directory, 'commondir'))?.trim()
  return named === undefined ? directory : resolve(directory, named)
}

function damaged(folder: string, reason: string): GitError {
  return new GitError('damaged', `the repository in ${folder} is damaged: ${reason}`)
}

function typeOf(path: string): 'file' | 'directory' | undefined {
  const found = orNothing(() => statSync(path, { throwIfNoEntry: false }))
  return found === undefined ? undefined : found.isDirectory() ? 'directory' : 'file'
}

/** The first of a file that is never long. */
function textOf(path: string): string | undefined {
  return typeOf(path) === 'file' ? orNothing(() => readFileSync(path, 'utf8').slice(0, 4096)) : undefined
}

function isLink(path: string): boolean {
  return orNothing(() => lstatSync(path).isSymbolicLink()) === true
}

function orNothing<Result>(ask: () => Result): Result | undefined {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
