import { compareBytes } from '../../codec/text/text-order.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { type NamedKind, readFleetNames } from '../../sources/fleet/fleet-names.ts'

/** The part of a fleet that was asked for, as the command line names it; both empty = all. */
export interface JudgedSelection {
  readonly clusters: readonly string[]
  readonly stacks: readonly string[]
}

/**
 * The name of the part that was judged: one for each set of clusters and stacks, however they were asked for, and the
 * same where the fleet cannot be read. Undefined for a whole fleet. `file` is the absolute path of stackmason.yaml.
 */
export async function judgedName(
  { clusters, stacks }: JudgedSelection,
  file: string,
  ports: Pick<Ports, 'files' | 'timeZones'>,
): Promise<string | undefined> {
  if (clusters.length + stacks.length === 0) return undefined
  const names = [
    ...(await fullNames(clusters, 'clusters')),
    ...(await fullNames(stacks, 'stacks')).map((stack) => `stack:${stack}`),
  ]
  return [...new Set(names)].sort(compareBytes).join('+')

  /** With their namespaces; a text that names nothing stays. */
  async function fullNames(texts: readonly string[], kind: NamedKind): Promise<readonly string[]> {
    if (texts.length === 0) return []
    const known = await readFleetNames(kind, file, ports).catch((error: unknown) => {
      if (error instanceof FileError) return []
      throw error
    })
    return texts.flatMap((text) => {
      const found = known.filter((name) => name === text || name.slice(name.indexOf('/') + 1) === text)
      return found.length === 0 ? [text] : found
    })
  }
}
