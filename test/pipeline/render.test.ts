import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import type { RenderResult } from '../../src/pipeline/commands/render.ts'
import { exampleConfig, exampleFleet, fixedEndpoint } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const project = join(import.meta.dirname, '../..')
const clusters = ['team-a/web', 'team-b/batch'] as const
let fleet: FleetFolder

beforeEach(async () => {
  // what a GitOps tool makes of a tree has tests of its own
  fleet = exampleFleet(await tempFolder(), { clusters })
})

function objectFiles(of: FleetFolder, path = 'rendered'): readonly string[] {
  return of.filesBelow(path).filter((name) => !name.startsWith('.stackmason'))
}

/** `CODE file:line:column message` of every problem. */
async function problemsOf(running: Promise<RenderResult>): Promise<readonly string[]> {
  try {
    await running
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(describeProblem)
    throw error
  }
  return []
}

function describeProblem({ code, at, file, message }: Diagnostic): string {
  if (at === undefined) return `${code} ${file?.replace(`${fleet.folder}/`, '') ?? '-'} ${message}`
  const { line, column } = positionAt(at.source, at.start)
  return `${code} ${at.source.name.slice(at.source.name.indexOf(fleet.folder) === 0 ? fleet.folder.length + 1 : 0)}:${line}:${column} ${message}`
}

