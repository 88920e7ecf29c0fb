import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const SHA = `sha256:${'0a'.repeat(32)}`
const CHART = 'providers/docker/starter/cluster-addon/welcome'

const agent = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      initContainers: [{name: setup, image: "{{ .Values.registry }}/org/agent:v1@${SHA}"}]
      containers:
        - {name: agent, image: "{{ .Values.registry }}/org/agent:v1@${SHA}", args: [--sidecar-image=quay.io/org/sidecar:v2]}
        - {name: proxy, image: nginx:1.27}
`
const operated = `apiVersion: x.example/v1
kind: Thing
metadata: {name: thing, namespace: default}
spec: {image: quay.io/org/thing:v3}
`

/** A fleet of two clusters whose addon brings these templates. */
async function fleet(templates: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const cluster = await readFile(join(folder, 'clusters/team-a/web/cluster.yaml'), 'utf8')
  await write('clusters/team-a/edge/cluster.yaml', cluster.replace('name: web', 'name: edge'))
  await write('clusters/values/welcome.yaml', 'registry: quay.io\n')
  await write('clusters/team-a/web/values/welcome.yaml', 'registry: mirror.example.com\n')
  const config = await readFile(join(folder, 'stackmason.yaml'), 'utf8')
  await write(
    'stackmason.yaml',
    config.replace('spec:\n', 'spec:\n  scopes: [{group: x.example, kind: Thing, scope: Namespaced}]\n'),
  )
  await rm(join(folder, CHART, 'templates/configmap.yaml'))
  await rm(join(folder, CHART, 'overwrite.yaml'))
  for (const [name, text] of Object.entries(templates)) await write(`${CHART}/templates/${name}.yaml`, text)
  return folder
}

describe('stackmason containers', () => {
  test('lists images once, with who uses them', async () => {
    const cwd = await fleet({ agent, operated })
    expect(await runCli(['containers'], { cwd })).toEqual({
      status: 0,
      stderr: '',
      stdout: `RUN
docker.io/library/nginx:1.27
  welcome: DaemonSet kube-system/agent: proxy
mirror.example.com/org/agent:v1@sha256:0a0a0a0a0a0a…
  only team-a/web
  welcome: DaemonSet kube-system/agent: agent, setup (init)
quay.io/org/agent:v1@sha256:0a0a0a0a0a0a…
  only team-a/edge
  welcome: DaemonSet kube-system/agent: agent, setup (init)

MENTIONED, and perhaps run by a program in the cluster
docker.io/kindest/node:v1.34.7
  docker-starter-1-34-v1: DockerMachineTemplate platform/docker-starter-1-34-v1-machine: /spec/template/spec/customImage
quay.io/org/sidecar:v2
  welcome: DaemonSet kube-system/agent: /spec/template/spec/containers/0/args/0
quay.io/org/thing:v3
  welcome: Thing default/thing: /spec/image

3 images run, 3 mentioned, of 2 clusters.
Not listed: what kubeadm pulls for Kubernetes v1.34.7.
`,
    })
  })

  test('fits a terminal', async () => {
    const cwd = await fleet({ agent })
    const { stdout } = await runCli(['containers', '--cluster', 'web'], { cwd, isTerminal: true })
    expect(stdout).toBe(`RUN
docker.io/library/nginx:1.27
  welcome: DaemonSet kube-system/agent: proxy
mirror.example.com/org/agent:v1@sha256:0a0a0a0a0a0a…
  welcome: DaemonSet kube-system/agent: agent, setup (init)

MENTIONED, and perhaps run by a program in the cluster
quay.io/org/sidecar:v2
  welcome: DaemonSet kube-system/agent:
      /spec/template/spec/containers/0/args/0

2 images run, 1 mentioned, of 1 cluster.
Not listed: what kubeadm pulls for Kubernetes v1.34.7.
`)
  })

  test('writes names for other programs, of a use if asked', async () => {
    const cwd = await fleet({ agent, operated })
    const names = async (...words: readonly string[]): Promise<readonly string[]> => {
      const { stdout, stderr, status } = await runCli(['containers', '-o', 'names', ...words], { cwd })
      expect([status, stderr]).toEqual([0, ''])
      return stdout.split('\n')
    }
    const run = ['docker.io/library/nginx:1.27', `mirror.example.com/org/agent@${SHA}`, `quay.io/org/agent@${SHA}`]
    const ofClass = 'docker.io/kindest/node:v1.34.7'
    const mentioned = ['quay.io/org/sidecar:v2', 'quay.io/org/thing:v3']
    expect(await names()).toEqual([ofClass, ...run, ...mentioned, ''])
    expect(await names('--only', 'run')).toEqual([...run, ''])
    expect(await names('--only', 'mentioned')).toEqual([ofClass, ...mentioned, ''])
    expect(await names('--stack', 'starter-1-34')).toEqual([ofClass, ''])
  })

  test('writes what skopeo sync and regsync copy by', async () => {
    const other = `sha256:${'0b'.repeat(32)}`
    const moved = agent.replace('proxy, image: nginx:1.27', `proxy, image: "quay.io/org/agent:v1@${other}"`)
    const cwd = await fleet({ agent: moved, operated })
    const forms = ['-o', 'skopeo', '-o', 'regsync=regsync.yml', '--cluster', 'edge', '--only', 'run']
    const { status, stdout, stderr } = await runCli(['containers', ...forms], { cwd })
    expect([status, stderr]).toEqual([0, ''])
    // a digest counts where there is one, as in the example of skopeo-sync(1)
    expect(stdout).toBe(`quay.io:
  images:
    org/agent:
      - ${SHA}
      - ${other}
