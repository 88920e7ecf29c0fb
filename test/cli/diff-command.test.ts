import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { bumpCni, manyClusters } from '../../tools/fleets/many-clusters.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

function names(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `c${String(from + index).padStart(2, '0')}`).join(',')
}

describe('a fleet of 40 clusters', () => {
  const folder = tempFolderForFile()
  let fleet: FleetFolder

  beforeAll(async () => {
    fleet = await manyClusters(join(folder, 'fleet'), 40)
    await fleet.render()
    fleet.commit()
    bumpCni(fleet)
    await fleet.render()
  })

  const diff = async (...words: readonly string[]): ReturnType<typeof runCli> =>
    runCli(['diff', ...words], { cwd: fleet.folder })

  test('what a reviewer must know is on the first screen', async () => {
    const { stdout, stderr, status } = await diff()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 24).join('\n')).toBe(
      `HEAD -> files on disk: 39 clusters changed, 1 new, 1 removed, 125 objects
Effects
  deletes        Cluster team-b/c40 and 4 more objects, without a decommission; a revert makes an empty cluster
  skips a minor  team-b/c39: Kubernetes v1.32.5 -> v1.34.1
  rolls nodes    docker-small 1.32 v1 -> 1.34 v1 (Kubernetes v1.32.5 -> v1.34.1) on team-b/c39; a revert does not lower the version
  restarts pods  addon cni: 2 objects on 38 clusters: team-a/{c01,c02,c03,…}, team-b/{c21,c22,c23,…}
New clusters
  team-c/new  like team-a/c01, except workers.machineDeployments[name=md-0].replicas: 3 -> 5
Versions
  Kubernetes  v1.32.5 -> v1.34.1 on team-b/c39
  addon       cni v1.17.4 -> v1.18.1 on the same 38 clusters
  2 images    quay.io/cilium/cilium, quay.io/cilium/operator-generic v1.17.4 -> v1.18.1 on the same 38 clusters

addon cni: the same 38 clusters
  not team-b/c39: unchanged there
  ~ ConfigMap kube-system/cilium-config
      data.agent-version: v1.17.4 -> v1.18.1
  ~ DaemonSet kube-system/cilium  (restarts pods)
      spec.template.metadata.annotations["checksum/config"]: <hash> -> <hash>
      spec.template.spec.containers[name=cilium-agent].image: quay.io/cilium/cilium:v1.17.4 -> quay.io/cilium/cilium:v1.18.1
  ~ Deployment kube-system/cilium-operator  (restarts pods)
      spec.template.spec.containers[name=operator].image: quay.io/cilium/operator-generic:v1.17.4 -> quay.io/cilium/operator-generic:v1.18.1

Cluster: team-b/c39`,
    )
  })

  test('the whole text names everybody', async () => {
    const { stdout } = await diff('--all')
    expect(stdout).toContain('team-b/{c21,c22,c23,c24,c25,c26,c27,c28,c29,c30,c31,c32,c33,c34,c35,c36,c37,c38}')
    expect(stdout.slice(stdout.indexOf('New cluster team-c/new\n'))).toBe(`New cluster team-c/new
  + ConfigMap kube-system/cilium-config
  + DaemonSet kube-system/cilium
  + Deployment kube-system/cilium-operator
  + Deployment kube-system/metrics-server
  + Cluster team-c/new
`)
  })

  test('differences end the run with 1 only if that is asked for', async () => {
    expect((await diff('--exit-code')).status).toBe(1)
    expect(await diff('--exit-code', 'HEAD', 'HEAD')).toEqual({
      status: 0,
      stdout: 'No differences between HEAD and HEAD.\n',
      stderr: '',
    })
  })

  test('says of rendered fields where they come from, if all is asked for', async () => {
    const { stdout } = await diff('HEAD', 'render', '--all')
    const lines = stdout.split('\n')
    const at = lines.findIndex((line) => line.includes('data.agent-version: v1.17.4 -> v1.18.1'))
    expect(lines[at + 1]).toMatch(/^ {8}from clusters\/values\/cni\.yaml:\d+:\d+/)
    const json = await diff('HEAD', 'render', '-o', 'json')
    expect(json.stdout).toContain('"origin"')
    expect((await diff('HEAD', 'render')).stdout).not.toContain(' from ')
  })

  test('quiet is an exit code alone, as of git', async () => {
    expect(await diff('--quiet')).toEqual({ status: 1, stdout: '', stderr: '' })
    expect(await diff('-q', 'HEAD', 'HEAD')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('no report is written over inputs, or into the rendered tree', async () => {
    const refused = async (file: string): Promise<string> => {
      const { status, stderr } = await diff('-o', `markdown=${file}`)
      expect(status).toBe(2)
      return stderr.split('\n')[0] ?? ''
    }
    expect(await refused('rendered/clusters/diff.md')).toBe(
      'error USAGE --output markdown=rendered/clusters/diff.md is in the rendered tree: name another file',
    )
    expect(await refused('clusters/diff.md')).toBe(
      'error USAGE --output markdown=clusters/diff.md is among the inputs of the fleet: name another file',
    )
    expect(await refused('stackmason.yaml')).toBe(
      'error USAGE --output markdown=stackmason.yaml is there already, and is no report: name another file',
    )
    const { status, stderr } = await runCli(['check', '-o', 'junit=rendered/x.xml'], { cwd: fleet.folder })
    expect({ status, stderr: stderr.split('\n')[0] }).toEqual({
      status: 2,
      stderr: 'error USAGE --output junit=rendered/x.xml is in the rendered tree: name another file',
    })
  })

  test('two folders need no fleet', async () => {
    const { stdout, status } = await runCli(['diff', './rendered', './rendered', '--exit-code'], { cwd: fleet.folder })
    expect({ stdout, status }).toEqual({ stdout: 'No differences between ./rendered and ./rendered.\n', status: 0 })
  })

  test('a folder without a tree is refused, and so is an unknown revision', async () => {
    expect(await diff('./clusters/values')).toEqual({
      status: 2,
      stdout: '',
      stderr: `error USAGE "./clusters/values" holds no rendered tree: neither clusters nor stacks nor handoff
  → Name the output folder itself, such as ./rendered; a name without ./ is a revision of git.
`,
    })
    expect((await diff('nowhere')).stderr).toContain('BASE_UNKNOWN')
  })

  test('writes Markdown for a pull request', async () => {
    const { stdout } = await diff('-o', 'markdown')
    expect(stdout.split('\n').slice(0, 36).join('\n')).toBe(
      `**HEAD → files on disk**: 39 clusters changed, 1 new, 1 removed, 125 objects

| Effects | |
| --- | --- |
| 🔴 deletes | Cluster team-b/c40 and 4 more objects, without a decommission; a revert makes an empty cluster |
| 🔴 skips a minor | team-b/c39: Kubernetes v1.32.5 -&gt; v1.34.1 |
| 🟠 rolls nodes | docker-small 1.32 v1 -&gt; 1.34 v1 (Kubernetes v1.32.5 -&gt; v1.34.1) on team-b/c39; a revert does not lower the version |
| 🟡 restarts pods | addon cni: 2 objects on 38 clusters: team-a/{c01,c02,c03,…}, team-b/{c21,c22,c23,…} |

| New clusters | |
| --- | --- |
| team-c/new | like team-a/c01, except workers.machineDeployments\\[name=md-0\\].replicas: 3 -&gt; 5 |

| Versions | |
| --- | --- |
| Kubernetes | v1.32.5 -&gt; v1.34.1 on team-b/c39 |
| addon | cni v1.17.4 -&gt; v1.18.1 on the same 38 clusters |
| 2 images | quay.io/cilium/cilium, quay.io/cilium/operator-generic v1.17.4 -&gt; v1.18.1 on the same 38 clusters |

<details><summary>addon cni: 38 clusters: team-a/{${names(1, 20)}}, team-b/{${names(21, 38)}} (3 objects)</summary>

\`\`\`diff
   not team-b/c39: unchanged there
!   ConfigMap kube-system/cilium-config
       data.agent-version: v1.17.4 -> v1.18.1
!   DaemonSet kube-system/cilium  (restarts pods)
       spec.template.metadata.annotations["checksum/config"]: <hash> -> <hash>
       spec.template.spec.containers[name=cilium-agent].image: quay.io/cilium/cilium:v1.17.4 -> quay.io/cilium/cilium:v1.18.1
!   Deployment kube-system/cilium-operator  (restarts pods)
       spec.template.spec.containers[name=operator].image: quay.io/cilium/operator-generic:v1.17.4 -> quay.io/cilium/operator-generic:v1.18.1
\`\`\`

</details>

<details><summary>Cluster: team-b/c39 (1 object)</summary>
`,
    )
  })

  test('writes Markdown beside text', async () => {
    const { stdout } = await diff('-o', 'markdown=../diff.md', '-o', 'text')
    expect(stdout).toMatch(/^HEAD -> files on disk: /)
    expect(await readFile(join(folder, 'diff.md'), 'utf8')).toMatch(/^\*\*HEAD → files on disk\*\*: /)
  })

  test('writes JSON that fits its schema', async () => {
    const { stdout } = await diff('-o', 'json')
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/diff-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'DiffReport',
      before: 'HEAD',
      after: 'files on disk',
      objects: 125,
      facts: {
        clusters: { changed: 39, unchanged: 0, removed: [{ cluster: { name: 'c40' }, isDecommissioned: false }] },
        kubernetes: [{ before: 'v1.32.5', after: 'v1.34.1', step: 'skips' }],
      },
    })
  })
})

