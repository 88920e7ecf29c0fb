import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, type LabRow } from './check-lab.ts'

const HANDOFF = 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}'
const HOST = '{{ .Values.host | quote }}'
const LATE = 'it depends on a value that is filled in later'

/** The chart reads the endpoint of the cluster, which the lab does not fix. */
const withHost = (template: string, policies?: string): LabRow['files'] => ({
  'stack/cluster-addon/web/overwrite.yaml': 'values: |\n  host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
  [lab.template]: template,
  ...(policies !== undefined && { 'policies/workload/host.yaml': policies }),
})

/** A policy about ConfigMaps, and its binding. */
const policy = (expression: string, more = '', binding = ''): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: host}
spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}, validations: [{expression: ${JSON.stringify(expression)}}]${more}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: host}
spec: {policyName: host, validationActions: [Deny]${binding}}
`
const map = (fields = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {host: {{ .Values.host | quote }}, app: web}}\ndata: {host: {{ .Values.host | quote }}, port: "443"${fields}}\n`
const policies: readonly {
  readonly expression: string
  readonly more?: string
  readonly binding?: string
  readonly says: string
}[] = [
  { expression: 'object.data.host != ""', says: LATE },
  { expression: 'object.data.host == "a.example"', says: LATE },
  { expression: '!object.data.host.startsWith("$")', says: LATE },
  { expression: 'object.data.all(k, object.data[k] != "")', says: LATE },
  { expression: 'object.data == {"host": "a", "port": "443"}', says: LATE },
  { expression: '{"host": "a", "port": "443"} != object.data', says: LATE },
  { expression: 'object.data.?host.orValue("") != "a"', says: LATE },
  { expression: '[object.data.host, dyn("a")].exists(x, x == "b")', says: LATE },
  {
    expression: 'variables.host != ""',
    more: ', variables: [{name: host, expression: "object.data.host"}]',
    says: LATE,
  },
  { expression: 'false', more: ', matchConditions: [{name: a, expression: "object.data.host == \'a\'"}]', says: LATE },
  {
    expression: 'false',
    binding: ', matchResources: {objectSelector: {matchLabels: {host: a}}}',
    says: 'a label of the object is filled in later',
  },
  {
    expression: 'false',
    binding: ', matchResources: {objectSelector: {matchExpressions: [{key: host, operator: NotIn, values: [a]}]}}',
    says: 'a label of the object is filled in later',
  },
  // what does not depend on it
  { expression: 'has(object.data.host) && object.data.port == "443"', says: '' },
  { expression: 'object.data.port == "443" || object.data.host == "a"', says: '' },
  { expression: 'object.data.host == "a" || object.data.port == "443"', says: '' },
  {
    expression: 'false',
    more: ', matchConditions: [{name: a, expression: "object.data.host == \'a\'"}, {name: b, expression: "false"}]',
    says: '',
  },
  {
    expression: 'true',
    binding: ', matchResources: {objectSelector: {matchExpressions: [{key: host, operator: Exists}]}}',
    says: '',
  },
  {
    expression: 'false',
    binding: ', matchResources: {objectSelector: {matchLabels: {host: a, app: other}}}',
    says: '',
  },
]

