import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { checkToolChange, toolOfFiles } from '../../handoff/steps/check-tool-change.ts'
import {
  findUnconfirmedTool,
  refuseUnconfirmedTool,
  type RetiredState,
  type UnconfirmedTool,
} from '../../handoff/steps/find-unconfirmed-tool.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError, shortCommit } from '../../model/git.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Ports } from '../../model/ports.ts'
import { HANDOFF, KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { COMMITS } from '../../sources/committed/earlier-clusters.ts'
import { listCommit, listDisk } from '../../sources/committed/list-tree.ts'
import { parseOrNull } from '../../sources/committed/parse-committed.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'

/** The tree that a run replaces, and how much of it the run reads afterwards. */
export interface ReplacedTree extends TreeRevision {
  readonly reads: 'all' | 'few'
}

/**
 * Compares the GitOps tool of the fleet with that of the tree which this run replaces, or with `replaced.from` `disk`
 * judges.
 * @throws StackmasonError HANDOFF_TOOL_CHANGES
 */
export async function checkTool(
  repository: FleetRepository,
  replaced: ReplacedTree,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const output = joinPath(repository.fleet.root, repository.fleet.output)
  const { git } = ports
  const before = await toolOfTree(output, replaced, ports)
  const found = checkToolChange(before, repository, await retiredBefore(repository, before, { replaced, git }))
  const last = await lastTool(repository, before, { output, replaced }, ports)
  const all =
    last === before
      ? [...found, ...(await checkEarlierTools(repository, before, { output, base: replaced.base }, ports))]
      : [...found, ...(await checkLastTool(repository, last, replaced, ports))]
  const errors = all.filter(({ severity }) => severity === 'error')
  // beside an error no advice for a retirement that is carried out
  if (errors.length > 0) throw new StackmasonError(errors)
  return { findings: all }
}

/**
 * The tool of the last commit, where a tree on disk for the fleet's tool is judged: what a revert has brought there is
 * in no commit yet. That of the tree which is replaced otherwise, and where a merge brings it.
 */
async function lastTool(
  { fleet: { handoff } }: FleetRepository,
  before: GitopsTool | undefined,
  { output, replaced: { from, base } }: { readonly output: string; readonly replaced: ReplacedTree },
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<GitopsTool | undefined> {
  if (handoff === undefined || before !== handoff.tool || from !== 'disk' || base !== undefined) return before
  const last = await committedTool(output, undefined, ports)
  if (last === undefined || last === before) return before
  const { others = [] } = (await orNone(ports.git.merging(output), undefined)) ?? {}
  for (const other of others) if ((await committedTool(output, other, ports)) === before) return before
  return last
}

/** The errors against the tool of the last commit, as before it is written. */
async function checkLastTool(
  repository: FleetRepository,
  last: GitopsTool | undefined,
  replaced: ReplacedTree,
  { git }: Pick<Ports, 'git'>,
): Promise<readonly Diagnostic[]> {
  const retired = await retiredBefore(repository, last, { replaced: { ...replaced, from: 'commit' }, git })
  return checkToolChange(last, repository, retired).filter(({ severity }) => severity === 'error')
}

async function committedTool(
  output: string,
  revision: string | undefined,
  ports: Pick<Ports, 'git'>,
): Promise<GitopsTool | undefined> {
  return toolOfFiles(await listCommit({ output, folder: HANDOFF }, revision, ports))
}

interface ToolLine {
  readonly output: string
  /** Its last commit, a revision. Default: that of the work tree. */
  readonly base: string | undefined
}

/**
 * Judges how the tree came to the fleet's tool, by the commits before it: a revert that is committed has changed the
 * tool in the tree that a run compares with.
 */
async function checkEarlierTools(
  { fleet }: FleetRepository,
  before: GitopsTool | undefined,
  line: ToolLine,
  { git }: Pick<Ports, 'git'>,
): Promise<readonly Diagnostic[]> {
  const { handoff, retiredTool } = fleet
  if (handoff === undefined || before !== handoff.tool) return []
  const inputs: RetiredState = { age: -1, tool: retiredTool?.tool ?? '' }
  const found = await findUnconfirmed({ root: fleet.root, ...line, before }, [inputs], git)
  return found === undefined ? [] : [refuseUnconfirmedTool(found, fleet)]
}

/** How many merges are followed to the line on which the tool may have been changed. */
const MERGES = 8

async function findUnconfirmed(
  line: ToolLine & { readonly root: string; readonly before: GitopsTool },
  inputs: readonly RetiredState[],
  git: Ports['git'],
  merges = { left: MERGES },
): Promise<UnconfirmedTool | undefined> {
  const { root, output, base, before } = line
  const revision = base === undefined ? {} : { revision: base }
  const folder = joinPath(output, HANDOFF)
  const isList = (path: string): boolean => path === KUSTOMIZATION_FILE
  const asked = { commits: COMMITS, among: [KUSTOMIZATION_FILE], followsTree: true, ...revision }
  // of all files below the folder only this one is there with each tool, and tells them apart
  const earlier = (await orNone(git.readEarlier(folder, isList, asked), undefined))?.get(KUSTOMIZATION_FILE) ?? []
  const known = earlier.filter(({ commit }) => commit !== '')
  const states = [
    { age: 0, commit: shortCommit(base ?? 'HEAD'), tool: before },
    ...known.map(({ age, commit, bytes }) => ({ age, commit: shortCommit(commit), tool: toolOfList(bytes) })),
  ]
  // mostly there is nothing more to ask
  if (states.every(({ tool }) => tool === undefined || tool === before)) return undefined
  const retired = [...inputs, ...(await retiredIn(root, base, git))]
  const settled = new Set<number>()
  for (;;) {
    const found = findUnconfirmedTool({ states, retired, settled })
    if (found === undefined || merges.left-- <= 0) return found
    // a merge may have brought what was confirmed on the other line
    const other = `${base ?? 'HEAD'}~${String(found.age)}^2`
    const list = await orNone(git.readCommitted(folder, isList, other), undefined)
    const tool = list && toolOfList(list.get(KUSTOMIZATION_FILE))
    const brought = states.findLast(({ age }) => age <= found.age)?.tool
    if (tool === undefined || tool !== brought) return found
    if ((await findUnconfirmed({ root, output, base: other, before: tool }, [], git, merges)) !== undefined)
      return found
    settled.add(found.age)
  }
}

/** Reads `retiredTool` of stackmason.yaml in the commits of a line, newest first. */
async function retiredIn(root: string, base: string | undefined, git: Ports['git']): Promise<readonly RetiredState[]> {
  const file = 'stackmason.yaml'
  const isFile = (path: string): boolean => path === file
  const revision = base === undefined ? {} : { revision: base }
  const last = await orNone(git.readCommitted(root, isFile, base), undefined)
  const earlier = await orNone(
    git.readEarlier(root, isFile, { commits: COMMITS, among: [file], ...revision }),
    undefined,
  )
  return [{ age: 0, bytes: last?.get(file) }, ...(earlier?.get(file) ?? [])].map(({ age, bytes }) => ({
    age,
    tool: bytes === undefined ? undefined : textAt(parseOrNull(decodeUtf8(bytes)), 'spec', 'retiredTool'),
  }))
}

/** The tool of a tree by the list of what lies in its folder `handoff`; undefined where there is none. */
function toolOfList(bytes: Uint8Array | undefined): GitopsTool | undefined {
  if (bytes === undefined) return undefined
  const names = [...decodeUtf8(bytes).matchAll(/^\s*-\s+(\S+)\s*$/gm)].map(([, name = '']) => name)
  // Flux has only folders of namespaces there
  return toolOfFiles(names) ?? (names.some((name) => !name.includes('.')) ? 'flux' : undefined)
}

/** The answer of git; none where it fails: whoever reads the tree says why. */
async function orNone<Result>(asked: Promise<Result>, none: Result): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof GitError) return none
    throw error
  }
}