describe('a fleet that nothing is committed of', () => {
  async function rendered(): Promise<FleetFolder> {
    const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
    await fleet.render()
    return fleet
  }

  test.each<{ readonly words: readonly string[] }>([
    { words: [] },
    { words: ['HEAD', 'HEAD'] },
    { words: ['HEAD', 'render'] },
    { words: ['main'] },
  ])('$words: without a repository there is no revision', async ({ words }) => {
    const { folder } = await rendered()
    const { stdout, stderr, status } = await runCli(['diff', ...words], { cwd: folder })
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
    expect(stderr)
      .toBe(`error BASE_UNKNOWN there is no revision "${words[0] ?? 'HEAD'}": the folder is in no git repository
  → Compare two folders, such as \`stackmason diff ../before/rendered ./rendered\`, or put the fleet under git (\`git init\`).
`)
  })

  test('of which none is there is said, before the first commit and after it', async () => {
    const fleet = await rendered()
    fleet.remove('rendered')
    fleet.git('init', '-q')
    const none = (before: string): string =>
      `No differences between ${before} and files on disk: neither has a tree yet, nothing is rendered.\n`
    expect((await runCli(['diff'], { cwd: fleet.folder })).stdout).toBe(none('nothing committed yet'))
    fleet.commit()
    for (const form of ['text', 'markdown'])
      expect((await runCli(['diff', '-o', form], { cwd: fleet.folder })).stdout).toBe(none('HEAD'))
    const page = await runCli(['diff', '-o', 'html'], { cwd: fleet.folder })
    expect(page.stdout).toContain(none('HEAD').trim())
  })

  test('is new before the first commit, and HEAD is not named', async () => {
    const fleet = await rendered()
    fleet.git('init', '-q')
    const { stdout, status } = await runCli(['diff'], { cwd: fleet.folder })
    expect(status).toBe(0)
    expect(stdout.split('\n')[0]).toBe('nothing committed yet -> files on disk: 2 new, 25 objects')
    fleet.commit()
    const after = await runCli(['diff'], { cwd: fleet.folder })
    expect(after.stdout).toBe('No differences between HEAD and files on disk.\n')
  })
})

