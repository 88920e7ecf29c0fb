import type { Health, Phase } from './health.ts'

/** An object of our own at one moment, and what engines must say of it. */
export interface OwnPhase extends Phase {
  readonly health: Health
}

const GENERATION = 2

function is(type: string, status: string, observedGeneration: number = GENERATION): object {
  return {
    type,
    status,
    reason: 'Because',
    message: '',
    observedGeneration,
    lastTransitionTime: '2026-11-21T12:00:00Z',
  }
}

const states: readonly (readonly [name: string, health: Health, status: object | undefined, metadata?: object])[] = [
  ['no status', 'unknown', undefined],
  ['fresh, as the server makes it', 'inProgress', { observedGeneration: -1 }],
  ['seen', 'inProgress', { observedGeneration: 2 }],
  ['seen, conditions empty', 'inProgress', { observedGeneration: 2, conditions: [] }],
  ['waiting', 'inProgress', { observedGeneration: 2, conditions: [is('Ready', 'False'), is('Reconciling', 'True')] }],
  ['unknown', 'inProgress', { observedGeneration: 2, conditions: [is('Ready', 'Unknown')] }],
  ['ready', 'current', { observedGeneration: 2, conditions: [is('Ready', 'True')] }],
  [
    'ready, stalled no longer',
    'current',
    { observedGeneration: 2, conditions: [is('Stalled', 'False'), is('Ready', 'True')] },
  ],
  ['changed', 'inProgress', { observedGeneration: 1, conditions: [is('Ready', 'True', 1)] }],
  ['ready of before', 'inProgress', { observedGeneration: 2, conditions: [is('Ready', 'True', 1)] }],
  ['ready without observedGeneration', 'inProgress', { conditions: [is('Ready', 'True')] }],
  ['stalled', 'failed', { observedGeneration: 2, conditions: [is('Ready', 'False'), is('Stalled', 'True')] }],
  ['stalled of before', 'inProgress', { observedGeneration: 2, conditions: [is('Stalled', 'True', 1)] }],
  ['ready, who knows when', 'inProgress', { observedGeneration: 2, conditions: [{ type: 'Ready', status: 'True' }] }],
  [
    'stalled, who knows when',
    'inProgress',
    { observedGeneration: 2, conditions: [{ type: 'Stalled', status: 'True' }] },
  ],
  ['stalled before the last change', 'inProgress', { observedGeneration: 1, conditions: [is('Stalled', 'True', 1)] }],
  [
    'deleting',
    'inProgress',
    { observedGeneration: 2, conditions: [is('Ready', 'True')] },
    { deletionTimestamp: '2026-11-21T12:00:00Z' },
  ],
]

/** Every moment of an object that our controller works on, of every kind. */
export const ownPhases: readonly OwnPhase[] = ['RuntimeValues', 'NodeImageGate', 'StorageMigration'].flatMap((kind) =>
  states.map(([name, health, status, metadata]) => ({
    name: `${kind}: ${name}`,
    health,
    object: {
      apiVersion: 'stackmason.dev/v1alpha1',
      kind,
      metadata: { name: 'c1', namespace: 'team-a', generation: GENERATION, ...metadata },
      spec: {},
      ...(status !== undefined && { status }),
    },
  })),
)
