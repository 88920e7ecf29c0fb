import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { renderFlux } from '../../../tools/fleets/hand-over.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import {
  failureOf,
  isKustomizationReady,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Artifact,
  type Flux,
} from '../../../tools/servers/flux.ts'
import {
  fieldOf,
  parseObjects,
  refusals,
  type KubeObject,
  type KubeReference,
} from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { placeholderManifest } from './placeholder-manifest.ts'
import { writeFluxTree } from './write-flux-tree.ts'
import { contextOf, plainConfig } from './units.ts'

const shared = sharedFolder()
const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config: FluxHandoff = { ...plainConfig, source, retryInterval: '1s', timeout: '4s' }
const TAG = 'openstack-scs2-1-34-v3'
/** The manifest that docs/15-flux.md tells people to apply. */
const bootstrap = /```yaml\n(apiVersion: source[^]*?)```/.exec(readFileSync('docs/15-flux.md', 'utf8'))?.[1] ?? ''

/** Texts that a substitution could take for its own, or that YAML reads as something else than text. */
const literals: readonly string[] = [
  'echo ${HOME} ${X:-y} ${#Y} $(date) `id`',
  '$',
  '$$ $$$ $${Z}',
  '\\$ \\${A} \\\\',
  'a: b # c',
  '"quoted" \'single\' \\d',
  'true',
  '0x1F',
  'ümläut ${Ü} → end',
  '#!/bin/sh\nset -eu\nfor f in "${@}"; do\n  echo "${f%.sh}" "$1" "$$" >> ${OUT}\ndone\n',
  `long ${'word ${W} '.repeat(20)}end`,
  ' leads and trails ',
]
/** What values come out as, and the text that they stand in. */
const values = { HOST: '0x10', PORT: '6443', ID: '1e3', CERT: String.raw`-----BEGIN-----\n\"a\\b\"\n-----END-----\n` }
const filled: readonly (readonly [text: string, want: string])[] = [
  ['<<HOST>>', '0x10'],
  ['<<PORT>>', '6443'],
  ['<<ID>>', '1e3'],
  ['https://<<HOST>>:<<PORT>>/', 'https://0x10:6443/'],
  ['$<<HOST>>$ ${HOST} $$<<ID>>', '$0x10$ ${HOST} $$1e3'],
  ['say "<<HOST>>" \\n', 'say "0x10" \\n'],
  ['a: <<HOST>>', 'a: 0x10'],
  ['#!/bin/sh\ncurl "https://<<HOST>>" -H ${TOKEN}\n', '#!/bin/sh\ncurl "https://0x10" -H ${TOKEN}\n'],
  [`${'word ${W} '.repeat(20)}<<HOST>>`, `${'word ${W} '.repeat(20)}0x10`],
  [' <<HOST>>', ' 0x10'],
  // Flux takes line breaks out of values: a certificate is published as it stands between double quotes
  ['<<CERT>>', '-----BEGIN-----\n"a\\b"\n-----END-----\n'],
]
const texts = [...literals.map((text) => [text, text] as const), ...filled]

/** JSON is YAML. */
function configMap(name: string, data: Readonly<Record<string, string>>): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' }, data })
}

const script = manifestOf(configMap('script', { run: literals[9] ?? '' }))
const placeholders = placeholderManifest(
  configMap('placeholders', Object.fromEntries(texts.map(([text], index) => [`k${index}`, text]))),
)
const service = placeholderManifest(
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'endpoint', namespace: 'kube-system', labels: { host: '<<HOST>>' } },
    spec: { type: 'ExternalName', externalName: 'api.example.com', ports: [{ name: 'api', port: '<<PORT:integer>>' }] },
  }),
)
const namespaceOfAddon = manifestOf('{apiVersion: v1, kind: Namespace, metadata: {name: extra}}')

