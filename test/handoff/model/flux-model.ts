import { join } from 'node:path'
import { evaluate } from '@marcbachmann/cel-js'
import { parse, stringify } from 'yaml'
import { isRecord } from './is-record.ts'
import type { KubeObject } from '../../../tools/servers/kube-client.ts'
import { explore, type Exploration, type Move } from './explore.ts'
import type { Commit } from './fleet-life.ts'
import type { BuildFolder } from './kustomize.ts'
import {
  createContents,
  createObjectsKeys,
  faultsOfContent,
  faultsOfDeletion,
  faultsOfOrder,
  isRemoved,
  keyOf,
  markOf,
  MapKeys,
  publishedValues,
  type Ends,
  type Live,
  type Objects,
} from './world.ts'

/** What kustomize-controller keeps of a Kustomization that is there. */
interface Unit {
  readonly generation: number
  readonly observed: number
  readonly isReady: boolean
  /** The newest revision that its turn has started with: 0 before the commit, 1 with it. */
  readonly seen: 0 | 1
  readonly applied: 0 | 1 | undefined
  /** Keys of what it applied last. */
  readonly inventory: readonly string[]
}

interface State {
  readonly objects: Objects
  readonly units: ReadonlyMap<string, Unit>
  /** Content of the RuntimeValues object whose values are published. */
  readonly published: number | undefined
}

/** How Flux runs, and what goes wrong. */
export interface FluxRun {
  readonly build: BuildFolder
  /** Feature gate StrictPostBuildSubstitutions: a variable that nobody sets is an error, and not empty. */
  readonly isStrict: boolean
  /** Every namespace has a source of its own, so a unit may lag behind the one that brings its Kustomization. */
  readonly hasManySources?: boolean
  /** A unit whose objects the API server refuses for ever: `namespace/name`. */
  readonly refused?: string
}

const ROOT = 'flux-system/fleet'
const GROUP = 'kustomize.toolkit.fluxcd.io'
const root: KubeObject = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Kustomization',
  metadata: { name: 'fleet', namespace: 'flux-system' },
  spec: {
    path: './rendered/handoff',
    prune: true,
    deletionPolicy: 'Orphan',
    sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' },
  },
}

/**
 * Explores what Flux may do between two consecutive trees: kustomize-controller gives turns to units in any order, any
 * of them late or never, with the revision and the Kustomization that it has at that moment. The rules are those of
 * kustomize-controller 1.7 (internal/controller) and fluxcd/pkg.
 */
export function exploreFlux(before: Commit | undefined, after: Commit, run: FluxRun): Exploration {
  return createModel(before, after, run).explore()
}

type Outcome = { readonly objects: ReadonlyMap<string, number> } | { readonly failure: string }

