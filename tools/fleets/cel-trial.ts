/**
 * Compares what rules in CEL of definitions, and policies, say here with what an API server says: for a test, and at
 * length for a benchmark.
 */
import { setTimeout } from 'node:timers/promises'
import { celBudget } from '../../src/check/cel/cel-work.ts'
import { validateRules } from '../../src/check/cel/validate-rules.ts'
import { judgeObject, namespacesOf } from '../../src/check/policy/judge-policies.ts'
import { serverPolicies } from '../../src/check/policy/server-policies.ts'
import { validateObject, withDefaults } from '../../src/check/schema/validate-object.ts'
import type { SchemaSet } from '../../src/check/schema/schema-set.ts'
import { copyDict, dictAt } from '../../src/model/field.ts'
import { Dict } from '../../src/model/value.ts'
import { fieldOf, type KubeObject } from '../servers/kube-client.ts'
import type { Kube } from '../servers/kube.ts'
import type { Json } from './mutate-object.ts'
import { type TrialObject, trialObjects } from './schema-trial.ts'
import { trialPolicyObjects } from './trial-policies.ts'

/** What came of some objects. Lines say which, and what was said. */
export interface CelTrialResult {
  readonly refusedByBoth: number
  readonly takenByBoth: number
  /** Objects that are wrong in another way, for one side or for both. */
  readonly others: number
  readonly notEvaluated: readonly string[]
  readonly onlyOurs: readonly string[]
  readonly onlyServer: readonly string[]
}

/** Asks both sides about rules of definitions. */
export async function runRuleTrial(
  objects: readonly TrialObject[],
  { kube, schemas }: { readonly kube: Kube; readonly schemas: SchemaSet },
): Promise<CelTrialResult> {
  let [refusedByBoth, takenByBoth, others] = [0, 0, 0]
  const [notEvaluated, onlyOurs, onlyServer]: [string[], string[], string[]] = [[], [], []]
  for (const { ours, json } of objects) {
    const found = schemas.find(json.apiVersion, json.kind)
    if (found.state !== 'known' || validateObject(ours, found.schema).length > 0) {
      others++
      continue
    }
    const problems = validateRules({ object: withDefaults(ours, found.schema) }, found.schema.node)
    const created = validateRules({ object: withDefaults(ours, found.schema), old: 'none' }, found.schema.node)
    const [broken] = [...problems, ...created].filter(({ state }) => state === 'broken')
    const [unknown] = problems.filter(({ state }) => state === 'not-evaluated')
    const [answer] = await kube.apply([json], { dryRun: true })
    const line = `${json.kind} ${JSON.stringify(json['spec'])}`
    if (broken === undefined && unknown !== undefined)
      notEvaluated.push(`${json.kind}: ${unknown.says}: ${unknown.rule}`)
    else if (answer?.ok === true && broken === undefined) takenByBoth++
    else if (answer?.ok === true)
      onlyOurs.push(`${broken?.path.join('.') ?? ''}: ${broken?.says ?? ''}: ${broken?.rule ?? ''} ${line}`)
    else if (broken === undefined) onlyServer.push(`${answer?.message ?? ''} ${line}`)
    else refusedByBoth++
  }
  return { refusedByBoth, takenByBoth, others, notEvaluated, onlyOurs, onlyServer }
}

