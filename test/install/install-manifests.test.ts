import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { workedKinds } from '../../src/controller/worked-kinds.ts'
import { installFiles } from '../../src/install/install-manifests.ts'
import { features } from '../../src/install/roles.ts'
import type { InstallOptions } from '../../src/model/install-options.ts'
import { fieldOf, type KubeObject } from '../../tools/servers/kube-client.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { installOptions } from '../support/install-options.ts'

function objectsOf(options: Partial<InstallOptions>): readonly KubeObject[] {
  return installFiles(installOptions(options), []).flatMap(({ text }) =>
    parseAllDocuments(text).map((document): KubeObject => document.toJS()),
  )
}

function namesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ kind, metadata: { namespace, name } }) =>
    namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
  )
}

describe('the objects that install the controller', () => {
  test('every kind that it works on is a feature', () => {
    expect(new Set(features.map(({ kind }) => kind))).toEqual(new Set(workedKinds))
  })

  test('in all namespaces', () => {
    expect(namesOf(objectsOf({ kinds: ['RuntimeValues'], secrets: false }))).toEqual([
      'Namespace stackmason-system',
      'ServiceAccount stackmason-system/stackmason-controller',
      'ClusterRole stackmason-controller-values',
      'ClusterRoleBinding stackmason-controller-values',
      'Role stackmason-system/stackmason-controller',
      'RoleBinding stackmason-system/stackmason-controller',
      'Deployment stackmason-system/stackmason-controller',
      'PodDisruptionBudget stackmason-system/stackmason-controller',
      'NetworkPolicy stackmason-system/stackmason-controller',
      'Service stackmason-system/stackmason-controller-metrics',
    ])
  })

  test('installations in other namespaces, and shards, have no object in common', () => {
    const common = {
      namespaces: ['team-a'],
      argoNamespace: 'argocd',
      leasesFirst: true,
      migrated: ['things.example.com'],
    }
    const names = [{}, { shard: 'eu' }, { namespace: 'eu' }, { namespace: 'eu', shard: 'eu' }].flatMap((options) =>
      namesOf(objectsOf({ ...common, ...options })).filter((name) => !name.startsWith('Namespace ')),
    )
    expect(names).toContain('ClusterRoleBinding eu.stackmason-controller-values-cluster')
    expect(names).toContain('RoleBinding team-a/eu.stackmason-controller-values')
    expect(names).toContain('FlowSchema eu.stackmason-controller-eu-lease')
    expect(names).toContain('Role argocd/eu.stackmason-controller-argocd')
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('in some namespaces: only what lies in none is allowed everywhere', () => {
    const objects = objectsOf({
      kinds: ['RuntimeValues', 'NodeImageGate'],
      secrets: false,
      namespaces: ['team-a', 'team-b'],
    })
    expect(namesOf(objects).filter((name) => name.includes('Role'))).toEqual([
      'ClusterRole stackmason-controller-values',
      'RoleBinding team-a/stackmason-controller-values',
      'RoleBinding team-b/stackmason-controller-values',
      'ClusterRole stackmason-controller-values-cluster',
      'ClusterRoleBinding stackmason-controller-values-cluster',
      'ClusterRole stackmason-controller-images',
      'RoleBinding team-a/stackmason-controller-images',
      'RoleBinding team-b/stackmason-controller-images',
      'Role stackmason-system/stackmason-controller',
      'RoleBinding stackmason-system/stackmason-controller',
    ])
    const everywhere = objects.find(({ metadata: { name } }) => name === 'stackmason-controller-values-cluster')
    expect([fieldOf(everywhere, 'rules')].flat().map((rule) => fieldOf(rule, 'resources'))).toEqual([
      ['customresourcedefinitions'],
    ])
  })

  test.each([[[]], [['machines.cluster.x-k8s.io']]])('no role has a star or an empty list of names: %j', (migrated) => {
    const rules = objectsOf({ migrated }).flatMap((object) => fieldOf(object, 'rules') ?? [])
    expect(rules.length).toBeGreaterThan(10)
    expect(JSON.stringify(rules)).not.toMatch(/\*|"resourceNames":\[\]/)
  })

  test('Secrets are a role of their own, which can be left out', () => {
    const withSecrets = objectsOf({}).filter((object) => JSON.stringify(object).includes('"secrets"'))
    expect(namesOf(withSecrets)).toEqual([
      'ClusterRole stackmason-controller-secrets',
      'ClusterRole stackmason-controller-migration-workloads',
    ])
    expect(JSON.stringify(objectsOf({ secrets: false }))).not.toContain('secrets')
  })

  test('in the namespace of Argo CD only where it is named', () => {
    expect(namesOf(objectsOf({ argoNamespace: 'argocd' })).filter((name) => name.includes('argocd'))).toEqual([
      'Role argocd/stackmason-controller-argocd',
      'RoleBinding argocd/stackmason-controller-argocd',
    ])
  })

  test('requests for the lease are served first, where that is asked for', () => {
    const schemas = (options: Partial<InstallOptions>): readonly KubeObject[] =>
      objectsOf(options).filter(({ kind }) => kind === 'FlowSchema')
    expect(schemas({})).toEqual([])
    expect(schemas({ leasesFirst: true, shard: 'eu-1', namespace: 'ctl' })).toMatchObject([
      {
        metadata: { name: 'ctl.stackmason-controller-eu-1-lease' },
        spec: {
          priorityLevelConfiguration: { name: 'leader-election' },
          rules: [
            {
              resourceRules: [{ namespaces: ['ctl'], resources: ['leases'], verbs: ['create', 'get', 'update'] }],
              subjects: [
                { kind: 'ServiceAccount', serviceAccount: { name: 'stackmason-controller-eu-1', namespace: 'ctl' } },
              ],
            },
          ],
        },
      },
    ])
  })

  test('options reach the pod', () => {
    const deployment = objectsOf({
      shard: 'eu-1',
      argoNamespace: 'argocd',
      namespaces: ['team-a'],
      kinds: ['NodeImageGate'],
      arguments: ['--log-level=debug'],
      environment: [['NO_PROXY', 'true']],
      pullSecrets: ['registry'],
      metricsSecret: 'metrics',
      replicas: 1,
    }).find(({ kind }) => kind === 'Deployment')
    expect(deployment?.metadata.name).toBe('stackmason-controller-eu-1')
    expect(deployment).toMatchObject({
      spec: {
        replicas: 1,
        template: {
          spec: {
            serviceAccountName: 'stackmason-controller-eu-1',
            imagePullSecrets: [{ name: 'registry' }],
            volumes: [{ name: 'metrics', secret: { secretName: 'metrics' } }],
            containers: [
              {
                args: [
                  'controller',
                  'run',
                  '--health-address=:9440',
                  '--metrics-address=:9441',
                  '--metrics-tls-cert=/etc/stackmason/metrics/tls.crt',
                  '--metrics-tls-key=/etc/stackmason/metrics/tls.key',
                  '--kind=NodeImageGate',
                  '--namespace=team-a',
                  '--argocd-namespace=argocd',
                  '--shard=eu-1',
                  '--log-level=debug',
                ],
                env: [{ name: 'NO_PROXY', value: 'true' }],
                volumeMounts: [{ name: 'metrics', mountPath: '/etc/stackmason/metrics', readOnly: true }],
              },
            ],
          },
        },
      },
    })
  })

  test('the order of lists that name resources says nothing', () => {
    const [a, b] = ['a.example.com', 'b.example.com']
    expect(objectsOf({ sources: [a, b], migrated: [b, a, a] })).toEqual(
      objectsOf({ sources: [b, a, a], migrated: [a, b] }),
    )
  })
})

test.each([
  { image: 'cli', brings: ['/usr/local/bin/node'] },
  { image: 'controller', brings: [] },
])('the image $image runs as the user of the pod, and holds what the program reads', ({ image, brings }) => {
  const stages = readFileSync(join(packageFolder, 'Containerfile'), 'utf8')
    .split(/^FROM /m)
    .slice(1)
  const file = stages.find((stage) => stage.startsWith(`\${${image.toUpperCase()}_IMAGE}`)) ?? ''
  const deployment = objectsOf({}).find(({ kind }) => kind === 'Deployment')
  const [user, group] = ['runAsUser', 'runAsGroup'].map((field) =>
    String(fieldOf(deployment, `spec.template.spec.securityContext.${field}`)),
  )
  expect(file).toContain(`\nUSER ${user ?? ''}:${group ?? ''}\n`)
  const copied = Array.from(file.matchAll(/^COPY --from=build (.*) \S+$/gm), ([, paths = '']) =>
    paths.split(' '),
  ).flat()
  expect(copied.map((path) => path.replace('/build/', '')).toSorted()).toEqual([
    ...brings,
    'LICENSE',
    'NOTICE',
    'dist',
    'package.json',
    'schemas',
    'templates',
  ])
})
