import { artifactUnitOf, pinFile } from '../model/artifact-unit.ts'
import type { FileIds } from './plan-reading.ts'

/** The files of a tree, and the texts of those that were read. */
interface ReadFiles {
  readonly files: FileIds
  readonly texts: ReadonlyMap<string, string>
}

/** Lines that are others with each content. */
const OF_CONTENT = /^ {4}(?:digest|org\.opencontainers\.image\.(?:created|revision|source)): .*$/gm

/**
 * The pins of artifacts that differ only as what they pin does, by path: they say nothing of their own. Alone, or with
 * another change, a pin tells something that is to be seen.
 */
export function findFollowingPins(before: ReadFiles, after: ReadFiles): ReadonlySet<string> {
  const found = new Set<string>()
  const look = (path: string): void => {
    const unit = before.files.get(path) === after.files.get(path) ? undefined : artifactUnitOf(path)
    if (unit === undefined) return
    const pin = pinFile(unit)
    const [old, now] = [before.texts.get(pin), after.texts.get(pin)]
    if (old === undefined || now === undefined || restOf(old) === restOf(now)) found.add(pin)
  }
  for (const path of before.files.keys()) look(path)
  for (const path of after.files.keys()) if (!before.files.has(path)) look(path)
  return found
}

function restOf(text: string): string {
  return text.replaceAll(OF_CONTENT, '')
}
