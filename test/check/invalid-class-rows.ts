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

/** Classes as the chart of a stack has them, and what CLASS_INVALID says about each; nothing: Cluster API takes it. */
export const classRows: readonly (readonly [what: string, text: string, ...says: readonly string[]])[] = [
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
    withClass(
      '',
      '',
      `      - {class: other, template: {bootstrap: {ref: {${bootstrap}, name: lab-worker}}, infrastructure: {ref: {${infrastructure}: DockerMachineTemplate, name: lab-worker}}}}\n`,
    ),
  ],
  [
    'a default of another type',
    withClass(variable('a', 'type: string, default: 3'), ''),
    'the schema of variable "a": default has to be of type string',
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
    'variables of a program, which only its own patches may use',
    withClass(
      '',
      `${given('op: add, path: /spec/a, valueFrom: {variable: other}')}, {name: x, external: {generateExtension: g.x, discoverVariablesExtension: v.x}}`,
    ),
    'patch "p" takes its value from the variable "other", which the class does not define',
  ],
  [
    'another operation',
    withClass('', given('op: delete, path: /spec/a')),
    'patch "p" has the operation "delete" → Write add, replace or remove.',
  ],
  [
    'what is no part of spec',
    withClass('', given('op: remove, path: /metadata/name')),
    'patch "p" changes something outside of spec → Begin the path with /spec/.',
  ],
  [
    'a variable with a name of Cluster API',
    withClass(variable('builtin'), ''),
    'a variable is called builtin, which Cluster API reserves → Give it another.',
  ],
  [
    'a variable with a dot in its name',
    withClass(variable('a.b'), ''),
    'a variable is called "a.b" → Give it a name without a dot.',
  ],
  [
    'a schema with a field without a type',
    withClass(variable('a', 'type: object, properties: {b: {minimum: 1}}'), ''),
    'the schema of variable "a": properties.b.type has to be set: every field has a type',
  ],
  [
    'a schema of another type',
    withClass(variable('a', 'type: text'), ''),
    'the schema of variable "a": type has to be one of array, boolean, integer, number, object, string',
  ],
  [
    'a list without items',
    withClass(variable('a', 'type: array'), ''),
    'the schema of variable "a": items has to be set: every list says what its items are',
  ],
  [
    'a pattern that is none',
    withClass(variable('a', 'type: string, pattern: "a("'), ''),
    'the schema of variable "a": pattern has to be a regular expression of Go (RE2)',
  ],
  [
    'a default inside of an object',
    withClass(variable('a', 'type: object, properties: {b: {type: integer, maximum: 3, default: 4}}'), ''),
    'the default of variable "a" is not allowed by its schema: it has to be 3 or less',
  ],
  [
    'an object as default, with a field too many',
    withClass(variable('a', 'type: object, default: {c: 1}, properties: {b: {type: integer}}'), ''),
    'the default of variable "a" is not allowed by its schema at c: it has no such field',
  ],
  [
    'a default of a field that is called default',
    withClass(variable('a', 'type: object, properties: {default: {type: integer, maximum: 3, default: 4}}'), ''),
    'the default of variable "a" is not allowed by its schema: it has to be 3 or less',
  ],
  [
    'a rule that is no expression',
    withClass(variable('a', "type: integer, x-kubernetes-validations: [{rule: 'self >'}]"), ''),
    'the schema of variable "a": x-kubernetes-validations[0].rule has to be CEL that API servers take: it cannot be read as CEL',
  ],
  ['a rule', withClass(variable('a', "type: integer, x-kubernetes-validations: [{rule: 'self > 3'}]"), '')],
  ['a map', withClass(variable('a', 'type: object, additionalProperties: {type: string}, default: {b: c}'), '')],
  [
    'a patch that selects nothing',
    withClass('', patch(`${infrastructure}: DockerMachineTemplate, matchResources: {controlPlane: false}`)),
    'patch "p" selects nothing → Say where the template is used: infrastructureCluster, controlPlane, machineDeploymentClass or machinePoolClass.',
  ],
  [
    'a patch of another version of the kind',
    withClass('', patch(of('DockerMachineTemplate', 'controlPlane: true').replace('v1beta1', 'v1beta2'))),
    'patch "p" selects DockerMachineTemplate of infrastructure.cluster.x-k8s.io/v1beta2 for the control plane, where the class has that of infrastructure.cluster.x-k8s.io/v1beta1',
  ],
  [
    'a star in the middle',
    withClass('', patch(workers('"default*worker"'))),
    'patch "p" selects workers by the name of 14 characters, which is no pattern of names → Write one star, at the beginning or at the end.',
  ],
  ['a star alone', withClass('', patch(workers('"*"')))],
  [
    'two stars',
    withClass('', patch(workers('"*-work*"'))),
    'patch "p" selects workers by the name of 7 characters, which is no pattern of names → Write one star, at the beginning or at the end.',
  ],
  ['the first item of a list', withClass('', given('op: add, path: /spec/template/spec/a/0, value: b'))],
  ['one more item', withClass('', given('op: add, path: /spec/template/spec/a/-, value: b'))],
  [
    'an item in the middle',
    withClass('', given('op: add, path: /spec/template/spec/a/1, value: b')),
    'patch "p" adds an item as number 1 of a list → End the path with 0, for the first, or with -, for the last.',
  ],
  [
    'an item that is replaced',
    withClass('', given('op: replace, path: /spec/template/spec/a/0, value: b')),
    'patch "p" replaces item 0 of a list → Replace the whole list.',
  ],
  [
    'an item that is removed',
    withClass('', given('op: remove, path: /spec/template/spec/a/0/b')),
    'patch "p" removes item 0 of a list → Replace the whole list.',
  ],
  ['no value', withClass('', given('op: add, path: /spec/a')), 'patch "p" has no value → Add value or valueFrom.'],
  ['a value of false', withClass('', given('op: add, path: /spec/a, value: false'))],
  [
    'two sources of a value',
    withClass(variable('a'), given('op: add, path: /spec/a, value: b, valueFrom: {variable: a}')),
    'patch "p" has both a value and valueFrom → Keep one of them.',
  ],
  [
    'a variable and a template',
    withClass(variable('a'), given('op: add, path: /spec/a, valueFrom: {variable: a, template: b}')),
    'patch "p" takes its value from a variable and from a template → Keep one of them.',
  ],
  [
    'an empty source',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: ""}')),
    'patch "p" takes its value from nothing → Add variable or template.',
  ],
  [
    'a template with an unknown function',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: "{{`{{ .a | qoute }}`}}"}')),
    'patch "p" has a template that cannot be parsed: function "qoute" not defined',
  ],
  [
    'a function of Helm in a template',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: "{{`{{ toYaml .a }}`}}"}')),
    'patch "p" has a template that cannot be parsed: function "toYaml" not defined',
  ],
  [
    'the clock in a template',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: "{{`{{ now }}`}}"}')),
    'patch "p" has a template that cannot be parsed: function "now" not defined',
  ],
  [
    'a template',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: "{{`{{ .a | trunc 3 | toJson }}`}}"}')),
  ],
  [
    'a template that refuses what it is given',
    withClass('', given('op: add, path: /spec/a, valueFrom: {template: "{{`{{ fail .a }}`}}"}')),
  ],
  [
    'a condition that does not end',
    withClass(
      '',
      given('op: add, path: /spec/a, value: b').replace('name: p', 'name: p, enabledIf: "{{`{{ if .a }}x`}}"'),
    ),
    'patch "p" has a condition that cannot be parsed: unexpected EOF',
  ],
  [
    'a condition',
    withClass(
      '',
      given('op: add, path: /spec/a, value: b').replace('name: p', 'name: p, enabledIf: "{{`{{ if .a }}x{{ end }}`}}"'),
    ),
  ],
  [
    'a misspelt variable of Cluster API',
    withClass('', given('op: add, path: /spec/a, valueFrom: {variable: builtin.cluster.nam}')),
    'patch "p" takes its value from the variable "builtin.cluster.nam", which Cluster API does not define → Did you mean builtin.cluster.name?',
  ],
  [
    'all variables of Cluster API as one',
    withClass('', given('op: add, path: /spec/a, valueFrom: {variable: builtin}')),
    'patch "p" takes its value from the variable "builtin", which the class does not define',
  ],
  [
    "a patch of Cluster API's name",
    withClass('', given('op: remove, path: /spec/a').replace('name: p', 'name: inline')),
    'patch "inline" has a name that Cluster API reserves → Give it another.',
  ],
  [
    'a patch that changes nothing',
    withClass('', '{name: p}'),
    'patch "p" changes nothing → Add definitions, or remove it.',
  ],
  [
    'a kind that is no template',
    withClass('', '').replace('kind: DockerClusterTemplate, name', 'kind: DockerCluster, name'),
    'DockerCluster is no kind of templates → Name the kind of the template: DockerClusterTemplate.',
    'error CLASS_TEMPLATE_MISSING stack/cluster-class/templates/class.yaml:5:106 ClusterClass docker-lab-1-34-v1 names DockerCluster lab-cluster, which its release does not have → Correct the name in the class, or bring the template with it.',
  ],
  [
    'a label that is none',
    withClass('', '').replace(
      'controlPlane: {ref',
      'controlPlane: {metadata: {labels: {a b: c}, annotations: {d: e f}}, ref',
    ),
    'the label of 3 characters has to be A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most, after a domain and / if there is one',
  ],
  [
    'a health check without machines',
    withClass('', '').replace(
      /controlPlane: \{.*\n/,
      `controlPlane: {ref: {${control}, name: lab-control-plane}, machineHealthCheck: {maxUnhealthy: 40%, nodeStartupTimeout: 10m}}\n`,
    ),
    'the control plane has a health check of machines, and no template of machines → Add controlPlane.machineInfrastructure, or remove the health check.',
  ],
  [
    'a share that is none',
    withClass('', '').replace(
      'controlPlane: {',
      'controlPlane: {machineHealthCheck: {maxUnhealthy: most, nodeStartupTimeout: 10m}, ',
    ),
    'maxUnhealthy of a health check has to be a number or a percentage such as 40%',
  ],
  ['all of spec', withClass('', given('op: replace, path: /spec, value: {}'))],
  [
    'a variable that nothing is taken from',
    withClass('', given('op: remove, path: /spec/a, valueFrom: {variable: other}')),
  ],
]
