import { describe, expect, test } from 'vitest'
import { readCommittedAddons } from '../../../src/handoff/units/read-committed-addons.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'

const index = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- 01-cni\n- 12-csi\n'
const object = (annotations: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: x${annotations}}}`
const kept = object(', annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}')

describe('the addons of a committed tree', () => {
  test.each([
    { name: 'of a cluster without any', files: {}, together: [], letGo: [] },
    {
      name: 'with units of their own are not those of the unit of all',
      files: { '02-own/kustomization.yaml': index, '02-own/a.yaml': kept },
      together: [],
      letGo: [],
    },
    {
      name: 'are let go of when all their objects are',
      files: {
        'kustomization.yaml': index,
        '01-cni/kustomization.yaml': index,
        '01-cni/.stackmason-inventory.yaml': 'a: b',
        '01-cni/a.yaml': kept,
        '01-cni/b.yaml': object(''),
        '12-csi/kustomization.yaml': index,
        '12-csi/a.yaml': kept,
      },
      together: ['cni', 'csi'],
      letGo: ['csi'],
    },
  ])('$name', ({ files, together, letGo }) => {
    const read = readCommittedAddons('clusters/team-a/web/addons', new Map(Object.entries(files)))
    expect([[...read.together], [...read.letGo]]).toEqual([together, letGo])
  })

  test('are not guessed from a file that holds no object', async () => {
    const files = new Map([
      ['kustomization.yaml', index],
      ['01-cni/a.yaml', '<<<<<<< HEAD'],
    ])
    const found = await diagnosticsOf(
      Promise.resolve().then(() => readCommittedAddons('clusters/team-a/web/addons', files)),
    )
    expect(found.map(({ code, file }) => [code, file])).toEqual([
      ['OBJECT_INVALID', 'clusters/team-a/web/addons/01-cni/a.yaml'],
    ])
  })
})
