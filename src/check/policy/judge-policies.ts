import { withBuiltInDefaults } from '../../model/built-in-defaults.ts'
import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { Dict } from '../../model/value.ts'
import { type CelInput, partlyKnown } from '../cel/cel-program.ts'
import type { CelBudget } from '../cel/cel-work.ts'
import { plainInput } from '../cel/plain-values.ts'
import { secretPlaces } from '../cel/secret-places.ts'
import { type LateTexts, lateValues, withServerFields } from '../cel/unknown-values.ts'
import { budgetOf, type CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { applyDefaults } from '../schema/apply-defaults.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import type { KindLookup } from '../schema/schema-set.ts'
import { evaluatePolicy, type PolicySubject, type PolicyVerdict } from './evaluate-policy.ts'
import { type KnownLabels, labelsOf, matchesResources, type PolicyRequest } from './match-resources.ts'
import { type Binding, isPolicyObject, type Policy } from './policy.ts'
import { definedPlurals, guessedPlural } from './plural-name.ts'
import { withoutEmpty } from './without-empty.ts'
import { parametersOf, type ServerPolicies, serverPolicies } from './server-policies.ts'

/** A policy's finding on an object of a unit. */
export interface PolicyFinding {
  readonly manifest: Manifest
  readonly policy: Policy
  readonly binding: Binding
  readonly verdict: PolicyVerdict
}

/** The findings of the API servers' policies on a unit. */
export interface JudgedPolicies {
  readonly findings: readonly PolicyFinding[]
  /** Those servers that have policies. */
  readonly servers: readonly { readonly destination: Destination; readonly server: Server }[]
}

const judged = new WeakMap<CheckedUnit, JudgedPolicies>()

/** Asks the policies of each API server of the objects that a unit has for it: once, for however many rules. */
export function judgePolicies(unit: CheckedUnit, inputs: CheckInputs): JudgedPolicies {
  const known = judged.get(unit)
  if (known !== undefined) return known
  const destinations: readonly Destination[] = ['management', ...workloadsOf(unit)]
  const servers = destinations.flatMap((destination) => {
    const server = serverOf(unit, destination, inputs)
    return server === undefined ? [] : [{ destination, server }]
  })
  const findings = servers.flatMap(({ destination, server }) => judgeServer(unit, destination, { server, inputs }))
  const found = { findings, servers }
  judged.set(unit, found)
  return found
}

/** Undefined for a server without policies. */
function serverOf(unit: CheckedUnit, destination: Destination, inputs: CheckInputs): Server | undefined {
  const manifests = manifestsAt(unit, destination)
  const given = (inputs.policies ?? []).filter(
    ({ servers }) => servers === 'all' || (servers === 'management') === (destination === 'management'),
  )
  const objects = [...given.map(({ object }) => object), ...manifests.map(({ object }) => object)]
  const late = new Map(
    manifests.flatMap(({ object, deferred }) => (deferred === undefined ? [] : [[object, deferred]])),
  )
  const policies = serverPolicies(objects, late)
  if (policies.bound.length === 0) return undefined
  const definitions = manifests.filter(isResourceDefinition).map(({ object }) => object)
  return {
    policies,
    plurals: definedPlurals([...inputs.definitions, ...definitions]),
    namespaces: namespacesOf(objects),
    budget: budgetOf(inputs),
  }
}

function judgeServer(
  unit: CheckedUnit,
  destination: Destination,
  { server, inputs }: { readonly server: Server; readonly inputs: CheckInputs },
): readonly PolicyFinding[] {
  const lookups = new Map(judgeObjects(unit, inputs).map(({ manifest, lookup }) => [manifest, lookup]))
  return manifestsAt(unit, destination).flatMap((manifest) =>
    isPolicyObject(manifest)
      ? []
      : judgeObject({ ...manifest, late: manifest.deferred, lookup: lookups.get(manifest) }, server).map((finding) => ({
          ...finding,
          manifest,
        })),
  )
}

/** The knowledge of an API server. */
export interface Server {
  readonly policies: ServerPolicies
  readonly plurals: ReadonlyMap<string, string>
  readonly namespaces: ReadonlyMap<string, Dict>
  readonly budget: CelBudget
}

/** The Namespaces among objects, by name. */
export function namespacesOf(objects: readonly Dict[]): ReadonlyMap<string, Dict> {
  return new Map(
    objects
      .filter((object) => textAt(object, 'kind') === 'Namespace' && textAt(object, 'apiVersion') === 'v1')
      .map((object) => [textAt(object, 'metadata', 'name'), object]),
  )
}

/** An object that policies are asked of. */
export interface AskedObject extends Pick<Manifest, 'apiVersion' | 'kind' | 'name' | 'namespace' | 'object'> {
  readonly late?: LateTexts | undefined
  /** The knowledge of its kind. */
  readonly lookup?: KindLookup | undefined
  /** As it was before; absent for one that is new, or of which that is not known. */
  readonly old?: Dict | undefined
  readonly oldLate?: LateTexts | undefined
}

/** Asks all policies of a server of one object. */
export function judgeObject(asked: AskedObject, server: Server): readonly Omit<PolicyFinding, 'manifest'>[] {
  const request = requestOf(asked, server)
  let made: Bindings | undefined
  const found: Omit<PolicyFinding, 'manifest'>[] = []
  for (const bound of server.policies.bound) {
    const { policy, binding, isLate } = bound
    const report = (verdict: PolicyVerdict): void => {
      found.push({ policy, binding, verdict })
    }
    const isMeant = matchesResources(policy.constraints, request, 'none')
    if (isMeant === 'no') continue
    const isBound = binding.resources === undefined ? 'yes' : matchesResources(binding.resources, request, 'all')
    if (isBound === 'no') continue
    const open = isMeant === 'yes' ? isBound : isMeant
    if (open !== 'yes' || isLate) {
      const reason = open === 'yes' ? 'something in it or in its binding is filled in later' : open.unknown
      report({ state: 'not-evaluated', reason })
      continue
    }
    const parameters = parametersOf(bound, request.namespace, server.policies)
    if ('unknown' in parameters) {
      report({ state: 'not-evaluated', reason: parameters.unknown })
      continue
    }
    made ??= bindingsOf(asked, request, server)
    for (const parameter of parameters) {
      const { late } = server.policies
      const params = parameter === undefined ? null : objectInput(parameter, late.get(parameter))
      const shown = (): PolicySubject['bindings'] => ({
        ...bindingsOf(withoutSecrets(asked), request, server),
        params:
          parameter === undefined
            ? null
            : objectInput(parameter, [...(late.get(parameter) ?? []), ...secretPlaces(parameter)]),
      })
      const subject = { object: asked.object, bindings: { ...made, params }, shown, budget: server.budget }
      for (const verdict of evaluatePolicy(policy, subject)) report(verdict)
    }
  }
  return found
}

/** The object with its secrets as values that nobody knows. */
function withoutSecrets(asked: AskedObject): AskedObject {
  const { object, late = [], old, oldLate = [] } = asked
  return {
    ...asked,
    late: [...late, ...secretPlaces(object)],
    oldLate: old === undefined ? oldLate : [...oldLate, ...secretPlaces(old)],
  }
}

function requestOf(asked: AskedObject, { plurals, namespaces, policies }: Server): PolicyRequest {
  const { apiVersion, kind, name, namespace, object, late, old, oldLate } = asked
  const isNamespace = apiVersion === 'v1' && kind === 'Namespace'
  const labels = (of: Dict, ofLate: LateTexts | undefined): KnownLabels =>
    labelsOf(isNamespace ? withBuiltInDefaults(of) : of, ofLate)
  return {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    apiVersion,
    kind,
    resource: plurals.get(`${groupOf(apiVersion)} ${kind}`) ?? guessedPlural(kind),
    name,
    // API servers say of a namespace that it is in itself
    namespace: isNamespace ? name : namespace,
    isNamespaced: namespace !== undefined,
    labels: labels(object, late),
    oldLabels: old && labels(old, oldLate),
    namespaceLabels: labelsOfNamespace(namespace, namespaces, policies),
  }
}

function labelsOfNamespace(
  name: string | undefined,
  namespaces: Server['namespaces'],
  { late }: ServerPolicies,
): KnownLabels {
  const found = name === undefined ? undefined : namespaces.get(name)
  if (found !== undefined) return labelsOf(withBuiltInDefaults(found), late.get(found))
  const labels = new Map(name === undefined ? [] : [['kubernetes.io/metadata.name', name]])
  return { labels, late: new Set(), isComplete: false }
}

type Bindings = Readonly<Record<'object' | 'oldObject' | 'request' | 'namespaceObject', CelInput>>

function bindingsOf(asked: AskedObject, request: PolicyRequest, { namespaces, policies }: Server): Bindings {
  const { object, late, lookup, old, oldLate } = asked
  const complete = (of: Dict): Dict => {
    if (lookup?.state !== 'known') return withBuiltInDefaults(of)
    const { node } = lookup.schema
    // a custom kind has versions, and defaults of its own
    if (lookup.version === undefined) return withBuiltInDefaults(withoutEmpty(of, node))
    const filled = applyDefaults(of, node)
    return filled instanceof Dict ? filled : of
  }
  const namespace = asked.namespace === undefined ? undefined : namespaces.get(asked.namespace)
  return {
    object: objectInput(complete(object), late),
    oldObject: old === undefined ? null : objectInput(complete(old), oldLate),
    request: requestInput(request),
    namespaceObject: namespaceInput(namespace, asked.namespace, namespace && policies.late.get(namespace)),
  }
}

/** An object as an API server has it: with fields that only the server sets. */
function objectInput(object: Dict, late: LateTexts | undefined): CelInput {
  return plainInput(object, withServerFields(object, lateValues(object, late)))
}

const WHO_ASKS = 'it depends on who applies the object, and how'
const ofRequest: ReadonlyMap<string, string> = new Map(
  ['userInfo', 'uid', 'options', 'dryRun'].map((name) => [name, WHO_ASKS]),
)

/** Who asks is not known: Flux and Argo CD apply as users of their own. Empty fields are not there. */
function requestInput({ apiVersion, kind, resource, name, namespace, operation }: PolicyRequest): CelInput {
  const group = groupOf(apiVersion)
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const ofKind = named({ group, version, kind })
  const ofResource = named({ group, version, resource })
  const fields = {
    kind: ofKind,
    requestKind: ofKind,
    resource: ofResource,
    requestResource: ofResource,
    name,
    operation,
    ...(namespace !== undefined && { namespace }),
  }
  return partlyKnown(new Map<string, CelInput>(Object.entries(fields)), { values: new Map(), fields: ofRequest })
}

function named(fields: Readonly<Record<string, string>>): CelInput {
  return new Map(Object.entries(fields))
}

const NOT_IN_TREE = 'it depends on a namespace that is not in the tree'

function namespaceInput(known: Dict | undefined, name: string | undefined, late: LateTexts | undefined): CelInput {
  if (name === undefined) return null
  if (known !== undefined) return objectInput(withBuiltInDefaults(known), late)
  const metadata = partlyKnown(new Map([['name', name]]), {
    values: new Map([['labels', NOT_IN_TREE]]),
    fields: new Map(
      ['annotations', 'finalizers', 'uid', 'creationTimestamp', 'resourceVersion', 'generation'].map((field) => [
        field,
        NOT_IN_TREE,
      ]),
    ),
  })
  return partlyKnown(new Map([['metadata', metadata]]), {
    values: new Map(['spec', 'status'].map((field) => [field, NOT_IN_TREE])),
    fields: new Map(),
  })
}
