import { describe, expect, test } from 'vitest'
import { type KubeObject, readKubeObject } from '../../src/kube/kube-object.ts'
import {
  clusterReadiness,
  imageReadiness,
  ownReadiness,
  type Readiness,
  unitReadiness,
} from '../../src/status/readiness.ts'

interface Shape {
  readonly kind?: string
  readonly spec?: object
  readonly status?: object
  readonly deletionTimestamp?: string
}

/** An object of generation 2. */
function object({ kind = 'Cluster', spec = {}, status, deletionTimestamp }: Shape): KubeObject {
  const metadata = {
    name: 'web',
    namespace: 'team-a',
    generation: 2,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  }
  const found = readKubeObject({ kind, apiVersion: 'x/v1', metadata, spec, ...(status !== undefined && { status }) })
  if (found === undefined) throw new Error('no object')
  return found
}

function condition(type: string, status: string, reason = '', message = ''): object {
  return { type, status, reason, message, observedGeneration: 2 }
}

const deletionTimestamp = '2026-01-01T00:00:00Z'
const seen = { observedGeneration: 2 }
const initialized = { ...seen, initialization: { controlPlaneInitialized: true } }
const running = [
  condition('TopologyReconciled', 'True'),
  condition('RollingOut', 'False'),
  condition('Available', 'True'),
]

type Row = readonly [name: string, shape: Shape, said: string]

/** `state`, or `state: reason`. */
function expectAll(of: (object: KubeObject) => Readiness, rows: readonly Row[]): void {
  test.each(rows)('%s', (_, shape, said) => {
    const { state, reason } = of(object(shape))
    expect(reason === '' ? state : `${state}: ${reason}`).toBe(said)
  })
}

describe('a Cluster', () => {
  expectAll(clusterReadiness, [
    ['being deleted', { status: initialized, deletionTimestamp }, 'waiting: it is being deleted'],
    ['that nobody has seen', {}, 'waiting: Cluster API has not looked at it yet'],
    [
      'of an older generation',
      { status: { observedGeneration: 1 } },
      'waiting: its controller has not seen the last change yet',
    ],
    ['paused', { spec: { paused: true }, status: initialized }, 'suspended: it is paused'],
    [
      'without control plane',
      {
        status: {
          ...seen,
          conditions: [
            condition('ControlPlaneInitialized', 'False', 'NotInitialized', '* Control plane not yet initialized'),
          ],
        },
      },
      'waiting: its control plane has not answered yet: Control plane not yet initialized',
    ],
    [
      'whose control plane cannot be made',
      {
        status: {
          ...seen,
          conditions: [condition('TopologyReconciled', 'False', 'ReconcileFailed', 'imageRepository: Invalid value')],
        },
      },
      'failed: its topology is not reconciled: imageRepository: Invalid value',
    ],
    ['without conditions', { status: seen }, 'waiting: its control plane has not answered yet'],
    ['initialized, of v1beta1', { status: { ...seen, controlPlaneReady: true } }, 'ready'],
    [
      'whose topology cannot be reconciled',
      {
        status: {
          ...initialized,
          conditions: [condition('TopologyReconciled', 'False', 'ReconcileFailed', 'no such variable')],
        },
      },
      'failed: its topology is not reconciled: no such variable',
    ],
    [
      'whose upgrade is pending',
      {
        status: {
          ...initialized,
          conditions: [condition('TopologyReconciled', 'False', 'MachineDeploymentsUpgradePending')],
        },
      },
      'waiting: its topology is not reconciled: MachineDeploymentsUpgradePending',
    ],
    [
      'that rolls out',
      {
        status: {
          ...initialized,
          conditions: [
            condition('TopologyReconciled', 'True'),
            condition('RollingOut', 'True', 'RollingOut', 'Rolling out 2 of 3'),
          ],
        },
      },
      'waiting: machines are being replaced: Rolling out 2 of 3',
    ],
    [
      'that is not available',
      {
        status: {
          ...initialized,
          conditions: [condition('Available', 'False', 'NotAvailable', '* WorkersAvailable:\n  * none')],
        },
      },
      'waiting: it is not available: WorkersAvailable:; none',
    ],
    ['that runs', { status: { ...initialized, conditions: running } }, 'ready'],
    [
      'that runs, of v1beta1',
      { status: { ...seen, controlPlaneReady: true, v1beta2: { conditions: running } } },
      'ready',
    ],
    [
      'that rolls out, of v1beta1',
      { status: { ...seen, controlPlaneReady: true, v1beta2: { conditions: [condition('RollingOut', 'True')] } } },
      'waiting: machines are being replaced',
    ],
  ])
})

describe('a Kustomization', () => {
  const flux = (shape: Shape): Shape => ({ kind: 'Kustomization', ...shape })
  const ready = (...args: readonly [string, string?, string?]): object => ({
    ...seen,
    conditions: [condition('Ready', ...args)],
  })
  expectAll(unitReadiness, [
    ['suspended', flux({ spec: { suspend: true }, status: ready('True') }), 'suspended: Flux leaves it alone'],
    ['that nobody has seen', flux({}), 'waiting: Flux has not looked at it yet'],
    ['new to Flux', flux({ status: { observedGeneration: -1 } }), 'waiting: Flux has not looked at it yet'],
    [
      'that was ready before',
      flux({ status: { ...ready('True'), observedGeneration: 1 } }),
      'waiting: Flux has not applied the last change yet',
    ],
    [
      'that waits for another',
      flux({ status: ready('False', 'DependencyNotReady', "dependency 'a/b' is not ready") }),
      "waiting: dependency 'a/b' is not ready",
    ],
    [
      'that cannot be built',
      flux({ status: ready('False', 'BuildFailed', 'no ConfigMap web') }),
      'failed: no ConfigMap web',
    ],
    [
      'in progress',
      flux({ status: ready('Unknown', 'Progressing', 'Reconciliation in progress') }),
      'waiting: Reconciliation in progress',
    ],
    ['that is ready', flux({ status: ready('True') }), 'ready'],
    ['being deleted', flux({ status: ready('True'), deletionTimestamp }), 'waiting: it is being deleted'],
  ])
})