/** Asks both sides the policies of the trial; each is one answer for each object. Namespaces have to be there. */
export async function runPolicyTrial(
  objects: readonly TrialObject[],
  { kube, schemas }: { readonly kube: Kube; readonly schemas: SchemaSet },
): Promise<CelTrialResult> {
  const policies = trialPolicyObjects()
  const written: readonly KubeObject[] = JSON.parse(JSON.stringify(policies))
  const [refused] = (await kube.apply(written)).filter(({ ok }) => !ok)
  if (refused !== undefined) throw new Error(refused.message)
  await untilAsked(kube, policies.length / 2)
  const given = policies.flatMap((policy) => trialObjects(JSON.stringify(policy)).map(({ ours }) => ours))
  const spaces = [...new Set(objects.flatMap(({ json }) => json.metadata.namespace ?? []))].flatMap((name) =>
    trialObjects(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })).map(({ ours }) => ours),
  )
  const server = {
    policies: serverPolicies(given),
    plurals: new Map<string, string>(),
    namespaces: namespacesOf(spaces),
    budget: celBudget(),
  }
  let [refusedByBoth, takenByBoth, others] = [0, 0, 0]
  const [notEvaluated, onlyOurs, onlyServer]: [string[], string[], string[]] = [[], [], []]
  for (const { ours, json } of objects) {
    const [answer] = await kube.apply([json], { dryRun: true })
    if (answer?.ok !== true) {
      others++
      continue
    }
    const theirs = new Map(
      answer.warnings.flatMap((warning) => {
        const [, name = '', message = ''] =
          /ValidatingAdmissionPolicy '([^']*)' with binding '[^']*': (.*)$/s.exec(warning) ?? []
        return name === '' ? [] : [[name, message] as const]
      }),
    )
    // the server knows which kinds are namespaced, as the scopes of a fleet do
    const namespace = fieldOf(answer.body, 'metadata.namespace')
    const { name } = json.metadata
    const asked = {
      apiVersion: json.apiVersion,
      kind: json.kind,
      name,
      ...(typeof namespace === 'string' && { namespace }),
      object: withNamespace(ours, namespace),
      lookup: schemas.find(json.apiVersion, json.kind),
    }
    const denied = new Map<string, string>()
    for (const { policy, verdict } of judgeObject(asked, server))
      if (verdict.state === 'denied') denied.set(policy.name, verdict.message)
      else notEvaluated.push(`${policy.name} of ${json.kind} ${name}: ${verdict.reason}`)
    const names = new Set([...theirs.keys(), ...denied.keys()])
    takenByBoth += policies.length / 2 - names.size
    for (const policy of names) {
      const line = `${policy} of ${json.kind} ${name}`
      if (!theirs.has(policy)) onlyOurs.push(`${line}: ${denied.get(policy) ?? ''}`)
      else if (!denied.has(policy)) onlyServer.push(`${line}: ${theirs.get(policy) ?? ''}`)
      else refusedByBoth++
    }
  }
  return { refusedByBoth, takenByBoth, others, notEvaluated, onlyOurs, onlyServer }
}

/** The object as a fleet would write it. */
function withNamespace(object: Dict, namespace: unknown): Dict {
  const copy = copyDict(object)
  const metadata = copyDict(dictAt(object, 'metadata') ?? new Dict())
  if (typeof namespace === 'string') metadata.set('namespace', namespace)
  else metadata.delete('namespace')
  copy.set('metadata', metadata)
  return copy
}

/** Policies are asked some time after they were applied: an object that most of them are against shows it. */
async function untilAsked(kube: Kube, policies: number): Promise<void> {
  const probe = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a-long-name-that-is-refused', namespace: 'default' },
  }
  let last = -1
  for (let left = 120; left > 0; left--) {
    const [answer] = await kube.apply([probe], { dryRun: true })
    const warnings = answer?.warnings.length ?? 0
    if (warnings > 4 && warnings === last) return
    last = warnings
    await setTimeout(1000)
  }
  throw new Error(`the server does not ask the ${String(policies)} policies`)
}

const texts = [
  'a',
  'abc',
  'A',
  '10.0.0.1',
  '10.0.0.0/24',
  'fd00::1',
  'web.example.com',
  'https://a.example/b',
  '5m',
  '1',
  '80',
  '',
  '*',
  '0s',
  '1Gi',
  'true',
]

type Schema = { readonly [key: string]: Json }

