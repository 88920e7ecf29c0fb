import { describe, expect, test } from 'vitest'
import { lab, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { checkFleet } from './check-lab.ts'

const HANDOFF = 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}'
const HOST = '{{ .Values.host | quote }}'

const definition = (rules: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {id: {type: string}, host: {type: string}, mode: {type: string}}, x-kubernetes-validations: [${rules}]}}}}
---
`
const thing = (spec: string, name = 'a'): string =>
  `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: ${name}}\nspec: ${spec}\n`
const map = (data: string, labels = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {app: web${labels}}}\ndata: ${data}\n`
const policy = (
  expression: string,
  { operations = 'CREATE, UPDATE', binding = '' } = {},
): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: still}
spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [${operations}], resources: [configmaps]}]}, validations: [{expression: ${JSON.stringify(expression)}}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: still}
spec: {policyName: still, validationActions: [Deny]${binding}}
`

interface Row {
  readonly name: string
  readonly policy?: string
  readonly before: string
  readonly after: string
  readonly found: readonly string[]
}

const SAME = '{rule: "!has(self.id) || self.id == oldSelf.id"}'
const MODE = '{rule: "oldSelf.hasValue() || self.mode == \'new\'", optionalOldSelf: true}'
const STILL = 'oldObject == null || object.data.a == oldObject.data.a'
const refused = (message: string): string =>
  `error POLICY_DENIED ConfigMap kube-system/web: the policy still refuses it: ${message}`

const rows: readonly Row[] = [
  {
    name: 'a rule that compares, and is kept',
    before: definition(SAME) + thing('{id: a, host: x}'),
    after: definition(SAME) + thing('{id: a, host: y}'),
    found: [],
  },
  {
    name: 'a rule that compares, and is not kept',
    before: definition(SAME) + thing('{id: a}'),
    after: definition(SAME) + thing('{id: b}'),
    found: [`error FIELD_RULE_BROKEN Thing kube-system/a: spec: failed rule: !has(self.id) || self.id == oldSelf.id`],
  },
  {
    name: 'a rule that compares, of a value that comes or was not there',
    before: definition(SAME) + thing('{host: x}'),
    after: definition(SAME) + thing('{id: b}'),
    found: ['error FIELD_RULE_BROKEN Thing kube-system/a: spec: it cannot be evaluated: there is no field id'],
  },
  {
    name: 'a rule that is asked of new objects, too',
    before: definition(MODE) + thing('{mode: old}'),
    after: [definition(MODE) + thing('{mode: older}'), thing('{mode: old}', 'b'), thing('{mode: new}', 'c')].join(
      '---\n',
    ),
    found: [`error FIELD_RULE_BROKEN Thing kube-system/b: spec: failed rule: oldSelf.hasValue() || self.mode == 'new'`],
  },
  {
    name: 'a rule that compares what is filled in later',
    before: definition('{rule: "self.host == oldSelf.host"}') + thing(`{host: ${HOST}, id: a}`),
    after: definition('{rule: "self.host == oldSelf.host"}') + thing(`{host: ${HOST}, id: b}`),
    found: [
      'note RULE_NOT_EVALUATED a rule of example.com/v1 Thing, spec, is not evaluated, because it depends on a value that is filled in later: self.host == oldSelf.host',
    ],
  },
  {
    name: 'a rule that compares with what was filled in later',
    before: definition('{rule: "self.host == oldSelf.host"}') + thing(`{host: ${HOST}}`),
    after: definition('{rule: "self.host == oldSelf.host"}') + thing('{host: a}'),
    found: [
      'note RULE_NOT_EVALUATED a rule of example.com/v1 Thing, spec, is not evaluated, because it depends on a value that is filled in later: self.host == oldSelf.host',
    ],
  },
  {
    name: 'a policy about changes, of an object that changes in something else',
    policy: policy(STILL),
    before: map('{a: x, b: x}'),
    after: map('{a: x, b: z}'),
    found: [],
  },
  {
    name: 'a policy about changes',
    policy: policy(STILL),
    before: map('{a: x}'),
    after: map('{a: z}'),
    found: [refused(`failed expression: ${STILL}`)],
  },
  {
    name: 'a policy about updates alone',
    policy: policy('false', { operations: 'UPDATE' }),
    before: map('{a: x}'),
    after: map('{a: z}'),
    found: [refused('failed expression: false')],
  },
  {
    name: 'an object that loses the label by which it is chosen',
    policy: policy('oldObject == null', { binding: ', matchResources: {objectSelector: {matchLabels: {tier: web}}}' }),
    before: map('{a: x}', ', tier: web'),
    after: map('{a: x}'),
    found: [refused('failed expression: oldObject == null')],
  },
  {
    name: 'a policy about changes of what is filled in later',
    policy: policy(STILL),
    before: map(`{a: ${HOST}, b: x}`),
    after: map(`{a: ${HOST}, b: z}`),
    found: [
      'warning POLICY_NOT_EVALUATED the policy still is not evaluated, because it depends on a value that is filled in later',
    ],
  },
]

describe('what changes against the base', () => {
  test.each(rows)('$name', async ({ policy: given, before, after, found }) => {
    const fleet = labFleet(await tempFolder(), [HANDOFF])
    fleet.change({
      'stack/cluster-addon/web/overwrite.yaml': 'values: |\n  host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
      [lab.template]: before,
      ...(given !== undefined && { 'policies/workload/still.yaml': given }),
    })
    await fleet.render()
    fleet.commit()
    fleet.change({ [lab.template]: after })
    const lines = await checkFleet(fleet)
    expect(
      lines
        .filter((line) => /RULE_|POLICY_/.test(line))
        .map((line) => line.replace(/^(\S+ \S+) \S* (.*) \[.*$/, '$1 $2').replace(/^(\S+ \S+) {2}/, '$1 ')),
    ).toEqual(found)
  })
})
