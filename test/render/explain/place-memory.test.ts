import { describe, expect, it } from 'vitest'
import type { PathStep } from '../../../src/model/field.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { Dict } from '../../../src/model/value.ts'
import { type AskedPlace, createPlaceMemory } from '../../../src/render/explain/place-memory.ts'

const origin = { from: 'release', unit: 'ccm', template: 'ccm/templates/deployment.yaml' }
const template = { name: 'ccm/templates/deployment.yaml', text: 'kind: Deployment\n' }
const [one, other] = ['a', 'b'].map((name) => ({ name: `clusters/${name}/cluster.yaml`, text: 'kind: Cluster\n' }))
const [values, patch] = [{ name: 'values/ccm.yaml', text: 'a: 1\n' }, { jsonPatch: [] }]

function manifest(volume: string, of: Partial<Manifest> = {}): Manifest {
  const object = new Dict([['spec', new Dict([['volume', volume]])]])
  return { apiVersion: 'apps/v1', kind: 'Deployment', name: 'ccm', namespace: 'kube-system', object, origin, ...of }
}

const path: readonly PathStep[] = ['spec', 'volume']
const asked: Omit<AskedPlace, 'own'> = { manifest: manifest('cloud'), path, part: undefined, inputs: [values, patch] }

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
    const locate = (): {
      readonly at: { readonly source: typeof template; readonly start: number; readonly end: number }
    } => {
      looked++
      return { at: { source: template, start: 0, end: 4 } }
    }
    const first = remember({ ...asked, own: one ?? template }, locate)
    const again = remember({ ...asked, own: other ?? template, ...second }, locate)
    expect(looked).toBe(isAgain === true ? 1 : 2)
    expect(again).toEqual(first)
  })

  it('keeps no place in the file of one cluster', () => {
    const remember = createPlaceMemory()
    const names = [one, other].map((own) => {
      const source = own ?? template
      return remember({ ...asked, own: source }, () => ({
        at: { source: template, start: 0, end: 4 },
        trace: [{ what: 'set by', at: { source, start: 0, end: 4 } }],
      })).trace?.map(({ at }) => at?.source.name)
    })
    expect(names).toEqual([['clusters/a/cluster.yaml'], ['clusters/b/cluster.yaml']])
  })
})