/** The `retiredTool` in stackmason.yaml of the commit of the tree; '' for none, and where nothing depends on it. */
async function retiredBefore(
  { fleet: { root, handoff, retiredTool }, clusters }: FleetRepository,
  before: GitopsTool | undefined,
  { replaced: { from, base }, git }: { readonly replaced: ReplacedTree; readonly git: Ports['git'] },
): Promise<string> {
  const isChanged = handoff?.tool !== before
  const isAsked =
    retiredTool === undefined
      ? !isChanged && clusters.some(({ options }) => options?.isSuspended === true)
      : retiredTool.tool === before && isChanged
  if (!isAsked || (from === 'disk' && base === undefined)) return ''
  const file = 'stackmason.yaml'
  const bytes = (await git.readCommitted(root, (path) => path === file, base)).get(file)
  return bytes === undefined ? '' : textAt(parseOrNull(decodeUtf8(bytes)), 'spec', 'retiredTool')
}

async function toolOfTree(
  output: string,
  { from, base, reads }: ReplacedTree,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<GitopsTool | undefined> {
  if (from === 'commit' || base !== undefined) {
    // mostly the whole tree, because the rest of it is read next: git tells of it once
    const paths = await listCommit({ output, folder: reads === 'all' ? '' : HANDOFF }, base, ports)
    const below = reads === 'all' ? `${HANDOFF}/` : ''
    const committed = toolOfFiles(paths.filter((path) => path.startsWith(below)))
    if (committed !== undefined || base !== undefined) return committed
  }
  const onDisk = toolOfFiles(await listDisk({ output, folder: HANDOFF }, ports))
  if (onDisk === undefined || from === 'disk') return onDisk
  // a tree that is committed without a tool counts, not what lies there
  return (await listCommit({ output, folder: '' }, undefined, ports)).length > 0 ? undefined : onDisk
}
