import { textAt } from '../../model/field.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { Dict } from '../../model/value.ts'
import { type CelInput } from '../cel/cel-program.ts'
import { lateValues } from '../cel/late-values.ts'
import { plainInput } from '../cel/plain-values.ts'
import { type Watch, WatchedMap } from '../cel/watched-map.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { applyDefaults } from '../schema/apply-defaults.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { withBuiltInDefaults } from './built-in-defaults.ts'
import { evaluatePolicy, type PolicyVerdict } from './evaluate-policy.ts'
import { type KnownLabels, labelsOf, matchesResources, type PolicyRequest } from './match-resources.ts'
import { type Binding, isAdmissionObject, type Policy } from './policy.ts'
import { definedPlurals, guessedPlural } from './plural-name.ts'
import { parametersOf, type ServerPolicies, serverPolicies } from './server-policies.ts'

/** What a policy says of an object of a unit. */
export interface PolicyFinding {
  readonly manifest: Manifest
  readonly policy: Policy
  readonly binding: Binding
  readonly verdict: PolicyVerdict
}

/** What the policies of the API servers say of a unit. */
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
  const policies = serverPolicies(objects)
  if (policies.bound.length === 0) return undefined
  const definitions = manifests.filter(isResourceDefinition).map(({ object }) => object)
  return {
    policies,
    plurals: definedPlurals([...inputs.definitions, ...definitions]),
    namespaces: namespacesOf(objects),
  }
}

function judgeServer(
  unit: CheckedUnit,
  destination: Destination,
  { server, inputs }: { readonly server: Server; readonly inputs: CheckInputs },
): readonly PolicyFinding[] {
  const nodes = new Map(
    judgeObjects(unit, inputs).flatMap(({ manifest, lookup }) =>
      lookup.state === 'known' && lookup.version !== undefined ? [[manifest, lookup.schema.node] as const] : [],
    ),
  )
  return manifestsAt(unit, destination).flatMap((manifest) =>
    isAdmissionObject(manifest.apiVersion)
      ? []
      : judgeObject({ ...manifest, late: manifest.deferred, node: nodes.get(manifest) }, server).map((finding) => ({
          ...finding,
          manifest,
        })),
  )
}

/** What is known of an API server. */
export interface Server {
  readonly policies: ServerPolicies
  readonly plurals: ReadonlyMap<string, string>
  readonly namespaces: ReadonlyMap<string, Dict>
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
  readonly late?: readonly LocatedToken[] | undefined
  /** The schema of a custom kind, for its defaults. */
  readonly node?: SchemaNode | undefined
  /** As it was before; absent for one that is new, or of which that is not known. */
  readonly old?: Dict | undefined
}

/** Asks all policies of a server of one object. */
export function judgeObject(asked: AskedObject, server: Server): readonly Omit<PolicyFinding, 'manifest'>[] {
  const request = requestOf(asked, server)
  let made: Bindings | undefined
  const found: Omit<PolicyFinding, 'manifest'>[] = []
  for (const bound of server.policies.bound) {
    const { policy, binding } = bound
    const report = (verdict: PolicyVerdict): void => {
      found.push({ policy, binding, verdict })
    }
    const isMeant = matchesResources(policy.constraints, request, 'none')
    if (isMeant === 'no') continue
    const isBound = binding.resources === undefined ? 'yes' : matchesResources(binding.resources, request, 'all')
    if (isBound === 'no') continue
    const open = isMeant === 'yes' ? isBound : isMeant
    if (open !== 'yes') {
      report({ state: 'not-evaluated', reason: open.unknown })
      continue
    }
    const parameters = parametersOf(bound, asked.namespace, server.policies.objects)
    if (parameters === 'none-allowed') continue
    if ('unknown' in parameters) {
      report({ state: 'not-evaluated', reason: parameters.unknown })
      continue
    }
    made ??= bindingsOf(asked, request, server)
    for (const parameter of parameters) {
      const params = parameter === undefined ? null : plainInput(parameter, new Map(), made.watch)
      const subject = { object: asked.object, bindings: { ...made.values, params }, watch: made.watch }
      for (const verdict of evaluatePolicy(policy, subject)) report(verdict)
    }
  }
  return found
}

function requestOf(asked: AskedObject, { plurals, namespaces }: Server): PolicyRequest {
  const { apiVersion, kind, name, namespace, object, old } = asked
  return {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    apiVersion,
    kind,
    resource: plurals.get(`${groupOf(apiVersion)} ${kind}`) ?? guessedPlural(kind),
    name,
    namespace,
    labels: labelsOf(kind === 'Namespace' ? withBuiltInDefaults(object) : object),
    namespaceLabels: labelsOfNamespace(namespace, namespaces),
  }
}

function labelsOfNamespace(name: string | undefined, namespaces: ReadonlyMap<string, Dict>): KnownLabels {
  const found = name === undefined ? undefined : namespaces.get(name)
  if (found !== undefined) return { labels: labelsOf(withBuiltInDefaults(found)), isComplete: true }
  return { labels: new Map(name === undefined ? [] : [['kubernetes.io/metadata.name', name]]), isComplete: false }
}

interface Bindings {
  readonly values: Readonly<Record<string, CelInput>>
  readonly watch: Watch
}

function bindingsOf(asked: AskedObject, request: PolicyRequest, { namespaces }: Server): Bindings {
  const watch: Watch = { wasRead: false }
  const complete = (object: Dict): Dict => {
    const filled = asked.node === undefined ? withBuiltInDefaults(object) : applyDefaults(object, asked.node)
    return filled instanceof Dict ? filled : object
  }
  const object = complete(asked.object)
  const namespace = asked.namespace === undefined ? undefined : namespaces.get(asked.namespace)
  const values = {
    object: plainInput(object, lateValues(object, asked.late), watch),
    oldObject: asked.old === undefined ? null : plainInput(complete(asked.old), new Map(), watch),
    request: requestInput(request, watch),
    namespaceObject: namespaceInput(namespace, asked.namespace, watch),
  }
  return { values, watch }
}

/** Who asks is not known: Flux and Argo CD apply as users of their own. */
function requestInput(
  { apiVersion, kind, resource, name, namespace, operation }: PolicyRequest,
  watch: Watch,
): CelInput {
  const group = groupOf(apiVersion)
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const ofKind = named({ group, version, kind })
  const ofResource = named({ group, version, resource })
  const map = new WatchedMap(new Set(['userInfo', 'uid', 'options', 'dryRun']), watch)
  for (const [key, value] of [
    ['kind', ofKind],
    ['requestKind', ofKind],
    ['resource', ofResource],
    ['requestResource', ofResource],
    ['name', name],
    ['operation', operation],
    ['userInfo', named({ username: '', uid: '' })],
    ['uid', ''],
    ['options', new Map()],
    ['dryRun', false],
  ] as const)
    map.set(key, value)
  // what is empty is not there
  if (namespace !== undefined) map.set('namespace', namespace)
  return map
}

function named(fields: Readonly<Record<string, string>>): CelInput {
  return new Map(Object.entries(fields))
}

function namespaceInput(known: Dict | undefined, name: string | undefined, watch: Watch): CelInput {
  if (name === undefined) return null
  if (known !== undefined) return plainInput(withBuiltInDefaults(known), new Map(), watch)
  const metadata = new WatchedMap(new Set(['labels', 'annotations']), watch)
  metadata.set('name', name)
  metadata.set('labels', new Map([['kubernetes.io/metadata.name', name]]))
  metadata.set('annotations', new Map())
  return new Map([['metadata', metadata]])
}