`)
    expect(await readFile(join(cwd, 'regsync.yml'), 'utf8')).toBe(`sync:
  - source: quay.io/org/agent@${SHA}
    target: '{{env "MIRROR"}}/quay.io/org/agent@${SHA}'
    type: image
  - source: quay.io/org/agent@${other}
    target: '{{env "MIRROR"}}/quay.io/org/agent@${other}'
    type: image
version: 1
`)
    const all = await runCli(['containers', '-o', 'regsync', '--cluster', 'web'], { cwd })
    expect(all.stdout).toContain(`    target: '{{env "MIRROR"}}/quay.io/org/sidecar:v2'\n`)
    expect(all.stdout).toContain(`  - source: mirror.example.com/org/agent@${SHA}
    target: '{{env "MIRROR"}}/mirror.example.com/org/agent:v1'
    type: image
  - source: quay.io/org/agent@${other}
    target: '{{env "MIRROR"}}/quay.io/org/agent:v1'
    type: image
`)
  })

  test('writes JSON that fits its schema, beside other forms', async () => {
    const cwd = await fleet({ agent, operated })
    const { status, stdout, stderr } = await runCli(['containers', '-o', 'json', '-o', 'names=images.txt'], { cwd })
    expect([status, stderr]).toEqual([0, ''])
    expect((await readFile(join(cwd, 'images.txt'), 'utf8')).split('\n')).toHaveLength(7)
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/containers-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(validate(parseGoJson(stdout.replace('"mentioned"', '"other"')))).not.toEqual([])
    const report: { readonly images: readonly object[] } = JSON.parse(stdout)
    expect({ ...report, images: report.images.slice(2, 3) }).toEqual({
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'ContainersReport',
      fleet: 'fleet',
      kubernetesVersions: ['v1.34.7'],
      images: [
        {
          image: `mirror.example.com/org/agent:v1@${SHA}`,
          registry: 'mirror.example.com',
          repository: 'org/agent',
          tag: 'v1',
          digest: SHA,
          use: 'run',
          clusters: ['team-a/web'],
          users: (['container', 'init-container'] as const).map((part) => ({
            use: 'run',
            destination: 'workload',
            apiVersion: 'apps/v1',
            kind: 'DaemonSet',
            namespace: 'kube-system',
            name: 'agent',
            addon: 'welcome',
            container: part === 'container' ? 'agent' : 'setup',
            part,
            field: `/spec/template/spec/${part === 'container' ? 'containers' : 'initContainers'}/0/image`,
            written: `mirror.example.com/org/agent:v1@${SHA}`,
            clusters: ['team-a/web'],
          })),
        },
      ],
      findings: [],
    })
  })

  test('writes a bill of materials, the same from run to run', async () => {
    const cwd = await fleet({ agent })
    const words = ['containers', '-o', 'cyclonedx', '--only', 'run']
    const { status, stdout, stderr } = await runCli(words, { cwd })
    expect([status, stderr]).toEqual([0, ''])
    expect(await runCli(words, { cwd })).toEqual({ status, stdout, stderr })
    const bill: { readonly components: readonly { readonly name: string }[] } = JSON.parse(stdout)
    expect(bill).toMatchObject({
      specVersion: '1.6',
      metadata: {
        tools: { components: [{ name: 'stackmason', version: '1.2.3' }] },
        component: { 'bom-ref': 'fleet:fleet' },
      },
    })
    expect(bill.components.map(({ name }) => name)).toEqual([
      'team-a/edge',
      'team-a/web',
      'docker.io/library/nginx',
      'mirror.example.com/org/agent',
      'quay.io/org/agent',
    ])
    expect(bill.components[2]).toMatchObject({
      properties: [
        { name: 'stackmason:use', value: 'run' },
        { name: 'stackmason:addon', value: 'welcome' },
        { name: 'stackmason:object', value: 'DaemonSet kube-system/agent' },
      ],
    })
  })

  test('says what it cannot list, and where it stands', async () => {
    const cwd = await fleet({ agent: agent.replace('nginx:1.27', '"not an image"') })
    const { status, stdout, stderr } = await runCli(['containers'], { cwd })
    expect(status).toBe(0)
    expect(stdout).not.toContain('not an image')
    expect(stderr)
      .toBe(`warning CONTAINER_IMAGE_UNREADABLE providers/docker/starter/cluster-addon/welcome/templates/agent.yaml:12:32: DaemonSet kube-system/agent has an image that is no image reference, so it is not listed
  12 |         - {name: proxy, image: "not an image"}
     |                                ^^^^^^^^^^^^^^^
  for clusters team-a/edge, team-a/web; addon welcome
  → Write \`registry/repository:tag\` or \`registry/repository@sha256:…\`.
`)
  })

  test('shows nothing that a terminal obeys', async () => {
    const cwd = await fleet({
      agent: agent
        .replace('name: proxy', 'name: "p\\e]0;x\\a\\u202e"')
        .replace('name: agent, image', 'name: __proto__, image'),
    })
    const { stdout, stderr } = await runCli(['containers'], { cwd })
    expect(stderr).toBe('')
    expect(stdout).toContain('DaemonSet kube-system/agent: p\\x1b]0;x\\x07\\u202e\n')
    expect(stdout).toContain('DaemonSet kube-system/agent: __proto__, setup (init)\n')
  })

  test('refuses what it does not know', async () => {
    const { status, stderr } = await runCli(['containers', '--only', 'none'])
    expect([status, stderr.split('\n')[0]]).toEqual([2, 'error USAGE option --only takes run or mentioned, not "none"'])
  })
})