/** A value that the schema describes, more or less: for objects that break rules in any way. */
function valueOf(schema: Json, random: () => number, depth = 0): Json {
  if (!isMap(schema)) return null
  const pick = (items: readonly Json[]): Json => items[Math.floor(random() * items.length)] ?? null
  if (Array.isArray(schema['enum'])) return pick(schema['enum'])
  if (schema['x-kubernetes-int-or-string'] === true) return pick([1, 0, 80, '50%', 'http', '1Gi'])
  const [least, most] = [numberAt(schema, 'minimum', 0), numberAt(schema, 'maximum', 70_000)]
  const type = typeof schema['type'] === 'string' ? schema['type'] : ''
  switch (type) {
    case 'string':
      return textOf(schema, random)
    case 'integer':
      return Math.floor(pickNumber([least, most, least + 1, 1, 2, 80, 443], random))
    case 'number':
      return pickNumber([least, 1, 0.5], random)
    case 'boolean':
      return random() < 0.5
    case 'array': {
      const length = Math.max(numberAt(schema, 'minItems', 0), depth > 7 ? 0 : Math.floor(random() * 3))
      return Array.from({ length: Math.min(length, 4) }, () => valueOf(schema['items'] ?? null, random, depth + 1))
    }
    case 'object':
      return mapOf(schema, random, depth)
    default:
      return {}
  }
}

function mapOf(schema: Schema, random: () => number, depth: number): Json {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const { properties, additionalProperties } = schema
  if (isMap(properties)) {
    const chance = depth > 6 ? 0 : Object.keys(properties).length > 12 ? 0.15 : 0.4
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random() < chance)
        .map(([name, property]) => [name, valueOf(property, random, depth + 1)]),
    )
  }
  if (!isMap(additionalProperties)) return {}
  return Object.fromEntries(
    ['a', 'b.example.com/c']
      .filter(() => random() < 0.5)
      .map((name) => [name, valueOf(additionalProperties, random, depth + 1)]),
  )
}

function textOf(schema: Schema, random: () => number): string {
  const format = schema['format']
  if (format === 'date-time') return '2026-01-31T12:00:00Z'
  if (format === 'duration') return '5m'
  const least = numberAt(schema, 'minLength', 0)
  const fitting = texts.filter((text) => {
    const pattern = schema['pattern']
    return text.length >= least && (typeof pattern !== 'string' || matches(pattern, text))
  })
  return fitting[Math.floor(random() * fitting.length)] ?? 'a'.repeat(Math.max(least, 1))
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return false
  }
}

function pickNumber(numbers: readonly number[], random: () => number): number {
  return numbers[Math.floor(random() * numbers.length)] ?? 0
}

function numberAt(schema: Schema, name: string, otherwise: number): number {
  const found = schema[name]
  return typeof found === 'number' ? found : otherwise
}

function textIn(map: Schema, name: string): string {
  const found = map[name]
  return typeof found === 'string' ? found : ''
}

function isMap(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Objects that fit the schema of a definition more or less, of each version that has rules. */
export function madeObjects(definition: TrialObject, random: () => number, count: number): readonly TrialObject[] {
  const json: Json = JSON.parse(JSON.stringify(definition.json))
  const spec = isMap(json) ? json['spec'] : undefined
  if (!isMap(spec) || !Array.isArray(spec['versions']) || !isMap(spec['names'])) return []
  const { names, scope } = spec
  const group = textIn(spec, 'group')
  return spec['versions'].flatMap((version) => {
    if (!isMap(version) || version['served'] !== true || !isMap(version['schema'])) return []
    const schema = version['schema']['openAPIV3Schema']
    if (!isMap(schema) || !JSON.stringify(schema).includes('x-kubernetes-validations')) return []
    return Array.from({ length: count }, () => {
      const made = valueOf(schema, random)
      return trialObjects(
        JSON.stringify({
          ...(isMap(made) ? made : {}),
          status: undefined,
          apiVersion: `${group}/${textIn(version, 'name')}`,
          kind: names['kind'],
          metadata: { name: 'made', ...(scope === 'Namespaced' && { namespace: 'default' }) },
        }),
      )
    }).flat()
  })
}

/** True for an object that is whole: templates may give others. */
export function isWhole({ ours }: TrialObject): boolean {
  return ours instanceof Dict && ours.has('apiVersion')
}
