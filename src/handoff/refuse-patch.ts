import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { formatGoJson } from '../codec/json/go-json.ts'
import { dictAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import type { DemandCheck } from './handoff-template.ts'

/** What the annotations of a GitOps tool that say what it may do with an object begin with. */
export type ToolGroup = 'kustomize.toolkit.fluxcd.io/' | 'argocd.argoproj.io/'

/** JSON pointers (RFC 6901) to what says which object it is and what a tool may do with it, or to what holds that. */
const IDENTITY = /^(?:|\/apiVersion|\/kind|\/metadata(?:\/(?:name|namespace|annotations))?)$/

/**
 * Why a patch in an object from a fleet's own template is unsafe: it deletes or renames an object, or takes away what
 * keeps the GitOps tool from deleting it. Undefined where it is not.
 */
export function refusePatch(entry: Value, group: ToolGroup): string | undefined {
  const options = dictAt(entry, 'options')
  if (options?.get('allowNameChange') === true || options?.get('allowKindChange') === true)
    return 'may not change the name or kind of an object'
  for (const document of textAt(entry, 'patch').split(/^---(?:[ \t].*)?$/m)) {
    let patch: Value
    try {
      patch = parseGoYaml(document, { integers: 'int' })
    } catch (error) {
      if (error instanceof YamlError) return 'must be YAML'
      throw error
    }
    const what = Array.isArray(patch) ? refuseOperations(patch, group) : refuseMerge(patch, group)
    if (what !== undefined) return what
  }
  return undefined
}

function refuseOperations(operations: readonly Value[], group: ToolGroup): string | undefined {
  const own = ['annotations', 'labels'].map((field) => `/metadata/${field}/${group.replace('/', '~1')}`)
  const pointers = operations.flatMap((operation) => {
    const op = textAt(operation, 'op')
    if (op === 'test') return []
    return op === 'move' ? [textAt(operation, 'path'), textAt(operation, 'from')] : [textAt(operation, 'path')]
  })
  const found = pointers.find((pointer) => IDENTITY.test(pointer) || own.some((start) => pointer.startsWith(start)))
  return found === undefined ? undefined : `may not patch ${found === '' ? 'a whole object' : found}`
}

/** Of a strategic merge patch: its name only says which object is meant. */
function refuseMerge(patch: Value, group: ToolGroup): string | undefined {
  const metadata = dictAt(patch, 'metadata')
  if (metadata?.get('annotations') === null) return 'may not remove all annotations'
  const parts = [patch, metadata, dictAt(metadata ?? null, 'annotations'), dictAt(metadata ?? null, 'labels')]
  const keys = parts.flatMap((part) => (part instanceof Dict ? [...part.keys()] : []))
  const found = keys.find((key) => key.startsWith('$') || key.startsWith(group))
  return found === undefined ? undefined : `may not have ${found}`
}

/**
 * A check of entries of `patches`: it must hold those that are `planned`, and no others that are unsafe.
 */
export function checkPatches(planned: readonly Value[], group: ToolGroup): DemandCheck {
  const known = planned.map(sortedText)
  return (found) => {
    const entries = Array.isArray(found) ? found : []
    const there = entries.map(sortedText)
    const missing = known.find((text) => !there.includes(text))
    if (missing !== undefined) return `must hold ${missing}`
    const others = entries.filter((entry) => !known.includes(sortedText(entry)))
    return others.map((entry) => refusePatch(entry, group)).find((why) => why !== undefined)
  }
}

/** One text for all orders of keys: the codec sorts them. */
export function sortedText(value: Value): string {
  return formatGoJson(value, { escapeHtml: false })
}
