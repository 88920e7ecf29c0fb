import { execFileSync } from 'node:child_process'
import { appendFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compareBytes } from '../../src/codec/text/text-order.ts'
import { render, type RenderResult } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { scs2RepositoryCharts } from '../../tools/servers/chart-repository.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: content that is kept, of the real cluster stacks, because ../shared is not there')

const here = join(import.meta.dirname, '../..')
const real = join(shared ?? '', 'cluster-stacks')
const stacks: readonly string[] = [
  join(here, 'examples/fleet/providers/docker/demo'),
  join(here, 'templates/fleet/providers/docker/starter'),
  ...(shared === undefined
    ? []
    : [
        join(real, 'providers/docker/scs'),
        join(real, 'providers/openstack/scs'),
        join(real, 'providers/openstack/scs2'),
        join(real, 'cso-test/1/docker/ferrol/1-27'),
      ]),
]

const tools = {
  flux: 'flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}',
  argocd: 'argocd: {repoURL: https://git.example/fleet.git, path: rendered}',
} as const

/** A cluster that fixes no endpoint, so that addons wait for it, and one that fixes it. */
const clusters = { open: '', fixed: 'controlPlaneEndpoint: {host: 192.0.2.7, port: 6443}, ' } as const

type Files = ReadonlyMap<string, string>

/** A fleet of one stack in a repository. */
class LifeFleet {
  readonly #folder: string
  readonly #kubernetes: string
  readonly #release: string
  #version = 1

  private constructor(folder: string, csctl: string) {
    const field = (name: string): string => new RegExp(`^\\s*${name}:\\s*"?([^"\\s]+)`, 'm').exec(csctl)?.[1] ?? ''
    this.#folder = folder
    this.#kubernetes = field('kubernetesVersion')
    const [major = '', minor = ''] = this.#kubernetes.replace('v', '').split('.')
    this.#release = `${field('type')}-${field('clusterStackName')}-${major}-${minor}`
  }

  static async open(stack: string, tool: keyof typeof tools): Promise<LifeFleet> {
    const folder = await tempFolder()
    await cp(stack, join(folder, 'stack'), { recursive: true })
    const [config = ''] = (await readdir(stack)).filter((name) => /^cs(?:m)?ctl\.yaml$/.test(name))
    const fleet = new LifeFleet(folder, await readFile(join(stack, config), 'utf8'))
    if (stack.endsWith('scs2')) await fleet.#addCharts()
    await fleet.#addHole()
    await fleet.write('tool', `${tools[tool]}`)
    await fleet.offer(1)
    fleet.git('init', '-q')
    return fleet
  }

