import type { ObjectName } from '../../model/object-name.ts'

/** A commit status that a cluster needs, by its name; `*` stands for any text within a part between slashes. */
export interface RequiredStatus {
  readonly pattern: string
}

/** The values of placeholders in names. */
export interface StatusSubject {
  readonly cluster: ObjectName
  /** The names that the GitOps tool has for the units of the cluster. */
  readonly units: readonly string[]
}

/**
 * The commit statuses that a cluster needs: `{namespace}` and `{cluster}` are its own, and a name with `{unit}` is
 * there once for each unit. Without units it stays as it is written: no status is called so, and the cluster waits.
 */
export function requiredStatuses(
  names: readonly string[],
  { cluster, units }: StatusSubject,
): readonly RequiredStatus[] {
  const patterns = names.flatMap((name) => {
    const own = name.replaceAll('{namespace}', () => cluster.namespace).replaceAll('{cluster}', () => cluster.name)
    return own.includes('{unit}') && units.length > 0
      ? units.map((unit) => own.replaceAll('{unit}', () => unit))
      : [own]
  })
  return [...new Set(patterns)].map((pattern) => ({ pattern }))
}

/** True if a status of this name is meant. */
export function isRequired({ pattern }: RequiredStatus, context: string): boolean {
  const [wanted, parts] = [pattern.split('/'), context.split('/')]
  return wanted.length === parts.length && wanted.every((one, index) => matches(one, parts[index] ?? ''))
}

/** Each star takes as little as it can: the text between two stars is looked for once. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
