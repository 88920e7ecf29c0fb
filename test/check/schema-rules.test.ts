import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { beginCheck } from '../../src/check/begin-check.ts'
import type { CheckedFolder, CheckedUnit } from '../../src/check/checked-unit.ts'
import { deprecatedApis } from '../../src/check/rules/deprecated-apis.ts'
import { unservedKinds } from '../../src/check/rules/unserved-kinds.ts'
import { readBuiltInSchemas } from '../../src/check/schema/built-in-schemas.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { checkLab, type LabRow } from './check-lab.ts'

const builtIn = readBuiltInSchemas(readFileSync(join(packageFolder, 'templates/kubernetes/schemas.txt'), 'utf8'))

const TEMPLATE = 'stack/cluster-addon/web/templates/web.yaml'
const OF = '[team/one web]'
const CORRECT = 'Correct it where the message points: in the template, in the values that it reads, or with a patch.'
const template = (...documents: readonly string[]): LabRow['files'] => ({ [lab.template]: documents.join('---\n') })
const role = (rule: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: web}\nrules:\n  - ${rule}\n`
const definition = (
  served: string,
  spec = '{type: object, properties: {size: {type: integer}}}',
): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - {name: v1, ${served}, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: ${spec}}}}}
    - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
`
const thing = (spec: string): string =>
  `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {${spec}}\n`
const ipAddress = (version: string): string =>
  `apiVersion: networking.k8s.io/${version}\nkind: IPAddress\nmetadata: {name: 10.0.0.1}\nspec: {parentRef: {resource: services, name: a}}\n`
const flowSchema = (version: string): string =>
  `apiVersion: flowcontrol.apiserver.k8s.io/${version}\nkind: FlowSchema\nmetadata: {name: a}\nspec: {priorityLevelConfiguration: {name: b}}\n`
const scopes = ['scopes: [{group: example.com, kind: Thing, scope: Namespaced}]']

