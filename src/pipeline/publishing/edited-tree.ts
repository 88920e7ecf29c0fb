import type { Diagnostic } from '../../model/diagnostic.ts'
import type { ProposalDesk } from './proposal-desk.ts'
import type { RenderedSource } from './rendered-source.ts'
import type { TreeFile } from './source-change.ts'

/** Paths that differ because of an edit; undefined where some of them differ without it, too, and in another way. */
export async function ownFiles(
  plain: RenderedSource,
  edited: RenderedSource,
): Promise<ReadonlySet<string> | undefined> {
  const [before, after] = [plain, edited].map(
    ({ change }) => new Map(change.files.map((file) => [file.path, file] as const)),
  )
  const isSame = async (path: string, ...changes: readonly TreeFile['change'][]): Promise<boolean> =>
    new Set(changes).size === 1 &&
    (await plain.trees()).after.files.get(path) === (await edited.trees()).after.files.get(path)
  const own = new Set<string>()
  for (const [path, file] of after ?? []) {
    const other = before?.get(path)
    if (other === undefined) own.add(path)
    else if (!(await isSame(path, file.change, other.change))) return undefined
  }
  for (const path of before?.keys() ?? []) if (after?.has(path) !== true) return undefined
  return own
}

/**
 * Keys of the errors that the base has without the edit. Checks of the base tell of them; a release that brings none of
 * its own is not to blame, and held back by them it could not bring what mends them.
 */
export async function errorsOf(desk: ProposalDesk, { tree }: RenderedSource): Promise<ReadonlySet<string>> {
  const { findings } = await desk.run.check(tree)
  return new Set(findings.filter(({ severity }) => severity === 'error').map(keyOf))
}

/** What tells findings of two trees apart. */
export function keyOf({ code, message, about, file, at }: Diagnostic): string {
  return JSON.stringify([code, message, about, file ?? at?.source.path])
}
