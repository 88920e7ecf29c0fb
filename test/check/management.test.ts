import { describe, expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { foldFindings } from '../../src/report/fold-findings.ts'
import { formatSubjects } from '../../src/report/format-subjects.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { checkLab, type LabRow } from './check-lab.ts'

const document = (text: string): string => `---\n${text}\n`
const beside = (...objects: readonly string[]): LabRow['files'] => ({
  [lab.cluster]: labCluster() + objects.map(document).join(''),
})
const healthCheck = (cluster: string): string =>
  `{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineHealthCheck, metadata: {name: m, namespace: team}, spec: {clusterName: ${cluster}}}`
const resources = (name: string): string =>
  `{apiVersion: addons.cluster.x-k8s.io/v1beta1, kind: ClusterResourceSet, metadata: {name: r, namespace: team}, spec: {resources: [{kind: ConfigMap, name: ${name}}]}}`
const machines = (reference: string): string =>
  `{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineDeployment, metadata: {name: d, namespace: team}, spec: {clusterName: one, template: {spec: {infrastructureRef: {${reference}}}}}}`
const map = '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team}}'
const CORRECT = 'Correct the name, or bring the object.'

const foreign = (place: string, object: string): string =>
  `warning NAMESPACE_FOREIGN ${lab.cluster}:${place} ${object} lies beside a Cluster of namespace team, and is in another one [team/one] → Leave the namespace out, so that it is that of the Cluster; if another one is meant, acknowledge this finding.`

const TEMPLATES = 'stack/cluster-class/templates/templates.yaml'
/** The lab on OpenStack: with the name of the Secret in the template, and what the class writes there. */
const openstack = (more = '', variables = '[]', objects: readonly string[] = []): Readonly<Record<string, string>> => ({
  [lab.class]: `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: docker-lab-1-34-v1}
spec:
  infrastructure: {ref: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: OpenStackClusterTemplate, name: lab-cluster}}
  variables: [{name: secret, required: false, schema: {openAPIV3Schema: {type: string, default: own}}}]
  patches: [${more}]
`,
  [TEMPLATES]: `apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackClusterTemplate
metadata: {name: lab-cluster}
spec: {template: {spec: {identityRef: {name: openstack, cloudName: openstack}}}}
`,
  [lab.cluster]: labCluster([`variables: ${variables}`]) + objects.map(document).join(''),
})
const patch = (path: string, from: string): string =>
  `{name: p, definitions: [{selector: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: OpenStackClusterTemplate, matchResources: {infrastructureCluster: true}}, jsonPatches: [{op: add, path: ${path}, valueFrom: {${from}}}]}]}`
const byVariable = patch('/spec/template/spec/identityRef/name', 'variable: secret')
const needs = (secret: string, line: number): string =>
  `warning CREDENTIALS_MISSING ${lab.cluster}:${String(line)}:34 Cluster team/one needs Secret team/${secret} with the credentials of the cloud, which nothing in the tree brings [team/one] → Bring it encrypted, as a SealedSecret or as an ExternalSecret; if it is made by hand, acknowledge this finding.`

/** Of kinds that bring Secrets. */
const scopes = [
  'scopes: [{group: external-secrets.io, kind: ExternalSecret, scope: Namespaced}, {group: bitnami.com, kind: SealedSecret, scope: Namespaced}]',
]

/** Clusters by namespace and name, each with these lines below `spec`. */
const clustersWith = (clusters: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(clusters).map(([path, lines]) => {
      const [namespace = '', name = ''] = path.split('/')
      const text = labCluster(namespace === 'team' ? [] : ['classNamespace: team'])
      const named = text.replace('name: one, namespace: team', `name: ${name}, namespace: ${namespace}`)
      const [spec = '', ...objects] = lines.split('---')
      const all = named.replace(/^spec:$/m, `spec:\n  ${spec}`) + objects.map(document).join('')
      return [`clusters/${namespace}/${name}/cluster.yaml`, all]
    }),
  )
const endpoint = (host: string, port = '6443'): string => `controlPlaneEndpoint: {host: ${host}, port: ${port}}`
const provided = (name: string, host: string): string =>
  `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerCluster, metadata: {name: ${name}}, spec: {${endpoint(host)}}}`
const shares = (cluster: string, place: string, own: string, other: string, address = '10.0.0.1:6443'): string =>
  `warning ENDPOINT_SHARED clusters/${cluster}/cluster.yaml:${place} ${own} has the control plane endpoint ${address}, as ${other} has: what is meant for the one reaches the other [${cluster}] → Give each Cluster an address of its own. If they lie in networks that do not meet, acknowledge this finding.`

const rows: readonly (Pick<LabRow, 'name' | 'files'> & { readonly found?: readonly string[] })[] = [
  {
    name: 'the class of a Cluster, under another name',
    files: {
      [lab.class]: 'apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: docker-lab-1-34-v2}\n',
    },
    found: [
      `error CLUSTER_PART_MISSING ${lab.cluster}:6:12 Cluster team/one names ClusterClass team/docker-lab-1-34-v1, which the tree does not have [team/one] → Did you mean docker-lab-1-34-v2?`,
    ],
  },
  {
    name: 'the Cluster of a health check, misspelt',
    files: beside(healthCheck('oen')),
    found: [
      `error CLUSTER_PART_MISSING ${lab.cluster}:9:124 MachineHealthCheck team/m names Cluster team/oen, which the tree does not have [team/one] → Did you mean one?`,
    ],
  },
  { name: 'the Cluster of a health check, there', files: beside(healthCheck('one')) },
  {
    name: 'resources of a set, in another namespace',
    files: beside(resources('settings'), map.replace('namespace: team', 'namespace: other')),
    found: [
      foreign('11:73', 'ConfigMap other/settings'),
      `warning CLUSTER_PART_MISSING ${lab.cluster}:9:154 ClusterResourceSet team/r names ConfigMap team/settings, which the tree does not have [team/one] → ${CORRECT}`,
      `warning NAMESPACE_UNKNOWN ${lab.cluster}:11:73 ConfigMap other/settings is in a namespace that nothing in the tree makes or has [team/one] → Correct the namespace, or bring a Namespace; if it is there already, acknowledge this finding.`,
    ],
  },
  { name: 'resources of a set, there', files: beside(resources('settings'), map) },
  {
    name: 'the template of machines of their own',
    files: beside(machines('apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerMachineTemplate, name: own')),
    found: [
      `warning CLUSTER_PART_MISSING ${lab.cluster}:9:244 MachineDeployment team/d names DockerMachineTemplate team/own, which the tree does not have [team/one] → ${CORRECT}`,
    ],
  },
  {
    name: 'the template of machines of their own, there, in the older form',
    files: beside(
      machines('apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerMachineTemplate, name: lab-worker'),
    ),
  },
  {
    name: 'one endpoint of two Clusters, in two namespaces',
    files: clustersWith({
      'team/one': endpoint('api.example.com'),
      'team/two': endpoint('API.example.com'),
      'team/ten': endpoint('api.example.com', '443'),
      'work/one': endpoint('api.example.com'),
    }),
    found: ['team/two', 'work/one'].map((name) =>
      shares(name, '5:32', `Cluster ${name}`, 'Cluster team/one', 'api.example.com:6443'),
    ),
  },
  {
    name: 'the endpoint of another Cluster, in an object of its provider',
    files: clustersWith({
      'team/one': `${endpoint('10.0.0.1')}---${provided('one', '10.0.0.1')}`,
      'team/two': `paused: false---${provided('two', '10.0.0.1')}`,
      'team/ten': `${endpoint('"fd00::1"')}---${provided('ten', '"fd00::2"')}`,
    }),
    found: [shares('team/two', '10:135', 'DockerCluster team/two', 'Cluster team/one')],
  },
  { name: 'the credentials that the template names', files: openstack(), found: [needs('openstack', 3)] },
  {
    name: 'the credentials that a default of the class names',
    files: openstack(byVariable),
    found: [needs('own', 3)],
  },
  {
    name: 'the credentials that the Cluster names',
    files: openstack(byVariable, '[{name: secret, value: mine}]'),
    found: [needs('mine', 3)],
  },
  {
    name: 'credentials that are there',
    files: openstack(byVariable, '[]', [
      '{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: own, namespace: team}}',
    ]),
  },
  {
    name: 'credentials of another namespace',
    files: openstack('', '[]', [
      '{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: openstack, namespace: other}}',
    ]),
    found: [
      foreign('10:95', 'SealedSecret other/openstack'),
      needs('openstack', 3),
      `warning NAMESPACE_UNKNOWN ${lab.cluster}:10:95 SealedSecret other/openstack is in a namespace that nothing in the tree makes or has [team/one] → Correct the namespace, or bring a Namespace; if it is there already, acknowledge this finding.`,
    ],
  },
  {
    name: 'credentials whose name a template makes',
    files: openstack(patch('/spec/template/spec/identityRef', 'template: "{name: a}"')),
  },
  {
    name: 'the namespace of an own object, misspelt',
    files: beside(map.replace('namespace: team', 'namespace: taem')),
    found: [
      foreign('9:73', 'ConfigMap taem/settings'),
      `warning NAMESPACE_UNKNOWN ${lab.cluster}:9:73 ConfigMap taem/settings is in a namespace that nothing in the tree makes or has [team/one] → Did you mean team?`,
    ],
  },
  {
    name: 'a namespace that lies beside it',
    files: beside(
      map.replace('namespace: team', 'namespace: other'),
      '{apiVersion: v1, kind: Namespace, metadata: {name: other}}',
    ),
    found: [foreign('9:73', 'ConfigMap other/settings')],
  },
  {
    name: 'a namespace that every cluster has',
    files: beside(map.replace('namespace: team', 'namespace: default')),
    found: [foreign('9:73', 'ConfigMap default/settings')],
  },
  {
    name: 'the namespace of the Cluster, written and not',
    files: beside(map, map.replace('name: settings, namespace: team', 'name: other')),
  },
  {
    name: 'the credentials of an image',
    files: beside(
      '{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: i, namespace: team}, spec: {cloudCredentialsRef: {cloudName: c, secretName: orc}, managementPolicy: unmanaged, import: {id: x}}}',
    ),
    found: [needs('orc', 9).replace(':34 Cluster team/one', ':152 Image team/i')],
  },
]

const ABOUT = /ENDPOINT_SHARED|CLUSTER_PART_MISSING|CREDENTIALS_MISSING|NAMESPACE_/

describe('parts of clusters:', () => {
  test.each(rows)('$name', async ({ files, found = [] }) => {
    const lines = await checkLab({ files, spec: scopes })
    expect(lines.filter((line) => ABOUT.test(line))).toEqual(found)
  })
})

test('credentials that many Clusters need are one finding with the names of all', async () => {
  const files = openstack('', '[]', [])
  const fleet = labFleet(await tempFolder(), scopes)
  fleet.change(files)
  for (const name of ['two', 'three'])
    fleet.write(`clusters/team/${name}/cluster.yaml`, (files[lab.cluster] ?? '').replace('name: one', `name: ${name}`))
  const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  const found = foldFindings(findings).filter(({ finding }) => finding.code === 'CREDENTIALS_MISSING')
  expect(found.map(({ finding, about }) => [finding.message, formatSubjects(about)])).toEqual([
    [
      'Secret team/openstack with the credentials of the cloud is needed, and nothing in the tree brings it',
      'clusters team/one, team/three, team/two',
    ],
  ])
  const entry = { code: 'CREDENTIALS_MISSING' as const, cluster: 'team/two', reason: 'a', until: '2099-01-01' }
  fleet.edit('stackmason.yaml', /^spec:\n/m, `spec:\n  acknowledged: [${JSON.stringify(entry)}]\n`)
  const again = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  const open = foldFindings(again.findings).filter(({ finding: { acknowledgement } }) => acknowledgement === undefined)
  expect(
    open.flatMap(({ finding, about }) =>
      finding.code === entry.code ? [[finding.message, formatSubjects(about)]] : [],
    ),
  ).toEqual([
    // without a number, which would count the acknowledged one too
    [
      'Secret team/openstack with the credentials of the cloud is needed, and nothing in the tree brings it',
      'clusters team/one, team/three',
    ],
  ])
})
