import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { toPlain } from '../../src/codec/json/plain-value.ts'
import { textAt } from '../../src/model/field.ts'
import { Dict } from '../../src/model/value.ts'
import { findBadNames } from '../../src/render/stack/find-bad-names.ts'
import { findRefusedFields } from '../../src/render/stack/find-refused-fields.ts'
import { applyPolicyCases, serverPolicyAnswers, serverRuleAnswers } from '../../tools/fleets/cel-case-answers.ts'
import { changeCases, policyCases, ruleCases } from '../../tools/fleets/cel-cases.ts'
import { immutableChanges } from '../../tools/fleets/immutable-changes.ts'
import { refusedObjects } from '../../tools/fleets/refused-objects.ts'
import { trialObjects } from '../../tools/fleets/schema-trial.ts'
import { fieldOf, type KubeObject, type KubeResult, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'

const pod = '{containers: [{name: a, image: b}]}'
const workload = (spec: string, template = pod): string =>
  `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: ${template}}, ${spec}}`

/** Objects but for their metadata, or metadata of a ConfigMap, and whether a server takes them. */
const rows: readonly (readonly [what: string, kind: string, text: string, isTaken: boolean])[] = [
  ['no replicas', 'apps/v1 Deployment', workload('replicas: 0'), true],
  ['fewer replicas than none', 'apps/v1 Deployment', workload('replicas: -1'), false],
  ['a history that is shorter than none', 'apps/v1 Deployment', workload('revisionHistoryLimit: -1'), false],
  ['seconds below none', 'apps/v1 DaemonSet', workload('minReadySeconds: -1'), false],
  ['fewer replicas than none', 'apps/v1 StatefulSet', workload('serviceName: a, replicas: -1'), false],
  [
    'a history that is shorter than none',
    'apps/v1 StatefulSet',
    workload('serviceName: a, revisionHistoryLimit: -1'),
    true,
  ],
  ['fewer replicas than none', 'apps/v1 ReplicaSet', workload('replicas: -1'), false],
  [
    'a port of none',
    'apps/v1 Deployment',
    workload('replicas: 1', '{containers: [{name: a, image: b, ports: [{containerPort: 0}]}]}'),
    false,
  ],
  ['the last port', 'v1 Service', 'spec: {ports: [{port: 65535}]}', true],
  ['a port that is too high', 'v1 Service', 'spec: {ports: [{port: 65536}]}', false],
  ['a port of none', 'v1 Service', 'spec: {ports: [{port: 0}]}', false],
  [
    'fewer tries than none',
    'batch/v1 Job',
    `spec: {backoffLimit: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}`,
    false,
  ],
  [
    'less work than none',
    'batch/v1 Job',
    `spec: {parallelism: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}`,
    false,
  ],
  ['a label that is a number', 'v1 ConfigMap', 'labels: {a: 5}', false],
  ['a label that is empty', 'v1 ConfigMap', 'labels: {a: null}', true],
  ['an annotation that is true', 'v1 ConfigMap', 'annotations: {a: true}', false],
  ['a finalizer with a space', 'v1 ConfigMap', 'finalizers: ["a b/c"]', false],
  ['a finalizer of a domain', 'v1 ConfigMap', 'finalizers: [example.com/stay]', true],
]

const page = readFileSync(join(packageFolder, 'docs/42-access.md'), 'utf8')
const [, manifests = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? []

/** What server-side apply, health and pruning ask for. */
const verbs = ['get', 'list', 'watch', 'create', 'patch', 'delete']
const clusters = 'cluster.x-k8s.io/clusters'

// one for questions that leave each other alone: those that keep nothing come first
describe.runIf(hasKube())('a real API server', () => {
  let kube: Kube
  beforeAll(async () => {
    kube = await startKube()
    await kube.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
    ])
  }, 120_000)
  afterAll(() => kube.close())

  // what check says of the same objects: test/check/schema/refused-objects.test.ts
  const ask = async (text: string): Promise<KubeResult | undefined> => {
    const [answer] = await kube.apply(
      trialObjects(text).map(({ json }) => json),
      { dryRun: true },
    )
    return answer
  }

  test.each(refusedObjects)('refuses $name', async ({ fault }) => {
    expect(await ask(fault)).toMatchObject({ ok: false })
  })

  test.each(refusedObjects)('takes what is near $name', async ({ near }) => {
    expect(await ask(near)).toMatchObject({ ok: true })
  })

  // each case has a name of its own, so that nothing has to be gone before the next
  const cases = immutableChanges.map((change, index) => ({ ...change, id: `case-${String(index)}` }))

  test.each(cases)('$name: change refused $isRefused', async ({ id, before, after, isRefused }) => {
    const [first] = await kube.apply([objectOf(before, id)])
    expect(first).toMatchObject({ ok: true })
    const [answer] = await kube.apply([objectOf(after, id)], { dryRun: true })
    expect({ isRefused: answer?.ok === false, status: fieldOf(answer?.body, 'reason') }).toEqual({
      isRefused,
      status: isRefused ? 'Invalid' : undefined,
    })
  })

  test.each(rows)('agrees on %s of %s', async (_, type, text, isTaken) => {
    const [apiVersion = '', kind = ''] = type.split(' ')
    const isMetadata = kind === 'ConfigMap'
    const object = parseGoYaml(
      `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a, namespace: default${isMetadata ? `, ${text}` : ''}}\n${isMetadata ? '' : text}\n`,
      { integers: 'int' },
    )
    if (!(object instanceof Dict)) throw new TypeError('no map')
    const origin = { from: 'a', unit: 'a', template: 'a' }
    const manifest = {
      apiVersion,
      kind,
      name: textAt(object, 'metadata', 'name'),
      namespace: 'default',
      object,
      origin,
    }
    expect([...findRefusedFields([manifest]), ...findBadNames([manifest])].length).toBe(isTaken ? 0 : 1)
    const plain: KubeObject = JSON.parse(JSON.stringify(toPlain(object)))
    const refused = refusals(await kube.apply([plain]))
    expect(refused.length).toBe(isTaken ? 0 : 1)
  })

  test('allows the account of the page about access what it has to apply, in its namespace, and nothing else', async () => {
    await kube.createNamespaces(['team-a', 'team-b'])
    await kube.apply(manifests)
    const may = async (verb: string, of: string, namespace = 'team-a', account = 'team-a'): Promise<boolean> => {
      const [group = '', resource = ''] = of.split('/')
      const { body } = await kube.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${account}:flux-applier`,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${account}`, 'system:authenticated'],
          resourceAttributes: { verb, group, resource, namespace },
        },
      })
      return fieldOf(body, 'status.allowed') === true
    }
    for (const of of [
      clusters,
      'cluster.x-k8s.io/clusterclasses',
      'bootstrap.cluster.x-k8s.io/kubeadmconfigtemplates',
      'controlplane.cluster.x-k8s.io/kubeadmcontrolplanetemplates',
      'infrastructure.cluster.x-k8s.io/openstackclustertemplates',
      'stackmason.dev/runtimevalues',
      'openstack.k-orc.cloud/images',
      '/configmaps',
      '/secrets',
    ]) {
      const allowed = await Promise.all(verbs.map((verb) => may(verb, of)))
      expect([of, ...allowed]).toEqual([of, ...verbs.map(() => true)])
      expect([of, await may('get', of, 'team-b')]).toEqual([of, false])
      // what is the platform's own
      expect([of, await may('list', of, '')]).toEqual([of, false])
    }
    for (const of of [
      'apps/deployments',
      '/namespaces',
      '/pods',
      '/serviceaccounts',
      'rbac.authorization.k8s.io/rolebindings',
      'rbac.authorization.k8s.io/clusterroles',
      'apiextensions.k8s.io/customresourcedefinitions',
      'kustomize.toolkit.fluxcd.io/kustomizations',
      'cluster.x-k8s.io/machinedeployments',
    ])
      expect([of, await may('create', of)]).toEqual([of, false])
    expect(await may('deletecollection', clusters)).toBe(false)
    // an account of another namespace has none of this
    expect(await may('get', clusters, 'team-a', 'team-b')).toBe(false)
  })

  // what check answers to the same is in test/check/cel-cases.test.ts
  describe('that has rules and policies', () => {
    const kinds = [...ruleCases, ...changeCases]
    let refused: readonly string[] = []

    beforeAll(async () => {
      refused = await applyPolicyCases(policyCases, kube)
    }, 120_000)

    test('answers about rules of definitions as the table says', async () => {
      expect(await serverRuleAnswers(kinds, kube)).toEqual(kinds.map(({ answers }) => answers))
    })

    test('refuses the policies that check does not evaluate for that', () => {
      expect(refused).toEqual(policyCases.filter(({ isRefused }) => isRefused === true).map(({ name }) => name))
    })

    test('answers with policies as the table says', async () => {
      const wanted = policyCases.map(({ answers }) =>
        answers.map(({ object, old, says }) => ({ object, ...(old !== undefined && { old }), says })),
      )
      // policies are asked some time after they were applied
      let found = await serverPolicyAnswers(policyCases, kube)
      for (let tries = 0; tries < 15 && JSON.stringify(found) !== JSON.stringify(wanted); tries++) {
        await setTimeout(1000)
        found = await serverPolicyAnswers(policyCases, kube)
      }
      expect(found).toEqual(wanted)
    })
  })
})

function objectOf(text: string, name: string): KubeObject {
  const [object] = trialObjects(text)
  if (object === undefined) throw new TypeError('no object')
  return { ...object.json, metadata: { ...object.json.metadata, name } }
}
