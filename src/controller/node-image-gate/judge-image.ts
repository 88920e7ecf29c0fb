import { fieldAt, listField, numberField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'

/** Kinds of objects that bring an image into a cloud, or find it there. */
export const imageKinds = {
  /** Of the OpenStack resource controller. */
  image: { group: 'openstack.k-orc.cloud', version: 'v1alpha1', kind: 'Image' },
  /** Of the Cluster Stack Provider OpenStack. */
  release: {
    group: 'infrastructure.clusterstack.x-k8s.io',
    version: 'v1alpha1',
    kind: 'OpenStackNodeImageRelease',
  },
} as const

/** One of {@link imageKinds}. */
export type ImageKind = keyof typeof imageKinds

/** How an image is: there; on its way; or not to come without a person. */
export interface ImageVerdict {
  readonly state: 'ready' | 'waiting' | 'failed'
  /** Of the image in the cloud; empty where nobody says. */
  readonly id: string
  /** The image's own word for it. */
  readonly reason: string
  readonly message: string
}

/** Rule: IsConditionReasonTerminal of k-orc/openstack-resource-controller, api/v1alpha1/conditions.go. */
const terminalReasons: ReadonlySet<string> = new Set(['InvalidConfiguration', 'UnrecoverableError'])

/** An id of Glance has 36 characters. */
const LONGEST_ID = 128

/** Says how the image of an object is, by what its controller says of the object as it stands now. */
export function judgeImage(kind: ImageKind, object: KubeObject): ImageVerdict {
  if (object.isBeingDeleted) {
    return { state: 'waiting', id: '', reason: 'Deleting', message: 'the object is being deleted' }
  }
  return kind === 'image' ? judgeOrcImage(object) : judgeRelease(object)
}

function judgeOrcImage({ content, generation }: KubeObject): ImageVerdict {
  const conditions = listField(content, 'status', 'conditions').filter(
    (condition) => numberField(condition, 'observedGeneration') === generation,
  )
  const [available, progressing] = ['Available', 'Progressing'].map((type) => find(conditions, type))
  const found = textField(content, 'status', 'id') ?? ''
  const id = found.length > LONGEST_ID ? '' : found
  const reason = wordOf(progressing)
  const message = shown(progressing)
  if (textField(progressing, 'status') === 'False' && terminalReasons.has(reason)) {
    return { state: 'failed', id, reason, message }
  }
  if (textField(available, 'status') === 'True' && found !== '') {
    return { state: 'ready', id, reason: 'Success', message: '' }
  }
  if (progressing === undefined) {
    const said = 'its controller has not said anything of it as it is now'
    return { state: 'waiting', id, reason: 'Progressing', message: said }
  }
  return { state: 'waiting', id, reason: reason === '' ? 'Progressing' : reason, message }
}

/** `status.ready` alone may be of an earlier image: failures leave it as it was. */
function judgeRelease({ content }: KubeObject): ImageVerdict {
  const conditions = listField(content, 'status', 'conditions')
  const active = find(conditions, 'OpenStackImageActive')
  const isActive = textField(active, 'status') === 'True'
  if (isActive && fieldAt(content, 'status', 'ready') === true) {
    return { state: 'ready', id: '', reason: 'Success', message: '' }
  }
  const isFailed = textField(active, 'status') === 'False' && textField(active, 'severity') === 'Error'
  const said = isFailed
    ? active
    : (conditions.find(
        (condition) => textField(condition, 'status') === 'False' && textField(condition, 'type') !== 'Ready',
      ) ?? active)
  const reason = wordOf(said)
  return {
    state: isFailed ? 'failed' : 'waiting',
    id: '',
    reason: reason === '' ? 'Progressing' : reason,
    message: shown(said),
  }
}

/** The name in the cloud of the image that an object brings or finds; undefined where it does not say. */
export function cloudName(kind: ImageKind, { name, content }: KubeObject): string | undefined {
  if (kind === 'release') return textField(content, 'spec', 'image', 'createOpts', 'name')
  const isImported = textField(content, 'spec', 'managementPolicy') === 'unmanaged'
  const found = textField(content, 'status', 'resource', 'name')
  if (isImported) return textField(content, 'spec', 'import', 'filter', 'name') ?? found
  return textField(content, 'spec', 'resource', 'name') ?? name
}

/** The reason of a condition, of a bounded length; empty without. */
function wordOf(condition: unknown): string {
  return (textField(condition, 'reason') ?? '').slice(0, 256)
}

function find(conditions: readonly unknown[], type: string): unknown {
  return conditions.find((condition) => textField(condition, 'type') === type)
}

/** The message of a condition, in one line of a bounded length. */
function shown(condition: unknown): string {
  return (textField(condition, 'message') ?? '').slice(0, 1024).replaceAll(/\p{Cc}+/gu, ' ')
}