describe('render', () => {
  test('the committed output of the example fleet is what it renders to', async () => {
    const own = new FleetFolder(await tempFolder())
    own.copy(join(project, 'examples'), 'examples')
    await own.render({ start: own.path('examples/fleet') })
    const committed = new FleetFolder(project)
    expect(objectFiles(own)).toEqual(objectFiles(committed))
    for (const path of objectFiles(committed))
      expect({ path, text: own.read(`rendered/${path}`) }).toEqual({ path, text: committed.read(`rendered/${path}`) })
  })

  test('a second run writes nothing, and a check is green', async () => {
    const first = await fleet.render()
    expect(first).toMatchObject({ mode: 'write', clusters: 2, charts: 5, objects: 25, findings: [] })
    expect(first.files).toEqual({ written: first.changes.length, unchanged: 0, pruned: 0 })
    const second = await fleet.render()
    expect(second.files).toEqual({ written: 0, unchanged: first.changes.length, pruned: 0 })
    expect((await fleet.render({ check: true })).changes).toEqual([])
  })

  test('a changed value touches the objects it reaches, nothing else', async () => {
    await fleet.render()
    fleet.edit('clusters/team-a/web/values/metrics.yaml', 'replicas: 2', 'replicas: 3')
    const changes = [{ path: 'clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml', change: 'changed' }]
    expect((await fleet.render({ check: true })).changes).toEqual(changes)
    expect((await fleet.render()).changes).toEqual(changes)
  })

  test('what was only warned about is told with the errors that follow from it', async () => {
    fleet.edit(
      'providers/docker/demo/clusteraddon.yaml',
      'AfterControlPlaneInitialized',
      'AfterControlPlaneInitialised',
    )
    const problems = await problemsOf(fleet.render())
    expect(problems.map((problem) => problem.split(' ').slice(0, 2).join(' '))).toEqual([
      'RELEASE_UNKNOWN_HOOK providers/docker/demo/clusteraddon.yaml:4:3',
      'RELEASE_UNUSED_ADDON providers/docker/demo/clusteraddon.yaml:3:1',
      'RELEASE_UNUSED_ADDON providers/docker/demo/clusteraddon.yaml:3:1',
      'PATCH_TARGET_NOT_FOUND clusters/team-a/web/patches/metrics-tolerations.yaml:5:3',
      'CONFIG_REFERENCE clusters/values/metrics.yaml:1:1',
      'CONFIG_REFERENCE clusters/team-a/web/values/metrics.yaml:1:1',
    ])
  })

  test('--cluster renders that cluster alone and prunes nothing of others', async () => {
    await fleet.render()
    fleet.edit('clusters/team-a/web/cluster.yaml', 'replicas: 4', 'replicas: 5')
    fleet.edit('clusters/team-b/batch/cluster.yaml', 'replicas: 2', 'replicas: 3')
    const result = await fleet.render({ clusters: ['web'] })
    expect(result.changes.map(({ path }) => path)).toEqual(['clusters/team-a/web/cluster/cluster-web.yaml'])
    expect((await fleet.render({ check: true })).changes.map(({ path }) => path)).toEqual([
      'clusters/team-b/batch/cluster/cluster-batch.yaml',
    ])
  })

  test('--stack renders the classes of that stack alone', async () => {
    await fleet.render()
    fleet.edit('providers/docker/demo/cluster-class/values.yaml', 'v1.34.7', 'v1.34.8')
    fleet.edit('clusters/team-a/web/cluster.yaml', 'replicas: 4', 'replicas: 5')
    const result = await fleet.render({ stacks: ['platform/demo-1-34'] })
    expect(result.changes.map(({ path }) => path)).toEqual([
      'stacks/platform/docker-demo-1-34-v3/dockermachinetemplate-docker-demo-1-34-v3-machine.yaml',
    ])
  })

  test('a cluster that leaves the fleet leaves the tree', async () => {
    await fleet.render()
    fleet.remove('clusters/team-b')
    const result = await fleet.render()
    expect(
      result.changes
        .filter(({ change }) => change === 'removed')
        .every(({ path }) => path.startsWith('clusters/team-b/')),
    ).toBe(true)
    expect(objectFiles(fleet).filter((path) => path.startsWith('clusters/team-b'))).toEqual([])
  })

  test('an addon that is switched off leaves the tree, the others keep their numbers', async () => {
    fleet.write(
      'clusters/team-a/web/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - {name: dns-cache, enabled: false}\n',
    )
    await fleet.render()
    expect(fleet.entries('rendered/clusters/team-a/web/addons')).toEqual(['02-metrics'])
  })

  test('the instance label can be switched off', async () => {
    fleet.write('stackmason.yaml', exampleConfig({ clusters, spec: ['instanceLabel: false'] }))
    await fleet.render()
    const texts = objectFiles(fleet).map((path) => fleet.read(`rendered/${path}`))
    expect(texts.filter((text) => text.includes('clusterstack.x-k8s.io/instance'))).toEqual([])
  })

  test('what a stage asks for beyond plain apply order is said', async () => {
    fleet.edit(
      'providers/docker/demo/clusteraddon.yaml',
      '      action: apply\n  BeforeClusterUpgrade:',
      '      action: apply\n      waitForPreCondition:\n        objects: [{key: d, apiVersion: apps/v1, kind: Deployment, name: x, namespace: kube-system}]\n        conditions: d.spec.replicas == 1\n  BeforeClusterUpgrade:',
    )
    const { findings } = await fleet.render()
    expect(findings.map(describeProblem)).toEqual([
      'RELEASE_STAGE_NOT_EXPRESSED providers/docker/demo/clusteraddon.yaml:11:21 waitForPreCondition of the stage of addon "metrics": nothing waits for it, because the fleet names no GitOps tool that applies the tree',
    ])
  })

  const broken: readonly { readonly name: string; readonly change: () => void; readonly want: readonly string[] }[] = [
    {
      name: 'a version that is not the exact one of the release',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', 'v1.34.7', 'v1.34.6'),
      want: [
        'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:25:14 topology.version v1.34.6 differs from the Kubernetes version of release docker-demo-1-34-v3',
      ],
    },
    {
      name: 'a version of another minor than the class is for',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', 'v1.34.7', 'v1.33.1'),
      want: [
        'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:25:14 topology.version v1.33.1 differs from the Kubernetes version of release docker-demo-1-34-v3',
      ],
    },
    {
      name: 'a class of another minor, which no ClusterStack offers, alone',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-35-v1'),
      want: [
        'CONFIG_REFERENCE clusters/team-a/web/cluster.yaml:23:13 no ClusterStack in namespace "platform" offers class docker-demo-1-35-v1',
      ],
    },
    {
      name: 'a class that no source has',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4'),
      want: [
        'RELEASE_NOT_FOUND clusters/team-a/web/cluster.yaml:23:13 release docker-demo-1-34-v4 is not in source demo',
      ],
    },
    {
      name: 'a class that no ClusterStack offers in that namespace',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', 'namespace: platform', 'namespace: elsewhere'),
      want: [
        'CONFIG_REFERENCE clusters/team-a/web/cluster.yaml:24:18 no ClusterStack in namespace "elsewhere" offers class docker-demo-1-34-v3',
      ],
    },
    {
      name: 'a runtime-only field that nobody supplies',
      change: () => fleet.edit('clusters/team-a/web/cluster.yaml', fixedEndpoint, ''),
      want: [
        'RUNTIME_VALUE_UNKNOWN providers/docker/demo/cluster-addon/metrics/overwrite.yaml:11:18 .Cluster.spec.controlPlaneEndpoint.host is known only in the running cluster',
      ],
    },
    {
      name: 'a runtime-only field that is only asked about',
      change: () =>
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/overwrite.yaml',
          'values: |',
          '{{ if .InfraCluster.status.ready }}{{ end }}values: |',
        ),
      want: [
        'RUNTIME_VALUE_UNKNOWN providers/docker/demo/cluster-addon/dns-cache/overwrite.yaml:1:7 .InfraCluster.status.ready is known only in the running cluster',
      ],
    },
    {
      name: 'a runtime template that reads the environment',
      change: () =>
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/overwrite.yaml',
          'values: |',
          '{{ env "HOME" }}values: |',
        ),
      want: [
        'TEMPLATE_NOT_DETERMINISTIC providers/docker/demo/cluster-addon/dns-cache/overwrite.yaml:1:4 env would read an environment variable; output may depend on the fleet alone',
      ],
    },
    {
      name: 'a patch without target',
      change: () =>
        fleet.edit('clusters/team-a/web/patches/metrics-tolerations.yaml', 'kind: Deployment', 'kind: Deploment'),
      want: [
        "PATCH_TARGET_NOT_FOUND clusters/team-a/web/patches/metrics-tolerations.yaml:5:3 no object matches the patch's target {kind: Deploment, name: metrics-agent, addon: metrics}",
      ],
    },
    {
      name: 'values for an addon that is not there',
      change: () => fleet.write('clusters/team-a/web/values/metric.yaml', 'a: 1\n'),
      want: [
        'CONFIG_REFERENCE clusters/team-a/web/values/metric.yaml:1:1 these are values for an addon "metric", which no cluster here has',
      ],
    },
    {
      name: 'a required value, and an unknown function in another stack: both are told',
      change: () => {
        fleet.edit(
          'providers/docker/classic/cluster-addon-values.yaml',
          'clusterName: {{ .Cluster.metadata.name }}',
          'x: 1',
        )
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/daemonset.yaml',
          'toYaml .Values.resources',
          'toYam .Values.resources',
        )
      },
      want: [
        'TEMPLATE_PARSE dns-cache/templates/daemonset.yaml:29:17 function "toYam" not defined',
        'TEMPLATE_FAIL docker-classic-1-33-cluster-addon/templates/configmap.yaml:6:12 clusterName is needed',
      ],
    },
    {
      name: 'a kind whose scope nobody knows',
      change: () =>
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/daemonset.yaml',
          'kind: DaemonSet',
          'kind: DaemonSte',
        ),
      want: [
        'OBJECT_SCOPE_UNKNOWN dns-cache/templates/daemonset.yaml:2:7 DaemonSte "dns-cache" (apps/v1) of docker-demo-1-34-v3, dns-cache: it is not known whether this kind is namespaced',
      ],
    },
    {
      name: 'one object twice in one addon',
      change: () =>
        fleet.copy(
          fleet.path('providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml'),
          'providers/docker/demo/cluster-addon/dns-cache/templates/again.yaml',
        ),
      want: [
        'OBJECT_DUPLICATE dns-cache/templates/configmap.yaml:4:9 ConfigMap kube-system/dns-cache of dns-cache is rendered twice, by dns-cache/templates/again.yaml and dns-cache/templates/configmap.yaml',
      ],
    },
    {
      name: 'an object without a name',
      change: () =>
        fleet.edit(
          'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml',
          '  name: dns-cache\n',
          '  generateName: dns-\n',
        ),
      want: [
        'OBJECT_INVALID dns-cache/templates/configmap.yaml:3:1 ConfigMap has no metadata.name; generateName cannot be applied from git',
      ],
    },
    {
      name: 'an addon entry that fits no addon',
      change: () =>
        fleet.write(
          'clusters/team-a/web/addons.yaml',
          'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: metric\n      enabled: false\n',
        ),
      want: ['CONFIG_REFERENCE clusters/team-a/web/addons.yaml:5:13 release docker-demo-1-34-v3 has no addon "metric"'],
    },
    {
      name: 'a dependency that is not vendored',
      change: () => fleet.remove('providers/docker/demo/cluster-addon/metrics/charts'),
      want: [
        'CHART_DEPENDENCY_MISSING providers/docker/demo/cluster-addon/metrics found in Chart.yaml, but missing in charts/ directory: metrics-agent',
      ],
    },
  ]
  test.each(broken)('$name', async ({ change, want }) => {
    change()
    expect(await problemsOf(fleet.render())).toEqual(want)
    expect(fleet.filesBelow('rendered')).toEqual([])
  })

  function writeTemplate(text: string): void {
    fleet.write('providers/docker/demo/cluster-addon/dns-cache/templates/made.yaml', text)
  }

  test('key material of a chart is a marked placeholder with a finding, never a key', async () => {
    writeTemplate(`{{- $ca := genCA "example" 365 }}
apiVersion: v1
kind: Secret
metadata: {name: made}
data: {ca.key: {{ $ca.Key | b64enc }}, password: {{ randAlphaNum 16 | b64enc }}}
stringData:
  login: {{ htpasswd "admin" .Values.given }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: trust}
data:
  ca.crt: |
{{ $ca.Cert | indent 4 }}
  last: x
`)
    fleet.write('clusters/team-a/web/values/dns-cache.yaml', 'given: hunter2\n')
    const result = await fleet.render()
    expect(result.findings.map(describeProblem)).toEqual([
      'TEMPLATE_GENERATED_SECRET dns-cache/templates/made.yaml:1:12 genCA makes a secret; placeholders stand at Secret made /data/ca.key, ConfigMap trust /data/ca.crt',
      'TEMPLATE_GENERATED_SECRET dns-cache/templates/made.yaml:5:53 randAlphaNum makes a secret; placeholders stand at Secret made /data/password',
      'TEMPLATE_GENERATED_SECRET dns-cache/templates/made.yaml:7:13 htpasswd makes a secret; placeholders stand at Secret made /stringData/login',
    ])
    const addon = 'rendered/clusters/team-a/web/addons/01-dns-cache'
    const secret = fleet.read(`${addon}/secret-made.yaml`)
    const texts = [...secret.matchAll(/(?:ca.key|password): (\S+)/g)].map((match) =>
      Buffer.from(match[1] ?? '', 'base64')
        .toString()
        .trim(),
    )
    expect(texts).toEqual([
      expect.stringMatching(/^stackmason-placeholder-[0-9a-f]{16}$/),
      expect.stringMatching(/^stackmason-placeholder-[0-9a-f]{16}$/),
    ])
    expect(secret).toMatch(/login: admin:stackmason-placeholder-[0-9a-f]{16}\n/)
    expect(fleet.read(`${addon}/configmap-trust.yaml`)).toMatch(
      / {2}ca\.crt: \|\n {4}stackmason-placeholder-[0-9a-f]{16}\n {2}last: x\n$/,
    )
    const everything = objectFiles(fleet).map((path) => fleet.read(`rendered/${path}`))
    expect([JSON.stringify(result), ...everything].filter((text) => text.includes('hunter2'))).toEqual([])
    expect((await fleet.render({ check: true })).changes).toEqual([])
  })

  const misplaced: readonly { readonly name: string; readonly template: string; readonly want: readonly string[] }[] = [
    {
      name: 'a password in a ConfigMap',
      template: `apiVersion: v1
kind: ConfigMap
metadata: {name: made}
data:
  password: {{ randAlphaNum 16 | quote }}
`,
      want: [
        'SECRET_OUTSIDE_SECRET dns-cache/templates/made.yaml:5:16 /data/password of ConfigMap made (dns-cache/templates/made.yaml) holds what randAlphaNum generates, which only a Secret may hold',
      ],
    },
    {
      name: 'a certificate with a password in its subject, in a ConfigMap',
      template: `{{- $pw := randAlphaNum 16 }}
{{- $ca := genCA (printf "ca-%s" $pw) 365 }}
{{- $leaf := genSignedCert "leaf" nil (list "a.example") 365 $ca }}
{{- $own := genSelfSignedCert "own" nil (list "a.example" ($pw | b64enc)) 365 }}
{{- $fine := genSelfSignedCert "fine" nil (list "a.example") 365 }}
apiVersion: v1
kind: ConfigMap
metadata: {name: made}
data:
  ca: {{ $ca.Cert | quote }}
  leaf: {{ $leaf.Cert | b64enc | quote }}
  own: {{ $own.Cert | quote }}
  fine: {{ $fine.Cert | quote }}
---
apiVersion: v1
kind: Secret
metadata: {name: made}
stringData: {ca: {{ $ca.Cert | quote }}, key: {{ $ca.Key | quote }}}
`,
      want: [
        'SECRET_OUTSIDE_SECRET dns-cache/templates/made.yaml:2:12 /data/ca of ConfigMap made (dns-cache/templates/made.yaml) holds what genCA generates, with what randAlphaNum generates in it, which only a Secret may hold',
        'SECRET_OUTSIDE_SECRET dns-cache/templates/made.yaml:3:14 /data/leaf of ConfigMap made (dns-cache/templates/made.yaml) holds what genSignedCert generates, with what randAlphaNum generates in it, which only a Secret may hold',
        'SECRET_OUTSIDE_SECRET dns-cache/templates/made.yaml:4:13 /data/own of ConfigMap made (dns-cache/templates/made.yaml) holds what genSelfSignedCert generates, with what randAlphaNum generates in it, which only a Secret may hold',
      ],
    },
    {
      name: 'something derived from a key in a label of a Secret, and a random name',
      template: `{{- $ca := genCA "example" 365 }}
apiVersion: v1
kind: Secret
metadata:
  name: {{ uuidv4 }}
  labels: {key: {{ $ca.Key | b64enc | trunc 63 | quote }}}
`,
      want: [
        'TEMPLATE_TOKEN_REFUSED dns-cache/templates/made.yaml:6:39 trunc cannot cut a value whose length is only known later: b64enc of text with what genCA generates',
      ],
    },
    {
      name: 'random names and keys',
      template: `apiVersion: v1
kind: Secret
metadata: {name: a-{{ randAlphaNum 5 | lower }}}
stringData: {{ printf "{%s: x}" (randAlpha 4) }}
`,
      want: [
        'OBJECT_DEFERRED_KEY dns-cache/templates/made.yaml:3:23 /metadata/name of Secret a-<lower of what randAlphaNum generates> (dns-cache/templates/made.yaml) holds lower of what randAlphaNum generates, which is known only later',
        'OBJECT_DEFERRED_KEY dns-cache/templates/made.yaml:4:34 a key at /stringData of Secret a-<lower of what randAlphaNum generates> (dns-cache/templates/made.yaml) holds what randAlpha generates, which is known only later',
      ],
    },
  ]
  test.each(misplaced)('$name is an error, and nothing is written', async ({ template, want }) => {
    writeTemplate(template)
    expect(await problemsOf(fleet.render())).toEqual(want)
    expect(fleet.filesBelow('rendered')).toEqual([])
  })

  test.each([
    {
      field: 'name',
      to: 'demoo',
      want: 'Did you mean the stack demo? They offer: docker-demo-1-34-v3, docker-classic-1-33-v1.',
    },
    {
      field: 'provider',
      to: 'doker',
      want: 'Did you mean the provider docker? They offer: docker-demo-1-34-v3, docker-classic-1-33-v1.',
    },
    { field: 'name', to: 'other', want: 'They offer: docker-demo-1-34-v3, docker-classic-1-33-v1.' },
  ])(
    'a release of $field $to, which no source has, is told with the one that was meant',
    async ({ field, to, want }) => {
      fleet.edit('stacks/demo.yaml', new RegExp(`^  ${field}: (?:demo|docker)$`, 'm'), `  ${field}: ${to}`)
      const rendering = fleet.render({ stacks: ['platform/demo-1-34'] })
      await expect(rendering).rejects.toMatchObject({
        diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'RELEASE_NOT_FOUND', hint: want })]),
      })
    },
  )

  test.each([
    ['name', 'demoo', 'docker-demoo-1-34-v3'],
    ['provider', 'doker', 'doker-demo-1-34-v3'],
  ])('a misspelt %s of a ClusterStack is not told of the clusters, too', async (field, to, tag) => {
    fleet.edit('stacks/demo.yaml', new RegExp(`^  ${field}: (?:demo|docker)$`, 'm'), `  ${field}: ${to}`)
    const want = `RELEASE_NOT_FOUND stacks/demo.yaml:15:7 release ${tag} is in none of the sources demo, classic`
    expect(await problemsOf(fleet.render())).toEqual([want])
    expect(await problemsOf(fleet.render({ clusters: ['team-a/web'] }))).toEqual([want])
  })

  test('a test hook with a random name is left out', async () => {
    writeTemplate(`apiVersion: v1
kind: Pod
metadata:
  name: t-{{ randAlphaNum 5 | lower }}
  annotations: {helm.sh/hook: test-success}
spec: {containers: []}
`)
    const result = await fleet.render()
    expect(result.findings.map(describeProblem)).toEqual([
      'OBJECT_TEST_HOOK dns-cache/templates/made.yaml:4:14 Pod t-<lower of what randAlphaNum generates> is a test hook with a random name; it was left out',
    ])
    expect(objectFiles(fleet).filter((path) => path.includes('pod-'))).toEqual([])
  })
})
