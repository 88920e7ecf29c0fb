import { dirName } from '../../../src/codec/path.ts'
import { deletionMarks } from '../../../src/handoff/committed-units.ts'
import { divideAddons } from '../../../src/handoff/units/divide-addons.ts'
import { arrangeAddons } from '../../../src/handoff/units/arrange-addons.ts'
import type { HandoffCluster } from '../../../src/model/handoff.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import type { Release, Stage, StageCondition } from '../../../src/model/release.ts'
import type { Span } from '../../../src/model/source.ts'
import { Dict } from '../../../src/model/value.ts'
import { readCommittedAddons } from '../../../src/sources/committed/committed-addons.ts'
import { manifestOf } from '../../render/stack/objects.ts'

/** A place, where none matters. */
export const at: Span = { source: { name: 'clusteraddon.yaml', text: '' }, start: 0, end: 0 }
const chart = {
  metadata: { name: 'c', version: '1', dependencies: [] },
  values: new Dict(),
  templates: [],
  files: [],
  crds: [],
  dependencies: [],
  origin: '',
}

/** A condition on the Deployment `d`. */
export function condition(conditions: string): StageCondition {
  const object = { key: 'd', apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', namespace: 'kube-system' }
  return { objects: [object], conditions, at }
}

/** A release with these stages for new clusters. */
export function releaseOf(stages: readonly Partial<Stage>[]): Release {
  return {
    name: {
      provider: 'docker',
      stack: 'demo',
      kubernetes: { major: 1, minor: 34 },
      version: { major: 3, channel: 'stable', patch: '' },
    },
    kubernetesVersion: 'v1.34.1',
    components: { clusterAddon: 'v3', nodeImage: 'v3' },
    clusterClass: chart as unknown as Release['clusterClass'],
    form: 'multi-stage',
    addons: [],
    stages: {
      AfterControlPlaneInitialized: stages.map((stage) => ({ addon: '', action: 'apply', at, ...stage })),
    },
    origin: 'releases/docker-demo-1-34-v3',
    digest: '',
  }
}

function folder(path: string): RenderedFolder {
  return {
    path,
    manifests: [manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ${path.replaceAll('/', '-')}}}`)],
  }
}

/** The cluster web of team-a with an addon of one ConfigMap for each stage. */
export function clusterOf(stages: readonly Partial<Stage>[], over: Partial<HandoffCluster> = {}): HandoffCluster {
  const base = 'clusters/team-a/web'
  return {
    cluster: { name: 'web', namespace: 'team-a', addons: [] } as unknown as HandoffCluster['cluster'],
    release: releaseOf(stages),
    stackNamespace: 'team-a',
    clusterFolder: folder(`${base}/cluster`),
    addons: stages.map(({ addon }, index) => folder(`${base}/addons/0${String(index + 1)}-${String(addon)}`)),
    hasRuntimeValues: false,
    ...over,
  }
}

/**
 * How a tree has a cluster's addons: which folders each index names, and what each folder holds, `name` or `name!` when
 * it is let go of.
 */
export interface SampleTree {
  readonly together?: Readonly<Record<string, readonly string[]>>
  readonly folders: Readonly<Record<string, readonly string[]>>
}

/** A cluster as it is handed over when a commit holds this tree. */
export function afterCommit(cluster: HandoffCluster, tree: SampleTree, isApplied = true): HandoffCluster {
  const files = new Map<string, string>()
  for (const [parent, names] of Object.entries(tree.together ?? {}))
    files.set(
      `${parent}/kustomization.yaml`,
      `kind: Kustomization\nresources:\n${names.map((name) => `- ${name}\n`).join('')}`,
    )
  for (const [path, names] of Object.entries(tree.folders))
    for (const name of names) {
      const namespace = name.startsWith('run-') ? ', namespace: kube-system' : ''
      const annotations = name.endsWith('!') ? ', annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}' : ''
      const metadata = `{name: ${name.replace('!', '')}${namespace}${annotations}}`
      files.set(`${path}/${name}.yaml`, `{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}`)
    }
  const committed = readCommittedAddons(dirName(cluster.clusterFolder.path), files, deletionMarks.flux)
  const { folders, ...arrangement } = arrangeAddons(cluster.addons, divideAddons(cluster), { committed, isApplied })
  return { ...cluster, addons: folders, arrangement }
}

/** The name of the object that `clusterOf` puts into a folder below the cluster's. */
export function objectIn(path: string): string {
  return `clusters/team-a/web/${path}`.replaceAll('/', '-')
}
