import { dirName, joinPath } from '../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { RenderedTree } from '../model/manifest.ts'
import { FileError, type FileErrorReason, type Ports } from '../model/ports.ts'
import { ApplyError, applyPlan } from './apply-plan.ts'
import {
  carryOut,
  clearControlFolder,
  clearStaging,
  findInterruption,
  isStagingIntact,
  readJournal,
} from './carry-out.ts'
import { findOuterTree } from './check-owner.ts'
import { CONTROL_FOLDER } from './control-folder.ts'
import { lockFolder, refuseWhileLocked } from './lock-folder.ts'
import { planTree, type TreePlan, type WrittenTree } from './plan-tree.ts'
import { TreeContents } from './tree-contents.ts'
import type { TreeOwner } from './tree-owner.ts'

/** The options of a write or a check. */
export interface WriteOptions {
  /** The output folder, absolute. */
  readonly output: string
  /** Whose tree it is; another fleet's is refused. */
  readonly owner: TreeOwner
  /** Lets something that had objects become empty. */
  readonly allowEmpty: boolean
  /** Gives up files that were edited by hand. */
  readonly overwriteEdited: boolean
}

/** The result of a write or a check. */
export interface WriteResult {
  /** In path order; paths are relative to the output folder. */
  readonly changes: readonly { readonly path: string; readonly change: 'added' | 'changed' | 'removed' }[]
  readonly unchanged: number
  /** The recovery of an earlier run that had been interrupted. */
  readonly recovered?: 'completed' | 'rolled-back'
  readonly findings: readonly Diagnostic[]
}

type WritePorts = Pick<Ports, 'files' | 'crypto' | 'git' | 'process'>

/**
 * Makes the output folder hold exactly the tree, as far as the tree's scopes reach: all or nothing, also when the
 * process is killed. Touches only files whose content differs; removes only files that are ours.
 * @throws StackmasonError WRITE_OTHER_FLEET, WRITE_NOT_OWNED, WRITE_HAND_EDITED, WRITE_EMPTY, WRITE_PATH_CONFLICT (all
 * of them, nothing written), WRITE_BUSY, WRITE_INTERRUPTED, WRITE_FAILED
 */
export async function writeTree(
  tree: RenderedTree | WrittenTree,
  options: WriteOptions,
  ports: WritePorts,
): Promise<WriteResult> {
  return translateFailures(async () => {
    const wasThere = await checkFolders(options.output, ports)
    await ports.files.makeDirectory(options.output)
    const lock = await lockFolder(options.output, ports)
    const leave = async (): Promise<void> => {
      await lock.release()
      if (!wasThere) await ports.files.removeEmptyDirectory(options.output)
    }
    const result = await writeLocked(tree, options, { ports, confirm: lock.confirm }).catch(async (error: unknown) => {
      // The first failure is the one to tell; the lock of an ended process is stale anyway.
      await leave().catch(onlyFileErrors)
      throw error
    })
    await leave().catch((error: unknown) => {
      throw error instanceof FileError ? new ApplyError('done', error) : error
    })
    return result
  })
}

function onlyFileErrors(error: unknown): void {
  if (!(error instanceof FileError)) throw error
}

/**
 * Says what {@link writeTree} would do; writes nothing, not even a lock. What writeTree would refuse is among the
 * findings.
 * @throws StackmasonError WRITE_INTERRUPTED, WRITE_BUSY, WRITE_NOT_OWNED, WRITE_OTHER_FLEET, WRITE_PATH_CONFLICT,
 * WRITE_FAILED
 */
export async function checkTree(
  tree: RenderedTree | WrittenTree,
  options: WriteOptions,
  ports: WritePorts,
): Promise<WriteResult> {
  return translateFailures(async () => {
    await checkFolders(options.output, ports)
    if (await findInterruption({ output: options.output, files: ports.files })) {
      await refuseWhileLocked(options.output, ports)
      throw interrupted(options.output)
    }
    const plan = await planTree(gathered(tree, ports), planOptions(options), ports)
    return { ...resultOf(plan), findings: plan.problems }
  })
}

/** A tree in memory with its files. */
function gathered(tree: RenderedTree | WrittenTree, { crypto }: WritePorts): WrittenTree {
  if ('contents' in tree) return tree
  const contents = new TreeContents(crypto)
  for (const folder of tree.folders) contents.add(folder)
  return { contents, scopes: tree.scopes }
}

/**
 * Links in place of our own folders would lead elsewhere, and a tree in another would be removed with it. @returns
 * whether the output folder was there
 */
async function checkFolders(output: string, { files }: WritePorts): Promise<boolean> {
  const outer = await findOuterTree(output, files)
  if (outer !== undefined) throw new StackmasonError(outer)
  for (const path of [output, joinPath(output, CONTROL_FOLDER)]) {
    const stat = await files.stat(path)
    if (stat === undefined) return path !== output
    if (stat.type === 'directory') continue
    throw new StackmasonError({
      code: 'WRITE_NOT_OWNED',
      severity: 'error',
      message: `a folder is to be written here, and ${stat.type === 'link' ? 'a link' : 'a file'} is in the way`,
      file: path,
      hint: 'Name a folder as the output in stackmason.yaml; links are not followed.',
    })
  }
  return true
}