describe('policies on objects with placeholders', () => {
  test.each(policies)('$expression, $says', async ({ expression, more, binding, says }) => {
    const found = await checkLab({ files: withHost(map(), policy(expression, more, binding)), spec: [HANDOFF] })
    const line = `warning POLICY_NOT_EVALUATED policies/workload/host.yaml:3:18 the policy host is not evaluated, because ${says} (1 object) [] → Try the object on a server that has the policy: \`kubectl apply --dry-run=server\`.`
    expect(found.filter((each) => each.includes('POLICY'))).toEqual(says === '' ? [] : [line])
  })

  test('one that refuses whatever the value is', async () => {
    const found = await checkLab({
      files: withHost(map(), policy('object.data.host == "a" && object.data.port == "80"')),
      spec: [HANDOFF],
    })
    expect(found.filter((each) => each.includes('POLICY'))).toEqual([
      `error POLICY_DENIED ${lab.template}:2:7 ConfigMap kube-system/web: the policy host refuses it: failed expression: object.data.host == "a" && object.data.port == "80" [team/one web] → Correct the object as the policy says, or exempt it in the policy or its binding.`,
    ])
  })

  test('parameters, namespaces and policies with placeholders', async () => {
    const named = (name: string, text: string): string =>
      text.replaceAll('name: host}', `name: ${name}}`).replace('policyName: host', `policyName: ${name}`)
    const parameter = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: few, namespace: kube-system}\ndata: {host: ${HOST}, port: "80"}\n`
    const space = `apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, labels: {host: ${HOST}, stage: prod}}\n`
    const own = policy('true').replace('"true"', '{{ printf "%q != \'\'" .Values.host | quote }}')
    const kind = ', paramKind: {apiVersion: v1, kind: ConfigMap}'
    const ref = ', paramRef: {name: few, namespace: kube-system, parameterNotFoundAction: Deny}'
    const asked = [
      named('params', policy('params.data.host == "a"', kind, ref)),
      named('params-known', policy('params.data.port == "80"', kind, ref)),
      named('space', policy('namespaceObject.metadata.labels.host == "a"')),
      named('space-known', policy('namespaceObject.metadata.labels.stage == "prod"')),
      named('selected', policy('false', '', ', matchResources: {namespaceSelector: {matchLabels: {host: a}}}')),
    ]
    const found = await checkLab({
      files: withHost([parameter, space, own].join('---\n'), asked.join('---\n')),
      spec: [HANDOFF],
    })
    expect(found.filter((each) => each.includes('POLICY')).map((each) => each.replace(/ \(1 object\).*/, ''))).toEqual(
      [
        ['warning', 'policies/workload/host.yaml:3:18', 'params', LATE],
        ['warning', 'policies/workload/host.yaml:43:18', 'selected', 'a label of the namespace is filled in later'],
        ['warning', 'policies/workload/host.yaml:23:18', 'space', LATE],
        ['note', '', 'host', 'something in it or in its binding is filled in later'],
      ].map(
        ([level = '', place = '', name = '', reason = '']) =>
          `${level} POLICY_NOT_EVALUATED ${place} the policy ${name} is not evaluated, because ${reason}`,
      ),
    )
  })
})

const thing = (schema: string, spec: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: ${schema}}}}}]
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: ${spec}
`
const ruled = (expression: string): string => `x-kubernetes-validations: [{rule: ${JSON.stringify(expression)}}]`
const rules: readonly {
  readonly name: string
  readonly schema: string
  readonly spec: string
  readonly found: string
}[] = [
  {
    name: 'of a map that has it',
    schema: `{type: object, properties: {a-b: {type: string}}, ${ruled('self.a__dash__b != ""')}}`,
    spec: `{a-b: ${HOST}}`,
    found: 'spec, is not evaluated, because LATE: self.a__dash__b != ""',
  },
  {
    name: 'of the value itself',
    schema: `{type: object, properties: {host: {type: string, ${ruled('self.size() > 3')}}}}`,
    spec: `{host: ${HOST}}`,
    found: 'spec.host, is not evaluated, because LATE: self.size() > 3',
  },
  {
    name: 'of a list that has it',
    schema: `{type: object, properties: {hosts: {type: array, items: {type: string}, ${ruled('self.all(x, x != "")')}}}}`,
    spec: `{hosts: [a, ${HOST}]}`,
    found: 'spec.hosts, is not evaluated, because LATE: self.all(x, x != "")',
  },
  {
    name: 'of a list of maps that have it',
    schema: `{type: object, properties: {hosts: {type: array, items: {type: object, properties: {host: {type: string}}}, ${ruled('self.all(x, x.host != "")')}}}}`,
    spec: `{hosts: [{host: ${HOST}}]}`,
    found: 'spec.hosts, is not evaluated, because LATE: self.all(x, x.host != "")',
  },
  {
    name: 'that does not depend on it',
    schema: `{type: object, properties: {host: {type: string}, port: {type: integer}}, ${ruled('self.host == "a" || self.port > 0')}}`,
    spec: `{host: ${HOST}, port: 1}`,
    found: '',
  },
]

describe('rules in CEL about objects with placeholders', () => {
  test.each(rules)('$name', async ({ schema, spec, found }) => {
    const lines = await checkLab({ files: withHost(thing(schema, spec)), spec: [HANDOFF] })
    expect(lines.filter((line) => line.includes('RULE'))).toEqual(
      found === ''
        ? []
        : [
            `note RULE_NOT_EVALUATED  a rule of example.com/v1 Thing, ${found.replace('LATE', LATE)} [team/one] → Try the object on a server: \`kubectl apply --dry-run=server\`.`,
          ],
    )
  })
})
