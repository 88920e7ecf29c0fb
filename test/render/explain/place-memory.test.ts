import { describe, expect, it } from 'vitest'
import type { PathStep } from '../../../src/model/field.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { Dict } from '../../../src/model/value.ts'
import { type AskedPlace, createPlaceMemory, type FoundPlace } from '../../../src/render/explain/place-memory.ts'

const origin = { from: 'release', unit: 'ccm', template: 'ccm/templates/deployment.yaml' }
const template = { name: 'ccm/templates/deployment.yaml', text: 'kind: Deployment\n' }
const [values, patch] = [{ name: 'values/ccm.yaml', text: 'a: 1\n' }, { jsonPatch: [] }]

function manifest(volume: string, of: Partial<Manifest> = {}): Manifest {
  const object = new Dict([['spec', new Dict([['volume', volume]])]])
  return { apiVersion: 'apps/v1', kind: 'Deployment', name: 'ccm', namespace: 'kube-system', object, origin, ...of }
}

const path: readonly PathStep[] = ['spec', 'volume']
const asked: AskedPlace = { manifest: manifest('cloud'), path, part: undefined, inputs: [values, patch] }

describe('places that clusters have in common', () => {
  const rows: readonly {
    readonly what: string
    readonly second: Partial<AskedPlace>
    readonly isAgain?: true
  }[] = [
    { what: 'the same object', second: {}, isAgain: true },
    { what: 'an equal object of the same origin', second: { manifest: manifest('cloud') }, isAgain: true },
    { what: 'another value', second: { manifest: manifest('other') } },
    { what: 'another origin that looks the same', second: { manifest: manifest('cloud', { origin: { ...origin } }) } },
    { what: 'another name', second: { manifest: manifest('cloud', { name: 'csi' }) } },
    { what: 'another namespace', second: { manifest: manifest('cloud', { namespace: 'default' }) } },
    { what: 'another field', second: { path: ['spec'] } },
    { what: 'the key', second: { part: 'key' } },
    { what: 'values of its own', second: { inputs: [values, { ...values }, patch] } },
    { what: 'another file of the same content', second: { inputs: [{ ...values }, patch] } },
    { what: 'no patch', second: { inputs: [values] } },
  ]
  it.each(rows)('$what', ({ second, isAgain }) => {
    const remember = createPlaceMemory()
    let looked = 0
    const locate = (): FoundPlace => {
      looked++
      return { place: { at: { source: template, start: 0, end: 4 } }, of: 'all' }
    }
    const first = remember(asked, locate)
    const again = remember({ ...asked, ...second }, locate)
    expect(looked).toBe(isAgain === true ? 1 : 2)
    expect(again).toEqual(first)
  })

  it('keeps no place that follows from the file of one cluster', () => {
    const remember = createPlaceMemory()
    const starts = [1, 2].map(
      (start) => remember(asked, () => ({ place: { at: { source: template, start, end: 4 } }, of: 'one' })).at?.start,
    )
    expect(starts).toEqual([1, 2])
  })
})
