import { expect, test } from 'vitest'
import { formatGoJson } from '../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { compareValues } from '../../src/diff/compare-values.ts'
import { createSchemaFinder, definitionFiles, type FindSchema } from '../../src/diff/list-schemas.ts'
import { Dict, type Value } from '../../src/model/value.ts'
import { formatChangePath } from '../../src/model/change-path.ts'

const [HELM, ARGO, OTHER] = [
  'apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease',
  'apiVersion: argoproj.io/v1alpha1, kind: Application',
  'apiVersion: example.com/v1, kind: Some',
]

/** Two items that change places in a list of a kind. */
const orders: readonly (readonly [kind: string, list: string, items: readonly [string, string], hasOrder: boolean])[] =
  [
    ['apps/v1 Deployment', 'spec.template.spec.initContainers', ['{name: a}', '{name: b}'], true],
    ['apps/v1 Deployment', 'spec.template.spec.containers', ['{name: a}', '{name: b}'], false],
    ['apps/v1 Deployment', 'spec.env', ['{name: A, value: x}', '{name: B, value: "$(A)"}'], true],
    ['apps/v1 Deployment', 'spec.env', ['{name: A, value: x}', '{name: B, value: "${A}"}'], false],
    ['apps/v1 Deployment', 'spec.volumes', ['{name: A}', '{name: B}'], false],
    ['v1 Service', 'spec.ports', ['{port: 1}', '{port: 2}'], false],
    ['v1 Service', 'metadata.finalizers', ['a', 'b'], false],
    ['v1 Pod', 'spec.tolerations', ['{key: a}', '{key: b}'], false],
    ['networking.k8s.io/v1 NetworkPolicy', 'spec.ingress', ['{from: [{a: b}]}', '{}'], false],
    ['networking.k8s.io/v1 Ingress', 'spec.rules', ['{host: a}', '{host: b}'], false],
    ['rbac.authorization.k8s.io/v1 Role', 'rules', ['{verbs: [get]}', '{verbs: [list]}'], false],
    ['admissionregistration.k8s.io/v1 MutatingWebhookConfiguration', 'webhooks', ['{name: a}', '{name: b}'], true],
    ['admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration', 'webhooks', ['{name: a}', '{name: b}'], false],
    ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', 'spec.variables', ['{name: a}', '{name: b}'], true],
    ['cluster.x-k8s.io/v1beta2 Cluster', 'spec.topology.variables', ['{name: a}', '{name: b}'], false],
    ['cluster.x-k8s.io/v1beta2 ClusterClass', 'spec.patches', ['{name: a}', '{name: b}'], true],
    ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec.dependsOn', ['{name: a}', '{name: b}'], false],
    ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec.postBuild.substituteFrom', ['{name: a}', '{name: b}'], true],
    ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec.patches', ['{patch: a}', '{patch: b}'], true],
    ['argoproj.io/v1alpha1 Application', 'spec.source.helm.parameters', ['{name: a}', '{name: b}'], false],
    ['argoproj.io/v1alpha1 Application', 'spec.source.helm.valueFiles', ['a', 'b'], true],
    [
      'gateway.networking.k8s.io/v1 HTTPRoute',
      'spec.rules',
      ['{filters: [{type: A}]}', '{filters: [{type: B}]}'],
      true,
    ],
    ['policy.networking.k8s.io/v1alpha1 AdminNetworkPolicy', 'spec.ingress', ['{name: a}', '{name: b}'], true],
    ['networking.istio.io/v1 VirtualService', 'spec.http', ['{name: deny}', '{name: all}'], true],
    ['tekton.dev/v1 Task', 'spec.steps', ['{name: a}', '{name: b}'], true],
    ['kyverno.io/v1 Policy', 'spec.rules', ['{name: a}', '{name: b}'], true],
    ['projectcalico.org/v3 NetworkPolicy', 'spec.ingress', ['{action: Deny}', '{action: Allow}'], true],
    ['cilium.io/v2 CiliumNetworkPolicy', 'spec.ingress', ['{fromEndpoints: []}', '{fromCIDR: []}'], false],
    ['example.com/v1 Some', 'spec.resources', ['a', 'b'], true],
    ['example.com/v1 Some', 'metadata.finalizers', ['a', 'b'], false],
  ]

