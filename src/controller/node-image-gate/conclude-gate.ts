import type { Condition } from '../objects/conditions.ts'
import type { ImageVerdict } from './judge-image.ts'
import type { GateSpec, WantedImage } from './read-gate-spec.ts'

/** The search for an image: its state, or nothing. */
export interface FoundImage {
  readonly wanted: WantedImage
  /** Undefined: no object describes it. */
  readonly verdict: ImageVerdict | undefined
  /** Kinds that the server does not have, of those that could describe it. */
  readonly missingKinds: readonly string[]
}

/** One image in a status. */
export interface StatedImage {
  readonly name: string
  readonly ready: boolean
  readonly id?: string
  readonly reason?: string
  readonly message?: string
}

/** Names that a message has room for. */
const MOST_NAMED = 8

type Reason = 'ImageFailed' | 'ImageNotFound' | 'Progressing'

/** Those that need a person come first. */
const order: readonly Reason[] = ['ImageFailed', 'ImageNotFound', 'Progressing']

/** The conditions of a gate after a pass; `waited` are the milliseconds for which it has not been ready. */
export function concludeGate(
  { stalledAfter, stalledAfterText }: Pick<GateSpec, 'stalledAfter' | 'stalledAfterText'>,
  images: readonly FoundImage[],
  waited: number,
): readonly Condition[] {
  if (images.length === 0) return ready('NoImagesRequired', 'The release needs no image that could be missing')
  const missing = images.flatMap((image) => {
    const reason = reasonOf(image)
    return reason === undefined ? [] : [{ image, reason }]
  })
  const sorted = order.flatMap((reason) => missing.filter((entry) => entry.reason === reason))
  const [first] = sorted
  if (first === undefined) return ready('Succeeded', `All images are there: ${String(images.length)}`)
  const { reason } = first
  const isLate = stalledAfter !== undefined && waited >= stalledAfter
  const message = [
    ...sorted.slice(0, MOST_NAMED).map(({ image }) => describe(image)),
    ...(sorted.length > MOST_NAMED ? [`and ${String(sorted.length - MOST_NAMED)} more`] : []),
    ...(isLate ? [`for longer than ${stalledAfterText}`] : []),
  ].join('; ')
  const isStalled = isLate || reason === 'ImageFailed'
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'ImagesAvailable', status: 'False', reason, message },
    { type: isStalled ? 'Stalled' : 'Reconciling', status: 'True', reason, message },
  ]
}

/** The status of an image. */
export function stateImage({ wanted: { name }, verdict }: FoundImage): StatedImage {
  if (verdict === undefined) return { name, ready: false, reason: 'ImageNotFound' }
  const { state, id, reason, message } = verdict
  return {
    name,
    ready: state === 'ready',
    ...(id !== '' && { id }),
    ...(state !== 'ready' && { reason }),
    ...(state !== 'ready' && message !== '' && { message }),
  }
}

function ready(reason: string, message: string): readonly Condition[] {
  return ['Ready', 'ImagesAvailable'].map((type) => ({ type, status: 'True', reason, message }))
}

function reasonOf({ verdict }: FoundImage): Reason | undefined {
  if (verdict === undefined) return 'ImageNotFound'
  if (verdict.state === 'ready') return undefined
  return verdict.state === 'failed' ? 'ImageFailed' : 'Progressing'
}

function describe({ wanted: { by, name }, verdict, missingKinds }: FoundImage): string {
  if (verdict !== undefined) {
    const { reason, message } = verdict
    return `${name}: ${message === '' ? reason : `${reason}: ${message}`}`
  }
  if (missingKinds.length > 0) return `${name}: the server has no ${missingKinds.join(' and no ')}`
  return by === 'object'
    ? `${name}: there is no such Image object in the namespace`
    : `${name}: no object in the namespace describes an image of this name`
}