const rows: readonly LabRow[] = [
  { name: 'all is right', files: template(role('{verbs: [get], apiGroups: [""], resources: [pods]}')), found: [] },
  {
    name: 'a misspelt field',
    files: template(role('{verbs: [get], apiGroup: [""], apiGroups: [""], resources: [pods]}')),
    found: [
      `error OBJECT_FIELD_UNKNOWN ${TEMPLATE}:5:20 ClusterRole web: the kind has no field rules[0].apiGroup ${OF} → Did you mean apiGroups?`,
    ],
  },
  {
    name: 'a field that is missing',
    files: template(role('{apiGroups: [""], resources: [pods]}')),
    found: [`error OBJECT_FIELD_INVALID ${TEMPLATE}:5:5 ClusterRole web: rules[0].verbs is missing ${OF} → ${CORRECT}`],
  },
  {
    name: 'a word that a value gives, and that the field does not take',
    files: {
      [lab.template]:
        'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: {{ .Values.type }}, ports: [{port: 80}]}\n',
      [lab.values]: 'type: NodePorts\n',
    },
    found: [
      `error OBJECT_FIELD_INVALID ${lab.values}:1:7 Service kube-system/web: spec.type has to be one of ClusterIP, ExternalName, LoadBalancer, NodePort ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'a custom kind by its definition beside it',
    files: template(definition('served: true'), thing('size: 1')),
    found: [],
  },
  {
    name: 'a custom kind that its definition beside it refuses',
    files: template(definition('served: true'), thing('siz: 1, size: a')),
    found: [
      `error OBJECT_FIELD_UNKNOWN ${TEMPLATE}:15:8 Thing kube-system/a: the kind has no field spec.siz ${OF} → Did you mean size?`,
      `error OBJECT_FIELD_INVALID ${TEMPLATE}:15:22 Thing kube-system/a: spec.size has to be an integer ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'a custom kind by a definition of the fleet',
    files: { ...template(thing('siz: 1')), 'crds/things.yaml': definition('served: true') },
    spec: scopes,
    found: [
      `error OBJECT_FIELD_UNKNOWN ${TEMPLATE}:4:8 Thing kube-system/a: the kind has no field spec.siz ${OF} → Did you mean size?`,
    ],
  },
  {
    name: 'a custom kind that nothing defines',
    files: template(thing('siz: 1')),
    spec: scopes,
    found: [
      `warning DEFINITION_MISSING ${TEMPLATE}:2:7 Thing kube-system/a is of a kind that nothing in the tree defines (example.com/v1) ${OF} → Bring the CustomResourceDefinition with an addon; if the cluster serves it, add example.com/v1/Thing to spec.apiVersions of addons.yaml or stackmason.yaml.`,
      'note SCHEMA_MISSING  the fields of a kind are not checked, for no definition is known: example.com/v1 Thing [] → Put the CustomResourceDefinition of each kind into a folder that `spec.check.schemas` of stackmason.yaml names.',
    ],
  },
  {
    name: 'a version that its definition does not serve',
    files: template(definition('served: false'), thing('size: 1')),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:12:13 Thing kube-system/a: its definition does not serve example.com/v1 Thing ${OF} → Use example.com/v2: the fields may differ.`,
    ],
  },
  {
    name: 'a version that its definition calls deprecated, twice',
    files: template(
      definition('served: true, deprecated: true'),
      thing('size: 1'),
      thing('size: 1').replace('name: a', 'name: b'),
    ),
    found: [
      `warning API_DEPRECATED ${TEMPLATE}:12:13 its definition calls example.com/v1 Thing deprecated ${OF} → Use a newer version.`,
    ],
  },
  {
    name: 'a version that is gone',
    files: template(flowSchema('v1beta3')),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:1:13 FlowSchema a: Kubernetes 1.34 does not serve flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema: 1.32 removed it ${OF} → Use flowcontrol.apiserver.k8s.io/v1: the fields may differ.`,
    ],
  },
  {
    name: 'a version that was gone before the first minor that is known',
    files: template('apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n'),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:1:13 PodDisruptionBudget kube-system/a: Kubernetes 1.34 does not serve policy/v1beta1 PodDisruptionBudget: 1.25 removed it ${OF} → Use policy/v1: the fields may differ.`,
    ],
  },
  {
    name: 'a kind of a group that is gone',
    files: template('apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n'),
    spec: ['scopes: [{group: extensions, kind: Ingress, scope: Namespaced}]'],
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:1:13 Ingress kube-system/a: Kubernetes 1.34 does not serve extensions/v1beta1 Ingress: 1.22 removed it ${OF} → Use networking.k8s.io/v1: the fields may differ.`,
    ],
  },
  {
    name: 'a kind of which no version is left',
    files: template('apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n'),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:1:13 PodSecurityPolicy a: Kubernetes 1.34 does not serve policy/v1beta1 PodSecurityPolicy: 1.25 removed it ${OF} → Remove it: Pod Security Admission took its place, by labels of the namespace (pod-security.kubernetes.io/enforce).`,
    ],
  },
  ...[
    ['authorization.k8s.io/v1', 'SubjectAccessReview', 'a', 'spec: {user: a}'],
    ['authentication.k8s.io/v1', 'TokenReview', 'a', 'spec: {token: a}'],
    ['v1', 'Binding', 'kube-system/a', 'target: {name: a}'],
  ].map(([apiVersion = '', kind = '', name = '', fields = '']) => ({
    name: `a ${kind}, which servers only answer`,
    files: template(`apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n${fields}\n`),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:2:7 ${kind} ${name}: Kubernetes 1.34 keeps no ${apiVersion} ${kind}: it only answers one that is created, so that none can be applied ${OF} → Remove it.`,
    ],
  })),
  {
    name: 'a Service whose name begins with a digit',
    files: template('apiVersion: v1\nkind: Service\nmetadata: {name: 1a}\nspec: {ports: [{port: 80}]}\n'),
    found: [
      `error OBJECT_FIELD_INVALID ${TEMPLATE}:3:18 Service kube-system/1a: metadata.name has to be a name that begins with a letter ${OF} → Correct it where the message points: in the template, in the values that it reads, or with a patch.`,
    ],
  },
  {
    name: 'a Service whose name has a digit',
    files: template('apiVersion: v1\nkind: Service\nmetadata: {name: a1}\nspec: {ports: [{port: 80}]}\n'),
    found: [],
  },
  {
    name: 'a version that is not there yet',
    files: template(
      'apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: a}\n',
    ),
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:1:13 MutatingAdmissionPolicy a: Kubernetes 1.34 does not serve admissionregistration.k8s.io/v1 MutatingAdmissionPolicy ${OF} → Use admissionregistration.k8s.io/v1beta1: the fields may differ.`,
    ],
  },
  {
    name: 'a misspelt kind of a group of Kubernetes',
    files: template('apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n'),
    spec: ['scopes: [{group: apps, kind: Deploymnt, scope: Namespaced}]'],
    found: [
      `error KIND_NOT_SERVED ${TEMPLATE}:2:7 Deploymnt kube-system/a: Kubernetes 1.34 has no apps/v1 Deploymnt ${OF} → Did you mean Deployment?`,
    ],
  },
]

describe('the management cluster:', () => {
  const CLUSTER = 'clusters/team/one/cluster.yaml'
  const beside = (object: string): Readonly<Record<string, string>> => ({
    [CLUSTER]: `${labCluster()}---\n${object}`,
  })
  const schema = flowSchema('v1beta3')
  const of = (minor: string): readonly string[] => [`managementCluster: {kubernetesVersion: ${minor}}`]

  test.each([
    { name: 'a version that some minor serves', files: beside(schema), found: [] },
    {
      name: 'a version that its minor does not serve',
      files: beside(schema),
      spec: of('v1.33.4'),
      found: [
        `error KIND_NOT_SERVED ${CLUSTER}:9:13 FlowSchema a: Kubernetes 1.33 does not serve flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema: 1.32 removed it [team/one] → Use flowcontrol.apiserver.k8s.io/v1: the fields may differ.`,
      ],
    },
    {
      name: 'a version that the next minor does not serve',
      files: beside(schema),
      spec: of('"1.31"'),
      found: [
        `warning API_DEPRECATED ${CLUSTER}:9:13 Kubernetes 1.32 no longer serves flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema [team/one] → Use flowcontrol.apiserver.k8s.io/v1 before the upgrade.`,
      ],
    },
    { name: 'a version that the next minor serves, too', files: beside(schema), spec: of('"1.30"'), found: [] },
    {
      name: 'a version that the definition in another unit does not serve',
      files: { ...beside(thing('size: 1')), 'stack/cluster-class/templates/thing.yaml': definition('served: false') },
      found: [
        `error KIND_NOT_SERVED ${CLUSTER}:9:13 Thing team/a: its definition does not serve example.com/v1 Thing [team/one] → Use example.com/v2: the fields may differ.`,
      ],
    },
    {
      name: 'a version that the definition in another unit serves',
      files: { ...beside(thing('size: 1')), 'stack/cluster-class/templates/thing.yaml': definition('served: true') },
      found: [],
    },
  ])('$name', async ({ files, spec = [], found }) => {
    const lines = await checkLab({ files, spec: [...scopes, ...spec] })
    expect(lines.filter((line) => /KIND_NOT_SERVED|API_DEPRECATED/.test(line))).toEqual(found)
  })
})

const without = (folder: string): string =>
  `warning SCHEMA_MISSING  the folder ${folder} is read for definitions, and has no CustomResourceDefinition of apiextensions.k8s.io/v1 [] → Put the definitions into it, as .yaml or .json; or do not name it in spec.check.schemas.`

describe('rules by schemas, without the definitions of Cluster API', () => {
  const LEFT = 'crds/cluster-api.yaml'
  const missing =
    'note SCHEMA_MISSING  the fields of 6 kinds are not checked, for no definition is known: bootstrap.cluster.x-k8s.io/v1beta1 KubeadmConfigTemplate, cluster.x-k8s.io/v1beta1 Cluster, cluster.x-k8s.io/v1beta1 ClusterClass, controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlaneTemplate, infrastructure.cluster.x-k8s.io/v1beta1 DockerClusterTemplate, infrastructure.cluster.x-k8s.io/v1beta1 DockerMachineTemplate [] → Put the CustomResourceDefinition of each kind into a folder that `spec.check.schemas` of stackmason.yaml names.'

  test('its old version and its kinds are noted once', async () => {
    expect(await checkLab({ files: { [LEFT]: null } })).toEqual([
      without('crds'),
      `note API_DEPRECATED ${lab.cluster}:1:13 Cluster API calls its version v1beta1 deprecated [team/one] → Nothing needs to be done yet: move to v1beta2 with a release of the stack.`,
      missing,
    ])
  })
})

test('a folder for definitions that has none, and one that has some', async () => {
  const files = { 'definitions/kustomization.yaml': 'resources: [https://a.example/crds.yaml]\n' }
  const spec = ['check: {schemas: [definitions]}']
  const said = without('definitions')
  expect(await checkLab({ files, spec })).toContain(said)
  const some = { ...files, 'definitions/things.yaml': definition('served: true') }
  expect(await checkLab({ files: some, spec })).not.toContain(said)
})

describe('what cannot be read beside definitions is said', () => {
  const spec = ['check: {schemas: [definitions]}']
  const defined = definition('served: true')

  test.each([
    {
      name: 'a file that is no YAML',
      text: 'resources: [\n',
      want: '1:12 this is not read for definitions: the list in brackets is not closed, or a comma is missing in it',
    },
    {
      name: 'the first of two documents that are no YAML, around a definition',
      text: `a: 1\n---\nb: [\n---\n${defined}---\nc: {\n`,
      want: '3:4 this is not read for definitions: the list in brackets is not closed, or a comma is missing in it',
    },
  ])('$name: a warning', async ({ text, want }) => {
    const files = { 'definitions/a.yaml': text, 'definitions/things.yaml': defined }
    const lines = await checkLab({ files, spec })
    expect(lines.filter((line) => line.includes('definitions'))).toEqual([
      `warning SCHEMA_MISSING definitions/a.yaml:${want} [] → Correct the YAML, or move the file out of the folder.`,
    ])
  })

  const link = 'the file cannot be read: it is a link'
  test.each<{
    name: string
    files?: Readonly<Record<string, Uint8Array>>
    links?: Readonly<Record<string, string>>
    want: readonly string[]
  }>([
    {
      name: 'a file in UTF-16',
      files: { 'definitions/a.yaml': Buffer.from(`\uFEFF${defined}`, 'utf16le') },
      want: ['CONFIG_SYNTAX definitions/a.yaml the file is not UTF-8 text'],
    },
    {
      name: 'a policy in Latin-1',
      files: { 'policies/a.yaml': Buffer.from('kind: Gr\u00f6\u00dfe\n', 'latin1') },
      want: ['CONFIG_SYNTAX policies/a.yaml the file is not UTF-8 text'],
    },
    {
      name: 'a link to the folder itself',
      links: { 'definitions/v1.2': '../definitions' },
      want: [`FILE_UNREADABLE definitions/v1.2 ${link}`],
    },
    {
      name: 'a link to itself',
      links: { 'definitions/v1.2': 'v1.2' },
      want: [`FILE_UNREADABLE definitions/v1.2 ${link}`],
    },
    { name: 'but no text for people that is a link', links: { 'definitions/README.md': '../nothing.md' }, want: [] },
  ])('$name', async ({ files = {}, links = {}, want }) => {
    const fleet = labFleet(await tempFolder(), spec)
    fleet.change({ 'definitions/things.yaml': defined, ...files })
    for (const [path, target] of Object.entries(links)) await symlink(target, fleet.path(path))
    const { stdout } = await runCli(['check', '-o', 'json'], { cwd: fleet.folder })
    const { findings }: { findings: readonly { code: string; severity: string; message: string; file?: string }[] } =
      JSON.parse(stdout)
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, file, message }) => `${code} ${file ?? ''} ${message}`)).toEqual(want)
  })
})

test('a definition in such a folder that no API server takes, at its place in a file of several', async () => {
  const files = {
    'definitions/others.yaml': `# nothing\n---\nkind: ConfigMap\n---\n${definition('served: true').replace('type: object', 'type: objec, propertis: {}')}`,
  }
  const lines = await checkLab({ files, spec: ['check: {schemas: [definitions]}'] })
  const [where, what] = [
    'warning OBJECT_FIELD_INVALID definitions/others.yaml',
    'CustomResourceDefinition things.example.com:',
  ]
  const schema = 'spec.versions[0].schema.openAPIV3Schema'
  expect(lines.filter((line) => line.includes('definitions/'))).toEqual([
    `${where}:13:87 ${what} the kind has no field ${schema}.propertis [] → Did you mean properties?`,
    `${where}:13:80 ${what} ${schema}.type has to be one of array, boolean, integer, number, object, string [] → Correct the definition: no API server takes it, and objects of its kind are checked by it.`,
  ])
})

