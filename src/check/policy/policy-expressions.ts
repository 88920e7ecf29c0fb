import { dictAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { labelKey } from '../../model/kubernetes-names.ts'
import { type Dict, type Value } from '../../model/value.ts'
import { type TypedNames, type TypeProblem, typeOfCel, wrongType } from '../cel/types/check-types.ts'
import { BOOL, DYN, NULL, type StaticType, STRING } from '../cel/types/static-type.ts'
import { authorizerNames, requestNames, variablesOf } from './policy-names.ts'

/** Something about an expression of CEL, or about a name beside it, that API servers refuse. */
export interface WrongExpression {
  readonly path: readonly PathStep[]
  /** The type that it must have. */
  readonly says: string
  /** Of an expression: why it is none. */
  readonly why?: string
  readonly hint?: string | undefined
}

/** Conditions of webhooks and policies: what API servers refuse in one. */
export function wrongCondition(condition: Value, names: TypedNames = conditionNames): readonly WrongExpression[] {
  return wrongExpression(condition, ['expression'], names, [BOOL])
}

const conditionNames: TypedNames = new Map([...requestNames, ...authorizerNames])

/** Problems that API servers refuse in the expressions of a policy, and in the names beside them. */
export function wrongExpressions(policy: Dict): readonly WrongExpression[] {
  const params: TypedNames = new Map(dictAt(policy, 'spec', 'paramKind') === undefined ? [] : [['params', DYN]])
  // conditions are asked before variables are there
  const ofConditions: TypedNames = new Map([...requestNames, ...params, ...authorizerNames])
  const declared = declaredVariables(policy, ofConditions)
  // without any there is nothing of that name
  const variables = declared.count === 0 ? [] : variablesOf(declared.types)
  const names: TypedNames = new Map([...ofConditions, ...variables])
  const ofMessages: TypedNames = new Map([...requestNames, ...params, ...variables])
  const judge = (list: string, field: string, among: TypedNames, ...wanted: readonly StaticType[]) =>
    itemsAt(policy, 'spec', list).flatMap((item, index) =>
      wrongExpression(item, ['spec', list, index, field], among, wanted),
    )
  return [
    ...judge('matchConditions', 'expression', ofConditions, BOOL),
    ...declared.problems,
    ...itemsAt(policy, 'spec', 'validations').flatMap((item, index) => [
      ...wrongExpression(item, ['spec', 'validations', index, 'expression'], names, [BOOL]),
      ...wrongExpression(item, ['spec', 'validations', index, 'messageExpression'], ofMessages, [STRING]),
    ]),
    ...judge('auditAnnotations', 'valueExpression', names, STRING, NULL),
    ...wrongKeys(policy),
  ]
}

function wrongExpression(
  item: Value,
  path: readonly [...PathStep[], string],
  names: TypedNames,
  wanted: readonly StaticType[],
): readonly WrongExpression[] {
  const field = String(path.at(-1))
  const expression = textAt(item, field)
  if (expression.trim() === '') return field === 'messageExpression' && expression === '' ? [] : [{ path, says: 'set' }]
  const found = typeOfCel(expression, names)
  const problem = 'type' in found ? wrongType(found.type, ...wanted) : found
  return problem === undefined ? [] : [asProblem(problem, path)]
}

function asProblem({ problem, hint }: TypeProblem, path: readonly PathStep[]): WrongExpression {
  const how = hint ?? hintOn(problem, path)
  return { path, says: 'CEL that API servers take', why: problem, hint: how }
}

/** The hint for names that only some policies, or some of their expressions, have. */
function hintOn(problem: string, path: readonly PathStep[]): string | undefined {
  if (problem.startsWith('it names params,')) return 'Say in `spec.paramKind` of what kind the parameters are.'
  if (problem.startsWith('it names authorizer,')) return 'Messages cannot ask it.'
  if (!problem.startsWith('it names variables,')) return undefined
  return path.includes('matchConditions')
    ? 'Conditions are asked before there are variables: write the expression itself.'
    : 'Declare it in `spec.variables`.'
}

/** Variables see those before them. */
function declaredVariables(
  policy: Dict,
  names: TypedNames,
): { readonly types: TypedNames; readonly count: number; readonly problems: readonly WrongExpression[] } {
  const types = new Map<string, StaticType>()
  const variables = itemsAt(policy, 'spec', 'variables')
  const all = variables.map((variable) => textAt(variable, 'name'))
  const problems = variables.flatMap((variable, index): readonly WrongExpression[] => {
    const path = ['spec', 'variables', index] as const
    const [name, expression] = [textAt(variable, 'name'), textAt(variable, 'expression')]
    const ofName = wrongName(name, [...path, 'name'])
    if (expression.trim() === '') {
      types.set(name, DYN)
      return [...ofName, { path: [...path, 'expression'], says: 'set' }]
    }
    const found = typeOfCel(expression, new Map([...names, ...variablesOf(types)]))
    types.set(name, 'type' in found ? found.type : DYN)
    if ('type' in found) return ofName
    const [, later = ''] = /^variables\.(\w+) is not declared$/.exec(found.problem) ?? []
    const isLater = all.indexOf(later) >= index
    const problem = isLater
      ? {
          problem: `it reads variables.${later}, and variables read only those before them`,
          hint: `Declare ${later} before it.`,
        }
      : found
    return [...ofName, asProblem(problem, [...path, 'expression'])]
  })
  return { types, count: variables.length, problems }
}

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

function wrongName(name: string, path: readonly PathStep[]): readonly WrongExpression[] {
  if (name === '') return [{ path, says: 'set' }]
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED.has(name)) return []
  return [{ path, says: 'a name in CEL: letters, digits and _, the first no digit, and no word of the language' }]
}

/** The most annotations that a policy may have. */
const MOST_ANNOTATIONS = 20

const KEY = 'a name: letters, digits, -, _ and ., first and last a letter or digit, 63 characters at most'

/** Keys of annotations are names below that of the policy. */
function wrongKeys(policy: Dict): readonly WrongExpression[] {
  const annotations = itemsAt(policy, 'spec', 'auditAnnotations')
  const keys = annotations.map((annotation) => textAt(annotation, 'key'))
  const list = ['spec', 'auditAnnotations'] as const
  return [
    ...(keys.length > MOST_ANNOTATIONS
      ? [{ path: list, says: `a list of ${String(MOST_ANNOTATIONS)} items at most` }]
      : []),
    ...keys.flatMap((key, index): readonly WrongExpression[] => {
      const path = [...list, index, 'key']
      if (key === '') return [{ path, says: 'set' }]
      if (key.includes('/') || !labelKey.allows(key)) return [{ path, says: KEY }]
      return keys.indexOf(key) < index ? [{ path, says: 'another than that of an annotation before it' }] : []
    }),
  ]
}
