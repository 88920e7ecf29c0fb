import { dirName, joinPath } from '../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { oddName } from '../model/file-problem.ts'
import type { RenderedTree } from '../model/manifest.ts'
import { FileError, type FileErrorReason, type Ports } from '../model/ports.ts'
import { ApplyError, applyPlan, Staging } from './apply-plan.ts'
import {
  carryOut,
  clearJournal,
  clearKept,
  clearStaging,
  findInterruption,
  isStagingIntact,
  readJournal,
  type Workplace,
} from './carry-out.ts'
import { findOuterTree } from './check-owner.ts'
import { CONTROL_FOLDER, CONTROL_FOLDERS } from './control-folder.ts'
import { StepChanges, type TreeChange, type TreeChanges } from './folder-steps.ts'
import { isAtOrBelow } from './read-tree.ts'
import { lockFolder, refuseWhileLocked } from './lock-folder.ts'
import { type FolderContent, type KnownContent, type KnownFiles, serializeApart } from './serialize-folder.ts'
import type { TreeOwner } from './tree-owner.ts'
import type { KnownUnit, MakeAgain } from './known-unit.ts'
import type { KnownDisk } from './known-trees.ts'
import { type TreePlan, TreePlanner, type TreePlanOptions } from './tree-planner.ts'

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
  /** The place of the tree in another branch that takes it; '' is its root. Absent: none does. */
  readonly publishedPath?: string | undefined
  /** Facts about the disk; absent: it is read. */
  readonly known?: KnownDisk | undefined
}

/** The result of a write or a check. */
export interface WriteResult {
  /** In path order; paths are relative to the output folder. */
  readonly changes: TreeChanges
  readonly unchanged: number
  /** The recovery of an earlier run that had been interrupted. */
  readonly recovered?: 'completed' | 'rolled-back' | undefined
  readonly findings: readonly Diagnostic[]
}

type WritePorts = Pick<Ports, 'files' | 'crypto' | 'git' | 'process'>

/** Takes a tree folder by folder, and writes or compares it. */
export interface TreeSink {
  /**
   * Takes the folders of one unit; what fails is thrown at the end, after all else that is wrong with the inputs.
   * `again` must be there where a file is known by its hash alone.
   */
  readonly add: (folders: readonly FolderContent<KnownContent>[], again?: MakeAgain) => Promise<void>
  /** Takes a unit that an earlier run made. */
  readonly addKnown: (unit: KnownUnit) => Promise<void>
  /**
   * Ends with what was added: `scopes` are the folders that the run speaks for, see {@link RenderedTree}.
   * @throws StackmasonError, see {@link openTreeWriter} and {@link openTreeCheck}
   */
  readonly end: (scopes: readonly string[]) => Promise<WriteResult>
  /** Drops what was added, and says what was done all the same. */
  readonly abandon: () => Promise<readonly Diagnostic[]>
}

/**
 * Makes the output folder hold exactly the tree, as far as the tree's scopes reach: all or nothing, also when the
 * process is killed. Touches only files whose content differs; removes only files that are ours. The content of each
 * folder is staged as soon as it comes; at the end all of it is moved into place.
 * @throws StackmasonError WRITE_OTHER_FLEET, WRITE_NOT_OWNED, WRITE_HAND_EDITED, WRITE_EMPTY, WRITE_PATH_CONFLICT (all
 * of them, nothing written), WRITE_BUSY, WRITE_INTERRUPTED, WRITE_FAILED: at the end
 */
export function openTreeWriter(options: WriteOptions, ports: WritePorts): TreeSink {
  const queue = new FolderQueue(() => startWrite(options, ports))
  return {
    add: (folders, again) => queue.add((planner) => planner.add(folders, again)),
    addKnown: (unit) => queue.add((planner) => planner.addKnown(unit)),
    end: (scopes) =>
      translateFailures(async () => {
        const run = await queue.end()
        const result = await finishWrite(run, scopes, options).catch(async (error: unknown) => {
          // The first failure is the one to tell; the lock of an ended process is stale anyway.
          await run.leave().catch(onlyFileErrors)
          throw error
        })
        await run.leave().catch((error: unknown) => {
          throw error instanceof FileError ? new ApplyError('done', error) : error
        })
        return result
      }),
    abandon: async () => {
      const run = await queue.abandon()
      if (run === undefined) return []
      await clearOwnStaging(run).catch(onlyFileErrors)
      await run.leave().catch(onlyFileErrors)
      return recoveryNote(run.recovery, options.output)
    },
  }
}

/**
 * Says what {@link openTreeWriter} would do; writes nothing, not even a lock. What it would refuse is among the
 * findings.
 * @throws StackmasonError WRITE_INTERRUPTED, WRITE_BUSY, WRITE_NOT_OWNED, WRITE_OTHER_FLEET, WRITE_PATH_CONFLICT,
 * WRITE_FAILED: at the end
 */