/** What does not let a check begin: what it says, and where. */
const refused: readonly Pick<LabRow, 'name' | 'files' | 'spec' | 'found'>[] = [
  {
    name: 'a folder of definitions that is not there',
    spec: ['check: {schemas: [definitions]}'],
    found: ['CONFIG_REFERENCE stackmason.yaml spec.check.schemas names "definitions", which is no folder'],
  },
  {
    name: 'a folder of definitions outside of the fleet',
    spec: ['check: {schemas: [../definitions]}'],
    found: [
      'FILE_OUTSIDE stackmason.yaml spec.check.schemas names "../definitions", which leads out of the fleet repository',
    ],
  },
  {
    name: 'a definition that is no YAML',
    files: { 'crds/things.yaml': `# one\n---\n${definition('served: true')}  x: [\n` },
    found: ['CONFIG_SYNTAX things.yaml the list in brackets is not closed, or a comma is missing in it'],
  },
  {
    name: 'a file that is called like the folder of policies',
    files: { policies: 'a: 1\n' },
    found: ['FILE_UNREADABLE  the folder cannot be read: it is a file, not a folder'],
  },
  ...['deny.YAML', 'deny.yaml.txt', 'deny.Json'].map((name) => ({
    name: `a policy under a name that is passed over, ${name}`,
    files: { [`policies/management/${name}`]: 'a: 1\n' },
    found: [
      `CONFIG_UNKNOWN_FILE  ${name} would not be read: names of files with objects end with .yaml, .yml or .json`,
    ],
  })),
  {
    name: 'a policy that aliases blow up',
    files: {
      'policies/bomb.yaml': `a: &a [x, x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, all) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${all[index - 1] ?? 'a'}`).join(', ')}]\n`).join('')}`,
    },
    found: ['CONFIG_SYNTAX bomb.yaml the aliases of this document repeat each other too often'],
  },
]

