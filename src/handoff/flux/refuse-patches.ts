import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { dictAt, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'

const GROUP = 'kustomize.toolkit.fluxcd.io/'
/** JSON pointers (RFC 6901) to what says which object it is and what Flux may do with it, or to what holds that. */
const IDENTITY = /^(?:|\/apiVersion|\/kind|\/metadata(?:\/(?:name|namespace|annotations))?)$/
const OF_FLUX = /^\/metadata\/(?:annotations|labels)\/kustomize\.toolkit\.fluxcd\.io~1/

/**
 * Why an entry of `patches` from a fleet's own template is unsafe: it deletes or renames an object, or takes away what
 * keeps Flux from deleting it. Undefined where it is not.
 */
export function refusePatch(entry: Value): string | undefined {
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
    const what = Array.isArray(patch) ? refuseOperations(patch) : refuseMerge(patch)
    if (what !== undefined) return what
  }
  return undefined
}

function refuseOperations(operations: readonly Value[]): string | undefined {
  const pointers = operations.flatMap((operation) => {
    const op = textAt(operation, 'op')
    if (op === 'test') return []
    return op === 'move' ? [textAt(operation, 'path'), textAt(operation, 'from')] : [textAt(operation, 'path')]
  })
  const found = pointers.find((pointer) => IDENTITY.test(pointer) || OF_FLUX.test(pointer))
  return found === undefined ? undefined : `may not patch ${found === '' ? 'a whole object' : found}`
}

/** Of a strategic merge patch: its name only says which object is meant. */
function refuseMerge(patch: Value): string | undefined {
  const metadata = dictAt(patch, 'metadata')
  if (metadata?.get('annotations') === null) return 'may not remove all annotations'
  const parts = [patch, metadata, dictAt(metadata ?? null, 'annotations'), dictAt(metadata ?? null, 'labels')]
  const keys = parts.flatMap((part) => (part instanceof Dict ? [...part.keys()] : []))
  const found = keys.find((key) => key.startsWith('$') || key.startsWith(GROUP))
  return found === undefined ? undefined : `may not have ${found}`
}
