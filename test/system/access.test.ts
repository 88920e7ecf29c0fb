import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldOf } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube } from '../../tools/servers/kube.ts'
import { packageFolder } from '../cli/run-cli.ts'

const page = readFileSync(join(packageFolder, 'docs/42-access.md'), 'utf8')
const [, manifests = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? []

/** What server-side apply, health and pruning ask for. */
const verbs = ['get', 'list', 'watch', 'create', 'patch', 'delete']
const clusters = 'cluster.x-k8s.io/clusters'

test.runIf(hasKube())(
  'an API server allows the account of the page what it has to apply, in its namespace, and nothing else',
  { timeout: 120_000 },
  async () => {
    const kube = await startKube()
    try {
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
    } finally {
      await kube.close()
    }
  },
)