/** The findings of one object by two rules, in a cluster of a minor. */
function findingsAt(version: string, text: string): readonly string[] {
  const [cluster, object] = [labCluster().replace('v1.34.7', version).replace('v1beta1', 'v1beta2'), text].map(
    manifestOf,
  )
  if (cluster === undefined || object === undefined) return []
  const judge = beginCheck([unservedKinds, deprecatedApis], {
    builtIn,
    definitions: [],
    policies: [],
    classTemplateProblem: () => undefined,
  })
  const name = { namespace: 'team', name: 'one' }
  const folders: readonly CheckedFolder[] = [
    { path: 'a', place: { kind: 'cluster', ...name }, destination: 'management', manifests: [cluster] },
    { path: 'b', place: { kind: 'addons', ...name, owner: 'release' }, destination: name, manifests: [object] },
  ]
  const unit: CheckedUnit = { kind: 'cluster', folders, isKept: false, subject: {}, locate: (finding) => finding }
  return judge.unit(unit).map(({ severity, code, message, hint }) => `${severity} ${code} ${message} → ${hint ?? ''}`)
}

function manifestOf(text: string): Manifest {
  const object = parseGoYaml(text, { integers: 'int' })
  if (!(object instanceof Dict)) throw new TypeError('no map')
  const [apiVersion, kind, name] = [['apiVersion'], ['kind'], ['metadata', 'name']].map((path) =>
    textAt(object, ...path),
  )
  const origin = { from: 'a', unit: 'a', template: 'a' }
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', name: name ?? '', object, origin }
}

