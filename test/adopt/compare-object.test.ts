import { describe, expect, test } from 'vitest'
import { compareObject } from '../../src/adopt/compare-object.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict } from '../../src/model/value.ts'

function object(text: string): Dict {
  const value = parseGoYaml(text, { integers: 'int' })
  if (!(value instanceof Dict)) throw new Error(text)
  return value
}

function compare(rendered: string, live: string, later: readonly string[] = []): readonly string[] {
  return compareObject({ object: object(rendered), later: new Set(later) }, object(live)).map(
    ({ field, change }) => `${field} ${change}`,
  )
}

const OWNED = 'managedFields:\n  - {manager: kubectl, operation: Apply, apiVersion: v1, fieldsV1: '

describe('compareObject', () => {
  test.each([
    {
      name: 'what the server fills in',
      rendered: 'spec: {a: 1}',
      live: 'spec: {a: 1, b: 2}\nstatus: {x: 1}',
      want: [],
    },
    {
      name: 'another number',
      rendered: 'spec: {a: 1}',
      live: 'spec: {a: 2}',
      want: ['spec.a is 2, and would become 1'],
    },
    {
      name: 'a number and its text',
      rendered: 'spec: {a: "80"}',
      live: 'spec: {a: 80}',
      want: ['spec.a is 80, and would become "80"'],
    },
    {
      name: 'a boolean and its text',
      rendered: 'spec: {a: true}',
      live: 'spec: {a: "true"}',
      want: ['spec.a is "true", and would become true'],
    },
    {
      name: 'a missing field',
      rendered: 'spec: {a: {b: x}}',
      live: 'spec: {}',
      want: ['spec.a.b would be added as "x"'],
    },
    {
      name: 'empty values, which the server drops',
      rendered: 'spec: {a: null, b: "", c: {}, d: [], e: false, f: 0, g: {h: {}}}',
      live: 'spec: {}',
      want: [],
    },
    {
      name: 'an empty value where there is one',
      rendered: 'spec: {a: false}',
      live: 'spec: {a: true}',
      want: ['spec.a is true, and would become false'],
    },
    {
      name: 'quantities',
      rendered: 'spec: {limits: {cpu: 0.5, memory: 1024Mi}, requests: {cpu: 1, storage: 1e3}}',
      live: 'spec: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: "1", storage: 1k}}',
      want: [],
    },
    {
      name: 'quantities that differ',
      rendered: 'spec: {limits: {memory: 1G}}',
      live: 'spec: {limits: {memory: 1Gi}}',
      want: ['spec.limits.memory is "1Gi", and would become "1G"'],
    },
    {
      name: 'amounts where no quantity stands',
      rendered: 'data: {a: 1000m}',
      live: 'data: {a: "1"}',
      want: ['data.a is "1", and would become "1000m"'],
    },
    {
      name: 'texts that only look like them',
      rendered:
        'data: {limits: 1000m, wait: 10m}\nspec: {args: [10m], template: {metadata: {annotations: {max: "1"}}}}',
      live: 'data: {limits: "1", wait: 10m0s}\nspec: {args: [10m0s], template: {metadata: {annotations: {max: "1.0"}}}}',
      want: [
        'data.limits is "1", and would become "1000m"',
        'data.wait is "10m0s", and would become "10m"',
        'spec.args[0] is "10m0s", and would become "10m"',
        'spec.template.metadata.annotations.max is "1.0", and would become "1"',
      ],
    },
    {
      name: 'durations',
      rendered: 'spec: {a: 10m, b: 1h}',
      live: 'spec: {a: 10m0s, b: 2h0m0s}',
      want: ['spec.b is "2h0m0s", and would become "1h"'],
    },
    {
      name: 'lists by name, in another order',
      rendered: 'spec: {env: [{name: a, value: "1"}, {name: b, value: "2"}]}',
      live: 'spec: {env: [{name: b, value: "3"}, {name: a, value: "1"}]}',
      want: ['spec.env[b].value is "3", and would become "2"'],
    },
    {
      name: 'a list without names, by place',
      rendered: 'spec: {args: [a, b]}',
      live: 'spec: {args: [b, a]}',
      want: ['spec.args[0] is "b", and would become "a"', 'spec.args[1] is "a", and would become "b"'],
    },
    {
      name: 'items that only the cluster has',
      rendered: 'spec: {env: [{name: a}]}',
      live: 'spec: {env: [{name: a}, {name: b}]}',
      want: ["spec.env has 1 more in the cluster, which would be removed or stay, as the kind's rules are"],
    },
    {
      name: 'ownership metadata',
      rendered:
        'metadata: {labels: {clusterstack.x-k8s.io/instance: owned}, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled, argocd.argoproj.io/sync-wave: "1"}}',
      live: 'metadata: {uid: u}',
      want: [],
    },
    {
      name: 'other labels',
      rendered: 'metadata: {labels: {app.kubernetes.io/name: a}}',
      live: 'metadata: {}',
      want: ['metadata.labels."app.kubernetes.io/name" would be added as "a"'],
    },
    {
      name: "the operator's label of pods, which restarts them",
      rendered: 'kind: DaemonSet\nspec: {template: {metadata: {labels: {a: b}}}}',
      live: 'kind: DaemonSet\nspec: {template: {metadata: {labels: {a: b, clusterstack.x-k8s.io/instance: owned}}}}',
      want: [
        'spec.template.metadata.labels."clusterstack.x-k8s.io/instance" would be removed, which restarts the pods',
      ],
    },
    {
      name: 'the address that a Service got',
      rendered: 'kind: Service\nspec: {clusterIP: ""}',
      live: 'kind: Service\nspec: {clusterIP: 10.0.0.1}',
      want: [],
    },
    {
      name: "a Secret's texts",
      rendered: 'kind: Secret\nstringData: {a: hunter2}\ndata: {b: "eA ==\\n"}',
      live: 'kind: Secret\ndata: {a: aHVudGVyMg==, b: eA==}',
      want: [],
    },
    {
      name: "a Secret's values, which are never shown",
      rendered: 'kind: Secret\nstringData: {a: hunter2, c: more}',
      live: 'kind: Secret\ndata: {a: aHVudGVyMw==}',
      want: ['data.a differs', 'data.c would be added'],
    },
    {
      name: 'fields that the operator set and nobody renders',
      rendered: 'apiVersion: v1\nmetadata: {name: a}\nspec: {a: 1, list: [{name: x}]}',
      live: `apiVersion: v1\nmetadata:\n  name: a\n  labels: {clusterstack.x-k8s.io/instance: owned, old: x}\n  ${OWNED}{"f:metadata": {"f:labels": {"f:old": {}, "f:clusterstack.x-k8s.io/instance": {}}}, "f:spec": {"f:a": {}, "f:b": {}, "f:list": {"k:{\\"name\\":\\"x\\"}": {".": {}, "f:name": {}, "f:image": {}}}}}}\nspec: {a: 1, b: 2, c: 3, list: [{name: x, image: i}]}`,
      want: [
        'metadata.labels.old is set by the operator, and not rendered: it would be removed',
        'spec.b is set by the operator, and not rendered: it would be removed',
        'spec.list[x].image is set by the operator, and not rendered: it would be removed',
      ],
    },
    {
      name: 'what people set by kubectl, which Flux takes over and removes',
      rendered: 'apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\nspec: {a: 1, template: {spec: {}}}',
      live: `apiVersion: v1
kind: Deployment
metadata:
  name: a
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}', note: mine}
  managedFields:
    - {manager: kubectl-rollout, operation: Update, apiVersion: v1, fieldsV1: {"f:spec": {"f:template": {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/restartedAt": {}}}}}}}
    - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsV1: {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}, "f:spec": {"f:a": {}, "f:paused": {}}}}
    - {manager: before-first-apply, operation: Update, apiVersion: v1, fieldsV1: {"f:spec": {"f:b": {}}}}
    - {manager: kubectl-edit, operation: Update, subresource: scale, apiVersion: v1, fieldsV1: {"f:spec": {"f:replicas": {}}}}
    - {manager: terraform, operation: Update, apiVersion: v1, fieldsV1: {"f:metadata": {"f:annotations": {"f:note": {}}}}}
spec: {a: 1, b: 2, paused: false, replicas: 3, template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: now}}}}`,
      want: [
        'spec.template.metadata.annotations."kubectl.kubernetes.io/restartedAt" is set by kubectl-rollout, and not rendered: with Flux it would be removed, which restarts the pods',
        'spec.b is set by before-first-apply, and not rendered: with Flux it would be removed',
      ],
    },
    {
      name: 'what kubectl set through another version, in metadata and in fields of the same name',
      rendered: 'apiVersion: autoscaling/v2\nmetadata: {name: a}\nspec: {maxReplicas: 3, metrics: [{type: Resource}]}',
      live: `apiVersion: autoscaling/v2
metadata:
  name: a
  annotations: {example.com/keep: me}
  managedFields:
    - manager: kubectl-edit
      operation: Update
      apiVersion: autoscaling/v1
      fieldsV1:
        "f:metadata": {"f:annotations": {".": {}, "f:example.com/keep": {}, "f:example.com/gone": {}}}
        "f:spec": {"f:minReplicas": {}, "f:maxReplicas": {}, "f:targetCPUUtilizationPercentage": {}}
spec: {minReplicas: 2, maxReplicas: 3, metrics: [{type: Resource}]}`,
      want: [
        'metadata.annotations."example.com/keep" is set by kubectl-edit, and not rendered: with Flux it would be removed',
        'spec.minReplicas is set by kubectl-edit, and not rendered: with Flux it would be removed',
      ],
    },
    {
      name: 'what the operator applied in another version',
      rendered: 'apiVersion: example.com/v2\nspec: {a: 1}',
      live: `apiVersion: example.com/v2
metadata:
  managedFields:
    - {manager: kubectl, operation: Apply, apiVersion: example.com/v1, fieldsV1: {"f:spec": {"f:a": {}, "f:old": {}, "f:more": {}}}}
spec: {a: 1, more: true}`,
      want: ['spec.more is set by the operator, and not rendered: it would be removed'],
    },
    {
      name: 'what GitOps tools applied for another unit, also empty texts where they are kept',
      rendered: 'apiVersion: v1\nkind: ConfigMap\ndata: {k: x}',
      live: `apiVersion: v1
kind: ConfigMap
metadata:
  labels: {kustomize.toolkit.fluxcd.io/name: tuning, mark: ""}
  managedFields:
    - {manager: kustomize-controller, operation: Apply, apiVersion: v1, fieldsV1: {"f:metadata": {"f:labels": {"f:kustomize.toolkit.fluxcd.io/name": {}, "f:mark": {}}}, "f:data": {"f:k": {}, "f:extra": {}}}}
    - {manager: kustomize-controller, operation: Update, apiVersion: v1, fieldsV1: {"f:data": {"f:early": {}}}}
    - {manager: argocd-controller, operation: Apply, apiVersion: v1, fieldsV1: {"f:data": {"f:argo": {}}}}
    - {manager: argocd-controller, operation: Update, apiVersion: v1, fieldsV1: {"f:data": {"f:other": {}}}}
    - {manager: kustomize-controller-of-mine, operation: Apply, apiVersion: v1, fieldsV1: {"f:data": {"f:other": {}}}}
    - {manager: helm, operation: Apply, apiVersion: v1, fieldsV1: {"f:data": {"f:other": {}}}}
data: {k: x, extra: y, early: y, argo: y, other: y}`,
      want: [
        'metadata.labels.mark is set by kustomize-controller, and not rendered: with Flux it would be removed',
        'data.extra is set by kustomize-controller, and not rendered: with Flux it would be removed',
        'data.early is set by kustomize-controller, and not rendered: with Flux it would be removed',
        'data.argo is set by argocd-controller, and not rendered: with Argo CD it would be removed',
      ],
    },
    {
      name: 'an object that is being deleted',
      rendered: 'kind: Deployment\nspec: {a: 1}',
      live: 'kind: Deployment\nmetadata: {deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: [x/y]}\nspec: {a: 1}',
      want: ['metadata.deletionTimestamp is set: it is being deleted, whatever is applied'],
    },
    {
      name: 'owners that are about to go',
      rendered: 'metadata: {name: a}',
      live: `metadata:
  name: a
  ownerReferences:
    - {apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, name: c, uid: u}
    - {apiVersion: clusterstack.x-k8s.io/v1alpha1, kind: ClusterStackRelease, name: r, uid: u}
    - {apiVersion: infrastructure.clusterstack.x-k8s.io/v1alpha1, kind: OpenStackClusterStackRelease, name: o, uid: u}`,
      want: ['ClusterStackRelease r', 'OpenStackClusterStackRelease o'].map(
        (owner) =>
          `metadata.ownerReferences names ${owner}: deleting that deletes this object, too, unless the reference is taken away first`,
      ),
    },
    {
      name: 'empty texts, which the server keeps in maps of texts',
      rendered: 'metadata: {labels: {a: ""}}\ndata: {b: ""}',
      live: 'metadata: {}\ndata: {}',
      want: ['metadata.labels.a would be added as ""', 'data.b would be added as ""'],
    },
    {
      name: 'long texts from where they differ',
      rendered: `data: {a: "${'x'.repeat(200)} one two"}`,
      live: `data: {a: "${'x'.repeat(200)} one\\n"}`,
      want: [`data.a is …"${'x'.repeat(16)} one\\n", and would become …"${'x'.repeat(16)} one two"`],
    },
  ])('$name', ({ rendered, live, want }) => {
    expect(compare(rendered, live)).toEqual(want)
  })

  test('fields that are known later are not compared', () => {
    expect(
      compare('spec: {host: PLACEHOLDER, list: [{a: 1, b: X}]}', 'spec: {host: real, list: [{a: 1, b: y}]}', [
        '/spec/host',
        '/spec/list/0/b',
      ]),
    ).toEqual([])
    expect(compare('kind: Secret\nstringData: {a: X}', 'kind: Secret\ndata: {a: eQ==}', ['/stringData/a'])).toEqual([])
  })

  test('tells of one object no more than anybody reads', () => {
    const rendered = Array.from({ length: 200 }, (_, i) => `a${String(i)}: 1`).join(', ')
    expect(compare(`spec: {${rendered}}`, 'spec: {}')).toHaveLength(50)
  })
})
