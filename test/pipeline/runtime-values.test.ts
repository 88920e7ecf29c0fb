import { beforeEach, describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import { exampleConfig, exampleFleet, fixedEndpoint, handoffs } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const overwrite = 'providers/docker/demo/cluster-addon/metrics/overwrite.yaml'
const rendered = 'rendered/clusters/team-a/web'
const clusters = ['team-a/web', 'team-b/batch'] as const
let fleet: FleetFolder

beforeEach(async () => {
  fleet = exampleFleet(await tempFolder(), { clusters })
  fleet.edit('clusters/team-a/web/cluster.yaml', fixedEndpoint, '')
})

/** Renders with a file of runtime values; gives the problems. */
async function run(runtimeValues?: string): Promise<readonly string[]> {
  if (runtimeValues !== undefined) fleet.write('preview.yaml', runtimeValues)
  try {
    await fleet.render(runtimeValues === undefined ? {} : { runtimeValues: fleet.path('preview.yaml') })
    return []
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message, at }) => {
      const { line, column } = at === undefined ? { line: 0, column: 0 } : positionAt(at.source, at.start)
      return `${code} ${String(line)}:${String(column)} ${message}`
    })
  }
}

function useFlux(): void {
  fleet.write('stackmason.yaml', exampleConfig({ clusters, handoff: [handoffs.flux] }))
}

const host = 'Cluster.spec.controlPlaneEndpoint.host'

describe('values of running clusters from a file', () => {
  test.each([
    { name: 'for every cluster', text: `${host}: 192.0.2.7\n` },
    { name: 'for one cluster', text: `team-a/web:\n  ${host}: 192.0.2.7\n` },
    {
      name: 'for one cluster before those for every one',
      text: `${host}: 192.0.2.8\nteam-a/web:\n  ${host}: 192.0.2.7\n`,
    },
  ])('$name', async ({ text }) => {
    expect(await run(text)).toEqual([])
    expect(fleet.read(`${rendered}/addons/02-metrics/deployment-metrics-agent.yaml`)).toContain('192.0.2.7')
  })

  test.each([
    { name: 'a list', text: '- a\n', want: ['CONFIG_WRONG_TYPE 1:1 the file must hold a map of paths'] },
    {
      name: 'a field that is none',
      text: 'host: a\n',
      want: ['CONFIG_UNKNOWN_FIELD 1:1 "host" is not a field that only the running cluster knows'],
    },
    {
      name: 'a misspelt field',
      text: `team-a/web:\n  ${host.replace('host', 'hots')}: 192.0.2.10\n`,
      want: [
        'CONFIG_UNKNOWN_FIELD 2:3 "Cluster.spec.controlPlaneEndpoint.hots" is not a field that only the running cluster knows',
      ],
    },
    {
      name: 'a cluster that is none',
      text: `team-a/wep:\n  ${host}: a\n`,
      want: ['CONFIG_REFERENCE 1:1 the fleet has no cluster team-a/wep'],
    },
    {
      name: 'a list of values',
      text: `team-a/web:\n  ${host}: [a]\n`,
      want: [`CONFIG_WRONG_TYPE 2:43 ${host} must be a text or a whole number`],
    },
    {
      name: 'a word for a host',
      text: `${host}: auto\n`,
      want: [`CONFIG_WRONG_TYPE 1:41 ${host} must be an address, or a name with a dot, dash or digit, without a port`],
    },
    {
      name: 'a port that is none',
      text: 'Cluster.spec.controlPlaneEndpoint.port: "06443"\n',
      want: [`CONFIG_WRONG_TYPE 1:41 Cluster.spec.controlPlaneEndpoint.port must be a number from 1 to 65535`],
    },
  ])('mistakes are told with their place: $name', async ({ text, want }) => {
    expect(await run(text)).toEqual(want)
  })

  test.each([
    { path: host.replace('host', 'hots'), hint: `Did you mean "${host}"?` },
    { path: 'Cluster.spec.topology.version', hint: 'cluster.yaml says it: remove it here.' },
    {
      path: 'host',
      hint: 'Write it like Cluster.spec.controlPlaneEndpoint.host, or put it under <namespace>/<cluster>.',
    },
  ])('an unknown field gets the same advice as in addons.yaml: $path', async ({ path, hint }) => {
    fleet.write('preview.yaml', `${path}: a\n`)
    const run = fleet.render({ runtimeValues: fleet.path('preview.yaml') })
    await expect(run).rejects.toMatchObject({ diagnostics: [{ code: 'CONFIG_UNKNOWN_FIELD', hint }] })
  })

  const given = 'Correct the value, or remove the entry: then the running cluster gives it.'
  test.each([
    { text: `${host}: api.example:6443\n`, hint: given },
    { text: `${host}: [a]\n`, hint: 'Write one value.' },
    { text: `${host}:\n`, hint: 'Give it a value, or remove the field.' },
    { text: `${host}: 1.5\n`, hint: undefined },
    { text: 'team-a/wb:\n', hint: 'Did you mean team-a/web?' },
    { text: `team-a/wb: {${host}: a.example}\n`, hint: 'Did you mean team-a/web?' },
    { text: 'web:\n', hint: 'Did you mean team-a/web?' },
    { text: `batch: {${host}: a.example}\n`, hint: 'Did you mean team-b/batch?' },
    { text: `other/one: {${host}: a.example}\n`, hint: 'Name clusters by <namespace>/<cluster>.' },
  ])('a mistake gets its own advice: $text', async ({ text, hint }) => {
    fleet.write('preview.yaml', text)
    const run = fleet.render({ runtimeValues: fleet.path('preview.yaml') })
    await expect(run).rejects.toMatchObject({ diagnostics: [{ hint }] })
  })
})