describe('an Application', () => {
  const argo = (status: object): Shape => ({ kind: 'Application', status })
  const synced = { sync: { status: 'Synced' } }
  expectAll(unitReadiness, [
    ['new to Argo CD', argo({}), 'waiting: Argo CD has not compared it yet'],
    [
      'with an error',
      argo({ conditions: [{ type: 'ComparisonError', message: 'no such path' }] }),
      'failed: no such path',
    ],
    [
      'with a warning alone',
      argo({ ...synced, health: { status: 'Healthy' }, conditions: [{ type: 'OrphanedResourceWarning' }] }),
      'ready',
    ],
    [
      'whose sync failed',
      argo({ operationState: { phase: 'Failed', message: 'one or more objects failed' } }),
      'failed: its sync failed: one or more objects failed',
    ],
    ['being synced', argo({ operationState: { phase: 'Running' } }), 'waiting: it is being synced'],
    ['out of sync', argo({ sync: { status: 'OutOfSync' } }), 'waiting: Argo CD says OutOfSync'],
    [
      'degraded',
      argo({ ...synced, health: { status: 'Degraded', message: 'crash loop' } }),
      'failed: Argo CD says Degraded: crash loop',
    ],
    ['progressing', argo({ ...synced, health: { status: 'Progressing' } }), 'waiting: Argo CD says Progressing'],
    ['that is ready', argo({ ...synced, health: { status: 'Healthy' } }), 'ready'],
    ['without health', argo(synced), 'waiting: Argo CD says nothing of its health'],
  ])
})

describe('an ApplicationSet', () => {
  const set = (...conditions: readonly object[]): Shape => ({ kind: 'ApplicationSet', status: { conditions } })
  expectAll(unitReadiness, [
    ['new to Argo CD', set(), 'waiting: Argo CD has not looked at it yet'],
    [
      'without values',
      set(condition('ErrorOccurred', 'True', 'RenderTemplateParamsError', 'no value for HOST yet')),
      'waiting: no value for HOST yet',
    ],
    ['with Applications', set(condition('ErrorOccurred', 'False'), condition('ResourcesUpToDate', 'True')), 'ready'],
  ])
})

describe('an object of our own kinds', () => {
  const own = (...conditions: readonly object[]): Shape => ({ kind: 'RuntimeValues', status: { ...seen, conditions } })
  expectAll(ownReadiness, [
    [
      'that nobody has seen',
      { status: { observedGeneration: -1 } },
      'waiting: the controller has not looked at it yet: does it run?',
    ],
    [
      'of an older generation',
      { status: { observedGeneration: 1 } },
      'waiting: its controller has not seen the last change yet',
    ],
    [
      'that is stalled',
      own(
        condition('Ready', 'False', 'NotOurs'),
        condition('Stalled', 'True', 'NotOurs', 'ConfigMap web is somebody else’s'),
      ),
      'failed: ConfigMap web is somebody else’s',
    ],
    ['that is paused', own(condition('Ready', 'True'), condition('Paused', 'True')), 'suspended: it is paused'],
    ['that waits', own(condition('Ready', 'False', 'FieldMissing')), 'waiting: FieldMissing'],
    ['that is ready', own(condition('Ready', 'True')), 'ready'],
    ['without Ready', own(), 'waiting: the controller has not said yet how it is'],
  ])
})

describe('an Image', () => {
  const image = (conditions: readonly object[], status: object = {}): Shape => ({
    kind: 'Image',
    status: { conditions, ...status },
  })
  const available = condition('Available', 'True', 'Success')
  expectAll(imageReadiness, [
    ['that nobody has seen', {}, 'waiting: its controller has not looked at it yet'],
    [
      'that cannot be made',
      image([condition('Progressing', 'False', 'UnrecoverableError', 'wrong hash'), condition('Available', 'False')]),
      'failed: wrong hash',
    ],
    [
      'that waits for the cloud',
      image([
        condition('Progressing', 'True', 'TransientError'),
        condition('Available', 'False', 'Progressing', 'downloading'),
      ]),
      'waiting: downloading',
    ],
    [
      'of an older generation',
      image([{ ...available, observedGeneration: 1 }], { id: 'x' }),
      'waiting: its controller has not seen the last change yet',
    ],
    ['without ID', image([available]), 'waiting: it has no ID in the cloud yet'],
    ['that is there', image([available], { id: 'x' }), 'ready'],
  ])
})

test('a message is one line, and not endless', () => {
  const long = `${'x'.repeat(400)}\n`
  const { reason } = ownReadiness(
    object({ status: { ...seen, conditions: [condition('Stalled', 'True', 'Long', long)] } }),
  )
  expect(reason).toBe(`${'x'.repeat(300)}…`)
})
