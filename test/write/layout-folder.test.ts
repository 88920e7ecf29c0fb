import { describe, expect, test } from 'vitest'
import type { Manifest } from '../../src/model/manifest.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { layoutFolder } from '../../src/write/layout-folder.ts'
import { configMap, ports } from './trees.ts'

/** `<apiVersion> <kind> [<namespace>/]<name>` */
function manifest(id: string): Manifest {
  const [apiVersion = '', kind = '', ...rest] = id.split(' ')
  const place = rest.join(' ')
  const slash = place.indexOf('/')
  return configMap(place.slice(slash + 1), 'x', {
    apiVersion,
    kind,
    ...(slash === -1 ? { namespace: undefined } : { namespace: place.slice(0, slash) }),
  } as Partial<Manifest>)
}

const namesOf = (...ids: readonly string[]): readonly string[] =>
  layoutFolder('f', ids.map(manifest), ports.crypto).map((placed) => placed.fileName)

const cases: readonly { name: string; input: readonly string[]; want: readonly string[] }[] = [
  {
    name: 'the common case',
    input: ['apps/v1 Deployment kube-system/cilium-operator'],
    want: ['deployment-cilium-operator.yaml'],
  },
  {
    name: 'a CRD keeps its dots',
    input: ['apiextensions.k8s.io/v1 CustomResourceDefinition ciliumnodes.cilium.io'],
    want: ['customresourcedefinition-ciliumnodes.cilium.io.yaml'],
  },
  {
    name: 'a colon of RBAC names',
    input: ['rbac.authorization.k8s.io/v1 ClusterRole system:metrics-server'],
    want: ['clusterrole-system_metrics-server.yaml'],
  },
  {
    name: 'characters that some file system refuses or folds',
    input: ['v1 ClusterRole A_b\\c*é~'],
    want: ['clusterrole-~41~5fb~5cc~2a~c3~a9~7e.yaml'],
  },
  {
    name: 'one name in two namespaces: each says its namespace',
    input: ['v1 Role a/leader', 'v1 Role b/leader', 'v1 Role a/other'],
    want: ['role-leader@a.yaml', 'role-leader@b.yaml', 'role-other.yaml'],
  },
  {
    name: 'one kind in two groups: each says its group, the core group has none',
    input: ['v1 Event a/x', 'events.k8s.io/v1 Event a/x'],
    want: ['event-x.yaml', 'event-x+events.k8s.io.yaml'],
  },
  {
    name: 'both',
    input: ['g1/v1 Gateway a/x', 'g1/v1 Gateway b/x', 'g2/v1 Gateway a/x'],
    want: ['gateway-x@a+g1.yaml', 'gateway-x@b+g1.yaml', 'gateway-x+g2.yaml'],
  },
  {
    name: 'names that differ only in letter case do not meet on a file system without it',
    input: ['v1 ClusterRole a', 'v1 ClusterRole A'],
    want: ['clusterrole-a.yaml', 'clusterrole-~41.yaml'],
  },
  {
    name: 'a name that looks like an escaped one',
    input: ['v1 ClusterRole a:b', 'v1 ClusterRole a_b', 'v1 ClusterRole a~5fb'],
    want: ['clusterrole-a_b.yaml', 'clusterrole-a~5fb.yaml', 'clusterrole-a~7e5fb.yaml'],
  },
]

describe('layoutFolder', () => {
  test.each(cases)('$name', ({ input, want }) => {
    expect(namesOf(...input)).toEqual(want)
  })

  test('names do not depend on the order of the manifests', () => {
    for (const { input, want } of cases) expect(namesOf(...input.toReversed())).toEqual(want.toReversed())
  })

  test('cuts long stems, and still tells them apart', () => {
    const long = 'a'.repeat(200)
    const [first = '', second = ''] = namesOf(`v1 Secret n/${long}b`, `v1 Secret n/${long}c`)
    expect(first).toMatch(/^secret-a{99}~~[0-9a-f]{12}\.yaml$/)
    expect(second).toMatch(/^secret-a{99}~~[0-9a-f]{12}\.yaml$/)
    expect(first).not.toBe(second)
    expect(namesOf(`v1 Secret n/${'a'.repeat(113)}`)).toEqual([`secret-${'a'.repeat(113)}.yaml`])
  })

  test('refuses the same object twice, whatever its version', () => {
    const ids = [
      'policy/v1 PodDisruptionBudget n/x',
      'policy/v1beta1 PodDisruptionBudget n/x',
      'v1 Secret n/y',
      'v1 Secret n/y',
    ]
    const thrown = ((): unknown => {
      try {
        return namesOf(...ids)
      } catch (error) {
        return error
      }
    })()
    if (!(thrown instanceof StackmasonError)) throw new Error('expected a refusal')
    expect(thrown.diagnostics).toEqual([
      {
        code: 'WRITE_PATH_CONFLICT',
        severity: 'error',
        message:
          'PodDisruptionBudget "x" in namespace n is rendered twice into f: by cni/templates/config.yaml of cni and by cni/templates/config.yaml of cni',
        file: 'f/poddisruptionbudget-x.yaml',
      },
      expect.objectContaining({ code: 'WRITE_PATH_CONFLICT', file: 'f/secret-y.yaml' }),
    ])
  })
})
