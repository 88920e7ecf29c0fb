import { join } from 'node:path'
import type { KubeObject } from '../../../tools/servers/kube-client.ts'
import { evaluate } from '../argocd/go-template.ts'
import { createPermissions, projectKey } from './argo-permissions.ts'
import { explore, type Exploration, type Move } from './explore.ts'
import type { Commit } from './fleet-life.ts'
import { at, isRecord } from './is-record.ts'
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
  publishedValues,
  type Ends,
  type Live,
  type Objects,
} from './world.ts'

interface State {
  readonly objects: Objects
  /** Applications that look at the commit: each asks the repository by itself. */
  readonly seen: ReadonlySet<string>
  /** Content of the RuntimeValues object whose values the cluster Secret has. */
  readonly published: number | undefined
}

/** How Argo CD runs, and what goes wrong. */
export interface ArgoRun {
  readonly build: BuildFolder
  /** An Application whose objects the API server refuses for ever. */
  readonly refused?: string
}

const ROOT = 'fleet'
const root: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: ROOT, namespace: 'argocd' },
  spec: {
    source: { path: 'rendered/handoff' },
    destination: { server: 'https://kubernetes.default.svc' },
    syncPolicy: { automated: { prune: true } },
  },
}

/**
 * Explores what Argo CD may do between two consecutive trees: every Application is synced at any moment, with the
 * commit that it sees and the patches that it has then; ApplicationSets make theirs at any moment, from the values that
 * are published then. The rules are those of Argo CD 3 (controller, gitops-engine).
 */
export function exploreArgo(before: Commit | undefined, after: Commit, run: ArgoRun): Exploration {
  return createModel(before, after, run).explore()
}

type Outcome = { readonly objects: ReadonlyMap<string, number> } | { readonly failure: string }

interface End {
  readonly objects: ReadonlyMap<string, number>
  readonly owners: ReadonlyMap<string, string>
  readonly published: number | undefined
}

