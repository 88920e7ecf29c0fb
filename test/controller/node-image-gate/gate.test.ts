import { describe, expect, test } from 'vitest'
import { concludeGate, type FoundImage, stateImage } from '../../../src/controller/node-image-gate/conclude-gate.ts'
import { cloudName, type ImageKind, judgeImage } from '../../../src/controller/node-image-gate/judge-image.ts'
import { readGateSpec } from '../../../src/controller/node-image-gate/read-gate-spec.ts'
import { type KubeObject, readKubeObject } from '../../../src/kube/kube-object.ts'

function object(content: object, metadata: object = {}): KubeObject {
  const read = readKubeObject({ ...content, metadata: { name: 'i', namespace: 'a', generation: 2, ...metadata } })
  if (read === undefined) throw new Error('no object')
  return read
}

const stated = (type: string, status: string, more: object = {}): object => ({ type, status, ...more })
const ofNow = { observedGeneration: 2 }

interface Row {
  readonly name: string
  readonly kind?: ImageKind
  readonly status?: object
  readonly metadata?: object
  /** `state id reason: message` */
  readonly want: string
}

const available = [
  stated('Available', 'True', { ...ofNow, reason: 'Success' }),
  stated('Progressing', 'False', { ...ofNow, reason: 'Success' }),
]

const rows: readonly Row[] = [
  { name: 'an image that is there', status: { id: 'x1', conditions: available }, want: 'ready x1 Success: ' },
  {
    name: 'one without an id',
    status: { conditions: available },
    want: 'waiting  Success: ',
  },
  {
    name: 'one that is being deleted',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { id: 'x1', conditions: available },
    want: 'waiting  Deleting: the object is being deleted',
  },
  {
    name: 'one of which its controller speaks as it was',
    status: { id: 'x1', conditions: [stated('Available', 'True', { observedGeneration: 1 })] },
    want: 'waiting x1 Progressing: its controller has not said anything of it as it is now',
  },
  {
    name: 'one without a status',
    want: 'waiting  Progressing: its controller has not said anything of it as it is now',
  },
  {
    name: 'one on its way',
    status: { conditions: [stated('Progressing', 'True', { ...ofNow, reason: 'Progressing', message: 'importing' })] },
    want: 'waiting  Progressing: importing',
  },
  {
    name: 'an error that may pass',
    status: {
      conditions: [
        stated('Available', 'False', ofNow),
        stated('Progressing', 'True', { ...ofNow, reason: 'TransientError', message: '503\nof the cloud' }),
      ],
    },
    want: 'waiting  TransientError: 503 of the cloud',
  },
  ...['InvalidConfiguration', 'UnrecoverableError'].map((reason) => ({
    name: `a failure for good, ${reason}, even where the image is still there`,
    status: {
      id: 'x1',
      conditions: [
        stated('Available', 'True', ofNow),
        stated('Progressing', 'False', { ...ofNow, reason, message: 'no such hash' }),
      ],
    },
    want: `failed x1 ${reason}: no such hash`,
  })),
  {
    name: 'a failure of an earlier generation',
    status: {
      conditions: [stated('Progressing', 'False', { observedGeneration: 1, reason: 'UnrecoverableError' })],
    },
    want: 'waiting  Progressing: its controller has not said anything of it as it is now',
  },
  {
    name: 'an id that is no id',
    status: { id: 'x'.repeat(129), conditions: available },
    want: 'ready  Success: ',
  },
  {
    name: 'a release of the provider that is active',
    kind: 'release',
    status: { ready: true, conditions: [stated('Ready', 'True'), stated('OpenStackImageActive', 'True')] },
    want: 'ready  Success: ',
  },
  {
    name: 'one that was ready before a failure',
    kind: 'release',
    status: {
      ready: true,
      conditions: [
        stated('Ready', 'False', { severity: 'Error', reason: 'IssueWithOpenStackImage' }),
        stated('OpenStackImageActive', 'False', {
          severity: 'Error',
          reason: 'IssueWithOpenStackImage',
          message: 'image status killed is unexpected',
        }),
      ],
    },
    want: 'failed  IssueWithOpenStackImage: image status killed is unexpected',
  },
  {
    name: 'one that is being imported',
    kind: 'release',
    status: {
      conditions: [
        stated('Ready', 'False', { reason: 'Summary' }),
        stated('OpenStackImageActive', 'False', { severity: 'Info', reason: 'OpenStackImageNotImportedYet' }),
      ],
    },
    want: 'waiting  OpenStackImageNotImportedYet: ',
  },
  {
    name: 'one without a cloud',
    kind: 'release',
    status: {
      conditions: [stated('CloudAvailable', 'False', { severity: 'Error', reason: 'SecretNotFound', message: 'no s' })],
    },
    want: 'waiting  SecretNotFound: no s',
  },
  { name: 'one without a status', kind: 'release', want: 'waiting  Progressing: ' },
]

describe('how an image is', () => {
  test.each(rows)('$kind $name', ({ kind = 'image', status = {}, metadata, want }) => {
    const { state, id, reason, message } = judgeImage(kind, object({ status }, metadata))
    expect(`${state} ${id} ${reason}: ${message}`).toBe(want)
  })

  const names: readonly (readonly [string, ImageKind, object, string | undefined])[] = [
    ['the name that it asks for', 'image', { spec: { resource: { name: 'Ubuntu 24' } } }, 'Ubuntu 24'],
    ['its own name', 'image', { spec: { resource: {} } }, 'i'],
    ['what it looks for', 'image', { spec: { managementPolicy: 'unmanaged', import: { filter: { name: 'U' } } } }, 'U'],
    [
      'what it found by an id',
      'image',
      { spec: { managementPolicy: 'unmanaged', import: { id: 'x' } }, status: { resource: { name: 'F' } } },
      'F',
    ],
    ['nothing yet', 'image', { spec: { managementPolicy: 'unmanaged', import: { id: 'x' } } }, undefined],
    ['what the provider creates', 'release', { spec: { image: { createOpts: { name: 'C' } } } }, 'C'],
    ['no text', 'release', { spec: { image: { createOpts: { name: {} } } } }, undefined],
  ]
  test.each(names)('name in the cloud: %s', (_, kind, content, want) => {
    expect(cloudName(kind, object(content))).toBe(want)
  })
})