describe('rules by schemas', () => {
  test.each(rows)('$name', async (row) => {
    expect(await checkLab(row)).toEqual(row.found)
  })

  test.each(refused)('$name', async (row) => {
    const found = await diagnosticsOf(checkLab(row))
    expect(
      found.map(({ code, message, at }) => `${code} ${at?.source.name.replace(/^.*\//, '') ?? ''} ${message}`),
    ).toEqual(row.found)
  })

  test.each<readonly [version: string, text: string, found: readonly string[]]>([
    [
      'v1.36.1',
      ipAddress('v1beta1'),
      [
        'warning KIND_NOT_SERVED IPAddress 10.0.0.1: Kubernetes 1.36 serves networking.k8s.io/v1beta1 IPAddress only where that is switched on → Use a stable version, or switch it on with --runtime-config of the API server.',
        'warning API_DEPRECATED Kubernetes 1.37 no longer serves networking.k8s.io/v1beta1 IPAddress → Use networking.k8s.io/v1 before the upgrade.',
      ],
    ],
    ['v1.36.1', ipAddress('v1'), []],
    [
      'v1.31.1',
      flowSchema('v1beta3'),
      [
        'warning API_DEPRECATED Kubernetes 1.32 no longer serves flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema → Use flowcontrol.apiserver.k8s.io/v1 before the upgrade.',
      ],
    ],
    ['v1.30.1', flowSchema('v1beta3'), []],
    // a minor that is too new, or too old, to be known
    ['v1.99.1', flowSchema('v1beta3'), []],
    ['v1.12.1', flowSchema('v1'), []],
  ])('in a cluster of %s', (version, text, found) => {
    expect(findingsAt(version, text)).toEqual(found)
  })
})

