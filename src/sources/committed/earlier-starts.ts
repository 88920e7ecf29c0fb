import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { textAt } from '../../model/field.ts'
import { inputPath } from '../../model/input-path.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { EarlierStart } from '../../model/steps.ts'
import { COMMITS } from './earlier-clusters.ts'
import { parseOrNull } from './parse-committed.ts'

/** Says what commits have in options.yaml of a cluster about a start, the last one first. */
export type EarlierStarts = (cluster: ObjectName) => readonly EarlierStart[]

const FOLDER = 'clusters'

/** Reads what options.yaml says of starts in the commits of the fleet at `root`. @throws GitError */
export async function readEarlierStarts(root: string, { git }: Pick<Ports, 'git'>): Promise<EarlierStarts> {
  const folder = joinPath(root, FOLDER)
  const isOptions = (path: string): boolean => /^[^/]+\/[^/]+\/options\.yaml$/.test(path)
  const last = await git.readCommitted(folder, isOptions)
  const earlier = await git.readEarlier(folder, isOptions, { commits: COMMITS, among: ['*/*/options.yaml'] })
  return (cluster) => {
    const path = inputPath(cluster, 'options.yaml').slice(FOLDER.length + 1)
    const files = [{ age: 0, bytes: last.get(path) }, ...(earlier.get(path) ?? [])]
    return files.map(({ age, bytes }) => ({ age, release: bytes === undefined ? undefined : releaseIn(bytes) }))
  }
}

/** Undefined where it says nothing that can be read. */
function releaseIn(bytes: Uint8Array): string | undefined {
  const release = textAt(parseOrNull(decodeUtf8(bytes)), 'spec', 'startOver')
  return release === '' ? undefined : release
}
