import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { NeededRights } from './needed-rights.ts'

/** Where the Applications of a unit go, as Argo CD names it. */
export interface ProjectDestination {
  readonly server: string
  readonly name: string
}

/** Why an AppProject does not let an object through, and which of its fields says so; undefined where it does. */
export function refusedBy(
  project: Dict,
  destination: ProjectDestination,
  { group, kind, namespace, name }: NeededRights,
): { readonly field: string; readonly what: string } | undefined {
  const lists = (field: string): readonly Value[] | undefined => {
    const list = fieldAt(project, 'spec', field)
    return Array.isArray(list) ? list : undefined
  }
  const names = (entries: readonly Value[] = []): boolean =>
    entries.some(
      (entry) =>
        matches(textAt(entry, 'group'), group) &&
        matches(textAt(entry, 'kind'), kind) &&
        (textAt(entry, 'name') === '' || matches(textAt(entry, 'name'), name)),
    )
  if (namespace === undefined) {
    // none is allowed unless a list says so
    if (!names(lists('clusterResourceWhitelist')))
      return { field: 'clusterResourceWhitelist', what: 'does not name it' }
    if (names(lists('clusterResourceBlacklist'))) return { field: 'clusterResourceBlacklist', what: 'names it' }
    return undefined
  }
  const allowed = lists('namespaceResourceWhitelist')
  if (allowed !== undefined && !names(allowed)) return { field: 'namespaceResourceWhitelist', what: 'does not name it' }
  if (names(lists('namespaceResourceBlacklist'))) return { field: 'namespaceResourceBlacklist', what: 'names it' }
  return isDestination(project, destination, namespace)
    ? undefined
    : { field: 'destinations', what: 'do not have its namespace' }
}

/** A destination with `!` before server, name or namespace is none. */
function isDestination(project: Dict, { server, name }: ProjectDestination, namespace: string): boolean {
  const isOf = (entry: Value, text: (value: string) => string): boolean => {
    const [entryServer, entryName] = [text(textAt(entry, 'server')), text(textAt(entry, 'name'))]
    const isServer = server !== '' && entryServer !== '' && matches(entryServer, server)
    const isName = name !== '' && entryName !== '' && matches(entryName, name)
    return (isServer || isName) && matches(text(textAt(entry, 'namespace')), namespace)
  }
  const entries = itemsAt(project, 'spec', 'destinations')
  const isDenial = (entry: Value): boolean =>
    ['server', 'name', 'namespace'].some((field) => textAt(entry, field).startsWith('!'))
  if (entries.some((entry) => isDenial(entry) && isOf(entry, (value) => value.replace(/^!/, '')))) return false
  return entries.some((entry) => !isDenial(entry) && isOf(entry, (value) => value))
}

/** Patterns of Argo CD: `*` for any text, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1 && !pattern.includes('?')) return pattern === text
  return matchFrom(pattern, text)
}

/** Matches a pattern in one pass: at a mismatch it goes on after the last `*`. */
function matchFrom(pattern: string, text: string): boolean {
  let [at, place, star, mark] = [0, 0, -1, 0]
  while (place < text.length) {
    if (pattern[at] === '*') {
      star = at++
      mark = place
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[place])) {
      at++
      place++
    } else if (star === -1) return false
    else {
      at = star + 1
      place = ++mark
    }
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