function createModel(before: Commit | undefined, after: Commit, run: FluxRun): { readonly explore: () => Exploration } {
  const contents = createContents()
  const trees = [before?.tree, after.tree]
  const outcomes = new Map<string, Outcome>()
  const objectsKeys = createObjectsKeys()
  const unitsKeys = new MapKeys<Unit>((name, unit) => JSON.stringify([name, unit]))
  const readiness = new Map<string, boolean>()

  /** What a turn of a unit would apply. */
  function outcomeOf(unit: KubeObject, revision: 0 | 1, published: number | undefined): Outcome {
    const key = [contents.numberOf(unit), revision, published].join(' ')
    const known = outcomes.get(key) ?? makeOutcome(unit, revision, published)
    outcomes.set(key, known)
    return known
  }

  function makeOutcome(unit: KubeObject, revision: 0 | 1, published: number | undefined): Outcome {
    const tree = trees[revision]
    if (tree === undefined) return { failure: 'no commit yet' }
    const spec = specOf(unit)
    const built = run.build(join(tree, String(spec['path'])), Array.isArray(spec['patches']) ? spec['patches'] : [])
    if ('failure' in built) return built
    const values = publishedValues(published === undefined ? undefined : contents.at(published))
    const target = targetOf(unit)
    const objects = new Map<string, number>()
    for (const object of built.objects) {
      const filled = substitute(object, spec['postBuild'], {
        values: published === undefined ? undefined : values,
        isStrict: run.isStrict,
      })
      if (typeof filled === 'string') return { failure: filled }
      objects.set(keyOf(target, filled), contents.numberOf(filled))
    }
    return { objects }
  }

  /** Everything that a tree makes when its units have what belongs to it; and which unit makes it. */
  function endOf(revision: 0 | 1): {
    readonly objects: ReadonlyMap<string, number>
    readonly owners: ReadonlyMap<string, string>
    readonly published: number | undefined
  } {
    const objects = new Map<string, number>()
    const owners = new Map<string, string>()
    if (trees[revision] === undefined) return { objects, owners, published: undefined }
    const waiting = [root]
    const units: KubeObject[] = []
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      units.push(unit)
      if (isWorkload(unit)) continue
      const outcome = outcomeOf(unit, revision, undefined)
      if ('failure' in outcome) throw new Error(`${nameOf(unit)}: ${outcome.failure}`)
      for (const content of outcome.objects.values()) {
        const object = contents.at(content)
        if (isUnit(object)) waiting.push(object)
      }
    }
    const found = units.flatMap((unit) => {
      const outcome = isWorkload(unit) ? undefined : outcomeOf(unit, revision, undefined)
      return outcome !== undefined && 'objects' in outcome ? [...outcome.objects.values()] : []
    })
    const published = found.find((content) => contents.at(content).kind === 'RuntimeValues')
    for (const unit of units) {
      const outcome = outcomeOf(unit, revision, published)
      if ('failure' in outcome) throw new Error(`${nameOf(unit)}: ${outcome.failure}`)
      for (const [key, content] of outcome.objects) {
        if (objects.has(key)) throw new Error(`${key} is of ${owners.get(key) ?? ''} and of ${nameOf(unit)}`)
        objects.set(key, content)
        owners.set(key, nameOf(unit))
      }
    }
    return { objects, owners, published }
  }

  const first = endOf(0)
  const last = endOf(1)
  const ends: Ends = { before: first.objects, after: last.objects, contents, removes: after.removes }

  function start(): State {
    const units = new Map<string, Unit>()
    const objects = new Map<string, Live>()
    for (const [key, content] of first.objects) objects.set(key, { content, owner: first.owners.get(key) ?? '' })
    const inventoryOf = (name: string): readonly string[] =>
      [...first.owners]
        .filter(([, owner]) => owner === name)
        .map(([key]) => key)
        .sort()
    const settled = { generation: 0, observed: 0, isReady: true, seen: 0, applied: 0 } as const
    units.set(ROOT, { ...settled, inventory: inventoryOf(ROOT) })
    for (const content of first.objects.values()) {
      const object = contents.at(content)
      if (isUnit(object)) units.set(nameOf(object), { ...settled, inventory: inventoryOf(nameOf(object)) })
    }
    return { objects, units, published: first.published }
  }

  function unitObject(state: State, name: string): KubeObject | undefined {
    if (name === ROOT) return root
    const [namespace, own] = name.split('/')
    const live = state.objects.get(`management Kustomization ${namespace ?? ''}/${own ?? ''}`)
    return live === undefined ? undefined : contents.at(live.content)
  }

  function moves(state: State): readonly Move<State>[] {
    const found: Move<State>[] = []
    const runtimeValues = [...state.objects].find(([key]) => key.startsWith('management RuntimeValues '))?.[1].content
    if (runtimeValues !== undefined && runtimeValues !== state.published)
      found.push({ label: 'values are published', to: { ...state, published: runtimeValues }, faults: [] })
    for (const [name, unit] of state.units) {
      const object = unitObject(state, name)
      if (object === undefined || specOf(object)['suspend'] === true) continue
      if (unit.seen === 0)
        found.push({ label: `${name} sees the commit`, to: withUnit(state, name, { ...unit, seen: 1 }), faults: [] })
      if (!unit.isReady && unit.applied !== undefined && unit.observed === unit.generation && waits(object))
        found.push({ label: `${name} is healthy`, to: withUnit(state, name, { ...unit, isReady: true }), faults: [] })
      found.push(...turn(state, name, object))
    }
    return found
  }

  /** What a turn of a unit does; units whose objects are units apply them one by one, as other turns come between. */
  function turn(state: State, name: string, object: KubeObject): readonly Move<State>[] {
    const unit = state.units.get(name)
    if (unit === undefined || name === run.refused || !isServed(state, object)) return []
    if (!dependenciesHold(state, object, unit)) return []
    const outcome = outcomeOf(object, unit.seen, state.published)
    if ('failure' in outcome) {
      if (!unit.isReady && unit.observed === unit.generation) return []
      const failed = { ...unit, isReady: false, observed: unit.generation }
      return [{ label: `${name} fails`, to: withUnit(state, name, failed), faults: [] }]
    }
    const children = [...outcome.objects].filter(([, content]) => isUnit(contents.at(content)))
    const late = children.filter(([key, content]) => state.objects.get(key)?.content !== content)
    if (late.length > 0) {
      return late.map(([key, content]) => ({
        label: `${name} applies ${key}`,
        to: applied(state, name, new Map([[key, content]])),
        faults: faultsOfContent(key, content, ends),
      }))
    }
    return [finish(state, name, { object, unit, objects: outcome.objects })]
  }

  function finish(
    state: State,
    name: string,
    {
      object,
      unit,
      objects,
    }: { readonly object: KubeObject; readonly unit: Unit; readonly objects: ReadonlyMap<string, number> },
  ): Move<State> {
    const faults = [...objects].flatMap(([key, content]) => faultsOfContent(key, content, ends))
    let to = applied(state, name, objects)
    const gone = specOf(object)['prune'] === true ? unit.inventory.filter((key) => !objects.has(key)) : []
    for (const key of gone) {
      const live = to.objects.get(key)
      if (live === undefined || live.owner !== name || isKept(contents.at(live.content))) continue
      const result = deleted(to, key)
      to = result.to
      faults.push(...result.faults)
    }
    const next = {
      ...unit,
      isReady: !waits(object),
      observed: unit.generation,
      applied: unit.seen,
      inventory: [...objects.keys()].sort(),
    }
    to = withUnit(to, name, next)
    return {
      label: `${name} applies ${unit.seen === 1 ? 'the commit' : 'what was before'}`,
      to,
      faults: [...faults, ...faultsOfOrder(to.objects, ends, isWorkloadKey)],
    }
  }

  function applied(state: State, owner: string, objects: ReadonlyMap<string, number>): State {
    const live = new Map(state.objects)
    const units = new Map(state.units)
    for (const [key, content] of objects) {
      const object = contents.at(content)
      const old = live.get(key)
      if (old?.content === content && old.owner === owner) continue
      live.set(key, { content, owner })
      if (!isUnit(object)) continue
      const known = units.get(nameOf(object))
      if (known === undefined)
        units.set(nameOf(object), {
          generation: 0,
          observed: -1,
          isReady: false,
          seen: run.hasManySources === true ? 0 : 1,
          applied: undefined,
          inventory: [],
        })
      else if (old !== undefined && JSON.stringify(specOf(contents.at(old.content))) !== JSON.stringify(specOf(object)))
        units.set(nameOf(object), {
          ...known,
          generation: known.generation + 1,
          seen: run.hasManySources === true ? known.seen : 1,
        })
    }
    return { ...state, objects: live, units }
  }

  /** An object goes; a Kustomization takes along what it says. */
  function deleted(state: State, key: string): { readonly to: State; readonly faults: readonly string[] } {
    const live = state.objects.get(key)
    if (live === undefined) return { to: state, faults: [] }
    const object = contents.at(live.content)
    const objects = new Map(state.objects)
    objects.delete(key)
    let to: State = { ...state, objects }
    if (!isUnit(object)) return { to, faults: faultsOfDeletion(key, ends) }
    const faults: string[] = ends.after.has(key) ? [`${key} is deleted, though it is to stay`] : []
    const name = nameOf(object)
    const { inventory = [] } = state.units.get(name) ?? {}
    const units = new Map(to.units)
    units.delete(name)
    to = { ...to, units }
    const spec = specOf(object)
    const policy = spec['deletionPolicy'] ?? 'MirrorPrune'
    if (spec['suspend'] === true || policy === 'Orphan' || (policy === 'MirrorPrune' && spec['prune'] !== true))
      return { to, faults }
    for (const item of inventory) {
      const left = to.objects.get(item)
      if (left === undefined || left.owner !== name || isKept(contents.at(left.content))) continue
      const result = deleted(to, item)
      to = result.to
      faults.push(...result.faults)
    }
    return { to, faults }
  }

  function dependenciesHold(state: State, object: KubeObject, { seen }: Unit): boolean {
    const dependencies = specOf(object)['dependsOn']
    return (Array.isArray(dependencies) ? dependencies : []).every((dependency: unknown) => {
      if (!isRecord(dependency)) return false
      const { namespace = object.metadata.namespace, name: own } = dependency
      const name = `${String(namespace)}/${String(own)}`
      const unit = state.units.get(name)
      const other = unitObject(state, name)
      if (unit === undefined || other === undefined) return false
      if (typeof dependency['readyExpr'] === 'string')
        return isReadyBy(dependency['readyExpr'], { self: object, dependency: other, unit })
      const isSameSource = JSON.stringify(specOf(other)['sourceRef']) === JSON.stringify(specOf(object)['sourceRef'])
      return unit.isReady && unit.observed === unit.generation && (!isSameSource || unit.applied === seen)
    })
  }

  function isReadyBy(
    expression: string,
    { self, dependency, unit }: { readonly self: KubeObject; readonly dependency: KubeObject; readonly unit: Unit },
  ): boolean {
    const { generation, observed, isReady, applied } = unit
    const facts = [contents.numberOf(self), contents.numberOf(dependency), generation, observed, isReady, applied]
    const key = JSON.stringify([expression, ...facts])
    const known = readiness.get(key) ?? evaluate(expression, { self, dep: withStatus(dependency, unit) }) === true
    readiness.set(key, known)
    return known
  }

  const goal = [...ends.after].filter(([key]) => last.owners.get(key) !== run.refused)
  const isGoal = (state: State): boolean =>
    isRemoved(state.objects, ends) &&
    goal.every(
      ([key, content]) => state.objects.get(key)?.content === content || isHeld(state, last.owners.get(key) ?? ''),
    ) &&
    [...state.units.keys()].every((name) => name === ROOT || ends.after.has(`management Kustomization ${name}`))

  function isHeld(state: State, owner: string): boolean {
    const object = unitObject(state, owner)
    return object !== undefined && specOf(object)['suspend'] === true
  }

  return {
    explore: () =>
      explore<State>({
        start: start(),
        key: (state) => [objectsKeys.of(state.objects), unitsKeys.of(state.units), String(state.published)].join('\n'),
        moves,
        isGoal,
      }),
  }
}

