import { fieldAt, listField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'

/** An image that a gate waits for: by the name of its object, or by its name in the cloud. */
export interface WantedImage {
  readonly by: 'object' | 'name'
  readonly name: string
}

/** The spec of a NodeImageGate object. */
export interface GateSpec {
  /** None only where the gate says so. */
  readonly images: readonly WantedImage[]
  /** Milliseconds for which images may be missing before a person has to look. */
  readonly stalledAfter: number | undefined
  /** The same as it was written. */
  readonly stalledAfterText: string
}

/**
 * Reads what is asked for; the API server has checked it by the definition, but maybe by that of another version.
 * @throws RangeError that says which part is not understood
 */
export function readGateSpec(object: KubeObject): GateSpec {
  const spec = fieldAt(object.content, 'spec')
  const images = listField(spec, 'images').map(readImage)
  const isNone = fieldAt(spec, 'none') === true
  if (isNone && images.length > 0) throw new RangeError('images are listed, and none: true says that there are none')
  if (!isNone && images.length === 0) throw new RangeError('no image is listed, and none: true does not say so')
  const stalledAfterText = textField(spec, 'stalledAfter') ?? ''
  const stalledAfter = stalledAfterText === '' ? undefined : readDuration(stalledAfterText)
  return { images, stalledAfter, stalledAfterText }
}

function readImage(image: unknown, index: number): WantedImage {
  const [object, name] = [textField(image, 'orcImage') ?? '', textField(image, 'name') ?? '']
  if (object !== '' && name === '') return { by: 'object', name: object }
  if (name !== '' && object === '') return { by: 'name', name }
  throw new RangeError(`images[${String(index)}] has neither orcImage nor name alone`)
}

const units: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/** Milliseconds of a text such as `1h30m`. */
function readDuration(text: string): number {
  if (text.length > 32 || !/^(?:[0-9]+(?:\.[0-9]+)?[smh])+$/.test(text)) {
    throw new RangeError('stalledAfter is no duration such as 90m or 2h')
  }
  return [...text.matchAll(/([0-9.]+)([smh])/g)].reduce(
    (sum, [, amount = '', unit = '']) => sum + Number(amount) * (units.get(unit) ?? 0),
    0,
  )
}
