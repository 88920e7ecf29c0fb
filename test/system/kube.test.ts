import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubeBinaries } from '../../tools/kube.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { tempFolder } from '../support/temp-folder.ts'

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-validations:
                - rule: self.low <= self.high
                  message: low must not be above high
              properties:
                low: {type: integer, default: 1}
                high: {type: integer, default: 5}
            status:
              type: object
              properties:
                observedGeneration: {type: integer, default: -1}
`

function widget(name: string, spec: unknown): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec }
}

function configMap(name: string, data: unknown, namespace = 'default'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }
}

describe.runIf(hasKube('controllerManager'))('a real API server', () => {
  let kube: Kube
  let other: Kube

  beforeAll(async () => {
    ;[kube, other] = await Promise.all([startKube({ controllerManager: true }), startKube()])
  })
  afterAll(() => Promise.all([kube, other].map((server) => server.close())))

  test('keeps what is applied, and gives it back', async () => {
    const object = configMap('kept', { a: '1' })
    expect(refusals(await kube.apply([object]))).toEqual([])
    expect(await kube.get(object)).toMatchObject({ data: { a: '1' } })
    expect((await kube.list('v1', 'ConfigMap', 'default')).map(({ metadata }) => metadata.name)).toContain('kept')
    await kube.remove(object)
    await kube.remove(object)
    expect(await kube.get(object)).toBeUndefined()
  })

  test('knows nothing of the server beside it', async () => {
    const object = configMap('one-sided', {})
    await kube.apply([object])
    expect(await other.get(object)).toBeUndefined()
    // the authority of the one is unknown to the other
    await expect(answerStatus({ ...other, adminCert: kube.adminCert, adminKey: kube.adminKey })).resolves.toBe(401)
    await expect(answerStatus(other)).resolves.toBe(200)
    // clusters are told apart by it, whatever both begin with
    const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }
    const uids = await Promise.all(
      [kube, other].map(async (server) => fieldOf(await server.get(system), 'metadata.uid')),
    )
    expect(uids.map((uid) => typeof uid)).toEqual(['string', 'string'])
    expect(uids[0]).not.toBe(uids[1])
  })

  test('fills in defaults and checks rules of a custom resource definition', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'crds'))
    await writeFile(join(folder, 'crds/widgets.yaml'), widgets)
    await kube.installCrds([join(folder, 'crds')])
    const results = await kube.apply([widget('good', { low: 2 }), widget('bad', { low: 9 }), widget('odd', { lwo: 1 })])
    expect(refusals(results)).toEqual([
      'example.com/v1 Widget default/bad: Widget.example.com "bad" is invalid: spec: Invalid value: "object": low must not be above high',
      expect.stringContaining('example.com/v1 Widget default/odd: failed to create typed patch object'),
    ])
    expect(await kube.get(widget('good', {}))).toMatchObject({ spec: { low: 2, high: 5 } })
    await kube.applyStatus({ ...widget('good', {}), status: {} })
    expect(fieldOf(await kube.get(widget('good', {})), 'status.observedGeneration')).toBe(-1)
  })

  test('keeps nothing in a dry run, and says what it would refuse', async () => {
    const text = `
apiVersion: v1
kind: ConfigMap
metadata: {name: dry, namespace: default}
data: {a: "1"}
---
# nothing
---
apiVersion: v1
kind: ConfigMap
metadata: {name: Bad_Name, namespace: default}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: lost, namespace: nowhere}
---
apiVersion: example.org/v1
kind: Unknown
metadata: {name: unknown}
`
    const results = await kube.apply(text, { dryRun: true })
    expect(results.map(({ object, ok }) => [object, ok])).toEqual([
      ['v1 ConfigMap default/dry', true],
      ['v1 ConfigMap default/Bad_Name', false],
      ['v1 ConfigMap nowhere/lost', false],
      ['example.org/v1 Unknown unknown', false],
    ])
    expect(refusals(results)).toEqual([
      expect.stringContaining('a lowercase RFC 1123 subdomain must consist of lower case'),
      'v1 ConfigMap nowhere/lost: namespaces "nowhere" not found',
      'example.org/v1 Unknown unknown: no matches for kind "Unknown" in version "example.org/v1"',
    ])
    expect(await kube.get(configMap('dry', {}))).toBeUndefined()
  })

  test('names who owns a field', async () => {
    await kube.apply([configMap('owned', { a: '1' })], { fieldManager: 'first' })
    const second = { fieldManager: 'second', force: false }
    const [result] = await kube.apply([configMap('owned', { a: '2' })], second)
    expect(result).toMatchObject({ ok: false, status: 409 })
    expect(result?.message).toContain('conflict with "first"')
    expect(refusals(await kube.apply([configMap('owned', { a: '2' })], { fieldManager: 'second' }))).toEqual([])
  })

  test('applies namespaces before what is in them, and removes them with it', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short-lived' } }
    const object = configMap('inside', {}, 'short-lived')
    expect(refusals(await kube.apply([object, namespace]))).toEqual([])
    await kube.remove(namespace)
    await waitFor(kube, namespace, { until: (found) => found === undefined })
    expect(await kube.get(object)).toBeUndefined()
  })

  test('collects what lost its owner', async () => {
    await kube.apply([configMap('owner', {})])
    const uid = fieldOf(await kube.get(configMap('owner', {})), 'metadata.uid')
    const owned = configMap('owned-by-it', {})
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
    await kube.apply([{ ...owned, metadata: { ...owned.metadata, ownerReferences } }])
    await kube.remove(configMap('owner', {}))
    await expect(waitFor(kube, owned, { until: (found) => found === undefined })).resolves.toBeUndefined()
  })

  test('answers kubectl by its kubeconfig', () => {
    const kubectl = kubeBinaries()?.kubectl ?? ''
    const args = ['--kubeconfig', kube.kubeconfig, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}']
    expect(JSON.parse(execFileSync(kubectl, args, { encoding: 'utf8' }))).toContain('system:masters')
  })
})

type Access = Pick<Kube, 'url' | 'ca' | 'adminCert' | 'adminKey'>

function answerStatus({ url, ca, adminCert, adminKey }: Access): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/namespaces`, { ca, cert: adminCert, key: adminKey }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once('error', reject)
      .end()
  })
}