describe('what a gate asks for', () => {
  test('objects and names', () => {
    const images = [{ orcImage: 'a' }, { name: 'B c' }]
    const want = [
      { by: 'object', name: 'a' },
      { by: 'name', name: 'B c' },
    ]
    expect(readGateSpec(object({ spec: { images } }))).toEqual({ images: want, stalledAfterText: '' })
    expect(readGateSpec(object({ spec: { none: true } }))).toEqual({ images: [], stalledAfterText: '' })
  })

  test.each([
    [{ none: true, images: [{ name: 'a' }] }, 'images are listed, and none: true says that there are none'],
    [{ images: [] }, 'no image is listed, and none: true does not say so'],
    [{}, 'no image is listed, and none: true does not say so'],
    [{ none: 'true' }, 'no image is listed, and none: true does not say so'],
    [{ images: [{ orcImage: 'a', name: 'b' }] }, 'images[0] has neither orcImage nor name alone'],
    [{ images: [{ label: 'a' }] }, 'images[0] has neither orcImage nor name alone'],
    [{ none: true, stalledAfter: '2d' }, 'stalledAfter is no duration such as 90m or 2h'],
  ])('%j is refused', (spec, want) => {
    expect(() => readGateSpec(object({ spec }))).toThrow(new RangeError(want))
  })

  test.each([
    ['90m', 5_400_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
  ])('stalledAfter %s', (stalledAfter, want) => {
    expect(readGateSpec(object({ spec: { none: true, stalledAfter } })).stalledAfter).toBe(want)
  })
})

describe('what is said of a gate', () => {
  const image = (
    name: string,
    state?: 'ready' | 'waiting' | 'failed',
    missingKinds: readonly string[] = [],
  ): FoundImage => ({
    wanted: { by: 'object', name },
    verdict: state === undefined ? undefined : { state, id: 'x', reason: 'TheirReason', message: 'why' },
    missingKinds,
  })
  const never = { stalledAfter: undefined, stalledAfterText: '' }
  const late = { stalledAfter: 60_000, stalledAfterText: '1m' }
  const lines = (spec: Parameters<typeof concludeGate>[0], images: readonly FoundImage[], waited: number): unknown =>
    concludeGate(spec, images, waited).map(({ type, status, reason, message }) => [
      `${type}=${status}`,
      reason,
      message,
    ])

  test('no image is needed', () => {
    const message = 'The release needs no image that could be missing'
    expect(lines(never, [], 0)).toEqual([
      ['Ready=True', 'NoImagesRequired', message],
      ['ImagesAvailable=True', 'NoImagesRequired', message],
    ])
  })

  test('all are there', () => {
    expect(lines(late, [image('a', 'ready'), image('b', 'ready')], 1e9)).toEqual([
      ['Ready=True', 'Succeeded', 'All images are there: 2'],
      ['ImagesAvailable=True', 'Succeeded', 'All images are there: 2'],
    ])
  })

  test('one failed: that needs a person, and comes first', () => {
    const message = 'c: TheirReason: why; b: there is no such Image object in the namespace; a: TheirReason: why'
    expect(lines(never, [image('a', 'waiting'), image('b'), image('c', 'failed'), image('d', 'ready')], 0)).toEqual([
      ['Ready=False', 'ImageFailed', message],
      ['ImagesAvailable=False', 'ImageFailed', message],
      ['Stalled=True', 'ImageFailed', message],
    ])
  })

  test('missing for too long', () => {
    const missing = [image('a', undefined, ['Image (openstack.k-orc.cloud)'])]
    const message = 'a: the server has no Image (openstack.k-orc.cloud)'
    expect(lines(late, missing, 59_999)).toEqual([
      ['Ready=False', 'ImageNotFound', message],
      ['ImagesAvailable=False', 'ImageNotFound', message],
      ['Reconciling=True', 'ImageNotFound', message],
    ])
    expect(lines(late, missing, 60_000)).toEqual([
      ['Ready=False', 'ImageNotFound', `${message}; for longer than 1m`],
      ['ImagesAvailable=False', 'ImageNotFound', `${message}; for longer than 1m`],
      ['Stalled=True', 'ImageNotFound', `${message}; for longer than 1m`],
    ])
  })

  test('more of them than a message names', () => {
    const [ready] = concludeGate(
      never,
      Array.from({ length: 10 }, (_, at) => image(`i${String(at)}`)),
      0,
    )
    expect(ready?.message).toMatch(/^i0: .*; i7: there is no such Image object in the namespace; and 2 more$/)
  })

  test('each of them', () => {
    expect([image('a'), image('b', 'waiting'), image('c', 'ready')].map(stateImage)).toEqual([
      { name: 'a', ready: false, reason: 'ImageNotFound' },
      { name: 'b', ready: false, id: 'x', reason: 'TheirReason', message: 'why' },
      { name: 'c', ready: true, id: 'x' },
    ])
  })
})
