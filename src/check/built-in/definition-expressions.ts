import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import { readCel } from '../cel/cel-program.ts'
import { escapedName } from '../cel/escaped-name.ts'
import { type TypedNames, typeOfCel, wrongType } from '../cel/types/check-types.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  type StaticType,
  STRING,
  structure,
  TIMESTAMP,
} from '../cel/types/static-type.ts'
import type { FoundProblem } from '../schema/schema-node.ts'

/** A schema, and where it stands. */
interface Place {
  readonly schema: Dict
  readonly path: readonly PathStep[]
  /** Its name in messages. */
  readonly name: string
  /** False where servers do not know which old value it was: below lists whose items have no keys. */
  readonly isTracked: boolean
}

const WRONG = 'CEL that API servers take'

/** Problems that API servers refuse in the rules in CEL of a schema: their types, fields and paths. */
export function ruleProblems(root: Dict): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const visit = (place: Place): void => {
    const { schema, path, name, isTracked } = place
    const rules = itemsAt(schema, 'x-kubernetes-validations')
    if (rules.length > 0) problems.push(...rulesAt(place, rules))
    const below = (child: Value | undefined, more: Pick<Place, 'path' | 'name'> & { readonly isTracked?: boolean }) => {
      if (child instanceof Dict) visit({ schema: child, isTracked, ...more })
    }
    const properties = schema.get('properties')
    if (properties instanceof Dict)
      for (const [key, child] of properties)
        below(child, { path: [...path, 'properties', key], name: `${name}.${escapedName(key) ?? key}` })
    const isMap = textAt(schema, 'x-kubernetes-list-type') === 'map'
    below(schema.get('items'), { path: [...path, 'items'], name: `${name}[]`, isTracked: isTracked && isMap })
    below(schema.get('additionalProperties'), { path: [...path, 'additionalProperties'], name: `${name}[]` })
  }
  visit({ schema: root, path: [], name: 'self', isTracked: true })
  return problems
}

function rulesAt({ schema, path, name, isTracked }: Place, rules: readonly Value[]): readonly FoundProblem[] {
  const type = typeOf(schema, name, path.length === 0)
  if (type === undefined) return []
  return rules.flatMap((rule, index): readonly FoundProblem[] => {
    const place = [...path, 'x-kubernetes-validations', index]
    const problem = (field: string, says: string): FoundProblem => ({ path: [...place, field], says })
    const isOptional = fieldAt(rule, 'optionalOldSelf') === true
    const names: TypedNames = new Map([
      ['self', type],
      ['oldSelf', isOptional ? optionalOf(type) : type],
    ])
    const judged = (field: string, wanted: StaticType): readonly FoundProblem[] => {
      const expression = textAt(rule, field)
      if (expression.trim() === '') return []
      const found = typeOfCel(expression, names)
      const wrong = 'type' in found ? wrongType(found.type, wanted) : found
      return wrong === undefined ? [] : [problem(field, `${WRONG}: ${wrong.problem}`)]
    }
    const reading = readCel(textAt(rule, 'rule'), ['self', 'oldSelf'])
    const readsOld = 'program' in reading && reading.program.variables.has('oldSelf')
    return [
      ...judged('rule', BOOL),
      ...judged('messageExpression', STRING),
      ...(readsOld && !isTracked
        ? [problem('rule', 'a rule without oldSelf: below a list whose items have no keys nobody knows the old value')]
        : []),
      ...('program' in reading && !readsOld && isOptional
        ? [problem('optionalOldSelf', 'left out where the rule does not read oldSelf')]
        : []),
      ...(isPathIn(textAt(rule, 'fieldPath'), schema)
        ? []
        : [problem('fieldPath', 'the path of a field of the schema, such as .spec.replicas')]),
    ]
  })
}

const META = structure(
  'metadata',
  new Map([
    ['name', STRING],
    ['generateName', STRING],
  ]),
)

