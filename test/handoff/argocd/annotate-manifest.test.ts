import { describe, expect, it } from 'vitest'
import { createAnnotator } from '../../../src/handoff/argocd/annotate-manifest.ts'
import { dictAt, fieldAt } from '../../../src/model/field.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { manifestOf } from './sample-units.ts'

interface Row {
  readonly name: string
  readonly object: string
  readonly annotations?: string
  readonly kind?: Unit['kind']
  readonly options?: string
  readonly wave?: string
}

const OPTIONS = 'argocd.argoproj.io/sync-options'
const COMPARE = 'argocd.argoproj.io/compare-options'
const HOOK = 'argocd.argoproj.io/hook'

function annotationsOf({ object }: Manifest): readonly string[] {
  return [...(dictAt(object, 'metadata', 'annotations')?.keys() ?? [])]
}

const configMap = 'apiVersion: v1\nkind: ConfigMap'
const namespace = 'apiVersion: v1\nkind: Namespace'

const rows: readonly Row[] = [
  { name: 'an ordinary object', object: configMap },
  {
    name: 'a Cluster of v1beta1',
    object: 'apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster',
    kind: 'cluster',
    options: 'Prune=confirm,Delete=confirm',
  },
  {
    name: 'a Cluster of v1beta2',
    object: 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster',
    kind: 'cluster',
    options: 'Prune=confirm,Delete=confirm',
  },
  { name: 'a Cluster of another group', object: 'apiVersion: postgresql.cnpg.io/v1\nkind: Cluster' },
  { name: 'a Namespace', object: namespace, options: 'Prune=false,Delete=false' },
  ...(['own-addons', 'addon', 'condition'] as const).map((kind) => ({
    name: `a Namespace of ${kind}`,
    object: namespace,
    kind,
    options: 'Prune=false,Delete=false',
  })),
  ...(['stack', 'cluster'] as const).map((kind) => ({
    name: `a Namespace of a ${kind}`,
    object: namespace,
    kind,
    options: 'Prune=confirm,Delete=confirm',
  })),
  { name: 'a Namespace of another group', object: 'apiVersion: example.com/v1\nkind: Namespace' },
  {
    name: 'a CRD',
    object: 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition',
    options: 'Prune=confirm,Delete=confirm',
  },
  {
    name: 'a claim to a volume',
    object: 'apiVersion: v1\nkind: PersistentVolumeClaim',
    options: 'Prune=false,Delete=false',
  },
  { name: 'a volume', object: 'apiVersion: v1\nkind: PersistentVolume', options: 'Prune=false,Delete=false' },
  {
    name: 'what Helm keeps',
    object: configMap,
    annotations: '{helm.sh/resource-policy: keep}',
    options: 'Prune=false,Delete=false',
  },
  {
    name: 'what Helm keeps, however it is written',
    object: configMap,
    annotations: '{helm.sh/resource-policy: " Keep "}',
    options: 'Prune=false,Delete=false',
  },
  { name: 'another policy', object: configMap, annotations: '{helm.sh/resource-policy: delete}' },
  {
    name: 'a CRD that Helm keeps',
    object: 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition',
    annotations: '{helm.sh/resource-policy: keep}',
    options: 'Prune=false,Delete=false',
  },
  {
    name: 'options of the chart on an ordinary object',
    object: configMap,
    annotations: '{argocd.argoproj.io/sync-options: Replace=true}',
    options: 'Replace=true',
  },
  {
    name: 'options of the chart beside ours',
    object: namespace,
    annotations: '{argocd.argoproj.io/sync-options: "Validate=false , ServerSideApply=true"}',
    options: 'Validate=false,ServerSideApply=true,Prune=false,Delete=false',
  },
  {
    name: 'options by which Argo CD deletes an object to make it anew',
    object: 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster',
    annotations:
      '{argocd.argoproj.io/sync-options: " Force=true ,Validate=false, replace = True,Replace=true,ServerSideApply=false"}',
    kind: 'cluster',
    options: 'Validate=false,ServerSideApply=false,Prune=confirm,Delete=confirm',
  },
  {
    name: 'options that say that it is not made anew',
    object: 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition',
    annotations: '{argocd.argoproj.io/sync-options: "Force=false,Replace=true"}',
    options: 'Force=false,Prune=confirm,Delete=confirm',
  },
  {
    name: 'the same of an ordinary object',
    object: configMap,
    annotations: '{argocd.argoproj.io/sync-options: "Force=true,Replace=true"}',
    options: 'Force=true,Replace=true',
  },
  {
    name: 'weaker options of the chart',
    object: namespace,
    annotations: '{argocd.argoproj.io/sync-options: "Prune=true,Delete=true"}',
    options: 'Prune=false,Delete=false',
  },
  {
    name: 'stronger options of the chart',
    object: namespace,
    annotations: '{argocd.argoproj.io/sync-options: "Prune=false"}',
    kind: 'cluster',
    options: 'Prune=false,Delete=confirm',
  },
  {
    name: 'an image in a stack',
    object: 'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image',
    kind: 'stack',
    wave: '-1',
  },
  {
    name: 'an image gate in a stack',
    object: 'apiVersion: stackmason.dev/v1alpha1\nkind: NodeImageGate',
    kind: 'stack',
    wave: '-1',
  },
  {
    name: 'an image in a stack with a wave of its own',
    object: 'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image',
    annotations: '{argocd.argoproj.io/sync-wave: "-5"}',
    kind: 'stack',
    wave: '-5',
  },
  {
    name: 'a class',
    object: 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass',
    kind: 'stack',
  },
  {
    name: 'an image beside a cluster',
    object: 'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image',
    kind: 'cluster',
  },
  {
    name: 'a binding, which needs the Cluster beside it',
    object: 'apiVersion: stackmason.dev/v1alpha1\nkind: RuntimeValues',
    kind: 'cluster',
  },
  {
    name: 'a wave of the chart',
    object: configMap,
    annotations: '{argocd.argoproj.io/sync-wave: "3"}',
    wave: '3',
  },
]

