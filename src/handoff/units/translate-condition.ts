import type { UnitHealthCheck } from '../../model/handoff.ts'
import type { StageCondition } from '../../model/release.ts'
import { parseCel, reservedWords, type CelExpression, type CelNode } from './cel-parse.ts'
import { CelError, plainString } from './cel-scan.ts'

type ConditionObject = StageCondition['objects'][number]

const FUNCTIONS: ReadonlySet<string> = new Set(
  'size int uint double string bytes bool dyn type duration timestamp matches'.split(' '),
)
const METHODS: ReadonlySet<string> = new Set(
  (
    'size contains startsWith endsWith matches getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear ' +
    'getHours getMinutes getSeconds getMilliseconds'
  ).split(' '),
)
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
const TYPES: ReadonlySet<string> = new Set('bool bytes double int list map null_type string type uint'.split(' '))

/**
 * Translates a condition of clusteraddon.yaml, one CEL expression over keyed objects, to one expression per object over
 * the object's own top-level fields, as Flux evaluates health (fluxcd/pkg runtime/cel). The parts joined by `&&` may
 * each speak of one object only. Flux takes one expression per kind, so objects of one kind share an expression that
 * tells them apart by name.
 * @throws CelError with the reason, for what cannot be said this way
 */
export function translateCondition(condition: StageCondition): readonly UnitHealthCheck[] {
  const objects = new Map<string, ConditionObject>()
  for (const object of condition.objects) {
    if (objects.has(object.key)) throw new CelError(`two objects have the key ${JSON.stringify(object.key)}`)
    objects.set(object.key, object)
  }
  const expression = parseCel(condition.conditions)
  const wanted = new Map<string, { readonly object: ConditionObject; readonly terms: string[] }>()
  for (const object of condition.objects)
    if (!wanted.has(identity(object))) wanted.set(identity(object), { object, terms: [] })
  for (const conjunct of conjuncts(expression.root)) {
    const { key, text } = translateConjunct(conjunct, { objects, expression, source: condition.conditions })
    const object = key === undefined ? condition.objects[0] : objects.get(key)
    if (object === undefined) throw new CelError('it speaks of no object')
    wanted.get(identity(object))?.terms.push(needsParentheses(conjunct) ? `(${text})` : text)
  }
  return byKind([...wanted.values()].map(({ object, terms }) => ({ object, current: terms.join(' && ') || 'true' })))
}

function conjuncts(node: CelNode): readonly CelNode[] {
  return node.kind === 'parts' && node.operator === '&&' ? node.parts.flatMap(conjuncts) : [node]
}

function needsParentheses(node: CelNode): boolean {
  return node.kind === 'parts' && (node.operator === '||' || node.operator === '?:')
}

