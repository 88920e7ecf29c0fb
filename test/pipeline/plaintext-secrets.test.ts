import { foldFindings } from '../../src/report/fold-findings.ts'
import { expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const tool =
  '  handoff:\n    flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered, decryption: {provider: sops}}\n'

const plain = `---
apiVersion: v1
kind: Secret
metadata: {name: openstack}
stringData: {clouds.yaml: "password: hunter2"}
`

/** The example fleet with more files; `+` in front of a path appends. */
async function fleetWith(files: Readonly<Record<string, string>>, handoff = tool): Promise<FleetFolder> {
  // a cluster that only a GitOps tool can fill has no place in fleets without one
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web', 'team-b/batch'] })
  for (const [path, text] of Object.entries({ ...files, '+stackmason.yaml': handoff })) {
    const file = path.replace('+', '')
    fleet.write(file, path.startsWith('+') ? fleet.read(file) + text : text)
  }
  return fleet
}

async function refusal(fleet: FleetFolder): Promise<StackmasonError> {
  const error: unknown = await fleet.render().catch((thrown: unknown) => thrown)
  if (error instanceof StackmasonError) return error
  throw new Error('nothing was refused')
}

const secretTemplate = `
apiVersion: v1
kind: Secret
metadata: {name: sent}
stringData: {token: {{ .Values.token | default "static" }}}
`
const template = 'providers/docker/demo/cluster-addon/metrics/templates/secret.yaml'
const values = 'clusters/team-a/web/values/metrics.yaml'

test.each([
  {
    name: 'beside cluster.yaml',
    files: { '+clusters/team-a/web/cluster.yaml': plain },
    want: [
      'Secret team-a/openstack of cluster team-a/web (clusters/team-a/web/cluster.yaml) holds plaintext: clouds.yaml',
    ],
    at: ['clusters/team-a/web/cluster.yaml:40:27'],
  },
  {
    name: "in an own addon's templates",
    files: { 'clusters/team-b/batch/quotas/secret.yaml': plain },
    want: [
      'Secret default/openstack of cluster team-b/batch (addon quotas, clusters/team-b/batch/quotas/secret.yaml) holds plaintext: clouds.yaml',
    ],
    at: ['clusters/team-b/batch/quotas/secret.yaml:5:27'],
  },
  {
    name: "in an own addon's templates, though addons.yaml says that it exists",
    files: {
      'clusters/team-b/batch/quotas/secret.yaml': plain,
      '+clusters/team-b/batch/addons.yaml': '  existingSecrets: [{name: openstack, namespace: default}]\n',
    },
    want: [
      'Secret default/openstack of cluster team-b/batch (addon quotas, clusters/team-b/batch/quotas/secret.yaml) holds plaintext: clouds.yaml',
    ],
    at: ['clusters/team-b/batch/quotas/secret.yaml:5:27'],
  },
  {
    name: 'in values of the fleet that reach a Secret of a release',
    files: { [template]: secretTemplate, '+clusters/values/metrics.yaml': '\ntoken: hunter2\n' },
    want: [
      'Secret kube-system/sent (addon metrics, metrics/templates/secret.yaml) holds plaintext of values or patches: token',
    ],
    at: ['clusters/values/metrics.yaml:5:8', 'metrics/templates/secret.yaml:5:24'],
  },
])('a Secret stops the render: $name', async ({ files, want, at }) => {
  const fleet = await fleetWith(files)
  const error = await refusal(fleet)
  expect(error.diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
    want.map(() => 'error SECRET_IN_PLAINTEXT'),
  )
  expect(error.diagnostics.map(({ message }) => message)).toEqual(want)
  const spans = error.diagnostics.flatMap(({ at: own, trace = [] }) => [own, ...trace.map((step) => step.at)])
  expect(
    spans.map((span) => {
      const { line, column } = positionAt(span?.source ?? { name: '', text: '' }, span?.start ?? 0)
      return `${span?.source.name ?? ''}:${String(line)}:${String(column)}`
    }),
  ).toEqual(at)
  expect(JSON.stringify(error.diagnostics)).not.toContain('hunter2')
  expect(fleet.has('rendered')).toBe(false)
})

const unquoted = secretTemplate.replace(/\{token: .*/, '\n  token:\n{{ toYaml .Values.token | indent 4 }}')
const clear = (what: string): string =>
  `SECRET_IN_PLAINTEXT Secret kube-system/sent of cluster team-a/web (addon metrics, metrics/templates/secret.yaml) holds plaintext of values or patches: ${what}`
const refused = (what: string): string =>
  `OBJECT_INVALID No API server takes Secret kube-system/sent (metrics/templates/secret.yaml): ${what}`

test.each([
  {
    name: 'toYaml without a block',
    files: { [template]: unquoted, [values]: 'token: {password: hunter2}\n' },
    want: [clear('token.password'), refused('stringData.token has to be text, and is a map')],
  },
  {
    name: 'a list of entries',
    files: {
      [template]: secretTemplate.replace(/\{token: .*/, '["{{ .Values.token }}"]'),
      [values]: 'token: hunter2\n',
    },
    want: [clear('stringData.0'), refused('stringData has to be a map of texts, and is a list')],
  },
  {
    name: 'a patch that gives a map',
    files: {
      [template]: secretTemplate.replace(/\{token: .*/, '{b: x}'),
      'clusters/team-a/web/patches/sent.yaml':
        'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Secret, name: sent}\n  mergePatch: {stringData: {a: {password: hunter2}}}\n',
    },
    want: [clear('a.password'), refused('stringData.a has to be text, and is a map')],
  },
])('a malformed Secret is searched, and refused: $name', async ({ files, want }) => {
  const fleet = await fleetWith(files)
  const error = await refusal(fleet)
  expect(error.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual(want)
  expect(error.diagnostics.map(({ message, hint }) => `${message} ${hint ?? ''}`).join('')).not.toContain('hunter2')
  expect(fleet.has('rendered')).toBe(false)
})

test('without an engine an API server refuses a malformed Secret, too', async () => {
  const malformed = plain.replace('{clouds.yaml: "password: hunter2"}', '{clouds.yaml: {password: hunter2}}')
  const error = await refusal(await fleetWith({ '+clusters/team-a/web/cluster.yaml': malformed }, ''))
  expect(error.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'OBJECT_INVALID No API server takes Secret team-a/openstack (clusters/team-a/web/cluster.yaml): stringData.clouds.yaml has to be text, and is a map',
  ])
})

test('what a release ships is a warning, told once for all clusters', async () => {
  const web = exampleFleet(await tempFolder()).read('clusters/team-a/web/cluster.yaml')
  const other = { 'clusters/team-a/other/cluster.yaml': web.replace('name: web', 'name: other') }
  const { findings, clusters } = await (await fleetWith({ [template]: secretTemplate, ...other })).render()
  expect(clusters).toBe(3)
  const found = foldFindings(findings.filter(({ code }) => code === 'SECRET_IN_PLAINTEXT'))
  expect(found.map(({ about }) => about.map(({ cluster }) => cluster))).toEqual([['team-a/other', 'team-a/web']])
  expect(found.map(({ finding: { severity, message } }) => `${severity}: ${message}`)).toEqual([
    'warning: Secret kube-system/sent of docker-demo-1-34-v3 (addon metrics, metrics/templates/secret.yaml) holds plaintext of the release: token',
  ])
})

test('what all clusters have from one line of values is told once', async () => {
  const web = exampleFleet(await tempFolder()).read('clusters/team-a/web/cluster.yaml')
  const other = { 'clusters/team-a/other/cluster.yaml': web.replace('name: web', 'name: other') }
  const shared = { '+clusters/values/metrics.yaml': '\ntoken: hunter2\n' }
  const { diagnostics } = await refusal(await fleetWith({ [template]: secretTemplate, ...other, ...shared }))
  expect(diagnostics).toHaveLength(2)
  const [found, ...more] = foldFindings(diagnostics)
  expect(more).toEqual([])
  expect(found?.about.map(({ cluster }) => cluster)).toEqual(['team-a/other', 'team-a/web'])
})

test('a patch declares that everybody may read it', async () => {
  const patch = `apiVersion: stackmason.dev/v1alpha1
kind: Patch
spec:
  target: {kind: Secret, name: sent}
  mergePatch: {metadata: {annotations: {stackmason.dev/plaintext: public}}}
`
  const files = { [template]: secretTemplate, [values]: 'token: known-to-all\n', 'clusters/patches/sent.yaml': patch }
  const { findings } = await (await fleetWith(files)).render()
  expect(findings.filter(({ code }) => code === 'SECRET_IN_PLAINTEXT')).toEqual([])
})

test('without an engine nobody applies the tree, and nothing is said', async () => {
  const { findings } = await (await fleetWith({ '+clusters/team-a/web/cluster.yaml': plain }, '')).render()
  expect(findings.filter(({ code }) => code === 'SECRET_IN_PLAINTEXT')).toEqual([])
})

test('what SOPS has encrypted reaches the tree as it is', async () => {
  const value = 'ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UA==,type:str]'
  const encrypted = plain.replace('"password: hunter2"', `"${value}"`) + 'sops: {version: 3.9.0}\n'
  const fleet = await fleetWith({ '+clusters/team-a/web/cluster.yaml': encrypted })
  const { findings } = await fleet.render()
  expect(findings.filter(({ code }) => code === 'SECRET_IN_PLAINTEXT')).toEqual([])
  const written = fleet.read('rendered/clusters/team-a/web/cluster/secret-openstack.yaml')
  expect(written).toContain(`clouds.yaml: ${value}`)
  expect(written).toContain('sops:\n  version: 3.9.0')
})

test('a key in what stays as it is committed is a warning: no input can take it out', async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'.repeat(2)}\n-----END PRIVATE KEY-----\n`
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tls' }, data: { key } }
  const fleet = await fleetWith({ '+clusters/team-a/web/cluster.yaml': `---\n${JSON.stringify(map)}\n` }, '')
  await fleet.render()
  fleet.write('stackmason.yaml', fleet.read('stackmason.yaml') + tool)
  const error = await refusal(fleet)
  expect(error.diagnostics.map(({ message }) => message)).toEqual([
    'ConfigMap team-a/tls of cluster team-a/web (clusters/team-a/web/cluster.yaml) holds a private key: data.key',
  ])
  const options = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n'
  fleet.write('clusters/team-a/web/options.yaml', options)
  const { findings } = await fleet.render()
  const found = foldFindings(findings.filter(({ code }) => code === 'SECRET_IN_PLAINTEXT'))
  expect(found.map(({ about }) => about.map(({ cluster }) => cluster))).toEqual([['team-a/web']])
  expect(found.map(({ finding: { severity, message } }) => `${severity}: ${message}`)).toEqual([
    'warning: ConfigMap team-a/tls of cluster team-a/web (clusters/team-a/web/cluster.yaml) holds a private key: data.key',
  ])
  expect(JSON.stringify([error.diagnostics, found])).not.toContain('MIIE')
})

test('what SOPS has encrypted needs an engine that decrypts', async () => {
  const encrypted = plain.replace('"password: hunter2"', '"ENC[AES256_GCM,data:p6==,iv:YY=,tag:UA==,type:str]"')
  const withoutKey = tool.replace(', decryption: {provider: sops}', '')
  const files = { '+clusters/team-a/web/cluster.yaml': `${encrypted}sops: {mac: "ENC[x]"}\n` }
  const error = await refusal(await fleetWith(files, withoutKey))
  expect(error.diagnostics.map(({ code }) => code)).toEqual(['SECRET_NOT_DECRYPTED'])
})