function withUnit(state: State, name: string, unit: Unit): State {
  return { ...state, units: new Map(state.units).set(name, unit) }
}

/** The workload cluster answers as long as its Cluster is there. */
function isServed(state: State, unit: KubeObject): boolean {
  return !isWorkload(unit) || [...state.objects.keys()].some((key) => key.startsWith('management Cluster '))
}

function withStatus(object: KubeObject, { generation, observed, isReady, applied }: Unit): KubeObject {
  const status = {
    observedGeneration: BigInt(observed),
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    ...(applied !== undefined && { lastAppliedRevision: String(applied) }),
  }
  return { ...object, metadata: { ...object.metadata, generation: BigInt(generation) }, status }
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  const spec = object['spec']
  return isRecord(spec) ? spec : {}
}

function isUnit({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'Kustomization' && apiVersion.startsWith(`${GROUP}/`)
}

function isWorkload(unit: KubeObject): boolean {
  return specOf(unit)['kubeConfig'] !== undefined
}

function isWorkloadKey(key: string): boolean {
  return key.startsWith('workload ')
}

function targetOf(unit: KubeObject): string {
  return isWorkload(unit) ? 'workload' : 'management'
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

function waits(unit: KubeObject): boolean {
  const { wait, healthChecks } = specOf(unit)
  return wait === true || (Array.isArray(healthChecks) && healthChecks.length > 0)
}

/** Flux leaves such an object when it leaves the unit. */
function isKept(object: KubeObject): boolean {
  return markOf(object, `${GROUP}/prune`) === 'disabled'
}

/**
 * What an object becomes when variables are filled in; a reason when that fails (fluxcd/pkg, kustomize_varsub.go, over
 * drone/envsubst).
 */
function substitute(
  object: KubeObject,
  postBuild: unknown,
  { values, isStrict }: { readonly values: ReadonlyMap<string, string> | undefined; readonly isStrict: boolean },
): KubeObject | string {
  if (!isRecord(postBuild)) return object
  const variables = new Map<string, string>()
  for (const reference of Array.isArray(postBuild['substituteFrom']) ? postBuild['substituteFrom'] : []) {
    if (!isRecord(reference) || reference['kind'] !== 'ConfigMap') continue
    if (values === undefined && reference['optional'] !== true)
      return `ConfigMap ${String(reference['name'])} is not there`
    for (const [name, value] of values ?? []) variables.set(name, value)
  }
  const own = postBuild['substitute']
  for (const [name, value] of Object.entries(isRecord(own) ? own : {})) variables.set(name, String(value))
  if (variables.size === 0) return object
  if (markOf(object, `${GROUP}/substitute`) === 'disabled') return object
  let failure: string | undefined
  const valueOf = (name: string, fallback?: string): string => {
    const value = variables.get(name) ?? fallback
    if (value === undefined && isStrict) failure = `variable ${name} is not set`
    return value ?? ''
  }
  const text = stringify(object, { lineWidth: 0 }).replaceAll(
    /\$\$|\$\{(?<whole>\w+):\$\{#(?<length>\w+)\}\}|\$\{(?<name>[A-Za-z_]\w*)(?::?[-=](?<fallback>[^}]*))?\}|\$\{[^}]*\}/g,
    (match: string, ...rest: readonly unknown[]) => {
      if (match === '$$') return '$'
      const { whole, length, name, fallback }: Readonly<Record<string, string | undefined>> = Object(rest.at(-1))
      if (whole !== undefined && length !== undefined) return valueOf(whole).slice(valueOf(length).length)
      if (name === undefined) failure = `bad substitution ${match}`
      return valueOf(name ?? '', fallback)
    },
  )
  if (failure !== undefined) return failure
  try {
    const filled: KubeObject = parse(text)
    return filled
  } catch {
    return 'no YAML any more'
  }
}
