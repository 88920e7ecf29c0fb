import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runCli } from '../cli/run-cli.ts'
import { realHelm } from '../support/helm.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FLEET = 'apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: demo}\n'
const ADDONS = 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\n'
const CLUSTER = 'clusters/team-a/web'

/** A chart that shows what it sees and makes a monitor where it can. */
const asking: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: asking\nversion: 1.0.0\n',
  'values.yaml': 'strict: false\n',
  'templates/seen.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: seen}
data:
  group: {{ .Capabilities.APIVersions.Has "monitoring.example/v1" | quote }}
  kind: {{ .Capabilities.APIVersions.Has "monitoring.example/v1/Monitor" | quote }}
  policy: {{ .Capabilities.APIVersions.Has "policy/v1beta1/PodSecurityPolicy" | quote }}
  openshift: {{ .Capabilities.APIVersions.Has "route.openshift.io/v1" | quote }}
`,
  'templates/monitor.yaml': `{{- if .Capabilities.APIVersions.Has "monitoring.example/v1/Monitor" }}
apiVersion: monitoring.example/v1
kind: Monitor
metadata: {name: mine}
{{- else if .Capabilities.APIVersions.Has "policy/v1beta1/PodSecurityPolicy" }}
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: mine}
{{- else if .Values.strict }}
{{ fail "needs Monitor" }}
{{- end }}
`,
}

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: monitors.monitoring.example}
spec:
  group: monitoring.example
  scope: Namespaced
  names: {kind: Monitor, plural: monitors}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
    - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`

type Files = Readonly<Record<string, string>>

function chartAt(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}

const askingFleet: Files = {
  ...chartAt('charts/asking', asking),
  'clusters/addons.yaml': `${ADDONS}spec:\n  addons: [{name: asking, chart: {path: ../charts/asking}}]\n`,
  'stackmason.yaml': `${FLEET}spec:
  scopes: [{group: monitoring.example, kind: Monitor, scope: Namespaced}]
  sources: [{name: local, providerDirectory: {path: providers/docker/starter, version: v1}}]
`,
}

interface Rendered {
  readonly status: number
  readonly stderr: string
  readonly files: ReadonlyMap<string, string>
}

async function renderWith(files: Files, prepare?: (folder: string) => Promise<void>): Promise<Rendered> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await prepare?.(folder)
  const { status, stderr } = await runCli(['render', '-q'], { cwd: folder })
  const addons = join(folder, 'rendered', CLUSTER, 'addons-own')
  const names = status === 0 ? await readdir(addons, { recursive: true }) : []
  const found = names.filter((name) => name.endsWith('.yaml'))
  return {
    status,
    stderr,
    files: new Map(
      await Promise.all(found.map(async (name) => [name, await readFile(join(addons, name), 'utf8')] as const)),
    ),
  }
}

/** What the chart saw: `group`, `kind`, `openshift`. */
function seenIn({ files }: Rendered): readonly (string | undefined)[] {
  const text = [...files].find(([name]) => name.includes('seen'))?.[1] ?? ''
  return ['group', 'kind', 'openshift'].map((key) => new RegExp(`^  ${key}: "(.*)"$`, 'm').exec(text)?.[1])
}

const hasMonitor = ({ files }: Rendered): boolean => [...files.values()].some((text) => /^kind: Monitor$/m.test(text))