describe('with an engine', () => {
  beforeEach(useFlux)

  test('values from a file fill the placeholders, as text where the cluster would have text', async () => {
    expect(await run(`team-a/web:\n  ${host}: "::1"\n`)).toEqual([])
    const text = fleet.read(`${rendered}/addons/02-metrics/deployment-metrics-agent.yaml`)
    expect(text).toContain('::1')
    expect(text).not.toContain('${')
    expect(fleet.read(`${rendered}/cluster/runtimevalues-web.yaml`)).toContain('CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST')
  })

  test('a field that nobody knows becomes a placeholder, with a binding beside the Cluster', async () => {
    expect(await run()).toEqual([])
    expect(fleet.read(`${rendered}/addons/02-metrics/deployment-metrics-agent.yaml`)).toContain(
      '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}',
    )
    expect(fleet.read(`${rendered}/cluster/runtimevalues-web.yaml`)).toContain(`  values:
  - from:
      fieldPath: spec.controlPlaneEndpoint.host
      kind: Cluster
    name: CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST
    type: host
`)
  })

  test('a stack that branches on what only the running cluster knows is an error', async () => {
    fleet.edit(overwrite, /^/, '{{ if .InfraCluster.status.ready }}{{ end }}')
    expect(await run()).toEqual([
      'RUNTIME_VALUE_UNKNOWN 1:7 .InfraCluster.status.ready, which only the running cluster knows, decides what is rendered',
    ])
  })

  test('Secrets that exist are left out, and one that no addon has is told', async () => {
    fleet.write(
      'providers/docker/demo/cluster-addon/dns-cache/templates/made.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {password: {{ randAlphaNum 16 }}}\n',
    )
    fleet.write(
      'clusters/team-a/web/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  existingSecrets:\n    - name: made\n    - {name: maid, namespace: x}\n',
    )
    const { findings } = await fleet.render()
    expect(findings.map(({ code, message }) => `${code} ${message}`)).toContain(
      'CONFIG_REFERENCE no addon of cluster team-a/web has or names a Secret x/maid',
    )
    expect(findings.filter(({ code }) => code === 'CONFIG_REFERENCE').length).toBe(1)
    expect(fleet.read(`${rendered}/cluster/runtimevalues-web.yaml`)).not.toContain('secrets:')
    expect(() => fleet.read(`${rendered}/addons/01-dns-cache/secret-made.yaml`)).toThrow('ENOENT')
  })

  test.each(['{name: maed}', '{name: made, namespace: default}'])(
    'a Secret that exists under nearly that name is an error, because it would be made over it: %s',
    async (entry) => {
      fleet.write(
        'providers/docker/demo/cluster-addon/dns-cache/templates/made.yaml',
        'apiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {password: {{ randAlphaNum 16 }}}\n',
      )
      fleet.write(
        'clusters/team-a/web/addons.yaml',
        `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  existingSecrets: [${entry}]\n`,
      )
      const wanted = entry.includes('maed') ? 'kube-system/maed' : 'default/made'
      expect(await run()).toEqual([
        `CONFIG_REFERENCE 4:21 no addon of cluster team-a/web has or names a Secret ${wanted}`,
      ])
    },
  )

  test('a cluster class that invents a secret is an error: nothing would make it', async () => {
    const template = 'providers/docker/demo/cluster-class/templates/made.yaml'
    const made = `{{ $ca := genCA "webhook" 30 }}
apiVersion: v1
kind: Secret
metadata: {name: made}
stringData: {password: {{ randAlphaNum 16 }}, ca.key: {{ $ca.Key | quote }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: trust}
data: {ca.crt: {{ $ca.Cert | quote }}}
`
    fleet.write(template, made)
    expect(await run()).toEqual([
      'SECRET_NOT_MADE 5:27 Secret platform/made of the cluster class (docker-demo-1-34-cluster-class/templates/made.yaml) holds what randAlphaNum generates at /stringData/password, /stringData/ca.key: nothing makes Secrets for a class',
      'SECRET_NOT_MADE 1:11 ConfigMap platform/trust of the cluster class (docker-demo-1-34-cluster-class/templates/made.yaml) holds what genCA generates at /data/ca.crt: nothing makes Secrets for a class',
    ])
    expect(() => fleet.read(`${rendered}/cluster/cluster-web.yaml`)).toThrow('ENOENT')
  })

  test('Secrets that a chart generates are in the binding, and not in the tree', async () => {
    const template = 'providers/docker/demo/cluster-addon/dns-cache/templates/made.yaml'
    fleet.write(
      template,
      'apiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {password: {{ randAlphaNum 16 }}}\n',
    )
    expect(await run()).toEqual([])
    expect(fleet.read(`${rendered}/cluster/runtimevalues-web.yaml`)).toContain(`  secrets:
  - data:
    - generator: kube-system_made_password
      key: password
      part: value
    labels:
      clusterstack.x-k8s.io/instance: owned
    name: made
    namespace: kube-system
`)
    expect(() => fleet.read(`${rendered}/addons/01-dns-cache/secret-made.yaml`)).toThrow('ENOENT')
  })
})