describe('trees that are rendered', () => {
  const folder = tempFolderForFile()
  let fleet: FleetFolder

  beforeAll(async () => {
    fleet = await manyClusters(join(folder, 'fleet'), 3)
    await fleet.render()
    fleet.commit()
  })

  const diff = async (...words: readonly string[]): ReturnType<typeof runCli> =>
    runCli(['diff', ...words], { cwd: fleet.folder })

  test('what render would write now is compared without writing', async () => {
    fleet.write('clusters/values/cni.yaml', 'tag: v1.18.0\n')
    const before = fleet.git('status', '--porcelain')
    const { stdout } = await diff('HEAD', 'render')
    expect(fleet.git('status', '--porcelain')).toBe(before)
    expect(stdout.split('\n')[0]).toBe('HEAD -> render: 3 clusters changed, 9 objects')
    fleet.git('checkout', '-q', '.')
    expect((await diff('HEAD', 'render')).stdout).toBe('No differences between HEAD and render.\n')
  })

  test('inputs that nobody has rendered are no difference, and said', async () => {
    const NONE = 'No differences between HEAD and files on disk.\n'
    fleet.write('README.md', 'no input\n')
    expect((await diff()).stdout).toBe(NONE)
    fleet.write('clusters/values/cni.yaml', 'tag: v1.18.0\n')
    const { stdout } = await diff()
    expect(stdout).toBe(
      `${NONE}But clusters/values/cni.yaml changed since HEAD, and may not be rendered yet: run stackmason render.\n`,
    )
    fleet.write('stacks/other.yaml', 'nothing\n')
    fleet.edit('stackmason.yaml', /$/, '# more\n')
    const said =
      'But clusters/values/cni.yaml and 2 more inputs changed since HEAD, and may not be rendered yet: run stackmason render.'
    expect((await diff()).stdout).toBe(`${NONE}${said}\n`)
    expect((await diff('-o', 'markdown')).stdout).toContain(said)
    expect((await diff('-o', 'html')).stdout).toContain(said)
    const json = (await diff('-o', 'json')).stdout
    const schema = await readFile(join(packageFolder, 'schemas/diff-report.json'), 'utf8')
    expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(json))).toEqual([])
    expect(JSON.parse(json).inputs).toEqual(['clusters/values/cni.yaml', 'stackmason.yaml', 'stacks/other.yaml'])
    fleet.git('add', '-A')
    fleet.git('commit', '-qm', 'inputs')
    expect((await diff('HEAD~1', 'HEAD')).stdout).toContain(said.replace('HEAD', 'HEAD~1'))
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
  })

  test('an upgrade is shown with both releases, and the fleet stays as it is', async () => {
    const { stdout, status } = await diff('--from', 'docker-small-1-32-v1', '--to', 'docker-small-1-33-v1')
    expect(fleet.git('status', '--porcelain')).toBe('')
    expect({ stdout, status }).toEqual({
      status: 0,
      stdout: `docker-small-1-32-v1 -> docker-small-1-33-v1: 3 clusters changed, 8 objects
Effects
  rolls nodes  docker-small 1.32 v1 -> 1.33 v1 (Kubernetes v1.32.5 -> v1.33.2) on 3 clusters: team-a/c01, team-b/{c02,c03}; a revert does not lower the version
Versions
  Kubernetes  v1.32.5 -> v1.33.2 on the same 3 clusters
  release     docker-small-1-32-v1 -> docker-small-1-33-v1 in platform, moves the same 3 clusters

Cluster: the same 3 clusters
  ~ Cluster <namespace>/<cluster>  (rolls nodes)
      spec.topology.classRef.name: docker-small-1-32-v1 -> docker-small-1-33-v1
      spec.topology.version: v1.32.5 -> v1.33.2

release docker-small-1-32-v1 -> docker-small-1-33-v1 in platform
  ~ DockerMachineTemplate platform/docker-small-1-33-v1-worker  (rolls nodes)
      spec.template.spec.customImage: kindest/node:v1.32.5 -> kindest/node:v1.33.2
  4 objects with no difference but the name
`,
    })
  })

  test('a release that no cluster moves to is new beside the old one, and rolls no node', async () => {
    const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
    const next = fleet.read('stacks/small-1-33.yaml')
    fleet.change({ 'stacks/small-1-33.yaml': null, 'stacks/small-1-34.yaml': null })
    await fleet.render()
    fleet.commit()
    fleet.write('stacks/small-1-33.yaml', next)
    await fleet.render()
    const seen = async (form: string): Promise<string> =>
      (await runCli(['diff', '-o', form], { cwd: fleet.folder })).stdout
    expect(await seen('text')).toBe(`HEAD -> files on disk: 5 objects
Versions
  release  docker-small-1-33-v1 is new in platform, beside docker-small-1-32-v1; no cluster moves to it

release docker-small-1-33-v1 in platform, compared with docker-small-1-32-v1, which stays
  ~ DockerMachineTemplate platform/docker-small-1-33-v1-worker  (rolls nodes)
      spec.template.spec.customImage: kindest/node:v1.32.5 -> kindest/node:v1.33.2
  4 objects with no difference but the name
`)
    const json = await seen('json')
    const schema = await readFile(join(packageFolder, 'schemas/diff-report.json'), 'utf8')
    expect(compileSchema(parseGoJson(schema)).validate(parseGoJson(json))).toEqual([])
    const { groups }: { readonly groups: readonly { readonly part: object }[] } = JSON.parse(json)
    const [before, tag] = ['docker-small-1-32-v1', 'docker-small-1-33-v1']
    expect(groups.map(({ part }) => part)).toEqual([
      { kind: 'stack', namespace: 'platform', tag, before, isBeside: true },
    ])
    fleet.edit('clusters/team-a/c01/cluster.yaml', /docker-small-1-32-v1/, tag)
    fleet.edit('clusters/team-a/c01/cluster.yaml', /v1\.32\.5/, 'v1.33.2')
    await fleet.render()
    expect(await seen('text')).toContain(
      `release     ${before} -> ${tag} in platform, moves team-a/c01; the old one stays\n`,
    )
  })

  test('an upgrade of some clusters, whatever their class', async () => {
    const words = ['--from', 'docker-small-1-33-v1', '--to', 'docker-small-1-34-v1', '--cluster', 'c01', '-o', 'json']
    const { stdout } = await diff(...words)
    expect(JSON.parse(stdout)).toMatchObject({
      facts: {
        kubernetes: [{ before: 'v1.33.2', after: 'v1.34.1', clusters: [{ namespace: 'team-a', name: 'c01' }] }],
      },
    })
  })

  test.each([
    { words: ['--from', 'docker-small-1-32-v1'], says: '--from and --to go together' },
    {
      words: ['--from', 'docker-small-1-33-v1', '--to', 'docker-small-1-34-v1'],
      says: 'no cluster of the fleet has the class of docker-small-1-33-v1',
    },
    {
      words: ['--from', 'docker-small-1-32-v1', '--to', 'docker-other-1-33-v1'],
      says: '--from docker-small-1-32-v1 and --to docker-other-1-33-v1 are releases of two stacks',
    },
    {
      words: ['--from', 'small', '--to', 'docker-small-1-34-v1'],
      says: 'option --from takes a release tag, not "small"',
    },
    { words: ['--cluster', 'c01'], says: '--cluster needs --from and --to' },
    { words: ['HEAD', 'HEAD', '--lock', 'x.lock'], says: '--lock is for rendering: TO is render then' },
  ])('$words is refused', async ({ words, says }) => {
    const { stderr, status } = await diff(...words)
    expect(status).toBe(2)
    expect(stderr).toContain(says)
  })

  test('a file that its folder does not list is not there: nobody applies it', async () => {
    const addon = 'rendered/clusters/team-a/c01/addons/01-cni'
    fleet.edit(`${addon}/kustomization.yaml`, '- daemonset-cilium.yaml\n', '')
    fleet.write(`${addon}/configmap-more.yaml`, '{apiVersion: v1, kind: ConfigMap, metadata: {name: more}}\n')
    expect((await diff()).stdout).toBe(`HEAD -> files on disk: 1 cluster changed, 1 object
Effects
  deletes  addon cni: DaemonSet kube-system/cilium on team-a/c01

addon cni: team-a/c01
  - DaemonSet kube-system/cilium  (deletes)

Not compared
  added clusters/team-a/c01/addons/01-cni/configmap-more.yaml: the kustomization.yaml beside it does not list it
`)
    fleet.remove(`${addon}/configmap-more.yaml`)
    fleet.git('checkout', '-q', '.')
  })

  test('a broken lock that TO is rendered with is named', async () => {
    fleet.write('other.lock', 'apiVersion: nothing\n')
    const { stderr, status } = await diff('--lock', 'other.lock')
    expect(status).toBe(2)
    expect(stderr).toContain('error LOCK_INVALID other.lock:1:13: ')
    fleet.remove('other.lock')
  })

  test('a lock that is not there is no lock that says nothing', async () => {
    const { stdout, stderr, status } = await diff('HEAD', 'render', '--lock', 'nope.lock')
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
    expect(stderr).toContain('error FILE_UNREADABLE nope.lock: the lock of --lock cannot be read: it is not there')
  })

  test.each([
    ['--to', ['--from', 'docker-small-1-32-v1', '--to', 'docker-small-1-99-v1']],
    ['--from', ['--from', 'docker-small-1-99-v1', '--to', 'docker-small-1-33-v1', '--cluster', 'c01']],
  ])('%s of a release that is nowhere is named, and no line of a file', async (option, words) => {
    const { stderr } = await diff(...words)
    expect(stderr.slice(stderr.indexOf('error'))).toBe(
      `error RELEASE_NOT_FOUND option ${option}: release docker-small-1-99-v1 is not in source releases
  → They offer: docker-small-1-34-v1, docker-small-1-33-v1, docker-small-1-32-v1.
`,
    )
  })

  test.each([
    { words: ['nonsense'], code: 'BASE_UNKNOWN' },
    { words: ['--exit-code', 'nonsense', 'HEAD'], code: 'BASE_UNKNOWN' },
    { words: ['--from', 'docker-small-1-32-v1', '--to', 'docker-small-1-99-v1'], code: 'RELEASE_NOT_FOUND' },
  ])('$words is a failure and no difference', async ({ words, code }) => {
    const { stdout, stderr, status } = await diff(...words)
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
    expect(stderr).toContain(code)
    const json = await diff(...words, '-o', 'json')
    expect(json.status).toBe(2)
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'FailureReport', command: 'diff' })
  })
})