export function openTreeCheck(options: WriteOptions, ports: WritePorts): TreeSink {
  const queue = new FolderQueue(async () => {
    await checkFolders(options.output, ports)
    if (await findInterruption({ output: options.output, files: ports.files })) {
      await refuseWhileLocked(options.output, ports)
      throw interrupted(options.output)
    }
    return { planner: new TreePlanner(planOptions(options), ports) }
  })
  return {
    add: (folders, again) => queue.add((planner) => planner.add(folders, again)),
    addKnown: (unit) => queue.add((planner) => planner.addKnown(unit)),
    end: (scopes) =>
      translateFailures(async () => {
        const plan = await (await queue.end()).planner.end(scopes)
        return { ...resultOf(plan), findings: plan.problems }
      }),
    abandon: async () => {
      await queue.abandon()
      return []
    },
  }
}

/** Writes a tree that is there as a whole, see {@link openTreeWriter}. */
export async function writeTree(tree: RenderedTree, options: WriteOptions, ports: WritePorts): Promise<WholeResult> {
  return wholeResult(tree, openTreeWriter(options, ports), ports)
}

/** Compares a tree that is there as a whole, see {@link openTreeCheck}. */
export async function checkTree(tree: RenderedTree, options: WriteOptions, ports: WritePorts): Promise<WholeResult> {
  return wholeResult(tree, openTreeCheck(options, ports), ports)
}

/** The same with all changes at once. */
export interface WholeResult extends WriteResult {
  readonly changes: readonly TreeChange[]
}

async function wholeResult(tree: RenderedTree, sink: TreeSink, { crypto }: WritePorts): Promise<WholeResult> {
  const known: KnownFiles = new WeakMap()
  await sink.add(tree.folders.map((folder) => serializeApart(folder, crypto, known)))
  const { changes, ...result } = await sink.end(tree.scopes)
  return { changes: [...changes], ...result }
}

/** Gives a unit to a planner. */
type GiveUnit = (planner: TreePlanner) => Promise<void>

/** Units whose files are compared and staged while the next is rendered: more would only wait in memory. */
const UNITS_AT_ONCE = 4

/** Feeds a planner, which is opened for the first folders. After a failure nothing more is planned. */
class FolderQueue<Run extends { readonly planner: TreePlanner }> {
  readonly #open: () => Promise<Run>
  readonly #pending = new Set<Promise<void>>()
  #run: Promise<Run> | undefined
  #isOver = false

  constructor(open: () => Promise<Run>) {
    this.#open = open
  }

