import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { WorkedKind } from '../../src/controller/worked-kinds.ts'
import { installFiles } from '../../src/install/install-manifests.ts'
import {
  argoRules,
  features,
  knownSources,
  leaseRules,
  type RoleOptions,
  type RoleRule,
} from '../../src/install/roles.ts'
import { controllerManifests } from '../../src/pipeline/commands/controller-manifests.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { storedKind } from '../../tools/fleets/stored-kinds.ts'
import { waitFor } from '../../tools/servers/flux.ts'
import { fieldOf, type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { type AuditedRequest, hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { startWebProxy, type WebProxy } from '../../tools/servers/web-proxy.ts'
import { kubeBinaries } from '../../tools/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { base64, kubeconfig, throughProxy } from '../controller/workload-cluster/kubeconfigs.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { installOptions } from '../support/install-options.ts'
import {
  cluster,
  definition,
  installKinds,
  readyIs,
  type RunningController,
  runtimeValues,
  startController,
  valuesMap,
} from './controller-world.ts'

const sources = ['testclusters.infrastructure.cluster.x-k8s.io']
const stored = 'things.stored.example.com'
const lease = 'stackmason-controller'

const install = installOptions({
  argoNamespace: 'argocd',
  sources,
  migrated: [stored],
  environment: [['HTTPS_PROXY', 'http://proxy.example.com:3128']],
  pullSecrets: ['registry'],
  metricsSecret: 'metrics',
  leasesFirst: true,
})

/** Requests that the server has put into a flow schema. */
async function dispatchedBy(kube: Kube, flowSchema: string): Promise<number> {
  const { body } = await kube.request('GET', '/metrics')
  const lines = String(body).matchAll(/^apiserver_flowcontrol_dispatched_requests_total\{(.*)\} (\S+)$/gm)
  return [...lines].reduce(
    (sum, [, labels = '', count = '']) =>
      labels.includes(`flow_schema="${flowSchema}"`) && labels.includes('priority_level="leader-election"')
        ? sum + Number(count)
        : sum,
    0,
  )
}

/** Rights or requests as lines: `get group/resource`, with the names that they are for. */
function linesOf(rules: readonly RoleRule[]): readonly string[] {
  const lines = rules.flatMap(({ group, resources, verbs, names = [''] }) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => `${verb} ${group}/${resource} ${name}`.trim())),
    ),
  )
  return [...new Set(lines)].toSorted()
}

