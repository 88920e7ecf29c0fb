import { joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { SIGNATURE_LENGTH } from '../model/ports.ts'
import type { RunRecord } from './run-record.ts'
import { isYoung, signatureAt } from './signature.ts'
import { PathsInOrder } from './sorted-paths.ts'
import { youngAt, YoungInOrder, type YoungPaths } from './young-paths.ts'

/**
 * The record of a run that looked at a part alone, whose paths are those of `isOf`: of all else it says what the one
 * before does, which was found to hold. What has changed there since then is seen by the next run.
 */
export function joinRecords(before: RunRecord, own: RunRecord, isOf: (path: string) => boolean): RunRecord {
  const byPath = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...other, ...[...one].filter(([path]) => !isOf(path))])
  return {
    ...own,
    ...joinPaths(before, own, isOf),
    hashes: byPath(before.hashes, own.hashes),
    entries: byPath(before.entries, own.entries),
    trees: new Map([...[...before.trees].filter(([key]) => !isOf(joinPath(...key.split('\0')))), ...own.trees]),
    ...joinPlaces(before, own),
    links: byPath(before.links, own.links),
    variables: new Map([...own.variables, ...before.variables]),
    packaged: new Map([...own.packaged, ...before.packaged]),
    states: byKey([...own.states, ...before.states], ({ folder, revision = '' }) => `${folder}\0${revision}`),
    untracked: byKey([...own.untracked, ...before.untracked], ({ folder, kind }) => `${kind} ${folder}`),
    parts: new Map([...before.parts, ...own.parts]),
  }
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

/** Both are sorted. */
function joinPaths(
  before: RunRecord,
  own: RunRecord,
  isOf: (path: string) => boolean,
): Pick<RunRecord, 'paths' | 'signatures' | 'young'> {
  const paths = new PathsInOrder()
  const most = before.paths.length + own.paths.length
  const signatures = new Float64Array(most * SIGNATURE_LENGTH)
  const young = new YoungInOrder(most)
  const take = (record: RunRecord, index: number, path: string, digest = youngAt(record.young, index)): void => {
    signatures.set(signatureAt(record, index), paths.length * SIGNATURE_LENGTH)
    young.add(digest)
    paths.add(path)
  }
  const left = stillYoung(before, own.started)
  const mine = own.paths.slice(0, own.paths.length)
  let at = 0
  for (const [index, path] of before.paths.entries()) {
    for (let one = mine[at]; one !== undefined && one < path; one = mine[at]) take(own, at++, one)
    const isOwn = isOf(path)
    const isInBoth = mine[at] === path
    if (!isOwn) take(before, index, path, youngAt(left, index) ?? (isInBoth ? youngAt(own.young, at) : undefined))
    if (!isInBoth) continue
    if (isOwn) take(own, at, path)
    at++
  }
  for (let one = mine[at]; one !== undefined; one = mine[at]) take(own, at++, one)
  return {
    paths: paths.end(),
    signatures: signatures.slice(0, paths.length * SIGNATURE_LENGTH),
    young: young.end(),
  }
}

function joinPlaces(before: RunRecord, own: RunRecord): Pick<RunRecord, 'places' | 'identities'> {
  const found = new Map<string, Float64Array>()
  for (const { places, identities } of [own, before])
    for (const [index, place] of places.entries())
      found.set(place, identities.subarray(index * SIGNATURE_LENGTH, (index + 1) * SIGNATURE_LENGTH))
  const places = [...found.keys()].sort(compareBytes)
  const identities = new Float64Array(places.length * SIGNATURE_LENGTH)
  for (const [index, place] of places.entries()) identities.set(found.get(place) ?? [], index * SIGNATURE_LENGTH)
  return { places, identities }
}

/** The paths of a record whose signatures do not show all changes since `started`. */
export function stillYoung(record: RunRecord, started: number): YoungPaths {
  const { numbers, digests } = record.young
  const isLeft = (index: number): boolean => isYoung(signatureAt(record, index), started)
  return { numbers: numbers.map((number, index) => (number !== 0 && isLeft(index) ? number : 0)), digests }
}
