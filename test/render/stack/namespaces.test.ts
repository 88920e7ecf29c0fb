import { expect, test } from 'vitest'
import { errorCodes } from '../../../src/model/error-codes.ts'
import { addNamespaces, type AddonFolder } from '../../../src/render/stack/namespaces.ts'
import type { PlannedAddon } from '../../../src/render/stack/addon-plan.ts'
import { manifestOf } from './objects.ts'

const at = { source: { name: 'clusters/team-a/web/addons.yaml', text: '' }, start: 0, end: 0 }
const about = { cluster: 'team-a/web' }

function addonOf(name: string, namespace: string | undefined, objects: readonly string[]): AddonFolder {
  const entry = { name, namespace, at, enabled: true, ignoresConditions: false }
  const planned = { from: namespace === undefined ? 'release' : 'fleet', name, folder: name, entry } as PlannedAddon
  const manifests = objects.map((text) =>
    text.startsWith('Namespace ')
      ? manifestOf(`{apiVersion: v1, kind: Namespace, metadata: {name: ${text.slice('Namespace '.length)}}}`)
      : { ...manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'), namespace: text },
  )
  return { planned, about, folder: { path: name, manifests } }
}

test.each([
  {
    name: 'is made once for own addons that state it',
    addons: [addonOf('a', 'door', ['door']), addonOf('b', 'door', ['door'])],
    made: ['a: door'],
  },
  {
    name: 'is not made where another addon brings it',
    addons: [addonOf('cni', undefined, ['Namespace door']), addonOf('a', 'door', ['door'])],
    made: ['cni: door'],
  },
  {
    name: 'is not made where the addon brings it itself',
    addons: [addonOf('a', 'door', ['door', 'Namespace door'])],
    made: ['a: door'],
  },
  {
    name: 'is not made where every cluster has it',
    addons: [addonOf('a', 'kube-system', ['kube-system', 'default'])],
    made: [],
  },
  { name: 'is not made where nothing lies in it', addons: [addonOf('a', 'door', ['default'])], made: [] },
  {
    name: 'that nothing makes is warned about',
    addons: [addonOf('cni', undefined, ['wall', 'wall']), addonOf('a', 'door', ['door', 'roof'])],
    made: ['a: door'],
    says: [
      'addon/templates/x.yaml: addon cni has objects in namespace wall, which no addon of the cluster brings',
      'addon/templates/x.yaml: addon a has objects in namespace roof, which no addon of the cluster brings',
    ],
  },
])('a namespace $name', ({ addons, made, says = [] }) => {
  const { folders, findings } = addNamespaces(addons)
  const namespaces = folders.flatMap(({ path, manifests }) =>
    manifests.filter(({ kind }) => kind === 'Namespace').map(({ name }) => `${path}: ${name}`),
  )
  expect(namespaces).toEqual(made)
  expect(findings.map(({ at: place, file, message }) => `${place?.source.name ?? file ?? ''}: ${message}`)).toEqual(
    says,
  )
  expect(findings.every(({ code }) => code === 'NAMESPACE_MISSING')).toBe(true)
})

test.each([
  ['kube-sytem', undefined, 'Did you mean kube-system? '],
  ['dor', 'door', 'Did you mean door? '],
  ['roof', 'door', undefined],
])('a namespace %s that nothing makes, beside %s', (namespace, made, begins) => {
  const { findings } = addNamespaces([addonOf('a', made, [namespace, ...(made === undefined ? [] : [made])])])
  const { fix } = errorCodes.NAMESPACE_MISSING
  expect(findings.map(({ hint }) => hint)).toEqual([begins && begins + fix])
})