describe('API versions that charts see', () => {
  test.each<{
    readonly name: string
    readonly files: Files
    readonly seen: readonly string[]
    readonly monitor: boolean
  }>([
    { name: 'nothing declared', files: {}, seen: ['false', 'false', 'false'], monitor: false },
    {
      name: 'declared by the fleet',
      files: { 'stackmason.yaml': `${askingFleet['stackmason.yaml'] ?? ''}  apiVersions: [monitoring.example/v1]\n` },
      seen: ['true', 'false', 'false'],
      monitor: false,
    },
    {
      name: 'declared by fleet, namespace and cluster: they add up',
      files: {
        'stackmason.yaml': `${askingFleet['stackmason.yaml'] ?? ''}  apiVersions: [monitoring.example/v1]\n`,
        'clusters/team-a/addons.yaml': `${ADDONS}spec: {apiVersions: [monitoring.example/v1/Monitor]}\n`,
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {apiVersions: [route.openshift.io/v1, monitoring.example/v1]}\n`,
      },
      seen: ['true', 'true', 'true'],
      monitor: true,
    },
    {
      name: 'CRDs of another addon, without the switch',
      files: {
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {addons: [{name: crds, templates: {path: crds}}]}\n`,
        [`${CLUSTER}/crds/crd.yaml`]: CRD,
      },
      seen: ['false', 'false', 'false'],
      monitor: false,
    },
    {
      name: 'CRDs of another addon that comes later, with the switch',
      files: {
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {apiVersionsFromCrds: true, addons: [{name: crds, templates: {path: crds}}]}\n`,
        [`${CLUSTER}/crds/crd.yaml`]: CRD,
      },
      seen: ['true', 'true', 'false'],
      monitor: true,
    },
    {
      name: 'the switch of the fleet, taken back by the cluster',
      files: {
        'stackmason.yaml': `${askingFleet['stackmason.yaml'] ?? ''}  apiVersionsFromCrds: true\n`,
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {apiVersionsFromCrds: false, addons: [{name: crds, templates: {path: crds}}]}\n`,
        [`${CLUSTER}/crds/crd.yaml`]: CRD,
      },
      seen: ['false', 'false', 'false'],
      monitor: false,
    },
    {
      name: 'a chart that fails without a CRD that another one brings',
      files: {
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {apiVersionsFromCrds: true, addons: [{name: crds, templates: {path: crds}}]}\n`,
        [`${CLUSTER}/crds/crd.yaml`]: CRD,
        [`${CLUSTER}/values/asking.yaml`]: 'strict: true\n',
      },
      seen: ['true', 'true', 'false'],
      monitor: true,
    },
  ])('$name', async ({ files, seen, monitor }) => {
    const result = await renderWith({ ...askingFleet, ...files })
    expect({ status: result.status, seen: seenIn(result), monitor: hasMonitor(result) }).toEqual({
      status: 0,
      seen,
      monitor,
    })
    // what is left out is told, and nothing else: not the question about OpenShift, which changes no object of that API
    const told = result.stderr.match(/API_VERSION_UNDECLARED/g)?.length ?? 0
    expect({ told, stderr: result.stderr }).toEqual({ told: monitor ? 0 : 1, stderr: result.stderr })
  })

  test('the finding names place, object, chart and version', async () => {
    const { stderr } = await renderWith(askingFleet)
    expect(stderr).toMatch(/^warning API_VERSION_UNDECLARED charts\/asking\/templates\/[\w.]+:\d+:\d+: chart asking/m)
    expect(stderr).toContain(
      'chart asking leaves out Monitor mine: it looked for the API version monitoring.example/v1/Monitor, which is not declared',
    )
  })

  test('the error of a chart that fails says what to declare', async () => {
    const { status, stderr } = await renderWith({ ...askingFleet, [`${CLUSTER}/values/asking.yaml`]: 'strict: true\n' })
    expect(status).toBe(1)
    expect(stderr).toContain('needs Monitor')
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'The chart looked for the API version monitoring.example/v1/Monitor, which is not declared. If the cluster serves it, add it to spec.apiVersions of addons.yaml or stackmason.yaml.',
    )
  })

  test('two clusters that declare differently share no render', async () => {
    const folder = 'clusters/team-a/other'
    const starter = await tempFolder()
    await runCli(['init'], { cwd: starter })
    const cluster = (await readFile(join(starter, CLUSTER, 'cluster.yaml'), 'utf8')).replaceAll(/\bweb\b/g, 'other')
    const result = await renderWith({
      ...askingFleet,
      [`${folder}/cluster.yaml`]: cluster,
      [`${folder}/addons.yaml`]: `${ADDONS}spec: {apiVersions: [monitoring.example/v1/Monitor]}\n`,
    })
    expect({ status: result.status, seen: seenIn(result) }).toEqual({ status: 0, seen: ['false', 'false', 'false'] })
  })

  test.each(['monitoring.example', 'monitoring.example/v1/monitors/x', 'v1/', 'Monitor'])(
    '%s is none',
    async (wrong) => {
      const { status, stderr } = await renderWith({
        ...askingFleet,
        [`${CLUSTER}/addons.yaml`]: `${ADDONS}spec: {apiVersions: ["${wrong}"]}\n`,
      })
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('CONFIG_INVALID_VALUE') })
    },
  )
})

interface KubeObject {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const shared = sharedFolder()
const helm = realHelm('API versions of real charts')
const cilium = join(shared ?? '', 'cluster-stacks/providers/openstack/scs/cluster-addon/cni')
const values =
  'cilium:\n  prometheus: {enabled: true, serviceMonitor: {enabled: true}}\n  gatewayAPI: {enabled: true}\n'
const apis = ['monitoring.coreos.com/v1', 'gateway.networking.k8s.io/v1/GatewayClass']

describe.skipIf(shared === undefined || helm === undefined)('cilium of a real stack', () => {
  const fleet = (declared: readonly string[]): Files => ({
    'clusters/addons.yaml': `${ADDONS}spec:\n  apiVersions: ${JSON.stringify(declared)}\n  addons: [{name: cni, chart: {path: ../charts/cni}}]\n`,
    [`${CLUSTER}/values/cni.yaml`]: values,
    'stackmason.yaml': `${FLEET}spec:
  scopes:
    - {group: monitoring.coreos.com, kind: ServiceMonitor, scope: Namespaced}
    - {group: gateway.networking.k8s.io, kind: GatewayClass, scope: Cluster}
  sources: [{name: local, providerDirectory: {path: providers/docker/starter, version: v1}}]
`,
  })
  const copyChart = async (folder: string): Promise<void> => cp(cilium, join(folder, 'charts/cni'), { recursive: true })

  test('renders the objects that helm renders with --api-versions', async () => {
    const result = await renderWith(fleet(apis), copyChart)
    expect({ status: result.status, stderr: result.stderr.match(/API_VERSION_UNDECLARED.*/g) }).toEqual({
      status: 0,
      stderr: null,
    })
    const root = await tempFolder()
    await writeFile(join(root, 'values.yaml'), values)
    const words = [
      'template',
      'cni',
      cilium,
      '-n',
      'kube-system',
      '-f',
      join(root, 'values.yaml'),
      '--include-crds',
      '--kube-version',
      'v1.34.7',
    ]
    const { stdout, status } = spawnSync(
      helm ?? '',
      [...words, ...apis.flatMap((version) => ['--api-versions', version])],
      {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        env: { HELM_CACHE_HOME: root, HELM_CONFIG_HOME: root, HELM_DATA_HOME: root, KUBECONFIG: '/nonexistent' },
      },
    )
    expect(status).toBe(0)
    const objectsOf = (texts: readonly string[]): readonly KubeObject[] =>
      texts
        .flatMap((text) => parseAllDocuments(text, { version: '1.1' }).map((document): KubeObject => document.toJS()))
        .filter((object) => object?.metadata?.name !== undefined)
    const ours = objectsOf([...result.files].filter(([name]) => name.startsWith('cni/')).map(([, text]) => text))
    const theirs = objectsOf([stdout])
    const names = (objects: readonly KubeObject[]): readonly string[] =>
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
    expect(names(ours)).toEqual(names(theirs))
    for (const kind of ['ServiceMonitor', 'GatewayClass', 'ConfigMap', 'DaemonSet']) {
      const [mine, helms] = [ours, theirs].map((all) =>
        all.filter((object) => object.kind === kind).sort((x, y) => (x.metadata.name < y.metadata.name ? -1 : 1)),
      )
      expect(helms?.length).toBeGreaterThan(0)
      expect(mine).toEqual(helms)
    }
  })

  test('fails with the way out, and then tells of the GatewayClass', async () => {
    const failed = await renderWith(fleet([]), copyChart)
    expect(failed.stderr).toContain(
      'The chart looked for the API version monitoring.coreos.com/v1, which is not declared',
    )
    const partly = await renderWith(fleet(['monitoring.coreos.com/v1']), copyChart)
    expect(partly.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'chart openstack-scs-1-32-cluster-addon leaves out GatewayClass cilium: it looked for the API version gateway.networking.k8s.io/v1/GatewayClass',
    )
  })
})