  /** An addon of the stack that reads what only the running cluster knows. */
  async #addHole(): Promise<void> {
    await this.write('stack/cluster-addon/hole/Chart.yaml', 'apiVersion: v2\nname: hole\nversion: v1\n')
    await this.write(
      'stack/cluster-addon/hole/overwrite.yaml',
      'values: |\n  host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
    )
    await this.write(
      'stack/cluster-addon/hole/templates/a.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hole}\ndata: {host: {{ .Values.host | quote }}, script: "echo ${HOME:-x} $1"}\n',
    )
    await this.#edit(
      'stack/clusteraddon.yaml',
      /(AfterControlPlaneInitialized:\n)(\s*)-/,
      '$1$2- name: hole\n$2  action: apply\n$2-',
    )
  }

  /** What the charts of its addons depend on. */
  async #addCharts(): Promise<void> {
    const addons = await readdir(join(this.#folder, 'stack/cluster-addon'))
    for (const addon of addons) {
      const chart = join(this.#folder, 'stack/cluster-addon', addon)
      const text = await readFile(join(chart, 'Chart.yaml'), 'utf8')
      await mkdir(join(chart, 'charts'), { recursive: true })
      for (const { name, version, archive } of scs2RepositoryCharts(shared ?? ''))
        if (text.includes(version) && new RegExp(`name: "?${name}"?$`, 'm').test(text))
          await writeFile(join(chart, 'charts', `${name}-${version}.tgz`), archive)
    }
  }

  async #edit(path: string, from: RegExp, to: string): Promise<void> {
    const text = await readFile(join(this.#folder, path), 'utf8')
    if (text.replace(from, to) === text) throw new Error(`${path} holds no ${String(from)}`)
    await writeFile(join(this.#folder, path), text.replace(from, to))
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.#folder, path)), { recursive: true })
    await writeFile(join(this.#folder, path), text)
  }

  /** Offers this version of the stack alone, and the clusters ask for it: an earlier one is gone from its source. */
  async offer(version: number): Promise<void> {
    this.#version = version
    const tool = await readFile(join(this.#folder, 'tool'), 'utf8')
    await this.write(
      'stackmason.yaml',
      `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: life}\nspec:\n  sources: [{name: a, providerDirectory: {path: stack, version: v${String(version)}}}]\n  handoff: {${tool}}\n`,
    )
    const [provider, ...rest] = this.#release.split('-')
    const [major, minor] = rest.slice(-2)
    await this.write(
      'stacks/a.yaml',
      `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\nmetadata: {name: a, namespace: team}\nspec: {provider: ${provider ?? ''}, name: ${rest.slice(0, -2).join('-')}, kubernetesVersion: "${major ?? ''}.${minor ?? ''}", channel: stable, autoSubscribe: false, noProvider: true, versions: [v${String(version)}]}\n`,
    )
    for (const name of Object.keys(clusters)) await this.#ask(name)
    if (version > 1) await this.write('stack/cluster-addon/hole/templates/b.yaml', this.#laterTemplate())
  }

  #laterTemplate(): string {
    return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later}\ndata: {at: "{{ .Values.host }}:v${String(this.#version)}"}\n`
  }

  /** The cluster asks for the version on offer. */
  async #ask(name: string): Promise<void> {
    const spec = clusters[name === 'open' ? 'open' : 'fixed']
    await this.write(
      `clusters/team/${name}/cluster.yaml`,
      `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${name}, namespace: team}\nspec: {${spec}clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}}, topology: {class: ${this.#release}-v${String(this.#version)}, version: ${this.#kubernetes}, controlPlane: {replicas: 1}}}\n`,
    )
  }

  async options(spec: string): Promise<void> {
    for (const name of Object.keys(clusters)) {
      const path = `clusters/team/${name}/options.yaml`
      if (spec === '') await rm(join(this.#folder, path), { force: true })
      else await this.write(path, `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${spec}\n`)
    }
  }

  async run(check = false): Promise<RenderResult> {
    const options = { clusters: [], stacks: [], check, allowEmpty: true, overwriteEdited: false }
    return render({ start: this.#folder, ...options }, createNodePorts(), () => undefined)
  }

  git(...words: readonly string[]): void {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    execFileSync('git', [...who, ...words], { cwd: this.#folder })
  }

  /** What the tree holds of the clusters. */
  async files(): Promise<Files> {
    const root = join(this.#folder, 'rendered/clusters')
    const paths = await readdir(root, { recursive: true }).catch(() => [])
    const found = await Promise.all(
      paths
        .toSorted(compareBytes)
        .map(async (path) =>
          (await stat(join(root, path))).isFile()
            ? ([path, await readFile(join(root, path), 'utf8')] as const)
            : undefined,
        ),
    )
    return new Map(found.filter((file) => file !== undefined))
  }

  /** Spoils a file of the tree while `act` runs. */
  async spoiled<T>(path: string, act: () => Promise<T>): Promise<T> {
    const file = join(this.#folder, 'rendered/clusters', path)
    const before = await readFile(file)
    await appendFile(file, '# by hand\n')
    const result = await act()
    await writeFile(file, before)
    return result
  }
}

interface State {
  readonly name: string
  readonly prepare: (fleet: LifeFleet) => Promise<void>
  /** What of the clusters' folders may differ from the state before: nothing when it is absent. */
  readonly mayChange?: RegExp
}

const anything = /./
const clusterFile = /\/cluster\/cluster-.*\.yaml$/
const clusterFolder = /\/cluster\//

/** Every state of a cluster's life, each after a commit of the one before. */
const life: readonly State[] = [
  { name: 'new', prepare: async () => undefined, mayChange: anything },
  { name: 'frozen', prepare: (fleet) => fleet.options('{freeze: true}') },
  { name: 'frozen, its release gone', prepare: (fleet) => fleet.offer(2) },
  { name: 'upgrade, addons', prepare: (fleet) => fleet.options(''), mayChange: anything },
  { name: 'frozen between the steps', prepare: (fleet) => fleet.options('{freeze: true}') },
  { name: 'upgrade, class', prepare: (fleet) => fleet.options(''), mayChange: clusterFile },
  { name: 'suspended', prepare: (fleet) => fleet.options('{suspend: true}') },
  {
    name: 'an addon off',
    prepare: async (fleet) => {
      await fleet.options('')
      for (const name of Object.keys(clusters))
        await fleet.write(
          `clusters/team/${name}/addons.yaml`,
          'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: hole, enabled: false}]}\n',
        )
    },
    mayChange: anything,
  },
  {
    name: 'an addon on again, but frozen',
    prepare: async (fleet) => {
      await fleet.options('{freeze: true}')
      for (const name of Object.keys(clusters))
        await fleet.write(
          `clusters/team/${name}/addons.yaml`,
          'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: hole, enabled: true}]}\n',
        )
    },
  },
  { name: 'an addon on again', prepare: (fleet) => fleet.options(''), mayChange: anything },
  { name: 'decommission, prepared', prepare: (fleet) => fleet.options('{decommission: {}}'), mayChange: clusterFile },
  { name: 'decommission, its release gone', prepare: (fleet) => fleet.offer(3) },
  {
    name: 'decommission, the Cluster deleted',
    prepare: (fleet) => fleet.options('{decommission: {step: delete}}'),
    mayChange: clusterFolder,
  },
  {
    name: 'decommission, the addons released',
    prepare: (fleet) => fleet.options('{decommission: {step: finish}}'),
    mayChange: anything,
  },
  { name: 'decommission, finished', prepare: async () => undefined, mayChange: anything },
]

/** The life of the clusters of a stack, and what is wrong in each state. */
async function live(stack: string, tool: keyof typeof tools): Promise<readonly string[]> {
  const wrong: string[] = []
  const fleet = await LifeFleet.open(stack, tool)
  let before: Files = new Map()
  for (const { name, prepare, mayChange } of life) {
    await prepare(fleet)
    await fleet.run()
    const after = await fleet.files()
    for (const path of new Set([...before.keys(), ...after.keys()]))
      if (before.get(path) !== after.get(path) && mayChange?.test(path) !== true) wrong.push(`${name}: ${path} differs`)
    for (const { path, change } of (await fleet.run()).changes) wrong.push(`${name}: rendered again, ${path} ${change}`)
    for (const { path, change } of (await fleet.run(true)).changes) wrong.push(`${name}: --check, ${path} ${change}`)
    const [object] = [...after.keys()].filter((path) => path.includes('/addons/0'))
    if (object !== undefined && mayChange === undefined) {
      const found = await fleet.spoiled(object, () => fleet.run(true))
      if (found.changes.length + found.findings.filter(({ code }) => code === 'WRITE_HAND_EDITED').length === 0)
        wrong.push(`${name}: --check does not see that ${object} was edited`)
    }
    fleet.git('add', '-A')
    fleet.git('commit', '-qm', name)
    before = after
  }
  return wrong
}

describe.each(stacks.map((path) => ({ stack: path.split('/').slice(-3).join('/'), path })))('$stack', ({ path }) => {
  test.each(['flux', 'argocd'] as const)(
    'whatever is kept changes no byte of the folders of clusters, and what --check calls current is what render writes, for %s',
    async (tool) => {
      expect(await live(path, tool)).toEqual([])
    },
    300_000,
  )
})
