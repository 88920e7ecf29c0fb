import { describe, expect, test } from 'vitest'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, type LabRow } from './check-lab.ts'

const cluster = (...topology: readonly string[]): LabRow['files'] => ({ [lab.cluster]: labCluster(topology) })
const variable = (text: string): LabRow['files'] => cluster('variables:', `  - ${text}`)
const CLASS = 'docker-lab-1-34-v1'
const at = (line: number, column: number): string => `${lab.cluster}:${String(line)}:${String(column)}`
const required = 'required: true\n      schema: {openAPIV3Schema: {type: string}}'

function withRequired(schema: string): string {
  return `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: {{ .Release.Name }}-{{ .Chart.Version }}}
spec:
  variables:
    - name: flavor
      ${schema}
`
}

/** The lab with a class of one variable, `flavor`, and a value of it. */
const flavor = (schema: string, value: string): LabRow['files'] => ({
  [lab.class]: withRequired(`required: false\n      schema: {openAPIV3Schema: ${schema}}`),
  ...variable(`{name: flavor, value: ${value}}`),
})
const checked = (ofClass: string): LabRow['files'] => ({
  [lab.class]: `${withRequired('required: false\n      schema: {openAPIV3Schema: {type: string}}')}  controlPlane: {machineInfrastructure: {ref: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerMachineTemplate, name: lab-worker}}${ofClass}}
  workers: {machineDeployments: [{class: default-worker, template: {}${ofClass}}]}
`,
  ...cluster(
    'controlPlane: {machineHealthCheck: {enable: true}}',
    'workers:',
    '  machineDeployments:',
    '    - {class: default-worker, name: a, machineHealthCheck: {enable: true}}',
    '    - {class: default-worker, name: b, machineHealthCheck: {enable: false}}',
    '    - {class: default-worker, name: c, machineHealthCheck: {enable: true, maxUnhealthy: 40%}}',
  ),
})
const SAY = 'Say it beside the field, or leave the field out.'
const pair =
  '{type: object, properties: {min: {type: integer}, max: {type: integer, default: 5}}, x-kubernetes-validations: [{rule: "self.min <= self.max", message: min is more than max, fieldPath: .min}]}'
const CORRECT = 'Write a value that the variable of the class allows.'

