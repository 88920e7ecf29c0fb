import type { Health, Phase } from './health.ts'

/** A node image at one moment, and what its gate must say of it. */
export interface ImagePhase extends Phase {
  readonly health: Health
}

const GENERATION = 2

function is(type: string, status: string, reason: string, observedGeneration: number = GENERATION): object {
  return { type, status, reason, message: reason, observedGeneration, lastTransitionTime: '2026-11-21T12:00:00Z' }
}

function image(status: object | undefined, metadata: object = {}): object {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Image',
    metadata: { name: 'ubuntu-capi-image-v1.34.2', namespace: 'team-a', generation: GENERATION, ...metadata },
    spec: { managementPolicy: 'managed' },
    ...(status !== undefined && { status }),
  }
}

const id = '0f0b9a5e-2f52-4a39-8a4c-4b2d0d1f8a11'
const upToDate = is('Progressing', 'False', 'Success')
const available = is('Available', 'True', 'Success')

/**
 * The life of an Image of the OpenStack resource controller, which has no `status.observedGeneration` and no `Ready`.
 */
export const imagePhases: readonly ImagePhase[] = [
  { name: 'no status', object: image(undefined), health: 'unknown' },
  { name: 'empty status', object: image({}), health: 'inProgress' },
  { name: 'no conditions', object: image({ id, conditions: [] }), health: 'inProgress' },
  {
    name: 'creating',
    object: image({ conditions: [is('Available', 'False', 'Progressing'), is('Progressing', 'True', 'Progressing')] }),
    health: 'inProgress',
  },
  {
    name: 'downloading',
    object: image({
      id,
      downloadAttempts: 1,
      conditions: [is('Available', 'False', 'Progressing'), is('Progressing', 'True', 'Progressing')],
    }),
    health: 'inProgress',
  },
  { name: 'available', object: image({ id, conditions: [available, upToDate] }), health: 'current' },
  {
    name: 'available, being updated',
    object: image({ id, conditions: [available, is('Progressing', 'True', 'Progressing')] }),
    health: 'current',
  },
  { name: 'available, without an id', object: image({ conditions: [available, upToDate] }), health: 'inProgress' },
  {
    name: 'available before the last change',
    object: image({
      id,
      conditions: [is('Available', 'True', 'Success', 1), is('Progressing', 'False', 'Success', 1)],
    }),
    health: 'inProgress',
  },
  {
    name: 'availability without a generation',
    object: image({ id, conditions: [{ type: 'Available', status: 'True', reason: 'Success' }] }),
    health: 'inProgress',
  },
  {
    name: 'cloud away for a moment',
    object: image({
      conditions: [is('Available', 'Unknown', 'TransientError'), is('Progressing', 'True', 'TransientError')],
    }),
    health: 'inProgress',
  },
  {
    name: 'invalid configuration',
    object: image({
      conditions: [
        is('Available', 'False', 'InvalidConfiguration'),
        is('Progressing', 'False', 'InvalidConfiguration'),
      ],
    }),
    health: 'failed',
  },
  {
    name: 'unrecoverable error',
    object: image({
      id,
      conditions: [is('Available', 'False', 'UnrecoverableError'), is('Progressing', 'False', 'UnrecoverableError')],
    }),
    health: 'failed',
  },
  {
    name: 'invalid configuration, being tried again',
    object: image({
      conditions: [is('Available', 'False', 'InvalidConfiguration'), is('Progressing', 'True', 'InvalidConfiguration')],
    }),
    health: 'inProgress',
  },
  {
    name: 'an error without a generation',
    object: image({ conditions: [{ type: 'Progressing', status: 'False', reason: 'InvalidConfiguration' }] }),
    health: 'inProgress',
  },
  {
    name: 'an error of before the last change',
    object: image({
      conditions: [
        is('Available', 'False', 'InvalidConfiguration', 1),
        is('Progressing', 'False', 'InvalidConfiguration', 1),
      ],
    }),
    health: 'inProgress',
  },
  {
    name: 'deleting',
    object: image({ id, conditions: [available, upToDate] }, { deletionTimestamp: '2026-11-21T12:00:00Z' }),
    health: 'inProgress',
  },
]
