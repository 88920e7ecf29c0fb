import { formatGoJson } from '../codec/json/go-json.ts'
import { dictAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'

/** How the names begin by which render ties a folder to its unit. */
const PREFIX = 'stackmason-'

/**
 * The names of the fields of a list of kustomize that differ, but for what render puts there to tie a folder to its
 * unit: that stays in the list, and rewrites nothing.
 */
export function changedListFields(before: Dict | undefined, after: Dict): readonly string[] {
  const names = new Set([...(before?.keys() ?? []), ...after.keys()])
  return [...names].filter((name) => {
    const [old, now] = [before?.get(name), after.get(name)].map((value) => withoutPairings(name, value))
    return formatGoJson(old ?? null) !== formatGoJson(now ?? null)
  })
}

function withoutPairings(name: string, value: Value | undefined): Value {
  const isOwn = name === 'configMapGenerator' ? isGenerator : name === 'replacements' ? isReplacement : undefined
  if (isOwn === undefined || !Array.isArray(value)) return value ?? null
  const others = value.filter((item) => !isOwn(item))
  return others.length === 0 ? null : others
}

/** True for a ConfigMap without content that never leaves the build. */
function isGenerator(value: Value): boolean {
  return (
    value instanceof Dict &&
    [...value.keys()].every((key) => key === 'name' || key === 'options') &&
    textAt(value, 'name').startsWith(PREFIX) &&
    textAt(value, 'options', 'annotations', 'config.kubernetes.io/local-config') === 'true'
  )
}

/** True if such a ConfigMap is copied to itself. */
function isReplacement(value: Value): boolean {
  const name = textAt(value, 'source', 'name')
  const isSelf = (select: Dict | undefined): boolean =>
    select !== undefined && textAt(select, 'kind') === 'ConfigMap' && textAt(select, 'name') === name
  return (
    name.startsWith(PREFIX) &&
    isSelf(dictAt(value, 'source')) &&
    itemsAt(value, 'targets').every((target) => isSelf(dictAt(target, 'select')))
  )
}
