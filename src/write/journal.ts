import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { dirName } from '../codec/path.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'

const API_VERSION = 'stackmason.dev/v1alpha1'

/**
 * The decided changes of a run. Once it lies in the control folder the run counts as done: whoever finds it carries it
 * out. A step with `staged` replaces `path` by that file of the staging folder, a step without removes `path`.
 */
export interface Journal {
  /** How to name the end of it: a run that failed half-way is undone by a journal of its own. */
  readonly outcome: 'completed' | 'rolled-back'
  /** The folders that it changes, relative to the output folder. */
  readonly folders: readonly string[]
  /** The steps in one of them: made when they are asked for, since a run has many. */
  readonly stepsIn: (folder: string) => readonly JournalStep[]
}

/** Where a staged file lies: what a run goes back to was kept, not staged. */
export function stagedPath(name: string): string {
  return `${name.startsWith('kept-') ? controlPaths.kept : controlPaths.staging}/${name}`
}

/** One file to put into place or to remove. */
export interface JournalStep {
  /** Relative to the output folder. */
  readonly path: string
  readonly staged?: string
  /** sha256 of the staged file. */
  readonly sha256?: string
  /**
   * sha256 of what lay at `path` when the step was decided; absent when nothing did. Anything else found there is left
   * alone.
   */
  readonly was?: string
  /**
   * Name of a kept file that what lies at `path` gets; who finds the journal later does not go back, and keeps nothing.
   */
  readonly keep?: string
}

/** Writes a journal as JSON, in parts. */
export function formatJournal({ outcome, folders, stepsIn }: Journal): Iterable<Uint8Array> {
  function* parts(): Generator<Uint8Array> {
    const head = JSON.stringify({ apiVersion: API_VERSION, kind: 'Journal', outcome })
    yield encodeUtf8(`${head.slice(0, -1)},"steps":[\n`)
    let separator = ''
    for (const folder of folders) {
      const steps = stepsIn(folder).map(({ path, staged, sha256, was }) =>
        JSON.stringify({ path, staged, sha256, was }),
      )
      if (steps.length === 0) continue
      yield encodeUtf8(separator + steps.join(',\n'))
      separator = ',\n'
    }
    yield encodeUtf8('\n]}\n')
  }
  return { [Symbol.iterator]: parts }
}

/** Reads a journal; undefined when it is damaged or names a place outside of the output folder. */
export function parseJournal(text: string): Journal | undefined {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (!isRecord(root) || root['apiVersion'] !== API_VERSION || root['kind'] !== 'Journal') return undefined
  const { outcome, steps } = root
  if ((outcome !== 'completed' && outcome !== 'rolled-back') || !Array.isArray(steps)) return undefined
  const list: readonly unknown[] = steps
  return list.every(isStep) ? journalOf(outcome, list.map(recordedStep)) : undefined
}

function journalOf(outcome: Journal['outcome'], steps: readonly JournalStep[]): Journal {
  const folders = new Map<string, JournalStep[]>()
  for (const step of steps) {
    const folder = dirName(step.path)
    const inFolder = folders.get(folder)
    if (inFolder === undefined) folders.set(folder, [step])
    else inFolder.push(step)
  }
  return { outcome, folders: [...folders.keys()], stepsIn: (folder) => folders.get(folder) ?? [] }
}

/** Only what a journal is written with: where else a step would put what it finds, nobody has looked at. */
function recordedStep({ path, staged, sha256, was }: JournalStep): JournalStep {
  return {
    path,
    ...(staged !== undefined && { staged }),
    ...(sha256 !== undefined && { sha256 }),
    ...(was !== undefined && { was }),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStep(value: unknown): value is JournalStep {
  if (!isRecord(value)) return false
  const { path, staged, sha256, was } = value
  return (
    typeof path === 'string' &&
    isTreePath(path) &&
    (was === undefined || typeof was === 'string') &&
    (staged === undefined
      ? sha256 === undefined
      : typeof staged === 'string' && /^(?:new|old|kept)-\d+$/.test(staged) && typeof sha256 === 'string')
  )
}

/** True if the path names a file below the output folder; of the control folder only what outlives a run. */
function isTreePath(path: string): boolean {
  const parts = path.split('/')
  if (parts[0] === CONTROL_FOLDER) return path === controlPaths.written || path === controlPaths.ignore
  return parts.every((part) => !/^(?:\.{0,2}|.*[\\\0].*)$/s.test(part))
}

/** These folders and all that they lie in, each once, deepest first. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = path; at !== '.' && !folders.has(at); at = dirName(at)) folders.add(at)
  }
  return [...folders].sort((a, b) => b.split('/').length - a.split('/').length)
}
