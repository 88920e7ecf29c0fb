import { describe, expect, test } from 'vitest'
import { textAt } from '../../../src/model/field.ts'
import type { KindScope } from '../../../src/model/fleet.ts'
import { createFinisher } from '../../../src/render/stack/create-finisher.ts'
import { createScopeLookup } from '../../../src/render/stack/scope.ts'
import { manifestOf } from './objects.ts'

const crd = manifestOf(
  '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, spec: {group: example.com, scope: Cluster, names: {kind: Thing}}}',
)

function finished(yaml: string, scopes: readonly KindScope[] = []): string {
  const [manifest] = createFinisher()([manifestOf(yaml)], {
    namespace: 'kube-system',
    scopeOf: createScopeLookup([crd.object], scopes),
    instanceLabel: false,
  })
  return manifest === undefined ? '' : textAt(manifest.object, 'metadata', 'namespace')
}

describe('createFinisher', () => {
  const rows: readonly {
    readonly name: string
    readonly yaml: string
    readonly scopes?: readonly KindScope[]
    readonly want: string
  }[] = [
    { name: 'the fallback', yaml: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}', want: 'kube-system' },
    { name: 'its own', yaml: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}', want: 'b' },
    {
      name: 'none for cluster-scoped kinds',
      yaml: '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}',
      want: '',
    },
    {
      name: 'taken off cluster-scoped kinds',
      yaml: '{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: b}}',
      want: '',
    },
    {
      name: 'scope from a CRD of the tree',
      yaml: '{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, namespace: b}}',
      want: '',
    },
    {
      name: 'the fleet decides over a CRD',
      yaml: '{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}}',
      scopes: [{ group: 'example.com', kind: 'Thing', namespaced: true }],
      want: 'kube-system',
    },
    {
      name: 'infrastructure providers are namespaced',
      yaml: '{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AnyMachineTemplate, metadata: {name: a}}',
      want: 'kube-system',
    },
    ...['NodeImageGate', 'RuntimeValues', 'StorageMigration'].map((kind) => ({
      name: `the kinds of the controller are namespaced: ${kind}`,
      yaml: `{apiVersion: stackmason.dev/v1alpha1, kind: ${kind}, metadata: {name: a}}`,
      want: 'kube-system',
    })),
  ]
  test.each(rows)('$name', ({ yaml, scopes, want }) => {
    expect(finished(yaml, scopes)).toBe(want)
  })

  test('unknown kinds are told once each, with the entry to add', () => {
    const unknown = (name: string) =>
      manifestOf(`{apiVersion: odd.example.com/v1, kind: Odd, metadata: {name: ${name}}}`, 'cni')
    let caught: unknown
    try {
      createFinisher()([unknown('a'), unknown('b')], {
        namespace: 'kube-system',
        scopeOf: createScopeLookup([], []),
        instanceLabel: true,
      })
    } catch (error) {
      caught = error
    }
    expect(caught).toMatchObject({
      diagnostics: [
        {
          code: 'OBJECT_SCOPE_UNKNOWN',
          message: 'Odd "a" (odd.example.com/v1) of release, cni: it is not known whether this kind is namespaced',
          hint: 'Add to spec.scopes of stackmason.yaml: {group: odd.example.com, kind: Odd, scope: Namespaced} (or Cluster).',
        },
      ],
    })
  })

  test('a manifest that is finished alike again is the same object; finished otherwise it is another', () => {
    const finish = createFinisher()
    const manifest = manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}')
    const options = { namespace: 'one', scopeOf: createScopeLookup([], []), instanceLabel: true }
    const [first] = finish([manifest], options)
    const [again] = finish([manifest], { ...options })
    const [other] = finish([manifest], { ...options, namespace: 'two' })
    expect(again).toBe(first)
    expect(textAt(other?.object ?? null, 'metadata', 'namespace')).toBe('two')
  })
})
