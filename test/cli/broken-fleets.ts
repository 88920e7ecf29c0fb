import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { type RunCli, runCli as runFromSource } from './run-cli.ts'

const CLUSTER = 'clusters/team-a/web/cluster.yaml'
const ADDON = 'providers/docker/starter/cluster-addon/welcome'

/** Files to write into what `stackmason init` wrote; an object changes what is there. */
export type Files = Readonly<Record<string, string | { readonly replace: string; readonly by: string }>>

/** An addon of the user's own that is one template. */
function ownTemplate(text: string): Files {
  return {
    'clusters/team-a/web/addons.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons: [{name: notes, templates: {path: notes}}]\n',
    'clusters/team-a/web/notes/map.hbs': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\n${text}`,
  }
}

const handedToFlux = {
  replace: 'spec:\n',
  by: 'spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}\n',
}

function clusterCalled(name: string, namespace: string): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec:\n  topology:\n    classRef: {name: docker-starter-1-34-v1, namespace: platform}\n    version: v1.34.7\n`
}

/** Mistakes in a fleet, by what they are. */
export const brokenFleets: Readonly<Record<string, Files>> = {
  'a mistyped field': { 'stackmason.yaml': { replace: 'providerDirectory:', by: 'providerDirectry:' } },
  'a wrong type': { [CLUSTER]: { replace: 'replicas: 2', by: 'replicas: two' } },
  'a duplicate key': { [CLUSTER]: { replace: '  name: web\n', by: '  name: web\n  name: wob\n' } },
  'not YAML': { [CLUSTER]: { replace: '      name: docker', by: '     name: docker' } },
  'a release that nobody offers': { [CLUSTER]: { replace: '1-34-v1', by: '1-34-v7' } },
  'a version that the release does not have': { [CLUSTER]: { replace: 'version: v1.34.7', by: 'version: v1.34.8' } },
  'a class of a minor version without a ClusterStack': { [CLUSTER]: { replace: '1-34-v1', by: '1-35-v1' } },
  'a version of another minor than the class is for': {
    [CLUSTER]: { replace: 'version: v1.34.7', by: 'version: v1.33.1' },
  },
  'a value for an addon that does not exist': { 'clusters/team-a/web/values/welcom.yaml': 'a: 1\n' },
  'a field that only the running cluster knows': {
    [`${ADDON}/overwrite.yaml`]: 'values: |\n  cluster: {{ .Cluster.spec.controlPlaneEndpoint.host }}\n',
  },
  'an overwrite.yaml that renders to no YAML': {
    [`${ADDON}/overwrite.yaml`]: '# ours\nvalues: |\n  message: a\n  owner: {{ .Cluster.metadata.name }} : x\n',
  },
  'an overwrite.yaml that is no YAML around its values': {
    [`${ADDON}/overwrite.yaml`]: 'cluster: {{ .Cluster.metadata.name }}\nowner: a : x\n',
  },
  'a template that fails': {
    [`${ADDON}/templates/configmap.yaml`]: {
      replace: '.Values.message | quote',
      by: 'required "say something" .Values.missing',
    },
  },
  'a template that does not parse': {
    [`${ADDON}/templates/configmap.yaml`]: { replace: '{{ .Values.message', by: '{{ .Values.message | nonsense' },
  },
  'a secret in the excerpt': { 'clusters/team-a/web/values/welcome.yaml': 'password: "hunter2\n' },
  'a readable Secret in flow style': {
    'stackmason.yaml': handedToFlux,
    [`${ADDON}/templates/configmap.yaml`]:
      'apiVersion: v1\nkind: Secret\nmetadata: {name: app}\nstringData: {databaseUser: me42, "connectionText": "hunter2"}\n',
  },
  'a readable Secret that values name': {
    'stackmason.yaml': handedToFlux,
    'clusters/team-a/web/values/welcome.yaml': 'secret:\n  name: app-credentials\n  password: hunter2abc\n',
    [`${ADDON}/templates/configmap.yaml`]:
      'apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Values.secret.name }}}\nstringData: {password: {{ .Values.secret.password }}}\n',
  },
  'a readable Secret with a name that equals a secret': {
    'stackmason.yaml': handedToFlux,
    'clusters/team-a/web/values/welcome.yaml':
      'secret:\n  name: hunter2-credentials\n  password: hunter2-credentials\n',
    [`${ADDON}/templates/configmap.yaml`]:
      'apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Values.secret.name }}}\nstringData: {password: {{ .Values.secret.password }}}\n',
  },
  'an object twice in one addon': {
    [`${ADDON}/templates/again.yaml`]:
      '# the same\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Chart.Name }}\ndata: {}\n',
  },
  'a value read as if it were a map': ownTemplate('data: {a: {{cluster.metadata.name.first}} }\n'),
  'a negative number of machines': { [CLUSTER]: { replace: 'replicas: 2', by: 'replicas: -2' } },
  'a number of machines beyond all integers': {
    [CLUSTER]: { replace: 'replicas: 2', by: 'replicas: 99999999999999999999' },
  },
  'a network that is no block of addresses': { [CLUSTER]: { replace: '10.244.0.0/16', by: '10.244.0.0' } },
  'a network of Services among that of pods': {
    [CLUSTER]: {
      replace: '10.244.0.0/16\n',
      by: '10.244.0.0/16\n    services: {cidrBlocks: [10.96.0.0/16, 10.244.128.0/24]}\n',
    },
  },
  'a time without a unit': {
    [CLUSTER]:
      'apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: web, namespace: team-a}\nspec:\n  topology:\n    class: docker-demo-1-34-v3\n    classNamespace: platform\n    version: v1.34.7\n    controlPlane: {replicas: 1, nodeDrainTimeout: 10m, nodeDeletionTimeout: "10"}\n    workers: {machineDeployments: [{class: default-worker, name: md-0, nodeDrainTimeout: a while}]}\n',
  },
  'a port that there is not': {
    [CLUSTER]: { replace: '  clusterNetwork:\n', by: '  clusterNetwork:\n    apiServerPort: 70000\n' },
  },
  'a name of a machine deployment that no API server takes': { [CLUSTER]: { replace: 'name: md-0', by: 'name: MD_0' } },
  'an apiVersion that no API server has': {
    ...ownTemplate(''),
    'clusters/team-a/web/notes/more.yaml': '# more\napiVersion: "apps v1"\nkind: Deployment\nmetadata: {name: a}\n',
  },
  'a kind that no API server has': {
    ...ownTemplate(''),
    'clusters/team-a/web/notes/more.yaml': '# more\napiVersion: v1\nkind: Config Map\nmetadata: {name: a}\n',
  },
  'numbers and labels that no API server takes': {
    ...ownTemplate(''),
    'clusters/team-a/web/notes/more.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  labels: {version: 1.20}\n  finalizers: [stay please]\nspec:\n  replicas: -1\n  template:\n    spec:\n      containers:\n        - name: a\n          ports:\n            - containerPort: 0\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  annotations:\n    wait: true\nspec:\n  ports:\n    - port: 80\n    - port: 99999\n',
  },
  'a cluster with the name of addons': {
    'stackmason.yaml': handedToFlux,
    'clusters/team-a/web-addons/cluster.yaml': clusterCalled('web-addons', 'team-a'),
  },
  'a cluster with the name of the unit of a stack': {
    'stackmason.yaml': handedToFlux,
    'clusters/platform/stack-docker-starter-1-34-v1/cluster.yaml': clusterCalled(
      'stack-docker-starter-1-34-v1',
      'platform',
    ),
  },
  'a value that a template reads and nobody gives': ownTemplate('data: {a: "{{values.domain.host}}"}\n'),
  'a value that is no map': {
    ...ownTemplate('data: {a: "{{values.domain.host}}"}\n'),
    'clusters/values/notes.yaml': '# mine\ndomain: hunter2\n',
  },
  'a value that is a map': {
    ...ownTemplate('data:\n  a: {{values.domain}}\n'),
    'clusters/team-a/web/values/notes.yaml': '# mine\ndomain: {host: hunter2}\n',
  },
  'a value that breaks the YAML around it': {
    ...ownTemplate('data:\n  a: {{values.domain}}\n'),
    'clusters/team-a/web/values/notes.yaml': '# mine\ndomain: "hunter2: x"\n',
  },
  'a list of values with an item that lacks a field': {
    ...ownTemplate('data:\n{{#each values.list}}\n  {{name}}: x\n{{/each}}\n'),
    'clusters/team-a/web/values/notes.yaml': 'list: [{name: a}, {nme: hunter2}]\n',
  },
  'three braces that close two': ownTemplate('data: {a: {{cluster.metadata.name}}}\n'),
  'a partial that a value names': ownTemplate('data: {a: {{> (lookup cluster.metadata "name")}} }\n'),
  'a patch that cannot be applied': {
    'clusters/team-a/web/patches/p.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    - op: remove\n      path: /data/absent\n',
  },
  'a helper without a value': ownTemplate('data: {{yaml}}\n'),
  'a helper of a name that is not there': ownTemplate('data: {{yaml cluster.metadata.lables}}\n'),
  'a helper that does not exist': ownTemplate('data: {{#unles true}}x{{/unles}}\n'),
  'a template that logs': ownTemplate('data: {{log "x"}}\n'),
  'a regular expression that does not parse': {
    [`${ADDON}/templates/configmap.yaml`]: {
      replace: '.Values.message | quote',
      by: 'mustRegexMatch "(" .Values.message',
    },
  },
  ...Object.fromEntries(
    ['draft-07/schema', 'draft/2019-09/schema', 'draft/2020-12/schema'].map((draft) => [
      `a value that a schema of ${draft.replace('/schema', '').replace('/', ' ')} refuses`,
      {
        [`${ADDON}/values.schema.json`]: JSON.stringify({
          $schema: `${draft === 'draft-07/schema' ? 'http' : 'https'}://json-schema.org/${draft}`,
          properties: { message: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 } },
        }),
      },
    ]),
  ),
  'a class of another namespace': {
    [CLUSTER]: { replace: '      namespace: platform\n', by: '' },
  },
  'a misspelt namespace of a class': {
    [CLUSTER]: { replace: 'namespace: platform', by: 'namespace: platfrom' },
  },
  'a misspelt key': { [CLUSTER]: { replace: 'namespace: platform', by: 'namespce: platform' } },
  'a misspelt kind of a Cluster': { [CLUSTER]: { replace: 'kind: Cluster\n', by: 'kind: Clutser\n' } },
  'a misspelt group of a Cluster': {
    [CLUSTER]: { replace: 'cluster.x-k8s.io/v1beta2', by: 'cluster.x-k8s.o/v1beta2' },
  },
  'a Cluster without kind and apiVersion': {
    [CLUSTER]: { replace: 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\n', by: '' },
  },
  'a misspelt kind of a Fleet': { 'stackmason.yaml': { replace: 'kind: Fleet', by: 'kind: Flet' } },
  'a ClusterStack among patches': {
    'clusters/team-a/web/patches/p.yaml': 'apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\n',
  },
  'an object among patches': { 'clusters/team-a/web/patches/p.yaml': 'apiVersion: apps/v1\nkind: Deployment\n' },
  'an empty cluster.yaml': { [CLUSTER]: '' },
  'an empty addons.yaml': { 'clusters/team-a/web/addons.yaml': '# later\n' },
  'a number in quotes': { [CLUSTER]: { replace: 'replicas: 2', by: 'replicas: "3"' } },
  'a boolean in quotes': { 'stacks/starter.yaml': { replace: 'autoSubscribe: false', by: 'autoSubscribe: "false"' } },
  'a number in quotes that a schema of a chart refuses': {
    [`${ADDON}/values.schema.json`]: '{"properties": {"replicas": {"type": "integer"}}}',
    'clusters/team-a/web/values/welcome.yaml': 'replicas: "3"\n',
  },
  'an own object without a name': ownTemplate(
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  nme: {{cluster.metadata.name}}\n',
  ),
  'an own object with a name that is no text': ownTemplate(
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n',
  ),
  'an own object without a kind': {
    ...ownTemplate(''),
    'clusters/team-a/web/notes/more.yaml': '# more\napiVersion: v1\nmetadata:\n  name: more\n',
  },
  'an own document that is not YAML': ownTemplate('data:\n  a: "{{cluster.metadata.name}}\n'),
  'a list with an object that is none': {
    ...ownTemplate(''),
    'clusters/team-a/web/notes/more.yaml': 'apiVersion: v1\nkind: List\nitems:\n  - a: 1\n',
  },
  'an object of an own chart without a name': {
    'clusters/team-a/web/addons.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons: [{name: notes, chart: {path: mine}}]\n',
    'clusters/team-a/web/mine/Chart.yaml': 'apiVersion: v2\nname: mine\nversion: 1.0.0\n',
    'clusters/team-a/web/mine/templates/a.yaml':
      '{{- if true }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {a: {{ .Release.Name }}}\n{{- end }}\n',
  },
  'an own addon without templates': {
    'clusters/team-a/web/addons.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: notes\n      templates: {path: notes}\n',
    'clusters/team-a/web/notes/README.md': 'later\n',
  },
  'a name in an own addon that no API server takes': {
    'clusters/team-a/web/addons.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: notes\n      templates: {path: notes}\n',
    'clusters/team-a/web/notes/notes.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: My_Notes\n  labels:\n    from: team a\ndata: {a: b}\n',
  },
  'a label beside the Cluster that no API server takes': {
    [CLUSTER]: {
      replace: 'metadata:\n  name: web\n',
      by: 'metadata:\n  name: web\n  labels:\n    owner: Team A <a@example.com>\n',
    },
  },
  'a misspelt class': { [CLUSTER]: { replace: 'name: docker-starter-', by: 'name: docker-strater-' } },
  'a misspelt kind': { [`${ADDON}/templates/odd.yaml`]: 'apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n' },
  'a kind of another group': {
    [`${ADDON}/templates/odd.yaml`]: 'apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n',
  },
  'a value of a type that the schema refuses': {
    [`${ADDON}/values.schema.json`]: '{"properties": {"message": {"type": "string"}}}',
    'clusters/team-a/web/values/welcome.yaml': '# mine\nmessage:\n  text: a\n',
  },
  'a value of the chart that its schema refuses': {
    [`${ADDON}/values.schema.json`]: '{"properties": {"message": {"type": "number"}}}',
    'clusters/team-a/web/values/welcome.yaml': '{}\n',
  },
  'a value that nobody gives and the schema demands': {
    [`${ADDON}/values.schema.json`]: '{"required": ["replicas"]}',
    'clusters/team-a/web/values/welcome.yaml': 'message: a\n',
  },
  'a field of a value that nobody gives': {
    [`${ADDON}/templates/configmap.yaml`]: { replace: '.Values.message | quote', by: '.Values.ingress.host | quote' },
  },
  'a field of a value that is a text': {
    [`${ADDON}/templates/configmap.yaml`]: { replace: '.Values.message | quote', by: '.Values.message.host | quote' },
  },
  'a name that is neither of the chart nor of the values': {
    [`${ADDON}/templates/configmap.yaml`]: { replace: '.Values.message | quote', by: '.Clusterr.spec | quote' },
  },
  'a patch as kubectl takes it': {
    'clusters/team-a/web/patches/p.yaml': '- op: replace\n  path: /data/message\n  value: b\n',
  },
  'a required value without a values file': {
    [`${ADDON}/templates/odd.yaml`]: 'a: {{ required "give a domain" .Values.ingress.domain | quote }}\n',
    [`${ADDON}/values.yaml`]: 'ingress: {}\nmessage: a\n',
  },
  'fields of a class that no API server takes': {
    'providers/docker/starter/cluster-class/templates/odd.yaml':
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: odd\n  labels: {version: 1.20}\nspec:\n  ports:\n    - port: 0\n',
  },
  'a template of a class that fails': {
    'providers/docker/starter/cluster-class/templates/odd.yaml': 'a: {{ fail "not like this" }}\n',
  },
  'conflict markers in cluster.yaml': {
    [CLUSTER]: { replace: '  name: web\n', by: '<<<<<<< HEAD\n  name: web\n=======\n  name: wob\n>>>>>>> other\n' },
  },
  'conflict markers in a values file': {
    'clusters/team-a/web/values/welcome.yaml': '<<<<<<< HEAD\nmessage: a\n=======\nmessage: b\n>>>>>>> other\n',
  },
  'conflict markers in values of a chart': {
    [`${ADDON}/values.yaml`]: '<<<<<<< HEAD\nmessage: a\n=======\nmessage: b\n>>>>>>> other\n',
  },
  'a block that is not closed': ownTemplate('data:\n{{#each cluster.spec.topology.variables}}\n  {{name}}: a\n'),
  'an inner block that is not closed': ownTemplate('{{#if true}}\n{{#each cluster}}\n{{/if}}\n'),
  'a path from the root that leads nowhere': ownTemplate('data: {a: {{@root.nothing.here}} }\n'),
  'a misspelt path of a patch': {
    'clusters/team-a/web/patches/p.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    - op: replace\n      path: /data/mesage\n      value: a\n',
  },
  'a version in dash form': {
    'stacks/starter.yaml': { replace: '- v1\n', by: '- v0-sha-abc1234\n' },
  },
  'keys that begin in other columns': {
    [CLUSTER]: { replace: '    version: v1.34.7', by: '   version: v1.34.7' },
  },
  'a condition of a stage': {
    'providers/docker/starter/clusteraddon.yaml': {
      replace: '      action: apply\n',
      by: '      action: apply\n      waitForPostCondition:\n        objects:\n          - key: x\n            apiVersion: v1\n            kind: ConfigMap\n            name: welcome\n            namespace: kube-system\n        conditions: "true"\n',
    },
  },
}

/** Runs `render` in a fresh fleet with the mistake, and gives all that a user sees. */
export async function seenOf(files: Files, runCli: RunCli = runFromSource): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  for (const [path, change] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    const text = typeof change === 'string' ? change : (await readFile(file, 'utf8')).replace(change.replace, change.by)
    await writeFile(file, text)
  }
  const { status, stdout, stderr } = await runCli(['render', '-q'], { cwd: folder })
  expect(stdout).toBe('')
  return `${stderr}exit status ${String(status)}\n`
}

/** The golden of a mistake. */
export function goldenOfMistake(name: string): string {
  return `../golden/findings/${name.replaceAll(' ', '-')}.txt`
}
