import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/** A ValidatingAdmissionPolicy (admissionregistration.k8s.io). */
export interface Policy {
  readonly name: string
  readonly object: Dict
  /** The objects that it applies to: `spec.matchConstraints`. */
  readonly constraints: Dict
  readonly conditions: readonly NamedExpression[]
  readonly variables: readonly NamedExpression[]
  readonly validations: readonly Validation[]
  /** The expressions of its audit annotations: one that fails refuses the object. */
  readonly annotations: readonly string[]
  /** The kind of its parameters; undefined without. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined
  /** True if an object is refused where an expression fails (`failurePolicy`). */
  readonly failsClosed: boolean
}

/** An expression with a name. */
export interface NamedExpression {
  readonly name: string
  readonly expression: string
}

/** One thing that a policy asks of objects. */
export interface Validation {
  readonly expression: string
  readonly message: string
  readonly messageExpression: string | undefined
}

/** A ValidatingAdmissionPolicyBinding. */
export interface Binding {
  readonly name: string
  readonly policyName: string
  /** Narrows what the policy is asked of; absent: all of it. */
  readonly resources: Dict | undefined
  readonly paramRef: Dict | undefined
  readonly actions: readonly string[]
}

const API = 'admissionregistration.k8s.io/'

/** True for a policy or binding: policies are not asked of those. */
export function isPolicyObject({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return apiVersion.startsWith(API) && /^(?:Validating|Mutating)AdmissionPolicy(?:Binding)?$/.test(kind)
}

/** The policy that an object is; undefined for others. */
export function readPolicy(object: Dict): Policy | undefined {
  if (!isOfKind(object, 'ValidatingAdmissionPolicy')) return undefined
  const param = dictAt(object, 'spec', 'paramKind')
  return {
    name: textAt(object, 'metadata', 'name'),
    object,
    constraints: dictAt(object, 'spec', 'matchConstraints') ?? new Dict(),
    conditions: namedAt(object, 'matchConditions'),
    variables: namedAt(object, 'variables'),
    validations: itemsAt(object, 'spec', 'validations').map((validation) => ({
      expression: textAt(validation, 'expression'),
      message: textAt(validation, 'message').trim(),
      messageExpression: textAt(validation, 'messageExpression') || undefined,
    })),
    annotations: itemsAt(object, 'spec', 'auditAnnotations').map((entry) => textAt(entry, 'valueExpression')),
    paramKind: param && { apiVersion: textAt(param, 'apiVersion'), kind: textAt(param, 'kind') },
    failsClosed: textAt(object, 'spec', 'failurePolicy') !== 'Ignore',
  }
}

/** The binding that an object is; undefined for others. */
export function readBinding(object: Dict): Binding | undefined {
  if (!isOfKind(object, 'ValidatingAdmissionPolicyBinding')) return undefined
  return {
    name: textAt(object, 'metadata', 'name'),
    policyName: textAt(object, 'spec', 'policyName'),
    resources: dictAt(object, 'spec', 'matchResources'),
    paramRef: dictAt(object, 'spec', 'paramRef'),
    actions: textsAt(object, 'spec', 'validationActions'),
  }
}

function isOfKind(object: Dict, kind: string): boolean {
  return textAt(object, 'kind') === kind && textAt(object, 'apiVersion').startsWith(API)
}

function namedAt(object: Dict, list: string): readonly NamedExpression[] {
  return itemsAt(object, 'spec', list).map((entry) => ({
    name: textAt(entry, 'name'),
    expression: textAt(entry, 'expression'),
  }))
}

/** The texts of a list in a value. */
export function textsAt(value: Value, ...path: readonly string[]): readonly string[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : []
}