/** The type by which rules see what a schema describes; undefined for what they do not see. */
function typeOf(schema: Dict, name: string, isRoot = false): StaticType | undefined {
  if (schema.get('x-kubernetes-int-or-string') === true) return DYN
  switch (textAt(schema, 'type')) {
    case 'boolean':
      return BOOL
    case 'integer':
      return INT
    case 'number':
      return DOUBLE
    case 'string':
      return ofFormat[textAt(schema, 'format')] ?? STRING
    case 'array': {
      const items = schema.get('items')
      const type = items instanceof Dict ? typeOf(items, `${name}[]`) : undefined
      return type === undefined ? undefined : listOf(type)
    }
    case 'object':
      return objectType(schema, name, isRoot)
    default:
      return undefined
  }
}

const ofFormat: Readonly<Record<string, StaticType>> = {
  byte: BYTES,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
  duration: DURATION,
}

function objectType(schema: Dict, name: string, isRoot: boolean): StaticType | undefined {
  const values = schema.get('additionalProperties')
  if (values instanceof Dict) {
    const type = typeOf(values, `${name}[]`)
    return type === undefined ? undefined : mapOf(STRING, type)
  }
  const fields = new Map<string, StaticType>()
  const properties = schema.get('properties')
  for (const [key, child] of properties instanceof Dict ? properties : []) {
    const field = escapedName(key)
    const type = child instanceof Dict && field !== undefined ? typeOf(child, `${name}.${field}`) : undefined
    if (type === undefined || field === undefined) continue
    // a word of the language is taken as it is, too
    fields.set(field, type)
    fields.set(key, type)
  }
  if (isRoot || schema.get('x-kubernetes-embedded-resource') === true) {
    for (const field of ['apiVersion', 'kind']) fields.set(field, STRING)
    fields.set('metadata', META)
  }
  return structure(name, fields)
}

const STEP = /\.([^.[\]'\s]+)|\['((?:[^'\\]|\\.)+)'\]/y

/** True for no path, and one that leads to what the schema describes. */
function isPathIn(path: string, schema: Dict): boolean {
  let found: Value | undefined = schema
  STEP.lastIndex = 0
  while (STEP.lastIndex < path.length) {
    const step = STEP.exec(path)
    if (step === null || !(found instanceof Dict)) return false
    const name = step[1] ?? (step[2] ?? '').replaceAll(/\\(.)/g, '$1')
    const values: Value | undefined = found.get('additionalProperties')
    found = fieldAt(found, 'properties', name) ?? (values instanceof Dict ? values : undefined)
  }
  return found instanceof Dict
}

const SELECTABLE: ReadonlySet<string> = new Set(['boolean', 'integer', 'string'])
const MOST_SELECTABLE = 8

/** Problems that API servers refuse in the fields by which objects of a version are selected. */
export function selectableProblems(version: Dict): readonly FoundProblem[] {
  const fields = itemsAt(version, 'selectableFields')
  const schema = fieldAt(version, 'schema', 'openAPIV3Schema')
  const paths = fields.map((field) => textAt(field, 'jsonPath'))
  return [
    ...(fields.length > MOST_SELECTABLE
      ? [{ path: ['selectableFields'], says: `a list of ${String(MOST_SELECTABLE)} items at most` }]
      : []),
    ...paths.flatMap((path, index): readonly FoundProblem[] => {
      const place = ['selectableFields', index, 'jsonPath']
      if (paths.indexOf(path) < index) return [{ path: place, says: 'another than one before it' }]
      const type = schema instanceof Dict ? textAt(selected(path, schema), 'type') : 'string'
      return SELECTABLE.has(type)
        ? []
        : [{ path: place, says: 'the path of a text, integer or boolean in the schema, such as .spec.name' }]
    }),
  ]
}

function selected(path: string, schema: Dict): Value {
  if (!/^(?:\.[^.[\]'"{}\s]+)+$/.test(path)) return null
  const [first = '', ...rest] = path.slice(1).split('.')
  if (['apiVersion', 'kind', 'metadata'].includes(first)) return null
  return [first, ...rest].reduce<Value>((found, name) => fieldAt(found, 'properties', name) ?? null, schema)
}