const rows: readonly LabRow[] = [
  { name: 'a rule in CEL that is kept', files: flavor(pair, '{min: 5}'), found: [] },
  {
    name: 'a rule in CEL that the default breaks',
    files: flavor(pair, '{min: 6}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 37)} variable "flavor", min: min is more than max [team/one] → ${CORRECT}`,
    ],
  },
  {
    name: 'a rule in CEL about a text',
    files: flavor(`{type: string, x-kubernetes-validations: [{rule: "self.startsWith('m1.')"}]}`, 's1.small'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 31)} variable "flavor": failed rule: self.startsWith('m1.') [team/one] → ${CORRECT}`,
    ],
  },
  {
    name: 'a rule in CEL that cannot be evaluated',
    files: flavor('{type: string, x-kubernetes-validations: [{rule: "self.unheard()"}]}', 's1.small'),
    found: [
      `error CLASS_INVALID ${lab.class}:8:82 ClusterClass docker-lab-1-34-v1: the schema of variable "flavor": x-kubernetes-validations[0].rule has to be CEL that API servers take: it calls unheard, which API servers do not know [docker-lab-1-34-v1] → Correct the class. If clusters use it, publish a new version of the release.`,
      `note CLASS_VARIABLE_INVALID ${at(9, 31)} variable "flavor": a rule is not evaluated, because it calls unheard, which is not known here: self.unheard() [team/one] → ${CORRECT}`,
    ],
  },
  { name: 'a format that is kept', files: flavor('{type: string, format: ipv4}', '10.0.0.1'), found: [] },
  {
    name: 'a format that is not kept',
    files: flavor('{type: string, format: ipv4}', '10.0.0.1.1'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 31)} variable "flavor": it has to be an IPv4 address [team/one] → ${CORRECT}`,
    ],
  },
  {
    name: 'a number beyond all integers',
    files: flavor('{type: integer}', '99999999999999999999'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 31)} variable "flavor": it has to be an integer [team/one] → ${CORRECT}`,
    ],
  },
  { name: 'nothing is set', found: [] },
  { name: 'all is right', files: variable('{name: replicas, value: 3}'), found: [] },
  {
    name: 'a misspelt name',
    files: variable('{name: imageRepositry, value: x}'),
    found: [
      `error CLASS_VARIABLE_UNKNOWN ${at(9, 16)} class ${CLASS} has no variable "imageRepositry" [team/one] → Did you mean imageRepository?`,
    ],
  },
  {
    name: 'a name that is none',
    files: variable('{name: zone, value: x}'),
    found: [
      `error CLASS_VARIABLE_UNKNOWN ${at(9, 16)} class ${CLASS} has no variable "zone" [team/one] → Its variables are: imageRepository, replicas, network.`,
    ],
  },
  {
    name: 'a misspelt name of one group of workers',
    files: cluster(
      'workers:',
      '  machineDeployments:',
      '    - class: default-worker',
      '      name: a',
      '      variables: {overrides: [{name: replica, value: 1}]}',
    ),
    found: [
      `error CLASS_VARIABLE_UNKNOWN ${at(12, 42)} class ${CLASS} has no variable "replica" [team/one] → Did you mean replicas?`,
    ],
  },
  {
    name: 'a name that a patch brings',
    files: {
      'clusters/team/one/patches/p.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Patch
spec:
  target: {kind: Cluster}
  jsonPatch:
    - {op: add, path: /spec/topology/variables, value: [{name: mtu, value: 1}]}
`,
    },
    found: [
      `error CLASS_VARIABLE_UNKNOWN clusters/team/one/patches/p.yaml:6:64 class ${CLASS} has no variable "mtu" [team/one] → Its variables are: imageRepository, replicas, network.`,
    ],
  },
  {
    name: 'a number in quotes',
    files: variable('{name: replicas, value: "3"}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 33)} variable "replicas": got string, want integer [team/one] → Write it without quotes.`,
    ],
  },
  {
    name: 'a text that is no number',
    files: variable('{name: replicas, value: three}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 33)} variable "replicas": got string, want integer [team/one] → Write a value of type integer.`,
    ],
  },
  {
    name: 'a number out of its range, and one in it',
    files: cluster(
      'variables:',
      '  - {name: replicas, value: 10}',
      'controlPlane:',
      '  variables: {overrides: [{name: replicas, value: 9}]}',
    ),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 33)} variable "replicas": maximum: want 9 [team/one] → Write a value that the class allows.`,
    ],
  },
  {
    name: 'a text that misses its pattern',
    files: variable('{name: imageRepository, value: "Hunter 2"}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 40)} variable "imageRepository": does not match pattern '^[a-z./]*$' [team/one] → Write a value that the class allows.`,
    ],
  },
  {
    name: 'a map: unknown and missing fields, a value that is not in the list',
    files: variable('{name: network, value: {mode: nativ, lables: {}}}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 25)} variable "network": missing property 'cidr' [team/one] → Add cidr.`,
      `error CLASS_VARIABLE_INVALID ${at(9, 46)} variable "network": additional properties 'lables' not allowed [team/one] → Did you mean labels?`,
      `error CLASS_VARIABLE_INVALID ${at(9, 39)} variable "network", mode: value must be one of 'overlay', 'native' [team/one] → Write one of: overlay, native.`,
    ],
  },
  {
    name: 'a map that is right: free fields, numbers or texts, any key',
    files: variable('{name: network, value: {cidr: x, extra: {a: {b: 1}}, ports: [1, http], labels: {a: b}}}'),
    found: [],
  },
  {
    name: 'items: too many, and of the wrong type',
    files: variable('{name: network, value: {cidr: x, ports: [1, true, 2]}}'),
    found: [
      `error CLASS_VARIABLE_INVALID ${at(9, 42)} variable "network", ports: maxItems: want 2 [team/one] → Write a value that the class allows.`,
      `error CLASS_VARIABLE_INVALID ${at(9, 53)} variable "network", ports.1: got boolean, want integer or string [team/one] → Put it in quotes.`,
    ],
  },
  {
    name: 'a variable that the stack has renamed',
    files: variable('{name: image_repository, value: x}'),
    spec: ['variableRenames:', '  - {provider: docker, stack: lab, names: {image_repository: imageRepository}}'],
    found: [
      `error CLASS_VARIABLE_UNKNOWN ${at(9, 16)} class ${CLASS} has no variable "image_repository" [team/one] → It is renamed to "imageRepository" in release docker-lab-1-34-v1.`,
    ],
  },
  {
    name: 'a variable that another stack has renamed',
    files: variable('{name: zone, value: x}'),
    spec: ['variableRenames:', '  - {provider: docker, stack: other, names: {zone: imageRepository}}'],
    found: [
      `error CLASS_VARIABLE_UNKNOWN ${at(9, 16)} class ${CLASS} has no variable "zone" [team/one] → Its variables are: imageRepository, replicas, network.`,
    ],
  },
  {
    name: 'a variable that the class requires',
    files: { [lab.class]: withRequired(required) },
    found: [
      `error CLASS_VARIABLE_MISSING ${at(5, 3)} class ${CLASS} requires the variable "flavor", and the Cluster does not set it [team/one] → Add flavor to spec.topology.variables.`,
    ],
  },
  {
    name: 'a required variable with a default',
    files: {
      [lab.class]: withRequired('required: true\n      schema: {openAPIV3Schema: {type: string, default: small}}'),
    },
    found: [],
  },
  {
    name: 'a required variable that is set',
    files: { [lab.class]: withRequired(required), ...variable('{name: flavor, value: small}') },
    found: [],
  },
  {
    name: 'variables that a running extension defines',
    files: {
      [lab.class]: withRequired(
        `${required}\n  patches: [{name: x, external: {discoverVariablesExtension: x, generateExtension: x}}]`,
      ),
      ...cluster('variables: [{name: flavor, value: a}, {name: anything, value: 1}]'),
    },
    found: [],
  },
  {
    name: 'a worker class that is none',
    files: cluster(
      'workers:',
      '  machineDeployments:',
      '    - {class: default-wroker, name: a}',
      '    - {class: default-worker, name: b}',
    ),
    found: [
      `error WORKER_CLASS_UNKNOWN ${at(10, 19)} class ${CLASS} has no worker class "default-wroker" for machineDeployments [team/one] → Did you mean default-worker?`,
    ],
  },
  {
    name: 'health checks that nothing describes',
    files: checked(''),
    found: [
      `error OBJECT_FIELD_INVALID ${at(8, 49)} Cluster team/one: spec.topology.controlPlane.machineHealthCheck.enable is true, and neither the Cluster nor class ${CLASS} says what to check [team/one] → ${SAY}`,
      `error OBJECT_FIELD_INVALID ${at(11, 73)} Cluster team/one: spec.topology.workers.machineDeployments[0].machineHealthCheck.enable is true, and neither the Cluster nor class ${CLASS} says what to check [team/one] → ${SAY}`,
    ],
  },
  {
    name: 'health checks that the class describes',
    files: checked(', machineHealthCheck: {nodeStartupTimeout: 60s}'),
    found: [],
  },
  {
    name: 'a machine pool of a class without any',
    files: cluster('workers:', '  machinePools:', '    - {class: default-worker, name: a}'),
    found: [
      `error WORKER_CLASS_UNKNOWN ${at(10, 19)} class ${CLASS} has no worker class "default-worker" for machinePools [team/one] → The class offers no machinePools: remove the group, or use another list of workers.`,
    ],
  },
]

describe('a Cluster against its class:', () => {
  test.each(rows)('$name', async ({ files, spec, found }) => {
    expect(await checkLab({ files, spec })).toEqual(found)
  })
})