function createModel(before: Commit | undefined, after: Commit, run: ArgoRun): { readonly explore: () => Exploration } {
  const contents = createContents()
  const trees = [before?.tree, after.tree]
  const outcomes = new Map<string, Outcome>()
  const objectsKeys = createObjectsKeys()
  const generated = new Map<string, KubeObject | undefined>()
  const permissions = createPermissions(contents)

  /** What a sync of an Application would apply. */
  function outcomeOf(application: KubeObject, revision: 0 | 1): Outcome {
    const key = `${String(contents.numberOf(application))} ${String(revision)}`
    const known = outcomes.get(key) ?? makeOutcome(application, revision)
    outcomes.set(key, known)
    return known
  }

  function makeOutcome(application: KubeObject, revision: 0 | 1): Outcome {
    const tree = trees[revision]
    if (tree === undefined) return { failure: 'no commit yet' }
    const source = at(application, 'spec', 'source')
    const patches = at(source, 'kustomize', 'patches')
    const built = run.build(join(tree, String(at(source, 'path'))), Array.isArray(patches) ? patches : [])
    if ('failure' in built) return built
    const target = isWorkload(application) ? 'workload' : 'management'
    return { objects: new Map(built.objects.map((object) => [keyOf(target, object), contents.numberOf(object)])) }
  }

  /** The Application that an ApplicationSet makes; undefined while it cannot. */
  function generate(set: KubeObject, published: number | undefined): KubeObject | undefined {
    const key = `${String(contents.numberOf(set))} ${String(published)}`
    if (!generated.has(key)) generated.set(key, makeGenerated(set, published))
    return generated.get(key)
  }

  function makeGenerated(set: KubeObject, published: number | undefined): KubeObject | undefined {
    const values = published === undefined ? new Map<string, string>() : publishedValues(contents.at(published))
    const annotations = Object.fromEntries([...values].map(([name, value]) => [`values.stackmason.dev/${name}`, value]))
    const fill = (value: unknown): unknown => {
      if (typeof value === 'string') return evaluate(value, annotations)
      if (Array.isArray(value)) return value.map(fill)
      return isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fill(child)]))
        : value
    }
    try {
      const filled = fill(at(set, 'spec', 'template'))
      if (!isRecord(filled)) return undefined
      const metadata = filled['metadata']
      const { namespace = '' } = set.metadata
      return {
        ...filled,
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: set.metadata.name, ...(isRecord(metadata) ? metadata : {}), namespace },
      }
    } catch {
      return undefined
    }
  }

  /** Everything that a tree makes when all of it has arrived; and who makes it. */
  function endOf(revision: 0 | 1, published?: number): End {
    const objects = new Map<string, number>()
    const owners = new Map<string, string>()
    if (trees[revision] === undefined) return { objects, owners, published: undefined }
    const waiting = [root]
    const missing: string[] = []
    for (let application = waiting.shift(); application !== undefined; application = waiting.shift()) {
      const outcome = outcomeOf(application, revision)
      if ('failure' in outcome) throw new Error(`${application.metadata.name}: ${outcome.failure}`)
      for (const [key, content] of outcome.objects) {
        if (objects.has(key))
          throw new Error(`${key} is of ${owners.get(key) ?? ''} and of ${application.metadata.name}`)
        objects.set(key, content)
        owners.set(key, application.metadata.name)
        const object = contents.at(content)
        if (object.kind === 'Application') waiting.push(object)
        if (object.kind !== 'ApplicationSet') continue
        const made = generate(object, published)
        if (made === undefined) {
          missing.push(object.metadata.name)
          continue
        }
        objects.set(keyOf('management', made), contents.numberOf(made))
        owners.set(keyOf('management', made), setOwner(object.metadata.name))
        waiting.push(made)
      }
    }
    const found = [...objects].find(([key]) => key.startsWith('management RuntimeValues '))?.[1]
    if (found !== undefined && published === undefined) return endOf(revision, found)
    if (missing.length > 0) throw new Error(`${missing.join(', ')}: no value`)
    return { objects, owners, published: found }
  }

  const first = endOf(0)
  const last = endOf(1)
  const ends: Ends = { before: first.objects, after: last.objects, contents, removes: after.removes }

  function applicationsOf(state: State): readonly (readonly [string, KubeObject])[] {
    const live = [...state.objects]
      .filter(([key]) => key.startsWith('management Application '))
      .map(([, { content }]) => contents.at(content))
    return [root, ...live].map((application) => [application.metadata.name, application])
  }

  function moves(state: State): readonly Move<State>[] {
    const found: Move<State>[] = []
    const runtimeValues = [...state.objects].find(([key]) => key.startsWith('management RuntimeValues '))?.[1].content
    if (runtimeValues !== undefined && runtimeValues !== state.published)
      found.push({ label: 'values are published', to: { ...state, published: runtimeValues }, faults: [] })
    for (const [name, application] of applicationsOf(state)) {
      if (!state.seen.has(name))
        found.push({
          label: `${name} sees the commit`,
          to: { ...state, seen: new Set([...state.seen, name]) },
          faults: [],
        })
      found.push(...sync(state, name, application))
    }
    for (const [key, { content }] of state.objects) {
      if (!key.startsWith('management ApplicationSet ')) continue
      const made = generate(contents.at(content), state.published)
      if (made === undefined) continue
      const application = keyOf('management', made)
      const wanted: Live = { content: contents.numberOf(made), owner: setOwner(contents.at(content).metadata.name) }
      const live = state.objects.get(application)
      if (live?.content === wanted.content && live.owner === wanted.owner) continue
      const to = { ...state, objects: new Map(state.objects).set(application, wanted) }
      found.push({
        label: `${made.metadata.name} is made with its values`,
        to,
        faults: faultsOfContent(application, wanted.content, ends),
      })
    }
    return found
  }

  function sync(state: State, name: string, application: KubeObject): readonly Move<State>[] {
    const automated = at(application, 'spec', 'syncPolicy', 'automated')
    if (!isRecord(automated) || name === run.refused || !isServed(state, application)) return []
    const outcome = outcomeOf(application, state.seen.has(name) ? 1 : 0)
    if ('failure' in outcome) return []
    // one object that is not permitted, and none is applied
    if (![...outcome.objects.values()].every((content) => permissions.has(state.objects, application, content)))
      return []
    // what is not permitted any more is not compared, so it is not pruned either
    const gone = [...state.objects].filter(
      ([key, { owner, content }]) =>
        owner === name && !outcome.objects.has(key) && permissions.has(state.objects, application, content),
    )
    const pruned =
      automated['prune'] === true
        ? gone.filter(
            ([key, { content }]) =>
              optionOf(contents.at(content), 'Prune') !== 'false' && !isProjectInUse(state, key, contents.at(content)),
          )
        : []
    // a person would have to confirm before anything else is done
    if (pruned.some(([, { content }]) => optionOf(contents.at(content), 'Prune') === 'confirm')) return []
    const late = [...outcome.objects].filter(([key, content]) => {
      const live = state.objects.get(key)
      return live?.content !== content || live.owner !== name
    })
    const steered = late.filter(([, content]) => contents.at(content).apiVersion.startsWith('argoproj.io/'))
    if (steered.length > 0) {
      return steered.map(([key, content]) => ({
        label: `${name} applies ${key}`,
        to: { ...state, objects: new Map(state.objects).set(key, { content, owner: name }) },
        faults: faultsOfContent(key, content, ends),
      }))
    }
    if (late.length === 0 && pruned.length === 0) return []
    const faults = [...outcome.objects].flatMap(([key, content]) => faultsOfContent(key, content, ends))
    const objects = new Map(state.objects)
    for (const [key, content] of late) objects.set(key, { content, owner: name })
    let to: State = { ...state, objects }
    for (const [key] of pruned) {
      const result = deleted(to, key)
      to = result.to
      faults.push(...result.faults)
    }
    return [
      {
        label: `${name} is synced to ${state.seen.has(name) ? 'the commit' : 'what was before'}`,
        to,
        faults: [...faults, ...faultsOfOrder(to.objects, ends, isWorkloadKey)],
      },
    ]
  }

  /**
   * An object goes; an Application takes along what it applied if it has the finalizer for it, an ApplicationSet its
   * Application.
   */
  function deleted(state: State, key: string): { readonly to: State; readonly faults: readonly string[] } {
    const live = state.objects.get(key)
    if (live === undefined) return { to: state, faults: [] }
    const object = contents.at(live.content)
    const objects = new Map(state.objects)
    objects.delete(key)
    let to: State = { ...state, objects }
    const isSteering = object.apiVersion.startsWith('argoproj.io/')
    const faults: string[] = isSteering ? [] : [...faultsOfDeletion(key, ends)]
    const taken: string[] = []
    if (object.kind === 'ApplicationSet') {
      for (const [item, { owner }] of to.objects) if (owner === setOwner(object.metadata.name)) taken.push(item)
    }
    const finalizers = object.metadata['finalizers']
    if (object.kind === 'Application' && Array.isArray(finalizers) && finalizers.length > 0) {
      // what is not permitted stays
      for (const [item, { owner, content }] of to.objects)
        if (
          owner === object.metadata.name &&
          optionOf(contents.at(content), 'Delete') === undefined &&
          permissions.has(to.objects, object, content)
        )
          taken.push(item)
    }
    for (const item of taken) {
      const result = deleted(to, item)
      to = result.to
      faults.push(...result.faults)
    }
    return { to, faults }
  }

  const goal = [...ends.after].filter(([key]) => last.owners.get(key) !== run.refused)

  function isGoal(state: State): boolean {
    return (
      isRemoved(state.objects, ends) &&
      goal.every(
        ([key, content]) => state.objects.get(key)?.content === content || isHeld(state, last.owners.get(key) ?? ''),
      )
    )
  }

  /** An AppProject with the finalizer stays, and permits what it does, until no Application is in it. */
  function isProjectInUse(state: State, key: string, { kind, metadata }: KubeObject): boolean {
    return (
      kind === 'AppProject' &&
      Array.isArray(metadata['finalizers']) &&
      applicationsOf(state).some(([, application]) => projectKey(application) === key)
    )
  }

  function isHeld(state: State, owner: string): boolean {
    const application = applicationsOf(state).find(([name]) => name === owner)?.[1]
    return application !== undefined && !isRecord(at(application, 'spec', 'syncPolicy', 'automated'))
  }

  return {
    explore: () =>
      explore<State>({
        start: {
          objects: new Map(
            [...first.objects].map(([key, content]) => [key, { content, owner: first.owners.get(key) ?? '' }]),
          ),
          seen: new Set(),
          published: first.published,
        },
        key: (state) =>
          [objectsKeys.of(state.objects), [...state.seen].sort().join(' '), String(state.published)].join('\n'),
        moves,
        isGoal,
      }),
  }
}

function setOwner(name: string): string {
  return `the ApplicationSet ${name}`
}

function isWorkload(application: KubeObject): boolean {
  return at(application, 'spec', 'destination', 'name') !== undefined
}

function isWorkloadKey(key: string): boolean {
  return key.startsWith('workload ')
}

/** The workload cluster is known as long as its Cluster is there. */
function isServed(state: State, application: KubeObject): boolean {
  return !isWorkload(application) || [...state.objects.keys()].some((key) => key.startsWith('management Cluster '))
}

/** A sync option of an object. */
function optionOf(object: KubeObject, name: 'Prune' | 'Delete'): string | undefined {
  const options = markOf(object, 'argocd.argoproj.io/sync-options')?.split(',') ?? []
  return options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
}
