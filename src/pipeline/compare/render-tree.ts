import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import { lockFileOf } from '../resolve/open-inputs.ts'
import type { Network } from '../resolve/open-source.ts'
import { collectTree } from './collect-tree.ts'
import type { BlobHash, OpenTree } from './open-tree.ts'

/** How a tree is rendered into memory. */
export interface RenderTreeOptions {
  readonly label: string
  readonly repository: FleetRepository
  /** The tree that the steps of clusters follow on. */
  readonly revision: TreeRevision
  /** The fleet's stackmason.yaml; undefined where no tree of it is looked at. */
  readonly file: string | undefined
  /** True for a folder of the tree that is wanted. */
  readonly isWanted: (folder: string) => boolean
  /** In place of the fleet's lock; absolute. */
  readonly lock?: string
  readonly network: Network
  readonly hash: BlobHash
  readonly onProgress: OnProgress
}

/** A tree in memory, and what was found while it was rendered. */
export interface RenderedOpenTree extends OpenTree {
  readonly findings: readonly Diagnostic[]
}

/**
 * Renders a fleet into memory, as `render` would write it; equal files are kept once.
 * @throws StackmasonError as {@link expandFleet}
 */
export async function renderTree(options: RenderTreeOptions, ports: Ports): Promise<RenderedOpenTree> {
  const { label, repository, revision, file, network, hash, onProgress } = options
  const findings = keepFindings()
  findings.acknowledge(repository.fleet.acknowledged)
  const collected = collectTree({ label, hash, ports })
  await expandFleet(
    { repository, findings },
    {
      selection: { clusters: [], stacks: [] },
      revision,
      network,
      ...(file !== undefined && { treeOf: file }),
      onProgress,
    },
    {
      ports: options.lock === undefined ? ports : withLock(ports, repository, options.lock),
      take: ({ folders }) => {
        for (const folder of folders) {
          if (!options.isWanted(folder.path)) continue
          collected.add(folder)
        }
      },
    },
  )
  return { ...collected.tree, findings: findings.all('part') }
}

/** The ports, with another file where the fleet has its lock. */
function withLock(ports: Ports, { fleet }: FleetRepository, lock: string): Ports {
  const own = lockFileOf(fleet)
  const { files } = ports
  return {
    ...ports,
    files: {
      ...files,
      stat: (path) => files.stat(path === own ? lock : path),
      read: (path, from) => files.read(path === own ? lock : path, from),
    },
  }
}
