import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'

const namespace = 'team-a'

function configMap(name: string, data: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }
}

/** JSON is YAML. */
function folderOf(objects: readonly KubeObject[]): Readonly<Record<string, string>> {
  const files = objects.map((object) => [`unit/${object.metadata.name}.yaml`, JSON.stringify(object)] as const)
  const resources = objects.map(({ metadata }) => `${metadata.name}.yaml`)
  return { 'unit/kustomization.yaml': JSON.stringify({ resources }), ...Object.fromEntries(files) }
}

function annotated(object: KubeObject, name: string, value: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { [name]: value } } }
}

function kustomization(name: string, spec: object = {}): KubeObject {
  return {
    ...kustomizationReference(namespace, name),
    spec: {
      interval: '1h',
      retryInterval: '2s',
      timeout: '10s',
      prune: true,
      path: './unit',
      sourceRef: { kind: 'GitRepository', name },
      ...spec,
    },
  }
}

describe.runIf(hasKube('controllerManager', 'kustomizeController'))('the real kustomize-controller', () => {
  let management: Kube
  let workload: Kube
  let flux: Flux

  beforeAll(async () => {
    ;[management, workload] = await Promise.all([startKube({ controllerManager: true }), startKube()])
    flux = await startKustomizeController(management)
    await Promise.all([management, workload].map((kube) => kube.createNamespaces([namespace])))
  })
  afterAll(async () => {
    await flux.close()
    await Promise.all([management, workload].map((kube) => kube.close()))
  })

  function publish(name: string, objects: readonly KubeObject[]): Promise<Artifact> {
    return flux.publish({ name, namespace }, folderOf(objects))
  }

  async function apply(object: KubeObject): Promise<void> {
    expect(refusals(await management.apply([object]))).toEqual([])
  }

  async function waitUntilApplied(name: string, artifact: Artifact): Promise<void> {
    const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, artifact.revision)
    await waitFor(management, kustomizationReference(namespace, name), { until })
  }

  /** Deletes a Kustomization and waits until it is done with what it owned. */
  async function remove(name: string): Promise<void> {
    await management.remove(kustomizationReference(namespace, name))
    await waitFor(management, kustomizationReference(namespace, name), { until: (object) => object === undefined })
  }

  async function dataOf(kube: Kube, name: string): Promise<unknown> {
    return fieldOf(await kube.get(configMap(name)), 'data')
  }

  test('applies what kustomization.yaml lists, follows its source, and prunes', async () => {
    const kept = annotated(configMap('kept', { a: '1' }), 'kustomize.toolkit.fluxcd.io/prune', 'disabled')
    const objects = [configMap('first', { a: '1' }), configMap('second'), kept]
    const files = { ...folderOf(objects), 'unit/unlisted.yaml': JSON.stringify(configMap('unlisted')) }
    const before = await flux.publish({ name: 'folder', namespace }, files)
    await apply(kustomization('folder'))
    await waitUntilApplied('folder', before)
    expect(await dataOf(management, 'first')).toEqual({ a: '1' })
    expect(await management.get(configMap('second'))).toBeDefined()
    expect(await management.get(configMap('unlisted'))).toBeUndefined()

    await waitUntilApplied('folder', await publish('folder', [configMap('first', { a: '2' })]))
    expect(await dataOf(management, 'first')).toEqual({ a: '2' })
    expect(await management.get(configMap('second'))).toBeUndefined()
    expect(await dataOf(management, 'kept')).toEqual({ a: '1' })
  })

  test.each([
    { policy: 'Orphan', stays: true },
    { policy: 'MirrorPrune', stays: false },
  ])('with the deletion policy $policy, leaves its objects: $stays', async ({ policy, stays }) => {
    const name = `deleted-${policy.toLowerCase()}`
    const artifact = await publish(name, [configMap(name)])
    await apply(kustomization(name, { deletionPolicy: policy }))
    await waitUntilApplied(name, artifact)
    await remove(name)
    expect((await management.get(configMap(name))) !== undefined).toBe(stays)
  })

  test('prunes by the policy Orphan as long as the Kustomization lives', async () => {
    const artifact = await publish('orphan', [configMap('orphan-a'), configMap('orphan-b')])
    await apply(kustomization('orphan', { deletionPolicy: 'Orphan' }))
    await waitUntilApplied('orphan', artifact)
    await waitUntilApplied('orphan', await publish('orphan', [configMap('orphan-a')]))
    expect(await management.get(configMap('orphan-b'))).toBeUndefined()
  })

  test('fills in values, all or none', async () => {
    const noSubstitution = 'kustomize.toolkit.fluxcd.io/substitute'
    const literal = annotated(configMap('literal', { script: '${HOME}' }), noSubstitution, 'disabled')
    await publish('values', [configMap('filled', { host: '${HOST}', zone: '${ZONE}' }), literal])
    await apply(configMap('known', { HOST: 'api.example.com' }))
    await apply(kustomization('values', { postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'known' }] } }))
    const reference = kustomizationReference(namespace, 'values')
    const failed = await waitFor(management, reference, { until: (object) => failureOf(object) !== undefined })
    expect(failureOf(failed)).toContain('variable not set (strict mode): "ZONE"')
    expect(await management.get(configMap('filled'))).toBeUndefined()
    expect(await management.get(configMap('literal'))).toBeUndefined()

    await apply(configMap('known', { HOST: 'api.example.com', ZONE: 'nova' }))
    await flux.reconcile(reference)
    await waitFor(management, reference, { until: isKustomizationReady })
    expect(await dataOf(management, 'filled')).toEqual({ host: 'api.example.com', zone: 'nova' })
    expect(await dataOf(management, 'literal')).toEqual({ script: '${HOME}' })
  })

  // Quotes around a variable are lost before it is replaced: they have to come as a value.
  test.each([
    { name: 'plain', port: '${PORT}', want: expect.stringContaining('expected string, got') },
    { name: 'quoted', port: '${QUOTE}${PORT}${QUOTE}', want: { port: '6443' } },
    { name: 'inside', port: 'https://${HOST}:${PORT}', want: { port: 'https://::1:6443' } },
  ])('reads a number as one wherever it can: $name', async ({ name, port, want }) => {
    await publish(name, [configMap(`port-${name}`, { port })])
    await apply(configMap(`values-${name}`, { HOST: '::1', PORT: '6443' }))
    const substituteFrom = [{ kind: 'ConfigMap', name: `values-${name}` }]
    await apply(kustomization(name, { postBuild: { substitute: { QUOTE: '"' }, substituteFrom } }))
    const isDone = (object: KubeObject | undefined): boolean =>
      isKustomizationReady(object) || failureOf(object) !== undefined
    const done = await waitFor(management, kustomizationReference(namespace, name), { until: isDone })
    expect(failureOf(done) ?? (await dataOf(management, `port-${name}`))).toEqual(want)
    await remove(name)
  })

  test('waits for the kubeconfig of another cluster, and applies there', async () => {
    const artifact = await publish('remote', [configMap('addon', { a: '1' })])
    await apply(
      kustomization('remote', {
        deletionPolicy: 'Orphan',
        kubeConfig: { secretRef: { name: 'c1-kubeconfig', key: 'value' } },
      }),
    )
    const reference = kustomizationReference(namespace, 'remote')
    const failed = await waitFor(management, reference, { until: (object) => failureOf(object) !== undefined })
    expect(failureOf(failed)).toContain('c1-kubeconfig')

    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: { name: 'c1-kubeconfig', namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      stringData: { value: workload.kubeconfigText },
    })
    await waitUntilApplied('remote', artifact)
    expect(await dataOf(workload, 'addon')).toEqual({ a: '1' })
    expect(await management.get(configMap('addon'))).toBeUndefined()

    await remove('remote')
    expect(await dataOf(workload, 'addon')).toEqual({ a: '1' })
  })

  test('takes an external artifact for a source', async () => {
    const source = { kind: 'ExternalArtifact', name: 'external', namespace } as const
    const artifact = await flux.publish(source, folderOf([configMap('from-outside')]), 'v1@sha256:1')
    await apply(kustomization('external', { sourceRef: { kind: source.kind, name: source.name } }))
    await waitUntilApplied('external', artifact)
    expect(artifact.revision).toBe('v1@sha256:1')
    expect(await management.get(configMap('from-outside'))).toBeDefined()
  })
})
