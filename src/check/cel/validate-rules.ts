import { canonicalText, toPlain } from '../../codec/json/plain-value.ts'
import { type PathStep, pathOfPointer } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { CelRule, SchemaNode } from '../schema/schema-node.ts'
import { type CelInput, optionalOf, readCel } from './cel-program.ts'
import { type CelBudget, celBudget } from './cel-work.ts'
import { celValues, type CelValues } from './schema-values.ts'
import { secretPlaces } from './secret-places.ts'
import { messageFrom } from './shown-message.ts'
import { FILLED_LATER, type LateTexts, lateValues } from './unknown-values.ts'

/** A rule in CEL that was broken, or that could not be evaluated. */
export interface RuleProblem {
  readonly state: 'broken' | 'not-evaluated'
  readonly path: readonly PathStep[]
  readonly rule: string
  /** Of a broken rule: what the definition says of it. Of others: why. */
  readonly says: string
}

/** The subject of rules. */
export interface RuleSubject {
  /** With defaults; an object, or a value that has a schema of its own. */
  readonly object: Value
  /** Texts of it that are known only later: a rule that depends on one is not judged. */
  readonly late?: LateTexts | undefined
  /**
   * As it was before, with defaults; `none` for a new object. Without it rules that compare with the old value are not
   * asked, with it those alone.
   */
  readonly old?: Dict | 'none' | undefined
  /** The same of it. */
  readonly oldLate?: LateTexts | undefined
}

interface Walk {
  readonly subject: RuleSubject
  readonly budget: CelBudget
  /** Paths of values that are filled in later. */
  readonly late: readonly (readonly PathStep[])[]
  readonly values: CelValues
  readonly oldValues: CelValues
  readonly problems: RuleProblem[]
}

/** The rules in CEL that the schema has for the object and that are not kept. */
export function validateRules(
  subject: RuleSubject,
  node: SchemaNode,
  budget: CelBudget = celBudget(),
): readonly RuleProblem[] {
  if (!node.hasCelRules) return []
  const { object, late, old, oldLate } = subject
  const walk: Walk = {
    subject,
    budget,
    late: [...pathsOf(object, late), ...(old instanceof Dict ? pathsOf(old, oldLate) : [])],
    values: celValues(lateValues(object, late)),
    oldValues: celValues(old instanceof Dict ? lateValues(old, oldLate) : new Map()),
    problems: [],
  }
  visit({ value: subject.object, old: old === 'none' ? undefined : old, node, path: [] }, walk)
  return walk.problems
}

function pathsOf(object: Value, late: LateTexts = []): Walk['late'] {
  return late.map(({ pointer }) => pathOfPointer(object, pointer))
}

/**
 * True if the value at the path is filled in later, or is a list of which an item is: those below maps tell themselves.
 */
function isItself(late: readonly PathStep[], path: readonly PathStep[]): boolean {
  return (
    late.length >= path.length &&
    late.every((step, index) => (index < path.length ? step === path[index] : typeof step === 'number'))
  )
}

interface Visit {
  readonly value: Value
  /** The old value that it is compared with; undefined where there is none. */
  readonly old: Value | undefined
  readonly node: SchemaNode
  readonly path: readonly PathStep[]
}

function visit(visited: Visit, walk: Walk): void {
  const { value, old, node, path } = visited
  if (!node.hasCelRules || value === null) return
  for (const rule of node.celRules) ask(rule, visited, walk)
  if (Array.isArray(value)) {
    const { items } = node
    if (items === undefined) return
    const olds = oldItems(old, node)
    for (const [index, item] of value.entries())
      visit({ value: item, old: olds?.get(keyOf(item, node)), node: items, path: [...path, index] }, walk)
  } else if (value instanceof Dict)
    for (const [name, child] of value) {
      const property = node.properties.get(name) ?? node.additional
      if (property === undefined) continue
      const before = old instanceof Dict ? old.get(name) : undefined
      visit({ value: child, old: before, node: property, path: [...path, name] }, walk)
    }
}

/** Items of the list as it was, by what tells them apart; only lists of maps with keys are compared item by item. */
function oldItems(old: Value | undefined, node: SchemaNode): ReadonlyMap<string, Value> | undefined {
  if (!Array.isArray(old) || node.listKeys?.type !== 'map') return undefined
  return new Map(old.map((item) => [keyOf(item, node), item]))
}

function keyOf(item: Value, { listKeys }: SchemaNode): string {
  if (listKeys === undefined || !(item instanceof Dict)) return ''
  return canonicalText(listKeys.keys.map((key) => toPlain(item.get(key) ?? listKeys.fallbacks.get(key) ?? null)))
}

function ask(rule: CelRule, visited: Visit, walk: Walk): void {
  const { path } = visited
  const isChange = walk.subject.old !== undefined
  const reading = readCel(rule.rule, ['self', 'oldSelf'])
  const report = (state: RuleProblem['state'], says: string, at: readonly PathStep[] = path): void => {
    walk.problems.push({ state, path: at, rule: rule.rule, says })
  }
  if ('problem' in reading) {
    if (!isChange) report('not-evaluated', reading.problem)
    return
  }
  const { program } = reading
  if (program.variables.has('oldSelf') !== isChange) return
  if (walk.late.some((late) => isItself(late, path))) {
    report('not-evaluated', FILLED_LATER)
    return
  }
  const bindings = bindingsOf(rule, visited, walk)
  if (bindings === undefined) return
  const result = program.evaluate(bindings, walk.budget)
  switch (result.state) {
    case 'value':
      if (result.value !== true) report('broken', messageOf(rule, visited, walk), [...path, ...stepsOf(rule.fieldPath)])
      return
    case 'unknown':
      report('not-evaluated', result.reason)
      return
    case 'unfinished':
      report('not-evaluated', 'it takes too much work')
      return
    case 'failed':
      // API servers know the types of all fields before: what has no overload here is a gap of ours
      if (result.reason.includes('overload')) report('not-evaluated', result.reason)
      else report('broken', `it cannot be evaluated: ${result.reason}`)
  }
}

function bindingsOf(
  rule: CelRule,
  { value, old, node }: Visit,
  { values, oldValues, subject }: Walk,
): Readonly<Record<string, CelInput>> | undefined {
  const self = values.of(value, node)
  if (self === undefined) return undefined
  if (subject.old === undefined) return { self }
  const before = old === undefined || old === null ? undefined : oldValues.of(old, node)
  if (rule.hasOptionalOldSelf) return { self, oldSelf: optionalOf(before) }
  return before === undefined ? undefined : { self, oldSelf: before }
}

/** The words of the definition; without any the rule itself. */
function messageOf(rule: CelRule, visited: Visit, walk: Walk): string {
  const { subject, budget } = walk
  const { object, late = [], old, oldLate = [] } = subject
  const shown = (): Readonly<Record<string, CelInput>> => {
    const values = celValues(lateValues(object, [...late, ...secretPlaces(object)]))
    const oldValues = celValues(old instanceof Dict ? lateValues(old, [...oldLate, ...secretPlaces(old)]) : new Map())
    return bindingsOf(rule, visited, { ...walk, values, oldValues }) ?? {}
  }
  const made = messageFrom(rule.messageExpression, shown, { object, budget })
  return made ?? rule.message ?? `failed rule: ${rule.rule}`
}

/** The steps of a path such as `.spec.size` or `.labels['a.b']`. */
function stepsOf(path = ''): readonly string[] {
  return [...path.matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, name, quoted = '']) => name ?? quoted.replaceAll(/\\(.)/g, '$1'),
  )
}
