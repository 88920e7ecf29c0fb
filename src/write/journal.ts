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
  readonly steps: readonly JournalStep[]
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
}

/** Writes a journal as JSON. */
export function formatJournal(journal: Journal): string {
  return `${JSON.stringify({ apiVersion: API_VERSION, kind: 'Journal', ...journal }, undefined, 1)}\n`
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
  return list.every(isStep) ? { outcome, steps: list } : undefined
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
      : typeof staged === 'string' && /^(?:new|old)-\d+$/.test(staged) && typeof sha256 === 'string')
  )
}

/** True if the path names a file below the output folder; of the control folder only what outlives a run. */
function isTreePath(path: string): boolean {
  const parts = path.split('/')
  if (parts[0] === CONTROL_FOLDER) return path === controlPaths.written || path === controlPaths.ignore
  return parts.every((part) => !/^(?:\.{0,2}|.*[\\\0].*)$/s.test(part))
}

/** The folders of the steps' paths, each once, deepest first; `''` is the output folder. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = dirName(path); at !== '.' && !folders.has(at); at = dirName(at)) folders.add(at)
  }
  return [...folders].sort((a, b) => b.split('/').length - a.split('/').length)
}
