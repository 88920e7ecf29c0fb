import type { FileIds } from '../../diff/plan-reading.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import type { Network } from '../resolve/open-source.ts'
import { collectTree } from './collect-tree.ts'
import { createOriginFinder, hasOther } from './find-origins.ts'
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
  readonly lock?: string | undefined
  /** A tag: set, no other release of the lock is there. */
  readonly release?: string | undefined
  readonly network: Network
  readonly hash: BlobHash
  readonly onProgress: OnProgress
  /** Set: it can be asked where fields come from that differ from this tree. */
  readonly explained?: FileIds | undefined
}

/** A tree in memory, and what was found while it was rendered. */
export interface RenderedOpenTree extends OpenTree {
  readonly findings: readonly Diagnostic[]
  /** The change to this tree with the places that its fields come from. */
  readonly explain: (change: TreeChange) => TreeChange
}

/**
 * Renders a fleet into memory, as `render` would write it; equal files are kept once.
 * @throws StackmasonError as {@link expandFleet}
 */
export async function renderTree(options: RenderTreeOptions, ports: Ports): Promise<RenderedOpenTree> {
  const { label, repository, revision, file, network, hash, onProgress } = options
  const findings = keepFindings()
  findings.acknowledge(repository)
  const collected = collectTree({ label, hash, ports })
  const { explained } = options
  const origins = createOriginFinder(repository.fleet.root, (folder) =>
    explained === undefined ? false : hasOther(collected.filesOf(folder.path), explained),
  )
  await expandFleet(
    { repository, findings },
    {
      selection: { clusters: [], stacks: [] },
      revision,
      network,
      lock: options.lock,
      release: options.release,
      treeOf: file,
      onProgress,
    },
    {
      ports,
      take: (expanded) => {
        for (const folder of expanded.folders) if (options.isWanted(folder.path)) collected.add(folder)
        origins.keep(expanded)
      },
    },
  )
  return { ...collected.tree, findings: findings.all('part'), explain: origins.explain }
}
