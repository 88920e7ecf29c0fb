import { joinPath } from '../../codec/path.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { PublishTree } from '../../model/git-writer.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import type { SourceChange, TreeFile } from '../publishing/source-change.ts'
import { render } from './render.ts'
import { update } from './update.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import type { Network } from '../resolve/open-source.ts'
import type { InputEdits } from '../../publish/proposal.ts'

/** How a commit is rendered. */
export interface SourceRender {
  readonly tree: PublishTree
  /** stackmason.yaml and the output folder, from the root. */
  readonly file: string
  readonly output: string
  /** The commit from whose tree upgrades go on; absent: the last. */
  readonly base: string | undefined
  /** Reports whether steps of upgrades are applied; absent: committed steps count as applied. */
  readonly awaited: TreeRevision['awaited']
  /** The changes of inputs to make first. */
  readonly edits: InputEdits
  readonly allowEmpty: boolean
  /** The place of the tree in another branch that takes it; '' is its root. */
  readonly publishedPath: string | undefined
  readonly network: Network
  readonly onProgress: OnProgress
}

/**
 * Renders the commit of a work tree into it.
 * @throws StackmasonError as `render` and `update`; PUBLISH_OUTSIDE where the commit has no such fleet
 */
export async function renderSource(options: SourceRender, ports: Ports): Promise<SourceChange> {
  const { tree, file, output, base, awaited, edits, allowEmpty, publishedPath, network, onProgress } = options
  const fleet = joinPath(tree.folder, file)
  if ((await ports.files.stat(fleet)) === undefined) throw noFleet(tree, file)
  const start = tree.folder
  for (const [path, text] of edits.files) await ports.files.write(joinPath(tree.folder, path), encodeUtf8(text))
  const releases = typeof edits.lock === 'string' ? [] : edits.lock
  const updated =
    edits.lock === 'kept' || edits.lock.length === 0
      ? undefined
      : await update(
          {
            start,
            fleet,
            stacks: [],
            releases,
            subscriptions: edits.lock === 'rest' ? 'keep' : 'follow',
            prune: false,
            dryRun: false,
            network,
          },
          ports,
        )
  const result = await render(
    {
      start,
      fleet,
      clusters: [],
      stacks: [],
      check: false,
      ...(base !== undefined && { base }),
      ...(awaited !== undefined && { awaited }),
      allowEmpty,
      overwriteEdited: false,
      judgesOutput: true,
      publishedPath,
      network,
    },
    ports,
    onProgress,
  )
  if (result.output !== joinPath(tree.folder, output)) throw otherOutput(tree, output)
  const files = Array.from(result.changes, ({ path, change }): TreeFile => ({
    path,
    change,
    from: change === 'removed' ? undefined : joinPath(result.output, path),
  }))
  const lockFile = joinPath(file, '../stackmason.lock')
  const isMoved = updated?.status === 'changed' && updated.changes.length > 0
  const inputs = [
    ...Array.from(edits.files.keys(), (path) => ({ path, from: joinPath(tree.folder, path) })),
    ...(isMoved ? [{ path: lockFile, from: joinPath(tree.folder, lockFile) }] : []),
  ]
  return {
    result: { ...result, findings: [...(updated?.findings ?? []), ...result.findings].filter(isAsked) },
    files: files.every(({ path }) => path === OWNER_FILE) && inputs.length === 0 ? [] : files,
    inputs,
    newer: updated?.newer ?? [],
    digest: await digestOfFile(joinPath(tree.folder, lockFile), ports),
  }
}

/** That a fleet has no use for a base is news for who names one. */
function isAsked({ code }: Diagnostic): boolean {
  return code !== 'BASE_UNUSED'
}

async function digestOfFile(path: string, { files, crypto }: Ports): Promise<string | undefined> {
  try {
    return digestOf(await files.read(path), crypto)
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  }
}

function noFleet({ commit }: PublishTree, file: string): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_OUTSIDE',
    severity: 'error',
    message: `the remote has no ${file} at commit ${commit.slice(0, 12)}, which is what would be rendered`,
    hint: 'Commit the fleet, and push it to the branch that spec.publish.base names.',
  })
}

function otherOutput({ commit }: PublishTree, output: string): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_OUTSIDE',
    severity: 'error',
    message: `commit ${commit.slice(0, 12)} of the remote does not render into ${output}, as the checkout does`,
    hint: 'Bring the checkout to what the remote has (`git pull`), or push the change of spec.output.path first.',
  })
}
