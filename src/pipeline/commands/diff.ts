import { joinPath } from '../../codec/path.ts'
import { compareTrees } from '../../diff/compare-trees.ts'
import { planReading } from '../../diff/plan-reading.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { createUnitFinder } from '../compare/find-units.ts'
import { applyLists } from '../compare/listed-files.ts'
import { type BlobHash, hashOf, looksLikeTree, openFolder, openRevision, type OpenTree } from '../compare/open-tree.ts'

/** A tree to compare. */
export type TreeChoice =
  /** As a commit of the fleet's repository has it. */
  | { readonly kind: 'revision'; readonly revision: string }
  /** On disk, in the fleet's output folder. */
  | { readonly kind: 'disk' }
  /** In another folder, absolute; `written` as the user named it. */
  | { readonly kind: 'folder'; readonly folder: string; readonly written: string }

/** The options of `stackmason diff`. */
export interface DiffOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  readonly before: TreeChoice
  readonly after: TreeChoice
}

/** The difference between two trees. */
export interface DiffResult {
  /** In words. */
  readonly before: string
  readonly after: string
  readonly change: TreeChange
  readonly findings: readonly Diagnostic[]
}

type DiffPorts = Pick<Ports, 'files' | 'git' | 'crypto' | 'packageFiles'>

/**
 * Compares two rendered trees; writes nothing.
 * @throws StackmasonError CONFIG_*, BASE_UNKNOWN, GIT_FAILED, FILE_UNREADABLE, USAGE for a folder that holds no tree
 */
export async function diff(options: DiffOptions, ports: DiffPorts): Promise<DiffResult> {
  const isAboutFleet = [options.before, options.after].some(({ kind }) => kind !== 'folder')
  const output = isAboutFleet ? await outputOf(options, ports) : options.start
  const trees = await openBoth(options, { output, ports })
  const [before, after] = await applyLists(trees.before, trees.after)
  const plan = planReading(before.tree.files, after.tree.files)
  const texts = { before: await before.tree.read(plan.before), after: await after.tree.read(plan.after) }
  const change = compareTrees({
    plan,
    before: {
      files: before.tree.files,
      texts: texts.before,
      unlisted: before.unlisted,
      unitOf: createUnitFinder(texts.before),
    },
    after: {
      files: after.tree.files,
      texts: texts.after,
      unlisted: after.unlisted,
      unitOf: createUnitFinder(texts.after),
    },
  })
  return { before: trees.before.label, after: trees.after.label, change, findings: [] }
}

async function outputOf({ start, fleet }: DiffOptions, ports: DiffPorts): Promise<string> {
  const file = await findFleet(fleet ?? start, ports)
  const { root, output } = await readFleetFile(file, ports)
  return joinPath(root, output)
}

interface Opening {
  /** Of the fleet. */
  readonly output: string
  readonly ports: DiffPorts
}

/** A commit first: it says by which hash files are named. */
async function openBoth(
  { before, after }: Pick<DiffOptions, 'before' | 'after'>,
  opening: Opening,
): Promise<{ readonly before: OpenTree; readonly after: OpenTree }> {
  if (before.kind !== 'revision' && after.kind === 'revision') {
    const opened = await openTree(after, 'sha1', opening)
    return { before: await openTree(before, hashOf(opened.files), opening), after: opened }
  }
  const opened = await openTree(before, 'sha1', opening)
  return { before: opened, after: await openTree(after, hashOf(opened.files), opening) }
}

async function openTree(choice: TreeChoice, hash: BlobHash, { output, ports }: Opening): Promise<OpenTree> {
  switch (choice.kind) {
    case 'revision':
      return openRevision(output, choice.revision, ports)
    case 'disk':
      return openFolder(output, { label: 'files on disk', hash, ports })
    case 'folder':
      if (!(await looksLikeTree(choice.folder, ports))) throw noTree(choice.written)
      return openFolder(choice.folder, { label: choice.written, hash, ports })
  }
}

function noTree(written: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `${JSON.stringify(written)} holds no rendered tree: neither clusters nor stacks nor handoff`,
    hint: 'Name the output folder itself, such as ./rendered; a name without ./ is a revision of git.',
  })
}
