import type { Lock, LockedDependency, LockedRelease } from '../../model/lock.ts'

/** One entry of the lock that an update moved. */
export interface LockChange {
  readonly kind: 'release' | 'dependency'
  readonly change: 'added' | 'changed' | 'removed'
  readonly name: string
  /** The change, for people: `v1.34.7 from registry for platform/web`, `content changed`. */
  readonly detail: string
}

/** The differences between two locks, releases first, by name. */
export function lockChanges(before: Lock, after: Lock): readonly LockChange[] {
  return [
    ...entryChanges(before.releases, after.releases, {
      kind: 'release',
      key: ({ name }) => name,
      show: (release) =>
        `${release.kubernetesVersion} from ${release.source} for ${release.stacks.join(', ') || 'none'}`,
      differ: releaseDifference,
    }),
    ...entryChanges(before.dependencies, after.dependencies, {
      kind: 'dependency',
      key: ({ name, repository, request }) => JSON.stringify([name, repository, request]),
      show: ({ version, repository }) => `${version} from ${repository}`,
      differ: dependencyDifference,
    }),
  ]
}

interface EntryKind<Entry> {
  readonly kind: LockChange['kind']
  readonly key: (entry: Entry) => string
  readonly show: (entry: Entry) => string
  readonly differ: (before: Entry, after: Entry) => readonly string[]
}

function entryChanges<Entry extends { readonly name: string }>(
  before: readonly Entry[],
  after: readonly Entry[],
  { kind, key, show, differ }: EntryKind<Entry>,
): readonly LockChange[] {
  const old = new Map(before.map((entry) => [key(entry), entry]))
  const kept = new Set(after.map(key))
  const moved = after.flatMap((entry): readonly LockChange[] => {
    const known = old.get(key(entry))
    if (known === undefined) return [{ kind, change: 'added', name: entry.name, detail: show(entry) }]
    const differences = differ(known, entry)
    if (differences.length === 0) return []
    return [{ kind, change: 'changed', name: entry.name, detail: differences.join('; ') }]
  })
  const removed = before
    .filter((entry) => !kept.has(key(entry)))
    .map((entry): LockChange => ({ kind, change: 'removed', name: entry.name, detail: show(entry) }))
  return [...moved, ...removed]
}

function releaseDifference(before: LockedRelease, after: LockedRelease): readonly string[] {
  const assets = new Set([...before.assets.keys(), ...after.assets.keys()])
  const files = [...assets].filter((name) => before.assets.get(name) !== after.assets.get(name)).sort()
  return [
    ...difference('source', before.source, after.source),
    ...difference('place', before.from, after.from),
    ...difference('Kubernetes', before.kubernetesVersion, after.kubernetesVersion),
    ...difference('ClusterStacks', before.stacks.join(', '), after.stacks.join(', ')),
    ...(before.digest === after.digest ? [] : ['content changed']),
    ...(files.length === 0 ? [] : [`other bytes in ${files.join(', ')}`]),
    ...difference('revision', before.revision ?? 'none', after.revision ?? 'none'),
    ...difference('tag', before.ref ?? 'none', after.ref ?? 'none'),
  ]
}

function dependencyDifference(before: LockedDependency, after: LockedDependency): readonly string[] {
  return [
    ...difference('version', before.version, after.version),
    ...(before.version === after.version && before.digest !== after.digest ? ['content changed'] : []),
    ...difference('url', before.url, after.url),
  ]
}

function difference(what: string, before: string, after: string): readonly string[] {
  return before === after ? [] : [`${what} ${before || 'none'} -> ${after || 'none'}`]
}
