import { canonicalText, toPlain } from '../../codec/json/plain-value.ts'
import type { PathStep } from '../../model/field.ts'
import type { LocatedToken } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { CelRule, SchemaNode } from '../schema/schema-node.ts'
import { type CelInput, optionalOf, readCel } from './cel-program.ts'
import { lateValues } from './late-values.ts'
import { celValues, type CelValues } from './schema-values.ts'
import { messageFrom } from './shown-message.ts'
import type { Watch } from './watched-map.ts'

/** What came of a rule in CEL that was not kept, or that could not be evaluated. */
export interface RuleProblem {
  readonly state: 'broken' | 'not-evaluated'
  readonly path: readonly PathStep[]
  readonly rule: string
  /** Of a broken rule: what the definition says of it. Of others: why. */
  readonly says: string
}

/** What rules are asked of. */
export interface RuleSubject {
  /** With defaults; an object, or a value that has a schema of its own. */
  readonly object: Value
  /** Texts of it that are known only later: a rule that depends on one is not judged. */
  readonly late?: readonly LocatedToken[] | undefined
  /**
   * As it was before, with defaults; `none` for a new object. Without it rules that compare with the old value are not
   * asked, with it those alone.
   */
  readonly old?: Dict | 'none' | undefined
}

interface Walk {
  readonly subject: RuleSubject
  readonly watch: Watch
  readonly values: CelValues
  readonly oldValues: CelValues
  readonly problems: RuleProblem[]
}

/** The rules in CEL that the schema has for the object and that are not kept. */
export function validateRules(subject: RuleSubject, node: SchemaNode): readonly RuleProblem[] {
  if (!node.hasCelRules) return []
  const watch: Watch = { wasRead: false }
  const late = lateValues(subject.object, subject.late)
  const walk: Walk = {
    subject,
    watch,
    values: celValues(late, watch),
    oldValues: celValues(new Map(), watch),
    problems: [],
  }
  const { old } = subject
  visit({ value: subject.object, old: old === 'none' ? undefined : old, node, path: [] }, walk)
  return walk.problems
}

interface Visit {
  readonly value: Value
  /** What it is compared with: undefined where there is nothing. */
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
  const reading = readCel(rule.rule)
  const report = (state: RuleProblem['state'], says: string, at: readonly PathStep[] = path): void => {
    walk.problems.push({ state, path: at, rule: rule.rule, says })
  }
  if ('problem' in reading) {
    if (!isChange) report('not-evaluated', reading.problem)
    return
  }
  const { program } = reading
  if (program.variables.has('oldSelf') !== isChange) return
  const bindings = bindingsOf(rule, visited, walk)
  if (bindings === undefined) return
  walk.watch.wasRead = false
  const result = program.evaluate(bindings)
  if (result.state === 'value' && result.value === true) return
  if (walk.watch.wasRead) return
  if (result.state === 'unfinished') report('not-evaluated', 'it takes too much work')
  // API servers know the types of all fields before: what has no overload here is a gap of ours
  else if (result.state === 'failed' && result.reason.includes('overload')) report('not-evaluated', result.reason)
  else if (result.state === 'failed') report('broken', `it cannot be evaluated: ${result.reason}`)
  else report('broken', messageOf(rule, bindings, walk.subject.object), [...path, ...stepsOf(rule.fieldPath)])
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
function messageOf(rule: CelRule, bindings: Readonly<Record<string, CelInput>>, object: Value): string {
  return messageFrom(rule.messageExpression, bindings, object) ?? rule.message ?? `failed rule: ${rule.rule}`
}

/** The steps of a path such as `.spec.size` or `.labels['a.b']`. */
function stepsOf(path = ''): readonly string[] {
  return [...path.matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, name, quoted = '']) => name ?? quoted.replaceAll(/\\(.)/g, '$1'),
  )
}