test('a variable that stackmason.yaml says to be renamed, with who sets its old name', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
  await fleet.render()
  const classOf = (version: string, variable: string): void =>
    fleet.write(
      `rendered/stacks/platform/docker-small-1-32-${version}/clusterclass-docker-small-1-32-${version}.yaml`,
      `{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: docker-small-1-32-${version}, namespace: platform}, spec: {variables: [{name: ${variable}, required: false, schema: {openAPIV3Schema: {type: string}}}]}}\n`,
    )
  classOf('v1', 'worker_flavor')
  fleet.write(
    'rendered/clusters/team-a/c01/cluster/cluster-c01.yaml',
    '{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c01, namespace: team-a}, spec: {topology: {classRef: {name: docker-small-1-32-v1, namespace: platform}, variables: [{name: worker_flavor, value: m1}]}}}\n',
  )
  fleet.commit()
  classOf('v2', 'workerFlavor')
  const shown = async (): Promise<string> =>
    (await runCli(['diff'], { cwd: fleet.folder })).stdout.split('\n').find((line) => line.includes('Flavor')) ?? ''
  expect(await shown()).toBe('  variable  docker-small-1-32-v2: workerFlavor is new')
  fleet.write(
    'stackmason.yaml',
    `${fleet.read('stackmason.yaml')}  variableRenames: [{provider: docker, stack: small, names: {worker_flavor: workerFlavor}}]\n`,
  )
  expect(await shown()).toBe(
    '  variable  docker-small-1-32-v2: worker_flavor is renamed to workerFlavor; set by its old name on team-a/c01',
  )
})

