import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { renderFlux } from '../../../tools/fleets/hand-over.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, type KubeReference } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { writeFluxTree } from './write-flux-tree.ts'
import { contextOf, plainConfig, units as sampleUnits } from './units.ts'

const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config: FluxHandoff = { ...plainConfig, source, retryInterval: '1s', timeout: '4s' }
const creating: FluxHandoff = { ...config, createNamespaces: true }

test('there is a Namespace beside the units of each namespace, and nothing else differs', () => {
  const paths = ({ createNamespaces }: Pick<FluxHandoff, 'createNamespaces'>): readonly string[] =>
    renderFlux(
      sampleUnits,
      { ...plainConfig, ...(createNamespaces && { createNamespaces }) },
      contextOf(sampleUnits),
    ).handoff.flatMap(({ path, manifests, includes = [] }) => [
      ...includes.map((name) => `${path} > ${name}`),
      ...manifests.map(({ kind, name }) => `${path}: ${kind} ${name}`),
    ])
  const without = paths({})
  const made = paths({ createNamespaces: true })
  expect(made.filter((line) => !without.includes(line))).toEqual([
    'handoff/platform: Namespace platform',
    'handoff/team-a: Namespace team-a',
  ])
  expect(without.filter((line) => !made.includes(line))).toEqual([])
})

test('the Namespace is made where there is none, never changed and never deleted', () => {
  const { handoff } = renderFlux(sampleUnits, creating, contextOf(sampleUnits))
  const namespace = handoff.find(({ path }) => path === 'handoff/team-a')?.manifests[0]
  expect(namespace && formatManifestYaml(namespace.object)).toBe(`apiVersion: v1
kind: Namespace
metadata:
  name: team-a
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
    kustomize.toolkit.fluxcd.io/ssa: IfNotPresent
`)
})

/** A unit of one ConfigMap in its own namespace. */
function unitOf(kind: 'stack' | 'cluster', name: string, namespace: string): Unit {
  const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}}}`
  return {
    kind,
    name,
    namespace,
    path: `${kind}s/${namespace}/${name}`,
    manifests: [manifestOf(text)],
    ...(kind === 'cluster' && { cluster: { name, namespace } }),
    target: 'management',
    gate: 'objects',
    dependsOn: kind === 'cluster' ? [{ unit: 'stack', namespace: 'platform' }] : [],
    release: 'docker-demo-1-34-v3',
    isSuspended: false,
  }
}

const stack = unitOf('stack', 'stack', 'platform')
const web = unitOf('cluster', 'web', 'team-a')
const fresh = unitOf('cluster', 'shop', 'team-b')

/** What docs/15-flux.md tells people to apply, with a try each second. */
const bootstrap = (/```yaml\n(apiVersion: source[^]*?)```/.exec(readFileSync('docs/15-flux.md', 'utf8'))?.[1] ?? '')
  .replace(/^[^]*?---\n/, '')
  .replace('retryInterval: 1m', 'retryInterval: 1s')

describe.runIf(hasKube('kustomizeController'))('a cluster in a namespace that nobody made, under Flux', () => {
  let kube: Kube
  let flux: Flux

  beforeAll(async () => {
    kube = await startKube()
    flux = await startKustomizeController(kube)
    await kube.createNamespaces(['flux-system'])
  }, 240_000)
  afterAll(async () => {
    await flux.close()
    await kube.close()
  })

  async function publish(units: readonly Unit[], used: FluxHandoff): Promise<Artifact> {
    const repository = await writeFluxTree(units, used, contextOf(units))
    const artifact = await flux.publish(source, repository)
    await kube.apply(bootstrap)
    return artifact
  }

  const root = kustomizationReference('flux-system', 'fleet')
  const isReady = async (reference: KubeReference, { revision }: Artifact): Promise<void> => {
    await waitFor(kube, reference, { until: (object) => isKustomizationReady(object, revision), timeout: 15_000 })
  }
  const areReady = async (units: readonly Unit[], artifact: Artifact): Promise<void> => {
    for (const { namespace, name } of units) await isReady(kustomizationReference(namespace, name), artifact)
  }
  const namespace = (name: string): KubeReference => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const factsOf = async (name: string): Promise<readonly unknown[]> => {
    const object = await kube.get(namespace(name))
    return ['metadata.uid', 'metadata.labels', 'metadata.annotations', 'status.phase'].map((path) =>
      fieldOf(object, path),
    )
  }
  /** As `kubectl label` and `kubectl apply` do, whose fields Flux takes over from them otherwise. */
  const label = async (name: string, labels: Readonly<Record<string, string>>): Promise<void> => {
    await kube.apply([{ ...namespace(name), metadata: { name, labels, annotations: { owner: 'us' } } }], {
      fieldManager: 'kubectl',
    })
  }

  test('without the switch it holds back the whole fleet until the namespace is there', async () => {
    await kube.createNamespaces(['platform'])
    await publish([stack, web], config)
    const isRefused = (object: KubeObject | undefined): boolean =>
      failureOf(object)?.includes('namespaces "team-a" not found') === true
    await waitFor(kube, root, { until: isRefused })
    expect(await kube.get(kustomizationReference('platform', 'stack'))).toBeUndefined()
    await kube.createNamespaces(['team-a'])
    await waitFor(kube, root, { until: isKustomizationReady, timeout: 15_000 })
  }, 40_000)

  test('with it the namespace is made first, and what others say of a namespace stays', async () => {
    await label('platform', { 'pod-security.kubernetes.io/enforce': 'baseline' })
    const before = await factsOf('platform')
    const units = [stack, web, fresh]
    const first = await publish(units, creating)
    await isReady(root, first)
    await areReady(units, first)
    expect(await factsOf('platform')).toEqual(before)

    // nor is one changed that the fleet has made, by another commit or by the switch
    await label('team-b', { team: 'b' })
    const made = await factsOf('team-b')
    expect(made).toEqual([
      expect.any(String),
      expect.objectContaining({ team: 'b' }),
      expect.objectContaining({ owner: 'us', 'kustomize.toolkit.fluxcd.io/prune': 'disabled' }),
      'Active',
    ])
    const another = unitOf('cluster', 'docs', 'team-b')
    const second = await publish([...units, another], creating)
    await isReady(root, second)
    await areReady([another], second)
    expect([await factsOf('platform'), await factsOf('team-b')]).toEqual([before, made])

    // a namespace that leaves the fleet stays, whoever made it, with what lies in it
    const third = await publish([stack, web], creating)
    await isReady(root, third)
    const isAbsent = (object: KubeObject | undefined): boolean => object === undefined
    await waitFor(kube, kustomizationReference('team-b', 'shop'), { until: isAbsent })
    expect(
      await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop', namespace: 'team-b' } }),
    ).toBeDefined()
    const off = await publish([stack, web], config)
    await isReady(root, off)
    expect([await factsOf('platform'), await factsOf('team-b')]).toEqual([before, made])
  }, 60_000)
})
