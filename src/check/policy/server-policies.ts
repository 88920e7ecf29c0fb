import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import { readCel } from '../cel/cel-program.ts'
import type { LateTexts } from '../cel/unknown-values.ts'
import { type Binding, type Policy, readBinding, readPolicy, textsAt } from './policy.ts'
import { wrongExpressions } from './policy-expressions.ts'
import { labelsOf, matchesSelector } from './match-resources.ts'

/** The policies of one API server, as far as they are known. */
export interface ServerPolicies {
  readonly bound: readonly BoundPolicy[]
  /** Objects that may be parameters. */
  readonly objects: readonly Dict[]
  /** Where objects have texts that are filled in later. */
  readonly late: ReadonlyMap<Dict, LateTexts>
}

/** A policy with one of its bindings. */
export interface BoundPolicy {
  readonly policy: Policy
  readonly binding: Binding
  /** True if something in them is filled in later. */
  readonly isLate: boolean
}

/** The policies among objects of one API server, with their bindings. */
export function serverPolicies(
  objects: readonly Dict[],
  late: ReadonlyMap<Dict, LateTexts> = new Map(),
): ServerPolicies {
  const policies = new Map(objects.flatMap((object) => pairOf(readPolicy(object), object)))
  const bindings = new Map(objects.flatMap((object) => pairOf(readBinding(object), object)))
  const bound = [...bindings.values()].flatMap(({ read: binding, object }) => {
    const policy = policies.get(binding.policyName)
    // one that API servers refuse is none of theirs: what is wrong with it is said once
    if (policy === undefined || (!late.has(policy.object) && isRefused(policy.object))) return []
    return [{ policy: policy.read, binding, isLate: late.has(policy.object) || late.has(object) }]
  })
  const params = new Set(
    bound.map(({ policy }) => policy.paramKind).map((kind) => kind && keyOf(kind.apiVersion, kind.kind)),
  )
  return {
    bound,
    objects: objects.filter((object) => params.has(keyOf(textAt(object, 'apiVersion'), textAt(object, 'kind')))),
    late,
  }
}

const refused = new WeakMap<Dict, boolean>()

function isRefused(policy: Dict): boolean {
  const known = refused.get(policy) ?? wrongExpressions(policy).length > 0
  refused.set(policy, known)
  return known
}

function keyOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`
}

/** Those of the policies that ask how an object changes, so that a new one says too little. */
export function aboutChanges({ bound, ...server }: ServerPolicies): ServerPolicies {
  return { ...server, bound: bound.filter(({ policy }) => isAboutChanges(policy)) }
}

/** Names that expressions of policies may use. */
const policyNames: readonly string[] = ['object', 'oldObject', 'request', 'namespaceObject', 'params', 'variables']

function isAboutChanges({ constraints, conditions, variables, validations }: Policy): boolean {
  const readsOld = [...conditions, ...variables, ...validations].some(({ expression }) => {
    const reading = readCel(expression, policyNames)
    const read = 'program' in reading ? reading.program.variables : new Set<string>()
    return read.has('oldObject') || read.has('request')
  })
  const operations = itemsAt(constraints, 'resourceRules').flatMap((rule) => textsAt(rule, 'operations'))
  return readsOld || !operations.some((operation) => operation === '*' || operation === 'CREATE')
}

function pairOf<Named extends { readonly name: string }>(
  read: Named | undefined,
  object: Dict,
): readonly (readonly [string, { readonly read: Named; readonly object: Dict }])[] {
  return read === undefined ? [] : [[read.name, { read, object }]]
}

/** The parameters of a binding: each asks the policy once. */
export type Parameters = readonly (Dict | undefined)[] | { readonly unknown: string }

/** The parameters that a binding gives its policy for an object of a namespace. */
export function parametersOf(
  { policy, binding }: BoundPolicy,
  namespace: string | undefined,
  { objects, late }: ServerPolicies,
): Parameters {
  const { paramKind } = policy
  const { paramRef } = binding
  if (paramKind === undefined || paramRef === undefined) return [undefined]
  const name = textAt(paramRef, 'name')
  const selector = dictAt(paramRef, 'selector')
  const inNamespace = textAt(paramRef, 'namespace') || namespace
  const ofKind = objects.filter((object) => {
    if (textAt(object, 'apiVersion') !== paramKind.apiVersion || textAt(object, 'kind') !== paramKind.kind) return false
    const own = textAt(object, 'metadata', 'namespace')
    return own === '' || own === inNamespace
  })
  const matches = (object: Dict): boolean | undefined =>
    name === ''
      ? matchesSelector(selector, labelsOf(object, late.get(object)))
      : textAt(object, 'metadata', 'name') === name
  const found = ofKind.filter((object) => matches(object) === true)
  const isKnown = ofKind.every((object) => matches(object) !== undefined)
  // others may have made one, so that `parameterNotFoundAction` says nothing
  if (found.length > 0 && isKnown) return found
  return { unknown: `its parameters (${paramKind.kind}${name === '' ? '' : ` ${name}`}) are not in the tree` }
}