const keyRows: readonly {
  readonly name: string
  readonly template: string
  readonly values: string
  readonly found: string
}[] = [
  {
    name: 'a map that is printed',
    template: '  labels: {a: b}\nspec:\n  selector: {app: a}\n  {{- toYaml .Values.service | nindent 2 }}\n',
    values: 'other: 1\nservice:\n  ports: [{port: 80}]\n  typ: ClusterIP\n',
    found: `clusters/team/one/values/web.yaml:4:3 Service kube-system/web: the kind has no field spec.typ`,
  },
  {
    name: 'an item of a list that is printed',
    template: 'spec:\n  selector: {app: a}\n  ports:\n    {{- toYaml .Values.ports | nindent 4 }}\n',
    values: 'ports:\n  - port: 80\n    targetPort: 80\n    nam: http\n',
    found: `clusters/team/one/values/web.yaml:4:5 Service kube-system/web: the kind has no field spec.ports[0].nam`,
  },
  {
    name: 'a name of the template',
    template: 'spec:\n  selector: {app: a}\n  ports: [{port: 80}]\n  typ: {{ .Values.typ }}\n',
    values: 'typ: ClusterIP\n',
    found: `stack/cluster-addon/web/templates/web.yaml:8:3 Service kube-system/web: the kind has no field spec.typ`,
  },
]

describe('the name of an unknown field is told where it is written:', () => {
  test.each(keyRows)('$name', async ({ template, values, found }) => {
    const object = `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n${template}`
    const lines = await checkLab({ files: { [lab.template]: object, [lab.defaults]: '', [lab.values]: values } })
    const [line = ''] = lines.filter((one) => one.includes('OBJECT_FIELD_UNKNOWN'))
    expect(line.replace(/ \[.*$/, '')).toBe(`error OBJECT_FIELD_UNKNOWN ${found}`)
  })
})