describe('createAnnotator', () => {
  it.each(rows)('$name', ({ object, annotations = '{}', kind = 'addons', options, wave }) => {
    const manifest = manifestOf(`${object}\nmetadata: {name: x, annotations: ${annotations}}`)
    const annotated = createAnnotator()(manifest, { kind })
    expect(fieldAt(annotated.object, 'metadata', 'annotations', 'argocd.argoproj.io/sync-options')).toBe(options)
    expect(fieldAt(annotated.object, 'metadata', 'annotations', 'argocd.argoproj.io/sync-wave')).toBe(wave)
  })

  it.each([
    ['a Namespace of addons', namespace, 'addons', '{}', 'IgnoreExtraneous'],
    ['a Namespace of a stack', namespace, 'stack', '{}', undefined],
    ['an ordinary object', configMap, 'addons', '{}', undefined],
    ['what Helm keeps', configMap, 'stack', '{helm.sh/resource-policy: keep}', 'IgnoreExtraneous'],
    [
      'options of the chart',
      namespace,
      'addons',
      '{argocd.argoproj.io/compare-options: "ServerSideDiff=false, IgnoreExtraneous"}',
      'ServerSideDiff=false,IgnoreExtraneous',
    ],
  ] as const)('says whether an object that was left behind counts: %s', (_, object, kind, annotations, options) => {
    const manifest = manifestOf(`${object}\nmetadata: {name: x, annotations: ${annotations}}`)
    const { object: annotated } = createAnnotator()(manifest, { kind })
    expect(fieldAt(annotated, 'metadata', 'annotations', 'argocd.argoproj.io/compare-options')).toBe(options)
  })

  const hook = '{argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation, a: b}'
  it.each([
    ['a Cluster', 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster', 'cluster', ['a', OPTIONS]],
    ['a Namespace', namespace, 'stack', ['a', OPTIONS]],
    ['a volume', 'apiVersion: v1\nkind: PersistentVolume', 'addons', ['a', OPTIONS, COMPARE]],
    ['a claim', 'apiVersion: v1\nkind: PersistentVolumeClaim', 'addon', ['a', OPTIONS, COMPARE]],
    ['a CRD', 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition', 'own-addons', ['a', OPTIONS]],
    ['an ordinary object, which stays a hook', configMap, 'addons', [HOOK, `${HOOK}-delete-policy`, 'a']],
  ] as const)('makes no hook of what Argo CD would delete and make anew: %s', (_, object, kind, want) => {
    const manifest = manifestOf(`${object}\nmetadata: {name: x, annotations: ${hook}}`)
    expect(annotationsOf(createAnnotator()(manifest, { kind }))).toEqual(want)
  })

  it('makes none of a Cluster that may be deleted, either', () => {
    const bare = 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: x, annotations: '
    const [plain, forced] = [manifestOf(`${bare}${hook}}`), manifestOf(`${bare}{${OPTIONS}: "Force=true"}}`)]
    const annotate = createAnnotator()
    expect(annotationsOf(annotate(plain, { kind: 'cluster', mayDelete: 'cluster' }))).toEqual(['a'])
    const { object } = annotate(forced, { kind: 'cluster', mayDelete: 'cluster' })
    expect(dictAt(object, 'metadata')?.has('annotations')).toBe(false)
  })

  it('keeps one manifest of many clusters one', () => {
    const annotate = createAnnotator()
    const manifest = manifestOf('apiVersion: v1\nkind: Namespace\nmetadata: {name: x}')
    expect(annotate(manifest, { kind: 'addons' })).toBe(annotate(manifest, { kind: 'condition' }))
    const ordinary = manifestOf('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}')
    expect(annotate(ordinary, { kind: 'stack' })).toBe(ordinary)
  })
})

it('lets a RuntimeValues object that has left git stay without a word', () => {
  const manifest = manifestOf(
    'apiVersion: stackmason.dev/v1alpha1\nkind: RuntimeValues\nmetadata: {name: web, namespace: team-a}',
  )
  const { object } = createAnnotator()(manifest, { kind: 'cluster' })
  expect(fieldAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/compare-options')).toBe('IgnoreExtraneous')
})
