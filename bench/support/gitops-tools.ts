import { join } from 'node:path'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import {
  applicationReference,
  defaultProject,
  isApplicationSynced,
  rootApplication,
  startArgocd,
} from '../../tools/servers/argocd.ts'
import { isKustomizationReady, startKustomizeController } from '../../tools/servers/flux.ts'
import { makeRepository, startGitServer } from '../../tools/servers/git-server.ts'
import { fieldOf, type KubeObject, type KubeReference, refusals } from '../../tools/servers/kube-client.ts'
import type { Kube } from '../../tools/servers/kube.ts'

/** A real GitOps tool that applies a fleet to a management cluster. */
export interface GitopsTool {
  /** What `spec.handoff` of the fleet says. */
  readonly handoff: string
  /** What the controller is told. */
  readonly words: readonly string[]
  /** Gets it ready for a fleet that was rendered once. */
  readonly prepare: (fleet: FleetFolder) => Promise<void>
  /** Has it apply the fleet, once its first commit is published. */
  readonly begin: () => Promise<void>
  /** Gives it a commit. */
  readonly publish: (fleet: FleetFolder) => Promise<void>
  /** Whether the unit of a cluster is applied as a release has it. */
  readonly isApplied: (cluster: string, unit: string, release: string) => Promise<boolean>
  /** Whether the unit of a cluster is as the last commit has it. */
  readonly isInStep: (cluster: string, unit: string) => Promise<boolean>
  /** Names of what it has in the management cluster. */
  readonly objects: () => Promise<readonly string[]>
  /** What it says of its objects, for people. */
  readonly state: () => Promise<string>
  readonly close: () => Promise<unknown>
}

function hasRelease(object: KubeObject | undefined, release: string): boolean {
  const labels = fieldOf(object, 'metadata.labels') ?? {}
  return new Map<string, unknown>(Object.entries(labels)).get('stackmason.dev/release') === release
}

async function applyAll(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const refused = refusals(await kube.apply(objects))
  if (refused.length > 0) throw new Error(refused.join('\n'))
}

async function listNames(
  kube: Kube,
  namespace: string,
  kinds: readonly (readonly [string, string])[],
): Promise<readonly string[]> {
  const lists = await Promise.all(kinds.map(async ([version, kind]) => kube.list(version, kind, namespace)))
  return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
}

/** The real kustomize-controller; source-controller is played. */
export async function startFlux(management: Kube): Promise<GitopsTool> {
  const flux = await startKustomizeController(management)
  let revision = ''
  const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
  const unitOf = (name: string, namespace: string): KubeReference => ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace },
  })
  const unitOfCluster = (cluster: string, unit: string): KubeReference =>
    unitOf(unit === 'cluster' ? cluster : `${cluster}-${unit}`, 'team')
  const bootstrap = {
    ...unitOf('fleet', 'flux-system'),
    spec: {
      interval: '1h',
      retryInterval: '5s',
      path: './rendered/handoff',
      prune: true,
      deletionPolicy: 'Orphan',
      sourceRef: { kind: 'GitRepository', name: 'fleet' },
    },
  }
  return {
    handoff: 'flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}',
    words: [],
    prepare: async () => undefined,
    begin: async () => applyAll(management, [bootstrap]),
    publish: async (fleet) => {
      revision = `main@sha1:${fleet.git('rev-parse', 'HEAD')}`
      await flux.publish(source, fleet.folder, revision)
    },
    isApplied: async (cluster, unit, release) => {
      const object = await management.get(unitOfCluster(cluster, unit))
      return hasRelease(object, release) && isKustomizationReady(object)
    },
    isInStep: async (cluster, unit) =>
      isKustomizationReady(await management.get(unitOfCluster(cluster, unit)), revision),
    objects: async () => listNames(management, 'team', [['kustomize.toolkit.fluxcd.io/v1', 'Kustomization']]),
    state: async () => Promise.resolve(flux.log().slice(-3000)),
    close: async () => flux.close(),
  }
}

/** No pod runs on machines that are played, so that Argo CD would wait for the addons' for ever. */
const nothingRuns = ['apps_DaemonSet', 'apps_Deployment', 'apps_StatefulSet', 'apiregistration.k8s.io_APIService']
  .map(
    (kind) => `  resource.customizations.health.${kind}: return {status = 'Healthy', message = 'nothing runs here'}\n`,
  )
  .join('')

/** The real Argo CD, a git server in front of it; the controller tells it of clusters. */
export async function startArgo(management: Kube, folder: string): Promise<GitopsTool> {
  const served = join(folder, 'served')
  const git = await startGitServer(served)
  const remote = join(served, 'fleet.git')
  makeRepository(remote)
  let head = ''
  let argocd: Awaited<ReturnType<typeof startArgocd>> | undefined
  return {
    handoff: `argocd: {repoURL: "${git.url}/fleet.git", targetRevision: main, path: rendered, clusterSecrets: true}`,
    words: ['--argocd-namespace', 'argocd'],
    prepare: async (fleet) => {
      // the health checks are applied by hand, once, before anything else
      argocd = await startArgocd(management, {
        settings: `${fleet.read('rendered/handoff/argocd.health/configmap-argocd-cm.yaml')}${nothingRuns}`,
        env: { ARGOCD_RECONCILIATION_TIMEOUT: '1s' },
      })
    },
    begin: async () => applyAll(management, [defaultProject, rootApplication('fleet', `${git.url}/fleet.git`)]),
    publish: async (fleet) => {
      fleet.git('push', '-q', remote, 'HEAD:main')
      head = fleet.git('rev-parse', 'HEAD')
      await Promise.resolve()
    },
    isApplied: async (cluster, unit, release) => {
      const object = await management.get(applicationReference(`team.${cluster}.${unit}`))
      return hasRelease(object, release) && isApplicationSynced(object, head)
    },
    isInStep: async (cluster, unit) =>
      isApplicationSynced(await management.get(applicationReference(`team.${cluster}.${unit}`)), head),
    objects: async () =>
      listNames(management, 'argocd', [
        ['argoproj.io/v1alpha1', 'Application'],
        ['argoproj.io/v1alpha1', 'ApplicationSet'],
        ['v1', 'Secret'],
      ]),
    state: async () => {
      const applications = await management.list('argoproj.io/v1alpha1', 'Application', 'argocd')
      return applications.map(describeApplication).join('\n')
    },
    close: async () => {
      await argocd?.close()
      await git.close()
    },
  }
}

function describeApplication(object: KubeObject): string {
  const resources = fieldOf(object, 'status.resources')
  const ill = (Array.isArray(resources) ? resources : []).filter(
    (resource: unknown) =>
      fieldOf(resource, 'status') !== 'Synced' ||
      (fieldOf(resource, 'health') !== undefined && fieldOf(resource, 'health.status') !== 'Healthy'),
  )
  return JSON.stringify([
    object.metadata.name,
    fieldOf(object, 'status.sync.status'),
    fieldOf(object, 'status.health'),
    fieldOf(object, 'status.conditions'),
    fieldOf(object, 'status.operationState.phase'),
    fieldOf(object, 'status.operationState.message'),
    ill,
  ])
}