interface ConjunctContext {
  readonly objects: ReadonlyMap<string, ConditionObject>
  readonly expression: CelExpression
  readonly source: string
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text of one conjunct with its object's key taken away. */
function translateConjunct(
  conjunct: CelNode,
  { objects, expression, source }: ConjunctContext,
): { readonly key: string | undefined; readonly text: string } {
  const edits: Edit[] = expression.comments
    .filter(({ start, end }) => start >= conjunct.start && end <= conjunct.end)
    .map((comment) => ({ ...comment, text: '' }))
  const keys = new Set<string>()
  const noBinding: ReadonlySet<string> = new Set()
  visit(conjunct, noBinding)
  if (keys.size > 1)
    throw new CelError(
      `${shown(source, conjunct)} compares objects with each other (${[...keys].toSorted().join(', ')})`,
    )
  const [key] = keys
  return { key, text: edit(source, conjunct, edits) }

  /** The key that a node is, if it is one. */
  function keyOf(node: CelNode, bound: ReadonlySet<string>): string | undefined {
    return node.kind === 'identifier' && !bound.has(node.name) && objects.has(node.name) ? node.name : undefined
  }

  function takeField(key: string, field: string, bound: ReadonlySet<string>): void {
    keys.add(key)
    if (bound.has(field))
      throw new CelError(`the variable ${field} of a macro hides the field ${key}.${field}: give it another name`)
    if (reservedWords.has(field)) throw new CelError(`${key}.${field} has the name of a reserved word`)
  }

  function visit(node: CelNode, bound: ReadonlySet<string>): void {
    if (node.kind === 'literal') return
    if (node.kind === 'parts') {
      for (const part of node.parts) visit(part, bound)
      return
    }
    if (node.kind === 'identifier') {
      if (keyOf(node, bound) !== undefined)
        throw new CelError(`${node.name} stands for the whole object: only fields of it can be asked for`)
      if (!bound.has(node.name) && !TYPES.has(node.name)) throw new CelError(`${node.name} is not a key of an object`)
      return
    }
    if (node.kind === 'select') {
      const key = keyOf(node.operand, bound)
      if (key === undefined) return visit(node.operand, bound)
      takeField(key, node.field.text, bound)
      edits.push({ start: node.operand.start, end: node.field.start, text: '' })
      return
    }
    if (node.kind === 'index') {
      visit(node.index, bound)
      const key = keyOf(node.operand, bound)
      if (key === undefined) return visit(node.operand, bound)
      const field = node.index.kind === 'literal' ? plainString(node.index.token) : undefined
      if (field === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(field))
        throw new CelError(`${shown(source, node)} names its field in a way that is not understood here`)
      takeField(key, field, bound)
      edits.push({ start: node.start, end: node.end, text: field })
      return
    }
    visitCall(node, bound)
  }

  function visitCall(node: CelNode & { readonly kind: 'call' }, bound: ReadonlySet<string>): void {
    const { name, target } = node
    if (target === undefined && name === 'has') {
      const [argument] = node.arguments
      if (argument?.kind !== 'select' || node.arguments.length !== 1) throw new CelError('has() asks for one field')
      if (keyOf(argument.operand, bound) !== undefined)
        throw new CelError(
          `${shown(source, node)} asks for a top-level field, which CEL cannot do for an object's own fields`,
        )
      return visit(argument, bound)
    }
    if (target !== undefined && MACROS.has(name)) {
      const [variable, ...rest] = node.arguments
      if (variable?.kind !== 'identifier' || rest.length === 0 || rest.length > (name === 'map' ? 2 : 1))
        throw new CelError(`${name}() wants a variable and an expression`)
      visit(target, bound)
      const inner = new Set([...bound, variable.name])
      for (const part of rest) visit(part, inner)
      return
    }
    if (!(target === undefined ? FUNCTIONS : METHODS).has(name))
      throw new CelError(`${name}() is not a function of standard CEL`)
    if (target !== undefined) visit(target, bound)
    for (const part of node.arguments) visit(part, bound)
  }
}

/** Leaves out of `outer` what lies within another edit. */
function edit(source: string, { start, end }: CelNode, edits: readonly Edit[]): string {
  let text = ''
  let at = start
  for (const change of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (change.start < at) continue
    text += source.slice(at, change.start) + change.text
    at = change.end
  }
  return (text + source.slice(at, end)).trim()
}

function shown(source: string, { start, end }: CelNode): string {
  const text = source.slice(start, end).replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

function kindOf({ apiVersion, kind }: ConditionObject): string {
  return `${apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''}/${kind}`
}

function identity(object: ConditionObject): string {
  return `${kindOf(object)} ${object.namespace}/${object.name}`
}

interface Wanted {
  readonly object: ConditionObject
  readonly current: string
}

function byKind(wanted: readonly Wanted[]): readonly UnitHealthCheck[] {
  const kinds = new Map<string, readonly Wanted[]>()
  for (const entry of wanted) {
    const kind = kindOf(entry.object)
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry])
  }
  return wanted.map(({ object }) => {
    const { apiVersion, kind, name, namespace } = object
    const current = joinKind(kinds.get(kindOf(object)) ?? [])
    return { apiVersion, kind, name, ...(namespace === '' ? {} : { namespace }), current }
  })
}

function joinKind(entries: readonly Wanted[]): string {
  const last = entries.at(-1)?.current ?? 'true'
  return entries
    .slice(0, -1)
    .reduceRight((rest, { object, current }) => `${selects(object)} ? (${current}) : (${rest})`, last)
}

function selects({ name, namespace }: ConditionObject): string {
  const isNamed = `metadata.name == ${JSON.stringify(name)}`
  return namespace === '' ? isNamed : `${isNamed} && metadata.namespace == ${JSON.stringify(namespace)}`
}