describe('a value of a Secret that stays', () => {
  const folder = tempFolderForFile()
  const SECRET = 'tr0ub4dor-and-3'
  let fleet: FleetFolder

  beforeAll(async () => {
    fleet = await manyClusters(join(folder, 'fleet'), 2)
    await fleet.render()
    const addon = 'rendered/clusters/team-a/c01/addons/01-cni'
    fleet.write(
      `${addon}/secret-login.yaml`,
      `apiVersion: v1
kind: Secret
metadata: {name: login}
stringData:
  word: ${SECRET}
`,
    )
    fleet.edit(`${addon}/kustomization.yaml`, 'resources:', 'resources:\n  - secret-login.yaml')
    fleet.commit()
    fleet.edit(`${addon}/configmap-cilium-config.yaml`, 'data:', `data:\n  motd: the word is ${SECRET} today`)
  })

  test.each([
    ['on disk', []],
    ['in a commit', ['HEAD~1', 'HEAD']],
  ])('is not shown where it turns up in another object %s', async (_, words) => {
    if (words.length > 0) fleet.commit()
    const { stdout, status } = await runCli(['diff', '--all', ...words], { cwd: fleet.folder })
    expect(status).toBe(0)
    expect(stdout).toContain('data.motd')
    expect(stdout).not.toContain(SECRET)
  })
})
