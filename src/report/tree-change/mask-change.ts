import type {
  ChangeStep,
  FieldChange,
  FoldedObject,
  ObjectChange,
  TreeChange,
  VariableChange,
} from '../../model/tree-change.ts'
import { dict, Dict, type Value } from '../../model/value.ts'
import { MASK } from '../redact-line.ts'
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
    groups: groups.map((group) => ({ ...group, objects: maskObjects(group.objects, mask, change.changes) })),
  }
}

function maskObjects(
  objects: readonly FoldedObject[],
  mask: Mask,
  changes: readonly ObjectChange[] = [],
): readonly FoldedObject[] {
  return objects.map(({ content, ...object }) => {
    const single = changes[object.members[0] ?? -1]
    return {
      ...object,
      fields: object.fields.map((field, index) =>
        maskField(field, { mask, single: (object.plain ?? single?.fields)?.[index] }),
      ),
      plain: undefined,
      ...(content !== undefined && { content: maskDict(content, { mask, single: single?.after?.object }) }),
    }
  })
}

/**
 * A mask, and what it is used on as one cluster has it: where a variable stands in place of a part of a secret, the
 * secret is not found.
 */
interface Masking<Single> {
  readonly mask: Mask
  readonly single?: Single | undefined
}

function maskText(text: string, { mask, single }: Masking<string>): string {
  const shown = mask(text)
  if (single === undefined || single === text) return shown
  return countMarks(mask(single)) > countMarks(shown) ? MASK : shown
}

function countMarks(text: string): number {
  return text.split(MASK).length
}

function maskVariable({ default: own, ...variable }: VariableChange, mask: Mask): VariableChange {
  return { ...variable, default: own && maskEnds(own, { mask }) }
}

function maskField(field: FieldChange, masking: Masking<FieldChange>): FieldChange {
  const { mask, single } = masking
  const path = field.path.map((step, index) => maskStep(step, { mask, single: single?.path[index] }))
  const shown = { ...field, path, ...maskEnds(field, masking) }
  return countLines(shown) < countLines(field) ? { ...shown, isHidden: true } : shown
}

function maskEnds({ before, after }: Ends, { mask, single }: Masking<Ends>): Ends {
  return {
    before: before === undefined ? undefined : maskValue(before, { mask, single: single?.before }),
    after: after === undefined ? undefined : maskValue(after, { mask, single: single?.after }),
  }
}

/** How many lines differ: fewer where two secrets look the same now. */
function countLines({ before, after, isReordered }: FieldChange): number {
  if (before === undefined || after === undefined || isReordered === true) return 0
  const textOf = (value: Value): string => (typeof value === 'string' ? value : valueText(value))
  const { removed, added } = lineChanges({ before: textOf(before), after: textOf(after) })
  return removed.length + added.length
}

function maskStep(step: ChangeStep, { mask, single }: Masking<ChangeStep>): ChangeStep {
  if (typeof step === 'number') return step
  if (typeof step === 'string') return maskText(step, { mask, single: typeof single === 'string' ? single : undefined })
  return {
    ...step,
    value: maskText(step.value, { mask, single: typeof single === 'object' ? single.value : undefined }),
  }
}

function maskValue(value: Value, { mask, single }: Masking<Value>): Value {
  if (typeof value === 'string')
    return maskText(value, { mask, single: typeof single === 'string' ? single : undefined })
  if (Array.isArray(value))
    return value.map((item, index) =>
      maskValue(item, { mask, single: Array.isArray(single) ? single[index] : undefined }),
    )
  return value instanceof Dict ? maskDict(value, { mask, single: single instanceof Dict ? single : undefined }) : value
}

function maskDict(map: Dict, { mask, single }: Masking<Dict>): Dict {
  const entries = [...(single ?? [])]
  return dict(
    [...map].map(([key, item], index): [string, Value] => {
      const [name, value] = entries[index] ?? []
      return [maskText(key, { mask, single: name }), maskValue(item, { mask, single: value })]
    }),
  )
}
