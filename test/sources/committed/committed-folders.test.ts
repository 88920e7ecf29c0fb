import { expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { keepFolders } from '../../../src/sources/committed/committed-folders.ts'

const secret = `apiVersion: v1
kind: Secret
metadata:
  name: web-cloud
  namespace: team-a
`
const cni = `apiVersion: v1
kind: ConfigMap
metadata:
  name: cni
  namespace: kube-system
data:
  host: \${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}
  number: "12"
`
const kustomization = (...resources: readonly string[]): string =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${resources.map((name) => `- ${name}\n`).join('')}`

test('gives the folders that were committed, the cluster first, without those that only include others', () => {
  const folders = keepFolders(
    'clusters/team-a/web',
    new Map([
      ['addons/kustomization.yaml', kustomization('01-cni')],
      ['addons/01-cni/kustomization.yaml', kustomization('configmap-cni.yaml')],
      ['addons/01-cni/configmap-cni.yaml', cni],
      [
        'addons/01-cni/.stackmason-inventory.yaml',
        'apiVersion: stackmason.dev/v1alpha1\nkind: Inventory\nfiles:\n- path: configmap-cni.yaml\n  sha256: "00"\n  template: cni/templates/config.yaml\n',
      ],
      ['cluster/kustomization.yaml', kustomization('secret-web-cloud.yaml')],
      ['cluster/secret-web-cloud.yaml', secret],
    ]),
  )
  expect(
    folders.map(({ path, manifests }) => [
      path,
      manifests.map(({ apiVersion, kind, name, namespace, origin }) => [
        apiVersion,
        kind,
        `${namespace ?? ''}/${name}`,
        origin.template,
      ]),
    ]),
  ).toEqual([
    [
      'clusters/team-a/web/cluster',
      [['v1', 'Secret', 'team-a/web-cloud', 'clusters/team-a/web/cluster/secret-web-cloud.yaml']],
    ],
    ['clusters/team-a/web/addons/01-cni', [['v1', 'ConfigMap', 'kube-system/cni', 'cni/templates/config.yaml']]],
  ])
  expect(folders.flatMap(({ manifests }) => manifests.map(({ object }) => formatManifestYaml(object)))).toEqual([
    secret,
    cni,
  ])
})

test.each([
  ['<<<<<<< ours\n', 'has conflict markers of git'],
  ['', 'holds no object'],
  ['just text', 'holds no object'],
  ['- a list\n', 'holds no object'],
])('refuses a file that holds no object: %j', (text, reason) => {
  const keep = (): unknown => keepFolders('clusters/team-a/web', new Map([['cluster/secret-web-cloud.yaml', text]]))
  expect(keep).toThrow(StackmasonError)
  expect(keep).toThrow(`the file as it is committed ${reason}`)
})

test('gives own addons in the order in which they are included, which is not that of their names', () => {
  const names = ['web', 'api', 'queue']
  const folders = keepFolders(
    'clusters/team-a/web',
    new Map([
      ['addons-own/kustomization.yaml', kustomization(...names)],
      ...names.flatMap((name): (readonly [string, string])[] => [
        [`addons-own/${name}/kustomization.yaml`, kustomization('configmap-cni.yaml')],
        [`addons-own/${name}/configmap-cni.yaml`, cni],
      ]),
    ]),
  )
  expect(folders.map(({ path }) => path)).toEqual(names.map((name) => `clusters/team-a/web/addons-own/${name}`))
})
