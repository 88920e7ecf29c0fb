import type { ChangeStep, FieldChange, FoldedObject, TreeChange, VariableChange } from '../../model/tree-change.ts'
import { dict, Dict, type Value } from '../../model/value.ts'
import { lineChanges, valueText } from './format-field.ts'

/** Hides secret values in a text. */
type Mask = (text: string) => string

type Ends = Pick<FieldChange, 'before' | 'after'>

/**
 * The difference without known secrets in its values. They are hidden before a form cuts, folds or escapes a value:
 * of a secret that is cut in two, neither part would be found.
 */
export function maskChange(change: TreeChange, mask: Mask): TreeChange {
  const { facts, groups } = change
  const { clusters, variables } = facts
  return {
    ...change,
    facts: {
      ...facts,
      clusters: {
        ...clusters,
        added: clusters.added.map(({ like, ...added }) => ({
          ...added,
          like: like && { ...like, except: maskObjects(like.except, mask) },
        })),
      },
      variables: variables.map((variable) => maskVariable(variable, mask)),
    },
    groups: groups.map((group) => ({ ...group, objects: maskObjects(group.objects, mask) })),
  }
}

function maskObjects(objects: readonly FoldedObject[], mask: Mask): readonly FoldedObject[] {
  return objects.map(({ content, ...object }) => ({
    ...object,
    fields: object.fields.map((field) => maskField(field, mask)),
    ...(content !== undefined && { content: maskDict(content, mask) }),
  }))
}

function maskVariable({ default: own, ...variable }: VariableChange, mask: Mask): VariableChange {
  return { ...variable, default: own && maskEnds(own, mask) }
}

function maskField(field: FieldChange, mask: Mask): FieldChange {
  const shown = { ...field, path: field.path.map((step) => maskStep(step, mask)), ...maskEnds(field, mask) }
  return countLines(shown) < countLines(field) ? { ...shown, isHidden: true } : shown
}

function maskEnds({ before, after }: Ends, mask: Mask): Ends {
  return {
    before: before === undefined ? undefined : maskValue(before, mask),
    after: after === undefined ? undefined : maskValue(after, mask),
  }
}

/** How many lines differ: fewer where two secrets look the same now. */
function countLines({ before, after, isReordered }: FieldChange): number {
  if (before === undefined || after === undefined || isReordered === true) return 0
  const textOf = (value: Value): string => (typeof value === 'string' ? value : valueText(value))
  const { removed, added } = lineChanges({ before: textOf(before), after: textOf(after) })
  return removed.length + added.length
}

function maskStep(step: ChangeStep, mask: Mask): ChangeStep {
  if (typeof step === 'number') return step
  return typeof step === 'string' ? mask(step) : { ...step, value: mask(step.value) }
}

function maskValue(value: Value, mask: Mask): Value {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask))
  return value instanceof Dict ? maskDict(value, mask) : value
}

function maskDict(map: Dict, mask: Mask): Dict {
  return dict([...map].map(([key, item]): [string, Value] => [mask(key), maskValue(item, mask)]))
}