  async add(give: GiveUnit): Promise<void> {
    const work = this.#plan(give)
    this.#pending.add(work)
    void work.then(() => this.#pending.delete(work))
    if (this.#pending.size >= UNITS_AT_ONCE) await Promise.race(this.#pending)
  }

  /** The run, when all folders are planned. @throws what failed to open; what failed later is thrown by its planner */
  async end(): Promise<Run> {
    await Promise.all(this.#pending)
    this.#run ??= this.#open()
    return this.#run
  }

  /** The run, if it was opened, when nothing is in flight any more. */
  async abandon(): Promise<Run | undefined> {
    this.#isOver = true
    await Promise.all(this.#pending)
    return this.#run?.catch(() => undefined)
  }

  async #plan(give: GiveUnit): Promise<void> {
    if (this.#isOver) return
    this.#run ??= this.#open()
    try {
      const { planner } = await this.#run
      await give(planner)
    } catch {
      // thrown by `end`: by the opening itself, or by the planner
      this.#isOver = true
    }
  }
}

function onlyFileErrors(error: unknown): void {
  if (!(error instanceof FileError)) throw error
}

/**
 * Links in place of our own folders would lead elsewhere, and a tree in another would be removed with it. @returns
 * whether the output folder was there
 */
async function checkFolders(output: string, { files }: WritePorts): Promise<boolean> {
  const outer = await findOuterTree(output, files)
  if (outer !== undefined) throw new StackmasonError(outer)
  let isThere = false
  for (const path of [output, ...CONTROL_FOLDERS.map((name) => joinPath(output, name))]) {
    const stat = await files.stat(path)
    if (path === output) isThere = stat !== undefined
    if (stat === undefined || stat.type === 'directory') continue
    throw new StackmasonError({
      code: 'WRITE_NOT_OWNED',
      severity: 'error',
      message: `a folder is to be written here, and ${stat.type === 'link' ? 'a link' : 'a file'} is in the way`,
      file: path,
      hint:
        path === output
          ? 'Name a folder as the output in stackmason.yaml; links are not followed.'
          : 'Remove it, then run again; links are not followed.',
    })
  }
  return isThere
}

interface WriteRun {
  readonly planner: TreePlanner
  readonly workplace: Workplace
  readonly recovery: Recovery
  /** @throws StackmasonError WRITE_BUSY when another run holds the lock now */
  readonly confirm: () => Promise<void>
  readonly leave: () => Promise<void>
}

async function startWrite(options: WriteOptions, ports: WritePorts): Promise<WriteRun> {
  const { output } = options
  const { files, crypto } = ports
  const wasThere = await checkFolders(output, ports)
  await files.makeDirectory(output)
  const lock = await lockFolder(output, ports)
  const leave = async (): Promise<void> => {
    await lock.release()
    if (!wasThere) await files.removeEmptyDirectory(output)
  }
  const workplace = { output, files, crypto }
  try {
    const recovery = await recover(workplace)
    const planner = new TreePlanner(planOptions(options), ports, new Staging(workplace))
    return { planner, workplace, recovery, confirm: lock.confirm, leave }
  } catch (error) {
    await leave().catch(onlyFileErrors)
    throw error
  }
}

async function finishWrite(run: WriteRun, scopes: readonly string[], { output }: WriteOptions): Promise<WriteResult> {
  const { recovery, workplace } = run
  let plan: TreePlan
  try {
    plan = await run.planner.end(scopes)
    if (plan.problems.length > 0) throw new StackmasonError([...plan.problems, ...recoveryNote(recovery, output)])
  } catch (error) {
    await clearOwnStaging(run).catch(onlyFileErrors)
    throw error
  }
  const folders = [...plan.steps.values(), ...(plan.record === undefined ? [] : [plan.record])]
  const left = folders.length === 0 ? [] : await applyPlan(folders, workplace, run.confirm)
  const edited = [...recovery.left, ...left].filter((path) => dirName(path) !== CONTROL_FOLDER)
  const findings = [
    ...beyondScopes(recovery, scopes, output),
    ...edited.map((path) => leftAlone(joinPath(output, path))),
  ]
  return { ...resultOf(plan), recovered: recovery.end, findings }
}

/** Whoever took the lock over stages in the same folder. */
async function clearOwnStaging({ confirm, workplace }: WriteRun): Promise<void> {
  try {
    await confirm()
  } catch (error) {
    if (error instanceof StackmasonError) return
    throw error
  }
  await clearStaging(workplace)
}

function planOptions(options: WriteOptions): TreePlanOptions {
  return { ...options, display: (path) => joinPath(options.output, path) }
}

function resultOf(plan: TreePlan): Pick<WriteResult, 'changes' | 'unchanged'> {
  return { changes: new StepChanges(plan.steps), unchanged: plan.unchanged }
}

interface Recovery {
  readonly end: 'completed' | 'rolled-back' | undefined
  readonly left: readonly string[]
  /** Of the files that it put into place or removed. */
  readonly paths: readonly string[]
}

/** Ends an interrupted run: what was decided is carried out, what was only staged is dropped. */
async function recover(workplace: Workplace): Promise<Recovery> {
  const journal = await readJournal(workplace)
  if (journal === 'damaged') throw interrupted(workplace.output, 'its journal is damaged')
  if (journal === undefined) {
    await clearKept(workplace)
    return { end: (await clearStaging(workplace)) ? 'rolled-back' : undefined, left: [], paths: [] }
  }
  if (!(await isStagingIntact(journal, workplace))) {
    throw interrupted(workplace.output, 'some of what it had staged is lost, as after a power failure')
  }
  try {
    const left = await carryOut(journal, workplace)
    await clearJournal(workplace)
    await clearKept(workplace)
    return { end: journal.outcome, left, paths: journal.folders.flatMap(journal.stepsIn).map(({ path }) => path) }
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

/** Files that an earlier run had decided on, and that this one does not look at: the inputs may have changed since. */
function beyondScopes({ end, paths }: Recovery, scopes: readonly string[], output: string): readonly Diagnostic[] {
  const beyond = paths.filter(
    (path) => dirName(path) !== CONTROL_FOLDER && !scopes.some((scope) => isAtOrBelow(path, scope)),
  )
  const [first] = beyond
  if (end !== 'completed' || first === undefined) return []
  const more = beyond.length === 1 ? '' : ` (and ${String(beyond.length - 1)} more)`
  return [
    {
      code: 'WRITE_INTERRUPTED',
      severity: 'warning',
      message: `an earlier run was interrupted while it wrote, and completed first; it had decided on this file${more}, which this run does not render`,
      file: joinPath(output, first),
      hint: 'Run `stackmason render` without --cluster and --stack before you commit: it renders all files from the inputs as they are now.',
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
  'read-only': 'the file system is read-only',
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
    const odd = oddName(failure)
    throw new StackmasonError(
      {
        code: 'WRITE_FAILED',
        severity: 'error',
        message: `the output could not be read or written: ${odd?.reason ?? REASONS[failure.reason]}; ${STATES[state]}`,
        file: failure.path,
        hint: odd?.hint ?? 'Check free space and permissions, then run again.',
      },
      { cause: error },
    )
  }
}