interface LockedWrite {
  readonly ports: WritePorts
  readonly confirm: () => Promise<void>
}

async function writeLocked(
  tree: RenderedTree | WrittenTree,
  options: WriteOptions,
  locked: LockedWrite,
): Promise<WriteResult> {
  const { files, crypto } = locked.ports
  const workplace = { output: options.output, files, crypto }
  const recovery = await recover(workplace)
  const plan = await planTree(gathered(tree, locked.ports), planOptions(options), locked.ports)
  if (plan.problems.length > 0) throw new StackmasonError([...plan.problems, ...recoveryNote(recovery, options.output)])
  const steps = [...plan.steps, ...plan.record]
  const left = steps.length === 0 ? [] : await applyPlan(steps, workplace, locked.confirm)
  const edited = [...recovery.left, ...left].filter((path) => dirName(path) !== CONTROL_FOLDER)
  const findings = edited.map((path) => leftAlone(joinPath(options.output, path)))
  return { ...resultOf(plan), ...(recovery.end === undefined ? {} : { recovered: recovery.end }), findings }
}

function planOptions(options: WriteOptions): Parameters<typeof planTree>[1] {
  return { ...options, display: (path) => joinPath(options.output, path) }
}

function resultOf(plan: TreePlan): Pick<WriteResult, 'changes' | 'unchanged'> {
  return { changes: plan.steps.map(({ path, change }) => ({ path, change })), unchanged: plan.unchanged }
}

interface Recovery {
  readonly end: 'completed' | 'rolled-back' | undefined
  readonly left: readonly string[]
}

/** Ends an interrupted run: what was decided is carried out, what was only staged is dropped. */
async function recover(workplace: Parameters<typeof carryOut>[1]): Promise<Recovery> {
  const journal = await readJournal(workplace)
  if (journal === 'damaged') throw interrupted(workplace.output, 'its journal is damaged')
  if (journal === undefined) return { end: (await clearStaging(workplace)) ? 'rolled-back' : undefined, left: [] }
  if (!(await isStagingIntact(journal, workplace))) {
    throw interrupted(workplace.output, 'some of what it had staged is lost, as after a power failure')
  }
  try {
    const left = await carryOut(journal, workplace)
    await clearControlFolder(workplace)
    return { end: journal.outcome, left }
  } catch (error) {
    throw error instanceof FileError ? new ApplyError('pending', error) : error
  }
}

/** A refused run returns no result, so its errors must tell that an earlier run was ended. */
function recoveryNote(recovery: Recovery, output: string): readonly Diagnostic[] {
  if (recovery.end === undefined) return []
  return [
    {
      code: 'WRITE_INTERRUPTED',
      severity: 'warning',
      message: `an earlier run was interrupted while it wrote; it was ${recovery.end === 'completed' ? 'completed' : 'rolled back'} first`,
      file: output,
    },
  ]
}

function interrupted(output: string, damage?: string): StackmasonError {
  return new StackmasonError({
    code: 'WRITE_INTERRUPTED',
    severity: 'error',
    message: `an earlier run was interrupted while it wrote${damage === undefined ? '' : `, and ${damage}`}`,
    file: joinPath(output, CONTROL_FOLDER),
    hint:
      damage === undefined
        ? 'Run `stackmason render`: it completes or rolls back that run first.'
        : 'Bring the output folder back with git, remove this folder, then run `stackmason render`.',
  })
}

function leftAlone(file: string): Diagnostic {
  return {
    code: 'WRITE_HAND_EDITED',
    severity: 'warning',
    message: 'the file was changed while it was to be written; the change was kept',
    file,
    hint: 'Look at the change and run `stackmason render` again.',
  }
}

const REASONS: Readonly<Record<FileErrorReason, string>> = {
  'not-found': 'it is not there any more',
  'not-permitted': 'permission denied',
  'wrong-type': 'something else is where a file or a folder should be',
  'no-space': 'no space left',
  other: 'the system refused it',
}

const STATES: Readonly<Record<ApplyError['state'], string>> = {
  untouched: 'nothing was changed',
  pending: 'the next run ends what was begun',
  done: 'the tree was written all the same',
}

async function translateFailures<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const failure = error instanceof ApplyError ? error.cause : error
    if (!(failure instanceof FileError)) throw error
    const state = error instanceof ApplyError ? error.state : 'untouched'
    throw new StackmasonError(
      {
        code: 'WRITE_FAILED',
        severity: 'error',
        message: `the output could not be read or written: ${REASONS[failure.reason]}; ${STATES[state]}`,
        file: failure.path,
        hint: 'Check free space and permissions, then run again.',
      },
      { cause: error },
    )
  }
}
