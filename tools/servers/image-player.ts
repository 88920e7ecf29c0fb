import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { fieldOf, type KubeClient, type KubeObject, type KubeReference } from './kube-client.ts'

/** How far an image of a machine is: on its way, there, or never to come without a change of its manifest. */
export type ImageState = 'importing' | 'available' | 'failed'

/** A resource controller of OpenStack that is played. */
export interface ImagePlayer {
  /** Problems that it met and tried again. */
  readonly problems: () => readonly string[]
  readonly close: () => Promise<void>
}

const group = 'openstack.k-orc.cloud'
const version = `${group}/v1alpha1`
const betweenLooks = 200
const listedWithin = 30_000

/**
 * Plays the OpenStack resource controller for images, without a cloud: it defines the kind Image, and says of each how
 * far it is.
 * @param stateOf asked again and again
 */
export async function playImages(
  kube: Pick<KubeClient, 'applyStatus' | 'createCrds' | 'list'>,
  stateOf: (image: KubeReference) => ImageState,
): Promise<ImagePlayer> {
  await kube.createCrds([imageCrd])
  const problems: string[] = []
  let isOpen = true
  const playRound = async (): Promise<void> => {
    for (const image of await kube.list(version, 'Image')) {
      const state = stateOf(image)
      if (!isTold(image, state)) await kube.applyStatus({ ...referenceOf(image), status: statusOf(image, state) })
    }
  }
  await retryUntilListed(playRound)
  const play = async (): Promise<void> => {
    while (isOpen) {
      await playRound().catch((error: unknown) => {
        problems.push(String(error))
      })
      await setTimeout(betweenLooks)
    }
  }
  const ended = play()
  return {
    problems: () => problems,
    close: async () => {
      isOpen = false
      await ended
    },
  }
}

/** A kind that the server tells of may still not be listed. */
async function retryUntilListed(playRound: () => Promise<void>): Promise<void> {
  const end = performance.now() + listedWithin
  for (;;) {
    try {
      await playRound()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await setTimeout(betweenLooks)
    }
  }
}

/** What the two conditions say, and why: the reasons are those of the real controller. */
const conditionsOf = {
  importing: { Available: ['False', 'Progressing'], Progressing: ['True', 'Progressing'] },
  available: { Available: ['True', 'Success'], Progressing: ['False', 'Success'] },
  failed: { Available: ['False', 'UnrecoverableError'], Progressing: ['False', 'UnrecoverableError'] },
} as const satisfies Readonly<Record<ImageState, unknown>>
const glanceStatus = { importing: 'importing', available: 'active', failed: 'killed' } as const

function isTold(image: KubeObject, state: ImageState): boolean {
  return Object.entries(conditionsOf[state]).every(([type, [status, reason]]) => {
    const condition = conditionIn(image, type)
    return (
      fieldOf(condition, 'status') === status &&
      fieldOf(condition, 'reason') === reason &&
      fieldOf(condition, 'observedGeneration') === image.metadata['generation']
    )
  })
}

function statusOf(image: KubeObject, state: ImageState): object {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const conditions = Object.entries(conditionsOf[state]).map(([type, [status, reason]]) => {
    const before = conditionIn(image, type)
    const since = fieldOf(before, 'status') === status ? fieldOf(before, 'lastTransitionTime') : now
    const observedGeneration = image.metadata['generation']
    return { type, status, reason, message: '', lastTransitionTime: since, observedGeneration }
  })
  return {
    conditions,
    ...(state === 'available' && { id: idOf(image) }),
    resource: { name: image.metadata.name, status: glanceStatus[state] },
    downloadAttempts: 1,
  }
}

/** Stable, and of the form of Glance's. */
function idOf({ metadata }: KubeObject): string {
  const hex = createHash('sha256')
    .update(`${metadata.namespace ?? ''}/${metadata.name}`)
    .digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function conditionIn(image: KubeObject, type: string): unknown {
  const conditions = fieldOf(image, 'status.conditions')
  return Array.isArray(conditions)
    ? conditions.find((condition: unknown) => fieldOf(condition, 'type') === type)
    : undefined
}

function referenceOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeReference {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
}

const text = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const download = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', format: 'uri' },
    hash: { type: 'object', required: ['algorithm', 'value'], properties: { algorithm: text, value: text } },
    decompress: { type: 'string', enum: ['xz', 'gz', 'bz2'] },
  },
}
const content = {
  type: 'object',
  required: ['diskFormat', 'download'],
  properties: { containerFormat: { type: 'string', default: 'bare' }, diskFormat: text, download },
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'content is immutable' }],
}
const spec = {
  type: 'object',
  required: ['cloudCredentialsRef'],
  properties: {
    cloudCredentialsRef: {
      type: 'object',
      required: ['cloudName', 'secretName'],
      properties: { cloudName: text, secretName: text },
    },
    managementPolicy: { type: 'string', enum: ['managed', 'unmanaged'], default: 'managed' },
    managedOptions: { type: 'object', properties: { onDelete: { type: 'string', enum: ['delete', 'detach'] } } },
    import: open,
    resource: {
      type: 'object',
      properties: {
        name: text,
        content,
        properties: open,
        protected: { type: 'boolean' },
        tags: { type: 'array', items: text },
        visibility: { type: 'string', enum: ['public', 'private', 'shared', 'community'] },
      },
    },
    resyncPeriod: text,
  },
}
const condition = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: { type: 'string', format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64' },
  },
}
const status = {
  type: 'object',
  properties: {
    id: text,
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: condition,
    },
    resource: open,
    downloadAttempts: { type: 'integer' },
  },
}
/** The kind, without the fields that no stack uses. */
const imageCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `images.${group}` },
  spec: {
    group,
    names: { kind: 'Image', listKind: 'ImageList', plural: 'images', singular: 'image' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
      },
    ],
  },
}
