import type { HandedCluster } from '../../../src/model/handoff.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import type { Release, Stage, StageCondition } from '../../../src/model/release.ts'
import type { Span } from '../../../src/model/source.ts'
import { Dict } from '../../../src/model/value.ts'
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
export function clusterOf(stages: readonly Partial<Stage>[], over: Partial<HandedCluster> = {}): HandedCluster {
  const base = 'clusters/team-a/web'
  return {
    cluster: { name: 'web', namespace: 'team-a', addons: [] } as unknown as HandedCluster['cluster'],
    release: releaseOf(stages),
    stackNamespace: 'team-a',
    clusterFolder: folder(`${base}/cluster`),
    addons: stages.map(({ addon }, index) => folder(`${base}/addons/0${String(index + 1)}-${String(addon)}`)),
    hasRuntimeValues: false,
    ...over,
  }
}
