import type { FolderHashes } from './folder-hashes.ts'
import { type FileStep, type FolderPlan, isObjectFile } from './plan-folder.ts'
import type { KnownContent } from './serialize-folder.ts'

/**
 * Decides what happens to a folder in which lie just the files that stackmason wrote last, by their hashes: as
 * `planFolder` does, which finds nobody else's work in them. Only files that are not there as they are to be have their
 * bytes in `files`.
 */
export function planKnownFolder(lying: FolderHashes, files: ReadonlyMap<string, KnownContent>): FolderPlan {
  const steps: FileStep[] = []
  for (const [name, { bytes, sha256 }] of files) {
    const before = lying.get(name)
    if (before === sha256) continue
    if (bytes === undefined) throw new Error(`${name} is to be written, and its content is not there`)
    const content = { bytes, sha256 }
    steps.push(before === undefined ? { name, change: 'added', content } : { name, change: 'changed', content, before })
  }
  const unchanged = files.size - steps.length
  for (const [name, before] of lying) if (!files.has(name)) steps.push({ name, change: 'removed', before })
  const objectsBefore = [...lying.keys()].filter(isObjectFile).length
  return { steps, doubtful: [], unchanged, problems: [], objectsBefore }
}