test.each(orders)('%s: the order of %s has a meaning or none', (of, list, [first, second], hasOrder) => {
  const [apiVersion = '', kind = ''] = of.split(' ')
  const nested = list.split('.').reduceRight((inner, field) => `{${field}: ${inner}}`, '[]')
  const object = (items: string): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, ${nested.slice(1).replace('[]', `[${items}]`)}`
  const shown = compared(object(`${first}, ${second}`), object(`${second}, ${first}`))
  expect(shown.map((line) => line.replace(/:.*->.*\]/, ''))).toEqual(hasOrder ? [`${list} reordered`] : [])
})

const cases: readonly {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly changes: readonly string[]
}[] = [
  { what: 'nothing', before: '{a: 1, b: [x, y]}', after: '{b: [x, y], a: 1}', changes: [] },
  { what: 'a scalar', before: '{a: {b: 1}}', after: '{a: {b: 2}}', changes: ['a.b: 1 -> 2'] },
  { what: 'a type', before: '{a: "1"}', after: '{a: 1}', changes: ['a: "1" -> 1'] },
  { what: 'an integer and the same float', before: '{a: 1}', after: '{a: 1.0}', changes: [] },
  {
    what: 'amounts of resources that are the same',
    before: '{resources: {limits: {cpu: 1000m, memory: 1Gi, x: 1}, requests: {cpu: "0.5"}}}',
    after: '{resources: {limits: {cpu: 1, memory: 1024Mi, x: "1"}, requests: {cpu: 600m}}}',
    changes: ['resources.requests.cpu: "0.5" -> "600m"'],
  },
  {
    what: 'a text that looks like an amount',
    before: '{data: {max: 1000m}}',
    after: '{data: {max: "1"}}',
    changes: ['data.max: "1000m" -> "1"'],
  },
  { what: 'a new field', before: '{a: {}}', after: '{a: {b: {c: 1}}}', changes: ['a.b:  -> {"c":1}'] },
  { what: 'a field that is gone', before: '{a: {b: 1}}', after: '{a: {}}', changes: ['a.b: 1 -> '] },
  { what: 'null is nothing', before: '{a: null}', after: '{}', changes: [] },
  { what: 'an empty map is something', before: '{a: {}}', after: '{}', changes: ['a: {} -> '] },
  { what: '__proto__ is a key', before: '{__proto__: 1}', after: '{__proto__: 2}', changes: ['__proto__: 1 -> 2'] },
  {
    what: 'containers by name, in any order',
    before: '{containers: [{name: a, image: x:1}, {name: b, image: y:1}]}',
    after: '{containers: [{name: b, image: y:2}, {name: a, image: x:1}]}',
    changes: ['containers[name=b].image: "y:1" -> "y:2"'],
  },
  {
    what: 'ports by number and protocol, TCP by default',
    before: '{ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]}',
    after: '{ports: [{containerPort: 53, protocol: TCP, name: dns}, {containerPort: 53, protocol: UDP}]}',
    changes: ['ports[53/TCP].name:  -> "dns"', 'ports[53/TCP].protocol:  -> "TCP"'],
  },
  {
    what: 'ports of a service',
    before: '{ports: [{port: 80, targetPort: 8080}]}',
    after: '{ports: [{port: 80, targetPort: 8081}, {port: 443, targetPort: 8443}]}',
    changes: ['ports[80/TCP].targetPort: 8080 -> 8081', 'ports[443/TCP]:  -> {"port":443,"targetPort":8443}'],
  },
  {
    what: 'tolerations as a set',
    before: '{tolerations: [{key: a, operator: Exists}, {operator: Exists}]}',
    after: '{tolerations: [{operator: Exists}, {key: b, operator: Exists}]}',
    changes: [
      'tolerations[{"key":"a","operator":"Exists"}]: {"key":"a","operator":"Exists"} -> ',
      'tolerations[{"key":"b","operator":"Exists"}]:  -> {"key":"b","operator":"Exists"}',
    ],
  },
  {
    what: 'arguments, whose order has a meaning',
    before: '{args: [--a, --b]}',
    after: '{args: [--b, --a]}',
    changes: ['args: ["--a","--b"] -> ["--b","--a"] reordered'],
  },
  {
    what: 'one argument in the middle',
    before: '{args: [--a=1, --b, --c]}',
    after: '{args: [--a=2, --b, --c]}',
    changes: ['args[--a=1]: "--a=1" -> ', 'args[--a=2]:  -> "--a=2"'],
  },
  {
    what: 'verbs of a rule, in any order',
    before: '{rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}',
    after: '{rules: [{apiGroups: [""], resources: [pods], verbs: [list, get, delete]}]}',
    changes: ['rules[[""]/["pods"]].verbs[delete]:  -> "delete"'],
  },
  {
    what: 'variables and machine deployments of a topology',
    before:
      '{topology: {variables: [{name: a, value: 1}], workers: {machineDeployments: [{class: c, name: m, replicas: 1}]}}}',
    after:
      '{topology: {variables: [{name: a, value: 2}], workers: {machineDeployments: [{class: c, name: m, replicas: 2}]}}}',
    changes: [
      'topology.variables[name=a].value: 1 -> 2',
      'topology.workers.machineDeployments[name=m].replicas: 1 -> 2',
    ],
  },
  {
    what: 'patches without a name stand for each other in their order',
    before: '{jsonPatches: [{op: add, path: /a}, {op: add, path: /b}]}',
    after: '{jsonPatches: [{op: add, path: /a}, {op: replace, path: /b}]}',
    changes: ['jsonPatches[1].op: "add" -> "replace"'],
  },
  {
    what: 'one argument that changes and others that change places',
    before: '{args: [--a=1, --b, --c]}',
    after: '{args: [--c, --b, --a=2]}',
    changes: [
      'args[--a=1]: "--a=1" -> ',
      'args[--a=2]:  -> "--a=2"',
      'args: ["--a=1","--b","--c"] -> ["--c","--b","--a=2"] reordered',
    ],
  },
  {
    what: 'arguments that come and go at other places',
    before: '{args: [--a, --b, --c]}',
    after: '{args: [--d, --e, --b, --c, --f]}',
    changes: ['args[--a]: "--a" -> ', 'args[--d]:  -> "--d"', 'args[--e]:  -> "--e"', 'args[--f]:  -> "--f"'],
  },
  {
    what: 'null in the values of a chart, which takes away its default',
    before: `{${HELM}, spec: {values: {a: 1}, other: {}}}`,
    after: `{${HELM}, spec: {values: {a: 1, b: null}, other: {b: null}}}`,
    changes: ['spec.values.b:  -> null'],
  },
  {
    what: 'null in the values of an Application',
    before: `{${ARGO}, spec: {source: {helm: {valuesObject: {a: null}}}}}`,
    after: `{${ARGO}, spec: {source: {helm: {valuesObject: {a: 1}}}}}`,
    changes: ['spec.source.helm.valuesObject.a: null -> 1'],
  },
  {
    what: 'null in a kind of Kubernetes that has values',
    before: '{apiVersion: v1, kind: X, values: {}}',
    after: '{apiVersion: v1, kind: X, values: {a: null}}',
    changes: [],
  },
  {
    what: 'a version below limits of a kind that nobody knows',
    before: `{${OTHER}, spec: {limits: {version: "1.10", cpu: 1000m}}}`,
    after: `{${OTHER}, spec: {limits: {version: "1.1", cpu: 1}}}`,
    changes: ['spec.limits.cpu: "1000m" -> 1', 'spec.limits.version: "1.10" -> "1.1"'],
  },
  {
    what: 'names that are there twice are no key',
    before: '{env: [{name: a, value: "1"}, {name: a, value: "2"}]}',
    after: '{env: [{name: a, value: "1"}, {name: a, value: "3"}]}',
    changes: ['env[1].value: "2" -> "3"'],
  },
]

test.each(cases)('$what', ({ before, after, changes }) => {
  expect(compared(before, after)).toEqual(changes)
})

function compared(before: string, after: string, findSchema?: FindSchema): readonly string[] {
  const read = (text: string): Dict => {
    const value = parseGoYaml(text, { integers: 'int' })
    return value instanceof Dict ? value : new Dict()
  }
  const text = (value: Value | undefined): string =>
    value === undefined ? '' : formatGoJson(value, { escapeHtml: false })
  return compareValues(read(before), read(after), findSchema).map(
    ({ path, isReordered, ...change }) =>
      `${formatChangePath(path)}: ${text(change.before)} -> ${text(change.after)}${isReordered === true ? ' reordered' : ''}`,
  )
}

const definition = (items: string, list: string): string =>
  `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: somes.example.com}, spec: {group: example.com, names: {kind: Some}, versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {list: {type: array, items: {${items}}, ${list}}}}}}}}]}}`
const MAP = 'x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id, zone]'
const PORT = 'properties: {zone: {default: a}}'

test.each([
  {
    what: 'items by the keys of a map',
    schema: definition('', MAP),
    lists: ['{id: 1, zone: a, v: 1}, {id: 1, zone: b, v: 1}', '{id: 1, zone: b, v: 1}, {id: 1, zone: a, v: 2}'],
    want: ['spec.list[1/a].v: 1 -> 2'],
  },
  {
    what: 'a key that has its default',
    schema: definition(PORT, MAP),
    lists: ['{id: 1, v: 1}, {id: 2, zone: b}', '{id: 2, zone: b}, {id: 1, zone: a, v: 2}'],
    want: ['spec.list[1/a].v: 1 -> 2', 'spec.list[1/a].zone:  -> "a"'],
  },
  {
    what: 'a set in another order',
    schema: definition('', 'x-kubernetes-list-type: set'),
    lists: ['x, y', 'y, x'],
    want: [],
  },
  {
    what: 'names of a list that is one value',
    schema: definition('', 'x-kubernetes-list-type: atomic'),
    lists: ['{name: a}, {name: b}', '{name: b}, {name: a}'],
    want: ['spec.list: [{"name":"a"},{"name":"b"}] -> [{"name":"b"},{"name":"a"}] reordered'],
  },
  {
    what: 'a map whose items break its rule',
    schema: definition('', MAP),
    lists: ['{id: 1, zone: a, v: 1}, {id: 1, zone: a, v: 2}', '{id: 1, zone: a, v: 1}'],
    want: ['spec.list[1]: {"id":1,"v":2,"zone":"a"} -> '],
  },
])('a definition says how lists are compared: $what', ({ schema, lists, want }) => {
  const parsed = parseGoYaml(schema)
  if (!(parsed instanceof Dict)) throw new Error('no definition')
  const [before = '', after = ''] = lists.map((items) => `{${OTHER}, spec: {list: [${items}]}}`)
  expect(compared(before, after, createSchemaFinder([parsed]))).toEqual(want)
})

test('definitions are found in the tree by the names of their files', () => {
  const at = 'clusters/team/one/addons/01-some/'
  const paths = ['customresourcedefinition-somes.example.com.yaml', 'customresourcedefinition-others.example.com.yaml']
  const all = [...paths, 'customresourcedefinition-somes.another.com.yaml', 'some-x.yaml'].map((name) => at + name)
  expect(definitionFiles(all, [`{${OTHER}}`, 'apiVersion: v1\nkind: ConfigMap\n'])).toEqual([at + (paths[0] ?? '')])
  expect(definitionFiles(all, ['apiVersion: v1\nkind: Some\n'])).toEqual([])
})
