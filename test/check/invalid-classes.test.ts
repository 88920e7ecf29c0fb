import { expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'

const infrastructure = 'apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind'
const control = 'apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate'
const bootstrap = 'apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate'

/** The class of the lab with variables, patches and more classes of workers. */
const withClass = (variables: string, patches: string, workers = ''): string => `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: {{ .Release.Name }}-{{ .Chart.Version }}}
spec:
  infrastructure: {ref: {${infrastructure}: DockerClusterTemplate, name: lab-cluster}}
  controlPlane: {ref: {${control}, name: lab-control-plane}, machineInfrastructure: {ref: {${infrastructure}: DockerMachineTemplate, name: lab-worker}}}
  workers:
    machineDeployments:
      - {class: default-worker, template: {bootstrap: {ref: {${bootstrap}, name: lab-worker}}, infrastructure: {ref: {${infrastructure}: DockerMachineTemplate, name: lab-worker}}}}
${workers}  variables: [${variables}]
  patches: [${patches}]
`
const variable = (name: string, schema = 'type: string'): string =>
  `{name: ${name}, required: false, schema: {openAPIV3Schema: {${schema}}}}`
const patch = (selector: string, entry = 'op: add, path: /spec/template/spec/a, value: b', name = 'p'): string =>
  `{name: ${name}, definitions: [{selector: {${selector}}, jsonPatches: [{${entry}}]}]}`
const of = (kind: string, resources: string): string => `${infrastructure}: ${kind}, matchResources: {${resources}}`
const workers = (name: string): string => of('DockerMachineTemplate', `machineDeploymentClass: {names: [${name}]}`)
const given = (entry: string): string => patch(workers('default-worker'), entry)

const rows: readonly (readonly [what: string, text: string, ...says: readonly string[]])[] = [
  ['nothing wrong', withClass(variable('a'), given('op: replace, path: /spec/a, valueFrom: {variable: a}'))],
  ['two variables of one name', withClass(`${variable('a')}, ${variable('a')}`, ''), 'two variables are called "a"'],
  ['two variables', withClass(`${variable('a')}, ${variable('A')}`, '')],
  [
    'two patches of one name',
    withClass('', `${given('op: remove, path: /spec/a')}, ${given('op: remove, path: /spec/b')}`),
    'two patches are called "p"',
  ],
  [
    'two classes of workers of one name',
    withClass('', '', '      - {class: default-worker}\n'),
    'two classes of machineDeployments are called "default-worker"',
  ],
  [
    'two classes of workers',
    withClass('', '', '      - {class: other}\n    machinePools: [{class: default-worker}]\n'),
  ],
  [
    'a default of another type',
    withClass(variable('a', 'type: string, default: 3'), ''),
    'the default of variable "a" is not allowed by its schema: got number, want string',
  ],
  ['a default', withClass(variable('a', 'type: string, default: "3"'), '')],
  [
    'a class of workers that is none',
    withClass('', patch(workers('defaultworker'))),
    'patch "p" selects the worker class "defaultworker", which the class does not have for machineDeployments → Did you mean default-worker?',
  ],
  ['all that end alike', withClass('', patch(workers('"*-worker"')))],
  ['all that begin alike', withClass('', patch(workers('"default*"')))],
  [
    'a kind that workers have not',
    withClass('', patch(of('DockerClusterTemplate', 'machineDeploymentClass: {names: [default-worker]}'))),
    'patch "p" selects DockerClusterTemplate of the worker class "default-worker", which has none',
  ],
  [
    'a kind that the control plane has not',
    withClass('', patch(of('DockerClusterTemplate', 'controlPlane: true'))),
    'patch "p" selects DockerClusterTemplate of the control plane, where the class has none',
  ],
  ['the machines of the control plane', withClass('', patch(of('DockerMachineTemplate', 'controlPlane: true')))],
  [
    'a kind that the infrastructure has not',
    withClass('', patch(of('DockerMachineTemplate', 'infrastructureCluster: true'))),
    'patch "p" selects DockerMachineTemplate of the infrastructure, where the class has none',
  ],
  ['the infrastructure', withClass('', patch(of('DockerClusterTemplate', 'infrastructureCluster: true')))],
  [
    'a variable that is not defined',
    withClass(variable('imageRepository'), given('op: add, path: /spec/a, valueFrom: {variable: imageRepo}')),
    'patch "p" takes its value from the variable "imageRepo", which the class does not define → Did you mean imageRepository?',
  ],
  [
    'a variable of another case',
    withClass(variable('repository'), given('op: add, path: /spec/a, valueFrom: {variable: repositry}')),
    'patch "p" takes its value from the variable "repositry", which the class does not define → Did you mean repository?',
  ],
  [
    'parts of variables, and what Cluster API knows',
    withClass(
      variable('a', 'type: object, properties: {b: {type: array, items: {type: string}}}'),
      `${given('op: add, path: /spec/a, valueFrom: {variable: "a.b[0]"}')}, ${patch(workers('default-worker'), 'op: add, path: /spec/b, valueFrom: {variable: builtin.cluster.name}', 'q')}`,
    ),
  ],
  [
    'variables of a program',
    withClass(
      '',
      `${given('op: add, path: /spec/a, valueFrom: {variable: other}')}, {name: x, external: {discoverVariablesExtension: v.x}}`,
    ),
  ],
  [
    'another operation',
    withClass('', given('op: delete, path: /spec/a')),
    'patch "p" has the operation "delete" → Write add, replace or remove.',
  ],
  [
    'a kind of another version of its API',
    withClass(
      '',
      patch(
        'apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerMachineTemplate, matchResources: {controlPlane: true}',
      ),
    ),
    'patch "p" selects DockerMachineTemplate of the control plane, where the class has none → The class has it as infrastructure.cluster.x-k8s.io/v1beta1: write the same apiVersion.',
  ],
  ['all of spec', withClass('', given('op: replace, path: /spec, value: {}'))],
  [
    'a variable that nothing is taken from',
    withClass('', given('op: remove, path: /spec/a, valueFrom: {variable: other}')),
  ],
  [
    'the first and the last item',
    withClass('', given('op: add, path: /spec/a/0, value: b}, {op: add, path: /spec/a/-, value: b')),
  ],
  [
    'another item',
    withClass('', given('op: add, path: /spec/a/1, value: b')),
    'patch "p" adds an item that is neither the first nor the last → End the path with /0 or /-.',
  ],
  [
    'an item to be replaced',
    withClass('', given('op: replace, path: /spec/a/0/b, value: c')),
    'patch "p" changes an item of a list by its number → Replace the whole list.',
  ],
  [
    'what is no part of spec',
    withClass('', given('op: remove, path: /metadata/name')),
    'patch "p" changes something outside of spec → Begin the path with /spec/.',
  ],
]

test.each(rows)('%s', async (_what, text, ...says) => {
  const found = await checkLab({ files: { [lab.class]: text } })
  const own = found.filter((line) => !line.includes(' VALUES_') && !line.startsWith('note '))
  const short = own.map((line) =>
    line.replace(/ \[[^\]]*\] → Correct the class\. If .*$/, '').replace(/ \[[^\]]*\] → /, ' → '),
  )
  const want = says.map((text_) => text_.replace(/ → Correct the class\. If .*$/, ''))
  expect(short.map((line) => line.replace(/^error CLASS_INVALID \S+:\d+:\d+ ClusterClass [^:]+: /, ''))).toEqual(want)
})
