import type { Phase } from './health.ts'

/** An Argo CD Application inside another one, and the health that the other must see. */
export interface ApplicationPhase extends Phase {
  readonly argo: string
}

const source = {
  repoURL: 'https://git.example/fleet.git',
  path: 'rendered/stacks/team-a/openstack-scs-1-34-v2',
  targetRevision: 'main',
}
const before = { ...source, path: 'rendered/stacks/team-a/openstack-scs-1-34-v1' }
const synced = { status: 'Synced', revision: '5f0c1a', comparedTo: { source } }

function application(fields: object, metadata: object = {}): object {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'team-a.c1', namespace: 'argocd', generation: 4, ...metadata },
    spec: { project: 'team-a', source },
    ...fields,
  }
}

/** What an Application goes through, as far as one that waits for it must tell it apart. */
export const applicationPhases: readonly ApplicationPhase[] = [
  { name: 'new', object: application({}), argo: 'Progressing' },
  { name: 'status without health', object: application({ status: { sync: synced } }), argo: 'Progressing' },
  {
    name: 'source cannot be read',
    object: application({ status: { health: { status: 'Healthy' }, sync: { status: 'Unknown' } } }),
    argo: 'Progressing',
  },
  {
    name: 'nothing applied yet',
    object: application({ status: { health: { status: 'Missing' }, sync: { ...synced, status: 'OutOfSync' } } }),
    argo: 'Missing',
  },
  {
    name: 'sync asked for',
    object: application({ operation: { sync: {} }, status: { health: { status: 'Healthy' }, sync: synced } }),
    argo: 'Progressing',
  },
  {
    name: 'syncing',
    object: application({
      status: { health: { status: 'Healthy' }, sync: synced, operationState: { phase: 'Running' } },
    }),
    argo: 'Progressing',
  },
  {
    name: 'waiting',
    object: application({ status: { health: { status: 'Progressing', message: 'waiting' }, sync: synced } }),
    argo: 'Progressing',
  },
  {
    name: 'healthy',
    object: application({
      status: { health: { status: 'Healthy' }, sync: synced, operationState: { phase: 'Succeeded' } },
    }),
    argo: 'Healthy',
  },
  {
    name: 'healthy with another path',
    object: application({
      status: { health: { status: 'Healthy' }, sync: { ...synced, comparedTo: { source: before } } },
    }),
    argo: 'Progressing',
  },
  {
    name: 'degraded',
    object: application({ status: { health: { status: 'Degraded', message: 'broken' }, sync: synced } }),
    argo: 'Degraded',
  },
  {
    name: 'deleting',
    object: application(
      { status: { health: { status: 'Healthy' }, sync: synced } },
      { deletionTimestamp: '2026-11-21T12:00:00Z' },
    ),
    argo: 'Progressing',
  },
]
