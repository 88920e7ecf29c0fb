import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { Dict, Value } from '../model/value.ts'

/** A list of an AppProject, and the fields that tell its items; none: its items are texts. */
interface ProjectList {
  readonly list: string
  readonly fields: readonly string[]
  /** The field among them without which an item is about all. */
  readonly optional?: string
}

/** Lists of allowed items; items with `!` forbid. */
const allowing: readonly ProjectList[] = [
  { list: 'sourceRepos', fields: [] },
  { list: 'sourceNamespaces', fields: [] },
  { list: 'destinations', fields: ['server', 'name', 'namespace'] },
  { list: 'clusterResourceWhitelist', fields: ['group', 'kind', 'name'], optional: 'name' },
  { list: 'namespaceResourceWhitelist', fields: ['group', 'kind'] },
]

/** Lists of forbidden items. */
const forbidding: readonly ProjectList[] = [
  { list: 'clusterResourceBlacklist', fields: ['group', 'kind', 'name'] },
  { list: 'namespaceResourceBlacklist', fields: ['group', 'kind'] },
  { list: 'signatureKeys', fields: ['keyID'] },
]

/** Kinds in namespaces are all allowed where this list is not there. */
const OPEN = 'namespaceResourceWhitelist'

/** True if Applications of a project of Argo CD may come from, or do, more than before. */
export function widensProject(old: Dict, now: Dict): boolean {
  const isOpen = (project: Dict): boolean => itemsAt(project, 'spec', OPEN).length === 0
  if (!isOpen(old) && isOpen(now)) return true
  const isScoped = (project: Dict): boolean => fieldAt(project, 'spec', 'permitOnlyProjectScopedClusters') === true
  return (
    (isScoped(old) && !isScoped(now)) ||
    allowing.some((list) => !(list.list === OPEN && isOpen(old)) && allowsMore(list, old, now)) ||
    forbidding.some((list) => lacksSome(itemsOf(list, old), itemsOf(list, now))) ||
    lacksSome(rolesOf(now), rolesOf(old))
  )
}

type Item = readonly string[]

function itemsOf({ list, fields, optional }: ProjectList, project: Dict): readonly Item[] {
  const fieldOf = (item: Value, field: string): string => {
    const text = textAt(item, field)
    return text === '' && field === optional ? '*' : text
  }
  return itemsAt(project, 'spec', list).map((item) =>
    fields.length === 0 ? [typeof item === 'string' ? item : ''] : fields.map((field) => fieldOf(item, field)),
  )
}

function allowsMore(list: ProjectList, old: Dict, now: Dict): boolean {
  const [had, has] = [itemsOf(list, old), itemsOf(list, now)]
  const known = new Set(had.map(keyOf))
  const wide = had.filter((item) => !isDenial(item) && item.some((text) => text === '*'))
  const isCovered = (item: Item): boolean =>
    known.has(keyOf(item)) || wide.some((other) => other.every((text, index) => text === '*' || text === item[index]))
  return has.some((item) => !isDenial(item) && !isCovered(item)) || lacksSome(had.filter(isDenial), has)
}

function isDenial(item: Item): boolean {
  return item.some((text) => text.startsWith('!'))
}

/** True if one of the items is not among the others. */
function lacksSome(items: readonly Item[], others: readonly Item[]): boolean {
  const known = new Set(others.map(keyOf))
  return items.some((item) => !known.has(keyOf(item)))
}

function keyOf(item: Item): string {
  return JSON.stringify(item)
}

/** Who has which policies of a project. */
function rolesOf(project: Dict): readonly Item[] {
  return itemsAt(project, 'spec', 'roles').flatMap((role) =>
    ['policies', 'groups'].flatMap((field) =>
      itemsAt(role, field).map((item) => [textAt(role, 'name'), field, typeof item === 'string' ? item : '']),
    ),
  )
}