describe.runIf(hasKube())('the controller with the rights that it is installed with', () => {
  let kube: Kube
  let proxy: WebProxy
  let controller: RunningController | undefined

  const apply = async (...objects: readonly KubeObject[]): Promise<void> => {
    expect(refusals(await kube.apply(objects))).toEqual([])
  }

  /** Installs one feature in a namespace of its own, and runs it as its service account. */
  const run = async (kind: WorkedKind): Promise<string> => {
    const namespace = `stackmason-${kind.toLowerCase()}`
    for (const { text } of installFiles({ ...install, namespace, kinds: [kind] }, [])) {
      expect(refusals(await kube.apply(text))).toEqual([])
    }
    const { body } = await kube.request(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/stackmason-controller/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
    )
    const times = { duration: 30_000, renewWithin: 20_000, retryEvery: 100 }
    controller = await startController(
      kube,
      { kinds: [kind], argoNamespace: 'argocd', lease: { namespace, times } },
      { token: String(fieldOf(body, 'status.token')) },
    )
    return `system:serviceaccount:${namespace}:stackmason-controller`
  }

  /** What the server was asked, and what is allowed: nothing of either may be missing in the other. */
  const compare = async (
    user: string,
    kind: string,
  ): Promise<{ readonly asked: readonly string[]; readonly allowed: readonly string[] }> => {
    await controller?.stop()
    controller = undefined
    const options: RoleOptions = { sources: [...knownSources, ...sources], migrated: [stored], lease }
    const rules = [
      ...features.filter((one) => one.kind === kind).flatMap((feature) => feature.rules(options)),
      ...(kind === 'RuntimeValues' ? argoRules : []),
      ...leaseRules(options),
    ]
    const asked = await kube.audited(user)
    expect(asked.filter(({ status }) => status === 403)).toEqual([])
    // names count where a right is for some of them
    const isNamed = ({ verb, group, resource }: AuditedRequest): boolean =>
      rules.some(
        (rule) =>
          rule.names !== undefined &&
          rule.group === group &&
          rule.resources.includes(resource) &&
          rule.verbs.includes(verb),
      )
    const lines = asked.map((request) => {
      const { verb, group, resource, name } = request
      return `${verb} ${group}/${resource} ${isNamed(request) ? name : ''}`.trim()
    })
    return { asked: [...new Set(lines)].toSorted(), allowed: linesOf(rules) }
  }

  /** A Cluster that is this API server. */
  const selfCluster = async (): Promise<readonly KubeObject[]> => {
    const self = cluster('self', { controlPlaneEndpoint: { host: '192.0.2.1', port: 6443 } })
    await apply(self)
    await kube.applyStatus({ ...self, spec: undefined, status: { initialization: { controlPlaneInitialized: true } } })
    const metadata = {
      name: 'self-kubeconfig',
      namespace: 'team-a',
      labels: { 'cluster.x-k8s.io/cluster-name': 'self' },
    }
    const text = kubeconfig({
      cluster: { ...throughProxy(proxy, 'https://192.0.2.1:6443'), 'certificate-authority-data': base64(kube.ca) },
      user: { 'client-certificate-data': base64(kube.adminCert), 'client-key-data': base64(kube.adminKey) },
    })
    const value = base64(text)
    return [{ apiVersion: 'v1', kind: 'Secret', metadata, type: 'cluster.x-k8s.io/secret', data: { value } }]
  }

  const thing = (name: string, version = 'v1'): KubeObject => ({
    apiVersion: `stored.example.com/${version}`,
    kind: 'Thing',
    metadata: { name, namespace: 'default' },
  })

  /** From now on the server refuses changes of the object that are not of its status. */
  const refuseChanges = async ({ metadata: { name } }: KubeObject): Promise<void> => {
    const rule = {
      apiGroups: ['stored.example.com'],
      apiVersions: ['*'],
      operations: ['UPDATE'],
      resources: ['things'],
    }
    const apiVersion = 'admissionregistration.k8s.io/v1'
    await apply(
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'as-it-is' },
        spec: {
          matchConstraints: { resourceRules: [rule] },
          validations: [{ expression: `object.metadata.name != '${name}'` }],
        },
      },
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'as-it-is' },
        spec: { policyName: 'as-it-is', validationActions: ['Deny'] },
      },
    )
    const path = `/apis/stored.example.com/v1/namespaces/default/things/${name}`
    let tries = 0
    const change = async (): Promise<number> => {
      const patch = { metadata: { annotations: { tried: String(tries++) } } }
      return (await kube.request('PATCH', path, patch, 'application/merge-patch+json')).status
    }
    await expect.poll(change, { timeout: 30_000 }).toBe(422)
  }

  beforeAll(async () => {
    kube = await startKube({ audit: true })
    proxy = await startWebProxy({ to: kube.url })
    await kube.createNamespaces(['team-a', 'argocd'])
    await installKinds(kube)
    const folder = join(tempFolderForFile(), 'provider-crds')
    await mkdir(folder)
    const kinds = [
      definition({ group: 'infrastructure.cluster.x-k8s.io', kind: 'DockerCluster', versions: ['v1beta2'] }),
      definition({ group: 'infrastructure.cluster.x-k8s.io', kind: 'OpenStackCluster', versions: ['v1beta1'] }),
      definition({ group: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', versions: ['v1beta2'] }),
      definition({ group: 'openstack.k-orc.cloud', kind: 'Image', versions: ['v1alpha1'] }),
      definition({
        group: 'infrastructure.clusterstack.x-k8s.io',
        kind: 'OpenStackNodeImageRelease',
        versions: ['v1alpha1'],
      }),
    ]
    await writeFile(join(folder, 'kinds.yaml'), kinds.map((kind) => JSON.stringify(kind)).join('\n---\n'))
    await kube.installCrds([folder])
  })
  afterAll(async () => {
    await controller?.stop()
    await Promise.all([kube.close(), proxy.close()])
  })

  test('all of it can be applied, and says the same again', async () => {
    const names = ['nodeimagegates.yaml', 'runtimevalues.yaml', 'storagemigrations.yaml']
    const definitions = await Promise.all(
      names.map(async (name) => ({ name, text: await readFile(join(packageFolder, 'templates/crds', name), 'utf8') })),
    )
    for (const options of [install, { ...install, namespaces: ['team-a'], shard: 'eu-1' }]) {
      const texts = installFiles(options, definitions).map(({ text }) => text)
      for (const text of texts) expect(refusals(await kube.apply(text))).toEqual([])
      const again = await kube.apply(texts.join('---\n'), { dryRun: true, force: false })
      expect(refusals(again)).toEqual([])
      expect(again.flatMap(({ warnings }) => warnings)).toEqual([])
    }
  })

  test('a folder of it can be built, and keeps what must never be deleted', async () => {
    const folder = join(tempFolderForFile(), 'installed')
    await controllerManifests(install, folder, createNodePorts())
    const { stdout } = await promisify(execFile)(kubeBinaries()?.kubectl ?? '', ['kustomize', folder])
    expect(refusals(await kube.apply(stdout, { dryRun: true }))).toEqual([])
    const kept = parseAllDocuments(stdout)
      .map((document): KubeObject => document.toJS())
      .filter(({ metadata }) => fieldOf(metadata, 'annotations') !== undefined)
    const annotations = {
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    }
    expect(kept.map(({ kind, metadata }) => [kind, metadata.name, metadata['annotations']])).toEqual([
      ['Namespace', 'stackmason-system', annotations],
      ['CustomResourceDefinition', 'nodeimagegates.stackmason.dev', annotations],
      ['CustomResourceDefinition', 'runtimevalues.stackmason.dev', annotations],
      ['CustomResourceDefinition', 'storagemigrations.stackmason.dev', annotations],
    ])
  })

  test('RuntimeValues', async () => {
    const user = await run('RuntimeValues')
    // priority and fairness knows requests for the lease
    await expect
      .poll(async () => dispatchedBy(kube, 'stackmason-runtimevalues.stackmason-controller-lease'), { timeout: 30_000 })
      .toBeGreaterThan(2)
    const plane = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'plane' }
    for (const kind of ['DockerCluster', 'OpenStackCluster', 'TestCluster']) {
      const name = kind.toLowerCase()
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind, name }
      await apply(cluster(name, { controlPlaneRef: plane, infrastructureRef }))
      const from = ['Cluster', 'ControlPlane', 'InfrastructureCluster'] as const
      const values = from.map((one) => ({
        name: one.toUpperCase(),
        from: { kind: one, fieldPath: one === 'Cluster' ? 'metadata.name' : 'status.id' },
        type: 'string',
      }))
      const object = runtimeValues(name, { values, publish: { configMap: name } })
      await apply(object)
      await readyIs(kube, object, 'Ready=False SourceNotFound')
    }
    const named = runtimeValues('testcluster', {
      values: [{ name: 'NAME', from: { kind: 'Cluster', fieldPath: 'metadata.name' }, type: 'string' }],
      publish: { configMap: 'first' },
    })
    await apply(named)
    await readyIs(kube, named, 'Ready=True')
    // the API server is its own workload cluster, where the kubeconfig's administrator asks
    const generated = runtimeValues('self', {
      publish: { argoCluster: true },
      generators: [{ name: 'password', function: 'randAlphaNum', arguments: ['24'] }],
      secrets: [
        {
          namespace: 'default',
          name: 'login',
          data: [{ key: 'password', generator: 'password', part: 'value' }],
        },
      ],
    })
    await apply(...(await selfCluster()), generated)
    await readyIs(kube, generated, 'Ready=True')
    await kube.remove(cluster('self', {}))
    const registered = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'team-a.self', namespace: 'argocd' } }
    await waitFor(kube, registered, { until: (found) => found === undefined })
    await kube.remove(generated)
    const keptSecret = { ...registered, metadata: { name: 'self-generated-secrets', namespace: 'team-a' } }
    await waitFor(kube, keptSecret, { until: (found) => found === undefined })
    // what is no longer wanted is deleted
    await apply({ ...named, spec: { ...(named['spec'] as object), publish: { configMap: 'second' } } })
    await waitFor(kube, valuesMap('first'), { until: (map) => map === undefined })
    await waitFor(kube, valuesMap('second'), { until: (map) => map !== undefined })
    const { asked, allowed } = await compare(user, 'RuntimeValues')
    expect(asked).toEqual(allowed)
  })

  test('NodeImageGate', async () => {
    const user = await run('NodeImageGate')
    const gate = (name: string, image: object): KubeObject => ({
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'NodeImageGate',
      metadata: { name, namespace: 'team-a' },
      spec: { images: [image] },
    })
    for (const object of [gate('by-object', { orcImage: 'a' }), gate('by-name', { name: 'A' })]) {
      await apply(object)
      await readyIs(kube, object, 'Ready=False ImageNotFound')
    }
    const { asked, allowed } = await compare(user, 'NodeImageGate')
    expect(asked).toEqual(allowed)
  })

  test('StorageMigration', async () => {
    const user = await run('StorageMigration')
    const kind = storedKind(kube, 'thing')
    await kind.define({ storage: 'v1alpha1' })
    await kind.fill('a', 4)
    // what is refused as a whole is written by its status; what names a version that is no longer served is read
    await kube.apply([{ ...thing('a-0', 'v1alpha1'), metadata: { name: 'a-0', annotations: { a: 'b' } } }])
    await refuseChanges(thing('a-1'))
    await kind.define({ storage: 'v1', served: ['v1', 'v1beta1'] })
    const object: KubeObject = {
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'StorageMigration',
      metadata: { name: 'things', namespace: 'team-a' },
      spec: { objectsPerSecond: 1000, customResourceDefinitions: [kind.name] },
    }
    const elsewhere = { ...object, metadata: { name: 'elsewhere', namespace: 'team-a' } }
    await apply(...(await selfCluster()), object, {
      ...elsewhere,
      spec: { ...Object(object['spec']), clusterRef: { name: 'self' } },
    })
    await readyIs(kube, object, 'Ready=True')
    await readyIs(kube, elsewhere, 'Ready=True')
    const { asked, allowed } = await compare(user, 'StorageMigration')
    expect(asked).toEqual(allowed)
  })
})
