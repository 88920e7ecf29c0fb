import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import { readCel } from '../cel/cel-program.ts'
import { type Binding, type Policy, readBinding, readPolicy, textsAt } from './policy.ts'
import { labelsOf, matchesSelector } from './match-resources.ts'

/** What is known of the policies of one API server. */
export interface ServerPolicies {
  readonly bound: readonly { readonly policy: Policy; readonly binding: Binding }[]
  /** Objects that may be parameters. */
  readonly objects: readonly Dict[]
}

/** The policies among objects of one API server, with their bindings. */
export function serverPolicies(objects: readonly Dict[]): ServerPolicies {
  const policies = new Map(objects.flatMap((object) => pairOf(readPolicy(object))))
  const bindings = new Map(objects.flatMap((object) => pairOf(readBinding(object))))
  const bound = [...bindings.values()].flatMap((binding) => {
    const policy = policies.get(binding.policyName)
    return policy === undefined ? [] : [{ policy, binding }]
  })
  const params = new Set(
    bound.map(({ policy }) => policy.paramKind).map((kind) => kind && keyOf(kind.apiVersion, kind.kind)),
  )
  return {
    bound,
    objects: objects.filter((object) => params.has(keyOf(textAt(object, 'apiVersion'), textAt(object, 'kind')))),
  }
}

function keyOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`
}

/** Those of the policies that ask how an object changes, so that a new one says too little. */
export function aboutChanges({ bound, objects }: ServerPolicies): ServerPolicies {
  return { bound: bound.filter(({ policy }) => isAboutChanges(policy)), objects }
}

function isAboutChanges({ constraints, conditions, variables, validations }: Policy): boolean {
  const readsOld = [...conditions, ...variables, ...validations].some(({ expression }) => {
    const reading = readCel(expression)
    const read = 'program' in reading ? reading.program.variables : new Set<string>()
    return read.has('oldObject') || read.has('request')
  })
  const operations = itemsAt(constraints, 'resourceRules').flatMap((rule) => textsAt(rule, 'operations'))
  return readsOld || !operations.some((operation) => operation === '*' || operation === 'CREATE')
}

function pairOf<Named extends { readonly name: string }>(
  found: Named | undefined,
): readonly (readonly [string, Named])[] {
  return found === undefined ? [] : [[found.name, found]]
}

/** The parameters of a binding: each asks the policy once. */
export type Parameters = readonly (Dict | undefined)[] | { readonly unknown: string } | 'none-allowed'

/** The parameters that a binding gives its policy for an object of a namespace. */
export function parametersOf(
  { policy, binding }: ServerPolicies['bound'][number],
  namespace: string | undefined,
  objects: readonly Dict[],
): Parameters {
  const { paramKind } = policy
  const { paramRef } = binding
  if (paramKind === undefined || paramRef === undefined) return [undefined]
  const name = textAt(paramRef, 'name')
  const selector = dictAt(paramRef, 'selector')
  const inNamespace = textAt(paramRef, 'namespace') || namespace
  const found = objects.filter((object) => {
    if (textAt(object, 'apiVersion') !== paramKind.apiVersion || textAt(object, 'kind') !== paramKind.kind) return false
    const own = textAt(object, 'metadata', 'namespace')
    if (own !== '' && own !== inNamespace) return false
    if (name !== '') return textAt(object, 'metadata', 'name') === name
    return matchesSelector(selector, { labels: labelsOf(object), isComplete: true }) === true
  })
  if (found.length > 0) return found
  if (textAt(paramRef, 'parameterNotFoundAction') === 'Allow' && selector !== undefined) return 'none-allowed'
  return { unknown: `its parameters (${paramKind.kind}${name === '' ? '' : ` ${name}`}) are not in the tree` }
}
