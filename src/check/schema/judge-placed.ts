import { type PathStep, textAt } from '../../model/field.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { PlacedObject } from '../placed-object.ts'
import type { RuleFinding } from '../rule.ts'
import { problemText } from './problem-text.ts'
import type { SchemaSet } from './schema-set.ts'
import { validateObject } from './validate-object.ts'
import type { SchemaProblem } from './validate-value.ts'

/** The kind and name of an object of a file. */
export function titleOf({ object }: PlacedObject): string {
  const [kind, name] = [textAt(object, 'kind'), textAt(object, 'metadata', 'name')]
  return shownObject({ kind, namespace: undefined, name })
}

/** Judges an object of a file by the schema of its kind, but for problems on a place that has one already. */
export function judgePlaced(
  one: PlacedObject,
  set: SchemaSet,
  known: readonly { readonly path: readonly PathStep[] }[] = [],
): readonly RuleFinding[] {
  const { object } = one
  const lookup = set.find(textAt(object, 'apiVersion'), textAt(object, 'kind'))
  const noName =
    textAt(object, 'metadata', 'name') === ''
      ? [{ message: `${textAt(object, 'kind')}: metadata.name is missing`, at: one.at(['metadata', 'name']) }]
      : []
  if (lookup.state !== 'known') return noName
  const isSaid = ({ kind, path: place }: SchemaProblem): boolean =>
    kind === 'not-allowed' && known.some(({ path }) => place.every((step, index) => step === path[index]))
  const found = validateObject(object, lookup.schema).filter((problem) => !isSaid(problem))
  const problems = found.map((problem): RuleFinding => {
    const isUnknown = problem.kind === 'unknown-field'
    return {
      message: `${titleOf(one)}: ${problemText(problem)}`,
      at: one.at(problem.path, isUnknown ? 'key' : 'value'),
      hint: isUnknown && problem.says !== '' ? `Did you mean ${problem.says}?` : undefined,
    }
  })
  return [...noName, ...problems]
}
