import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem } from '../schema/schema-node.ts'
import { none, problem } from './rule-parts.ts'

const COMPUTE = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']

/** Resources that a quota with a scope may limit, of those of Kubernetes itself. */
const scopes: ReadonlyMap<string, readonly string[]> = new Map([
  ['BestEffort', ['pods']],
  ['CrossNamespacePodAffinity', COMPUTE],
  ['NotBestEffort', COMPUTE],
  ['NotTerminating', COMPUTE],
  ['PriorityClass', COMPUTE],
  ['Terminating', COMPUTE],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
])

/** Those that a pod has or has not: there is nothing to compare them with. */
const WITHOUT_VALUES = ['BestEffort', 'CrossNamespacePodAffinity', 'NotBestEffort', 'NotTerminating', 'Terminating']

/** Problems with the scopes of a quota. */
export function requirementOfScopes(spec: Dict): readonly FoundProblem[] {
  const found = itemsAt(spec, 'scopes')
  const expressions = itemsAt(spec, 'scopeSelector', 'matchExpressions')
  const hard = [...(dictAt(spec, 'hard') ?? new Dict()).keys()]
  return [
    ...found.flatMap((scope, index) => {
      const says = scopeProblem(scope, hard, found)
      return says === undefined ? none : problem(says, 'scopes', index)
    }),
    ...expressions.flatMap((item, index) => {
      const names = expressions.map((other) => textAt(other, 'scopeName'))
      const says = scopeProblem(textAt(item, 'scopeName'), hard, names)
      if (says !== undefined) return problem(says, 'scopeSelector', 'matchExpressions', index, 'scopeName')
      const wrong = operatorProblem(item)
      return wrong === undefined ? none : problem(wrong.says, 'scopeSelector', 'matchExpressions', index, wrong.field)
    }),
  ]
}

function scopeProblem(scope: Value, hard: readonly string[], all: readonly Value[]): string | undefined {
  if (typeof scope !== 'string') return undefined
  const limited = scopes.get(scope)
  if (limited === undefined) return `one of ${[...scopes.keys()].join(', ')}`
  const native = hard.filter((name) => !name.includes('/') && !name.includes('hugepages-'))
  if (native.some((name) => !limited.includes(name))) return 'a scope for all resources in hard'
  return (scope === 'NotBestEffort' && all.includes('BestEffort')) ||
    (scope === 'NotTerminating' && all.includes('Terminating'))
    ? 'left out beside its opposite'
    : undefined
}

function operatorProblem(item: Value): { readonly field: string; readonly says: string } | undefined {
  const [operator, count] = [textAt(item, 'operator'), itemsAt(item, 'values').length]
  if (WITHOUT_VALUES.includes(textAt(item, 'scopeName')) && operator !== 'Exists')
    return { field: 'operator', says: 'Exists for this scope' }
  if (operator === 'In' || operator === 'NotIn')
    return count === 0 ? { field: 'values', says: `a list that is not empty where operator is ${operator}` } : undefined
  if (operator !== 'Exists' && operator !== 'DoesNotExist')
    return { field: 'operator', says: 'one of In, NotIn, Exists, DoesNotExist' }
  return count > 0 ? { field: 'values', says: `left out where operator is ${operator}` } : undefined
}