const stackUnit: Unit = {
  kind: 'stack',
  name: `stack-${TAG}`,
  namespace: 'platform',
  path: `stacks/platform/${TAG}`,
  manifests: [
    manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: class, namespace: platform}}`),
    manifestOf(
      `{apiVersion: stackmason.dev/v1alpha1, kind: NodeImageGate, metadata: {name: ${TAG}, namespace: platform}, spec: {none: true}}`,
    ),
  ],
  target: 'management',
  gate: 'images',
  dependsOn: [],
  release: TAG,
  isSuspended: false,
}
const web = { name: 'web', namespace: 'team-a' }
const clusterManifest = manifestOf(
  `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: web, namespace: team-a},
    spec: {topology: {classRef: {name: ${TAG}, namespace: platform}, version: v1.34.7}}}`,
)
const clusterUnit: Unit = {
  kind: 'cluster',
  name: 'web',
  namespace: 'team-a',
  path: 'clusters/team-a/web/cluster',
  manifests: [clusterManifest],
  cluster: web,
  target: 'management',
  gate: 'bootstrap',
  dependsOn: [{ unit: stackUnit.name, namespace: 'platform' }],
  release: TAG,
  isSuspended: false,
}
const addonsUnit: Unit = {
  kind: 'addons',
  name: 'web-addons',
  namespace: 'team-a',
  path: 'clusters/team-a/web/addons',
  manifests: [script, placeholders, service, namespaceOfAddon],
  cluster: web,
  target: 'workload',
  gate: 'none',
  dependsOn: [],
  release: TAG,
  runtimeValues: 'web',
  isSuspended: false,
}
const allUnits = [stackUnit, clusterUnit, addonsUnit]

/** Writes the tree of the units as `render` does; returns the folder that holds `rendered`. */
const writeUnits = (units: readonly Unit[], used: FluxHandoff = config): Promise<string> =>
  writeFluxTree(units, used, contextOf(units))

const isAbsent = (object: KubeObject | undefined): boolean => object === undefined
const isThere = (object: KubeObject | undefined): boolean => object !== undefined
const clusterReference: KubeReference = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'web', namespace: 'team-a' },
}

function addonReference(name: string, kind = 'ConfigMap'): KubeReference {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'kube-system' } }
}

describe.runIf(hasKube('kustomizeController') && shared !== undefined)(
  'a fleet under the real kustomize-controller',
  () => {
    let management: Kube
    let workload: Kube
    let flux: Flux

    beforeAll(async () => {
      ;[management, workload] = await Promise.all([startKube(), startKube()])
      const crds = join(shared ?? '', 'crds/cluster-api')
      await management.installCrds([join(crds, 'cluster.x-k8s.io_clusters.yaml'), 'templates/crds'])
      flux = await startKustomizeController(management)
      await management.createNamespaces(['flux-system', 'platform', 'team-a'])
    }, 240_000)
    afterAll(async () => {
      await flux.close()
      await Promise.all([management, workload].map((kube) => kube.close()))
    })

    async function publish(units: readonly Unit[]): Promise<Artifact> {
      return flux.publish(source, await writeUnits(units))
    }

    async function waitUntilReady(unit: Pick<Unit, 'name' | 'namespace'>, artifact?: Artifact): Promise<void> {
      const until = (object: KubeObject | undefined): boolean => isKustomizationReady(object, artifact?.revision)
      await waitFor(management, kustomizationReference(unit.namespace, unit.name), { until })
    }

    async function waitForFailure(unit: Unit, text: string): Promise<void> {
      const until = (object: KubeObject | undefined): boolean => failureOf(object)?.includes(text) ?? false
      await waitFor(management, kustomizationReference(unit.namespace, unit.name), { until })
    }

    test('one build of the handoff folder gives every Kustomization, and the server takes each', async () => {
      const repository = await writeUnits(allUnits)
      const { kubectl = '' } = kubeBinaries() ?? {}
      const text = execFileSync(kubectl, ['kustomize', join(repository, 'rendered/handoff')], { encoding: 'utf8' })
      const objects = parseObjects(text)
      expect(objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()).toEqual([
        `platform/stack-${TAG}`,
        'team-a/web',
        'team-a/web-addons',
      ])
      expect(refusals(await management.apply(objects, { dryRun: true }))).toEqual([])
    })

    test('the manifest of the documentation is taken', async () => {
      expect(parseObjects(bootstrap).map(({ kind }) => kind)).toEqual(['GitRepository', 'Kustomization'])
      expect(refusals(await management.apply(bootstrap))).toEqual([])
    })

    test('a new cluster: the stack, when its images are there the Cluster, when it answers the addons', async () => {
      const artifact = await publish(allUnits)
      await waitUntilReady({ name: 'fleet', namespace: 'flux-system' }, artifact)
      // a gate that nobody has answered holds the Cluster back
      await waitForFailure(clusterUnit, 'dependency')
      expect(await management.get(clusterReference)).toBeUndefined()
      const gate = {
        apiVersion: 'stackmason.dev/v1alpha1',
        kind: 'NodeImageGate',
        metadata: { name: TAG, namespace: 'platform' },
      }
      const generation = fieldOf(await waitFor(management, gate, { until: isThere }), 'metadata.generation')
      await management.applyStatus({
        ...gate,
        status: { observedGeneration: generation, conditions: [ready(generation)] },
      })
      await waitFor(management, clusterReference, { until: isThere })
      await waitUntilReady(stackUnit, artifact)

      // the addons ask again and again for what only a running cluster brings: its kubeconfig, then its values
      await waitForFailure(addonsUnit, 'web-kubeconfig')
      // nothing waits for the control plane with a worker of Flux
      await waitUntilReady(clusterUnit, artifact)
      await management.apply([
        {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'cluster.x-k8s.io/secret',
          metadata: { name: 'web-kubeconfig', namespace: 'team-a' },
          stringData: { value: workload.kubeconfigText },
        },
      ])
      await management.applyStatus({
        ...clusterReference,
        status: { initialization: { controlPlaneInitialized: true } },
      })
      await waitForFailure(addonsUnit, 'ConfigMap/web')
      expect(await workload.get(addonReference('script'))).toBeUndefined()
      await setValues(values)
      await waitUntilReady(addonsUnit, artifact)
    })

    async function setValues(data: Readonly<Record<string, string>>): Promise<void> {
      const metadata = { name: 'web', namespace: 'team-a', labels: { 'reconcile.fluxcd.io/watch': 'Enabled' } }
      expect(refusals(await management.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }]))).toEqual([])
    }

    test('placeholders are filled as text or number, and nothing else changes', async () => {
      const want = Object.fromEntries(texts.map(([, text], index) => [`k${String(index)}`, text]))
      expect(fieldOf(await workload.get(addonReference('placeholders')), 'data')).toEqual(want)
      expect(fieldOf(await workload.get(addonReference('script')), 'data')).toEqual({ run: literals[9] })
      const endpoint = await workload.get(addonReference('endpoint', 'Service'))
      expect([fieldOf(endpoint, 'spec.ports.0.port'), fieldOf(endpoint, 'metadata.labels.host')]).toEqual([
        6443,
        '0x10',
      ])
    })

    test('a changed value reaches the cluster without a commit', async () => {
      await setValues({ ...values, HOST: 'api.example.com' })
      const until = (object: KubeObject | undefined): boolean =>
        fieldOf(object, 'metadata.labels.host') === 'api.example.com'
      expect(await waitFor(workload, addonReference('endpoint', 'Service'), { until })).toBeDefined()
    })

    test('an addon that is taken out is pruned, but for its Namespace', async () => {
      const artifact = await publish([stackUnit, clusterUnit, { ...addonsUnit, manifests: [placeholders] }])
      await waitUntilReady(addonsUnit, artifact)
      await waitFor(workload, addonReference('script'), { until: isAbsent })
      expect(await workload.get({ ...addonReference('extra', 'Namespace'), metadata: { name: 'extra' } })).toBeDefined()
    })

    test('a Cluster that is taken out by mistake stays', async () => {
      const artifact = await publish([stackUnit, { ...clusterUnit, manifests: [] }, addonsUnit])
      await waitUntilReady(addonsUnit, artifact)
      await waitUntilReady(clusterUnit, artifact)
      expect(fieldOf(await management.get(clusterReference), 'metadata.deletionTimestamp')).toBeUndefined()
    })

    test('a Cluster that the API server refuses to change is never made anew, whatever its annotations say', async () => {
      const forced = (version: string): Unit => ({
        ...clusterUnit,
        manifests: [
          manifestOf(
            `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: web, namespace: team-a, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}},
              spec: {topology: {classRef: {name: ${TAG}, namespace: platform}, version: "${version}"}}}`,
          ),
        ],
      })
      await waitUntilReady(clusterUnit, await publish([stackUnit, forced('v1.34.7'), addonsUnit]))
      const before = fieldOf(await management.get(clusterReference), 'metadata.uid')
      await publish([stackUnit, forced(''), addonsUnit])
      await waitForFailure(clusterUnit, 'spec.topology.version')
      const after = await management.get(clusterReference)
      expect([fieldOf(after, 'metadata.uid'), fieldOf(after, 'metadata.deletionTimestamp')]).toEqual([
        before,
        undefined,
      ])
    })

    test('units that are taken out by mistake strip nothing', async () => {
      const other: Unit = { ...stackUnit, name: 'stack-other', path: 'stacks/platform/other', manifests: [script] }
      const artifact = await publish([{ ...other, gate: 'none', target: 'management' }])
      await waitUntilReady({ name: 'fleet', namespace: 'flux-system' }, artifact)
      for (const { namespace, name } of allUnits) {
        await waitFor(management, kustomizationReference(namespace, name), { until: isAbsent })
      }
      expect(fieldOf(await management.get(clusterReference), 'metadata.deletionTimestamp')).toBeUndefined()
      expect(await workload.get(addonReference('placeholders'))).toBeDefined()
      expect(
        await management.get({ ...addonReference('class'), metadata: { name: 'class', namespace: 'platform' } }),
      ).toBeDefined()
    })

    test('a decommissioned Cluster goes when its unit lets it, and what is left goes with the unit', async () => {
      await waitUntilReady(clusterUnit, await publish(allUnits))
      const prepared: Unit = { ...clusterUnit, mayDelete: 'cluster' }
      await waitUntilReady(clusterUnit, await publish([stackUnit, prepared]))
      expect(await management.get(clusterReference)).toBeDefined()
      await waitUntilReady(clusterUnit, await publish([stackUnit, { ...prepared, manifests: [] }]))
      await waitFor(management, clusterReference, { until: isAbsent })
      const note = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stackmason-web', namespace: 'team-a' } }
      expect(await management.get(note)).toBeDefined()
      await waitUntilReady(
        clusterUnit,
        await publish([stackUnit, { ...prepared, manifests: [], mayDelete: 'everything' }]),
      )
      await publish([stackUnit])
      await waitFor(management, note, { until: isAbsent })
      expect(await workload.get(addonReference('placeholders'))).toBeDefined()
    })
  },
)

describe.runIf(hasKube('kustomizeController') && shared !== undefined)('under multi-tenancy lockdown', () => {
  let management: Kube
  let flux: Flux

  beforeAll(async () => {
    management = await startKube()
    await management.installCrds([join(shared ?? '', 'crds/cluster-api/cluster.x-k8s.io_clusters.yaml')])
    flux = await startKustomizeController(management, { args: ['--no-cross-namespace-refs=true'] })
    await management.createNamespaces(['flux-system', 'platform', 'team-a'])
  }, 240_000)
  afterAll(async () => {
    await flux.close()
    await management.close()
  })

  async function apply(units: readonly Unit[], used: FluxHandoff): Promise<void> {
    const repository = await writeUnits(units, used)
    for (const namespace of ['flux-system', 'platform', 'team-a']) {
      await flux.publish({ kind: 'GitRepository', name: 'fleet', namespace }, repository)
    }
    const objects = renderFlux(units, used, contextOf(units)).handoff.flatMap(({ manifests }) => manifests)
    for (const { object } of objects) {
      expect(refusals(await management.apply(formatManifestYaml(object)))).toEqual([])
    }
  }

  test('a source of another namespace is refused, one of the same name in each is taken, and clusters still wait for their stack', async () => {
    const units = [{ ...stackUnit, manifests: stackUnit.manifests.slice(0, 1) }, clusterUnit]
    await apply(units, config)
    const reference = kustomizationReference('platform', stackUnit.name)
    const until = (object: KubeObject | undefined): boolean =>
      String(fieldOf(object, 'status.conditions.0.message')).includes('cross-namespace references have been blocked')
    await waitFor(management, reference, { until })
    expect(await management.get(clusterReference)).toBeUndefined()

    await apply(units, { ...config, source: { kind: 'GitRepository', name: 'fleet' } })
    await waitFor(management, reference, { until: isKustomizationReady })
    expect(await waitFor(management, clusterReference, { until: isThere })).toBeDefined()
  })

  test('a unit that waits for a condition opens when an object of its target is as the condition says', async () => {
    const gate: KubeReference = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gate', namespace: 'team-a' } }
    const waiting: Unit = {
      ...clusterUnit,
      kind: 'condition',
      name: 'before',
      path: 'clusters/team-a/web/addons/02-csi-before',
      manifests: [manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: before, namespace: team-a}}')],
      gate: 'none',
      dependsOn: [],
      healthChecks: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'gate', namespace: 'team-a', current: "data.open == 'yes'" },
      ],
    }
    const after: Unit = {
      ...waiting,
      name: 'after',
      path: 'clusters/team-a/web/addons/02-csi',
      manifests: [manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: team-a}}')],
      dependsOn: [{ unit: 'before' }],
      healthChecks: [],
    }
    const applied = (name: string): Promise<KubeObject | undefined> =>
      management.get({ ...gate, metadata: { name, namespace: 'team-a' } })
    expect(refusals(await management.apply([{ ...gate, data: { open: 'no' } }]))).toEqual([])
    await apply([waiting, after], { ...config, source: { kind: 'GitRepository', name: 'fleet' } })
    const until = (object: KubeObject | undefined): boolean => failureOf(object)?.includes('dependency') ?? false
    await waitFor(management, kustomizationReference('team-a', 'after'), { until })
    await waitFor(management, { ...gate, metadata: { name: 'before', namespace: 'team-a' } }, { until: isThere })
    expect(await applied('after')).toBeUndefined()
    expect(refusals(await management.apply([{ ...gate, data: { open: 'yes' } }]))).toEqual([])
    await waitFor(management, kustomizationReference('team-a', 'after'), { until: isKustomizationReady })
    expect(await applied('after')).toBeDefined()
  })
})

function ready(observedGeneration: unknown): object {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime, observedGeneration }
}
