import { dirName, joinPath } from '../../codec/path.ts'
import { ARTIFACTS } from '../../model/artifact-unit.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { findAlteredOutput } from '../../sources/committed/altered-output.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { findForeignOutput } from '../../sources/committed/foreign-output.ts'
import { findHiddenOutput } from '../../sources/committed/hidden-output.ts'
import { CONTROL_FOLDER } from '../../write/control-folder.ts'
import type { FolderContent, KnownContent } from '../../write/serialize-folder.ts'
import type { WriteResult } from '../../write/write-tree.ts'

/** The paths of rendered files, relative to the output folder, as folders come. */
export class RenderedPaths {
  readonly #paths = new Set<string>()
  readonly #hashes: Map<string, string> | undefined

  /** @param keeps `hashes`: they are asked for */
  constructor(keeps: 'paths' | 'hashes') {
    this.#hashes = keeps === 'hashes' ? new Map() : undefined
  }

  add(folders: readonly FolderContent<KnownContent>[]): void {
    for (const { path, files, list } of folders) {
      for (const [name, { sha256 }] of files) {
        this.#paths.add(joinPath(path, name))
        this.#hashes?.set(joinPath(path, name), sha256)
      }
      if (list !== undefined) this.#paths.add(joinPath(path, KUSTOMIZATION_FILE))
    }
  }

  /** sha256 of a file; '' for a list that others decide. */
  hashOf(path: string): string | undefined {
    return this.#paths.has(path) ? (this.#hashes?.get(path) ?? '') : undefined
  }

  get all(): ReadonlySet<string> {
    return this.#paths
  }
}

/** The tree of the last commit. */
export interface CommittedOutput {
  /** The output folder; absolute. */
  readonly output: string
  /** The repository around it; absolute. Undefined where there is none. */
  readonly root: string | undefined
  /** Ids of its files by path; undefined where nobody can say. */
  readonly files: ReadonlyMap<string, string> | undefined
}

/**
 * Lists the tree of the last commit, or with `folders` what lies in these. All of it, before others ask for parts,
 * spares git from being asked again.
 */
export async function listOutput(
  output: string,
  ports: Pick<Ports, 'files' | 'git'>,
  folders?: readonly string[],
): Promise<CommittedOutput> {
  const root = await findRepository(output, ports)
  return { output, root, files: root === undefined ? undefined : await listCommitted(output, ports, folders) }
}

/** A tree that was compared. */
export interface ComparedOutput {
  readonly committed: CommittedOutput
  readonly rendered: RenderedPaths
  readonly changes: WriteResult['changes']
  /** The folders that the run is about, relative to the output folder; undefined for all. */
  readonly folders: readonly string[] | undefined
}

/**
 * Judges what lies around rendered files: that these are right says little where a GitOps tool gets others, or takes
 * more with them.
 */
export async function judgeOutput(
  { committed: { output, root, files: committed }, rendered, changes, folders }: ComparedOutput,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const changed = new Set<string>()
  const stale = new Set<string>()
  for (const { path, change } of changes) (change === 'removed' ? stale : changed).add(path)
  const known = { rendered: rendered.all, stale, folders, control: CONTROL_FOLDER }
  const foreign = await findForeignOutput({ output, committed: committed?.keys() }, known, ports)
  const pins = [...(committed?.keys() ?? [])].filter((path) => path.startsWith(`${ARTIFACTS}/`))
  const hidden = await findHiddenOutput({ output, root: root ?? dirName(output) }, [...rendered.all, ...pins], ports)
  if (root === undefined || committed === undefined) return { findings: [...foreign, ...hidden] }
  const unchanged = [...rendered.all].filter((path) => !changed.has(path))
  const altered = await findAlteredOutput({ output, root }, { committed, unchanged }, ports)
  return { findings: [...foreign, ...hidden, ...altered] }
}

/** Undefined where git cannot say it: whatever needs git tells that. */
async function listCommitted(
  output: string,
  { git }: Pick<Ports, 'git'>,
  folders: readonly string[] | undefined,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    return await git.listCommitted(output, undefined, folders)
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}
