import { MaskTexts } from '../codec/text/mask-texts.ts'
import { collectSecretTexts } from '../codec/text/secret-texts.ts'
import { isNameOfSecret } from '../model/sensitive-name.ts'
import type { ChangeStep, FieldChange, ItemStep } from '../model/tree-change.ts'
import { dict, Dict, type Value } from '../model/value.ts'

const MASK = '********'

/** The same changes of an object of this kind, without the values that are or may be secret. */
export function hideSecrets(kind: string, fields: readonly FieldChange[]): readonly FieldChange[] {
  // a schema says that there is a password, and holds none
  if (kind === 'CustomResourceDefinition') return fields
  return fields.map((field) => {
    const manner = mannerOf(kind, field.path)
    const { before, after } = field
    return {
      ...field,
      ...(before !== undefined && { before: hidden(before, manner) }),
      ...(after !== undefined && { after: hidden(after, manner) }),
    }
  })
}

/** `all`: every scalar is secret; `named`: what stands under a name of a secret. */
type Manner = 'all' | 'named'

function mannerOf(kind: string, path: readonly ChangeStep[]): Manner {
  if (kind === 'Secret' && (path[0] === 'data' || path[0] === 'stringData')) return 'all'
  const isSecret = path.some((step, index) => {
    if (typeof step === 'string') return isNameOfSecret(step)
    return isNamedSecret(step) && path[index + 1] === 'value'
  })
  return isSecret ? 'all' : 'named'
}

/** True if an item has the name of a secret: then its value is one. */
function isNamedSecret(step: ChangeStep): step is ItemStep {
  return typeof step === 'object' && (step.key === 'name' || step.key === 'key') && isNameOfSecret(step.value)
}

function hidden(value: Value, manner: Manner): Value {
  if (Array.isArray(value)) return value.map((item) => hidden(item, manner))
  if (value instanceof Dict) return hiddenMap(value, manner)
  if (typeof value !== 'string') return manner === 'all' && value !== null && typeof value !== 'boolean' ? MASK : value
  if (manner === 'all') return value === '' ? '' : MASK
  const masks = new MaskTexts()
  collectSecretTexts(value, (secret) => {
    masks.add(secret)
  })
  return masks.mask(value, 'strict')
}

function hiddenMap(map: Dict, manner: Manner): Dict {
  const isNamed = ['name', 'key'].some((field) => {
    const name = map.get(field)
    return typeof name === 'string' && isNameOfSecret(name)
  })
  return dict(
    [...map].map(([key, value]): [string, Value] => {
      const isSecret = isNameOfSecret(key) || (isNamed && key === 'value')
      return [key, hidden(value, isSecret ? 'all' : manner)]
    }),
  )
}
