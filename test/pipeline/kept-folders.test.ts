import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RenderResult } from '../../src/pipeline/commands/render.ts'
import { handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { scs2RepositoryCharts } from '../../tools/servers/chart-repository.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: content that is kept, of the real cluster stacks, because ../shared is not there')

const here = join(import.meta.dirname, '../..')
const real = join(shared ?? '', 'cluster-stacks')
interface Stack {
  readonly path: string
  readonly tools: readonly (keyof typeof handoffs)[]
  /**
   * True if each state is rendered a second time too, where `--check` alone says of the others that this would change
   * nothing, and if an object is edited by hand in each state that keeps it, where the others have this done in one.
   */
  readonly isSmall?: boolean
}

// what the tools differ in shows with the small ones, so that each real one needs but one of them
const stacks: readonly Stack[] = [
  { path: join(here, 'examples/fleet/providers/docker/demo'), tools: ['flux', 'argocd'], isSmall: true },
  { path: join(here, 'templates/fleet/providers/docker/starter'), tools: ['flux', 'argocd'], isSmall: true },
  ...(shared === undefined
    ? []
    : ([
        { path: join(real, 'providers/docker/scs'), tools: ['flux'] },
        { path: join(real, 'providers/openstack/scs'), tools: ['argocd'] },
        { path: join(real, 'providers/openstack/scs2'), tools: ['flux'] },
        { path: join(real, 'cso-test/1/docker/ferrol/1-27'), tools: ['argocd'] },
      ] as const)),
]

const tree = 'rendered/clusters'

/** A cluster that fixes no endpoint, so that addons wait for it, and one that fixes it. */
const clusters = { open: '', fixed: 'controlPlaneEndpoint: {host: 192.0.2.7, port: 6443}, ' } as const

type Files = ReadonlyMap<string, string>

/** A fleet of one stack in a repository. */
class LifeFleet extends FleetFolder {
  readonly #kubernetes: string
  readonly #release: string
  readonly #handoff: string

  constructor(folder: string, csctl: string, handoff: string) {
    super(folder)
    const field = (name: string): string => new RegExp(`^\\s*${name}:\\s*"?([^"\\s]+)`, 'm').exec(csctl)?.[1] ?? ''
    this.#kubernetes = field('kubernetesVersion')
    const [major = '', minor = ''] = this.#kubernetes.replace('v', '').split('.')
    this.#release = `${field('type')}-${field('clusterStackName')}-${major}-${minor}`
    this.#handoff = handoff
  }

  static async open(stack: string, tool: keyof typeof handoffs): Promise<LifeFleet> {
    const [config = ''] = readdirSync(stack).filter((name) => /^cs(?:m)?ctl\.yaml$/.test(name))
    const csctl = readFileSync(join(stack, config), 'utf8')
    const fleet = new LifeFleet(await tempFolder(), csctl, handoffs[tool])
    fleet.copy(stack, 'stack')
    if (stack.endsWith('scs2')) fleet.#addCharts()
    fleet.#addPlaceholder()
    fleet.offer(1)
    fleet.git('init', '-q')
    return fleet
  }

  /** An addon of the stack that reads what only the running cluster knows. */
  #addPlaceholder(): void {
    this.change({
      'stack/cluster-addon/placeholder/Chart.yaml': 'apiVersion: v2\nname: placeholder\nversion: v1\n',
      'stack/cluster-addon/placeholder/overwrite.yaml':
        'values: |\n  host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
      'stack/cluster-addon/placeholder/templates/a.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: placeholder}\ndata: {host: {{ .Values.host | quote }}, script: "echo ${HOME:-x} $1"}\n',
    })
    this.edit(
      'stack/clusteraddon.yaml',
      /(AfterControlPlaneInitialized:\n)(\s*)-/,
      '$1$2- name: placeholder\n$2  action: apply\n$2-',
    )
  }

  /** What the charts of its addons depend on. */
  #addCharts(): void {
    for (const addon of this.entries('stack/cluster-addon')) {
      const chart = `stack/cluster-addon/${addon}`
      const text = this.read(`${chart}/Chart.yaml`)
      for (const { name, version, archive } of scs2RepositoryCharts(shared ?? ''))
        if (text.includes(version) && new RegExp(`name: "?${name}"?$`, 'm').test(text))
          this.write(`${chart}/charts/${name}-${version}.tgz`, archive)
    }
  }

  /** Offers this version of the stack alone, and the clusters ask for it: an earlier one is gone from its source. */
  offer(version: number): void {
    const [provider, ...rest] = this.#release.split('-')
    const [major, minor] = rest.slice(-2)
    this.change({
      'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: life}\nspec:\n  sources: [{name: a, providerDirectory: {path: stack, version: v${String(version)}}}]\n  handoff: {${this.#handoff}}\n`,
      'stacks/a.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\nmetadata: {name: a, namespace: team}\nspec: {provider: ${provider ?? ''}, name: ${rest.slice(0, -2).join('-')}, kubernetesVersion: "${major ?? ''}.${minor ?? ''}", channel: stable, autoSubscribe: false, noProvider: true, versions: [v${String(version)}]}\n`,
    })
    for (const [name, endpoint] of Object.entries(clusters))
      this.write(
        `clusters/team/${name}/cluster.yaml`,
        `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${name}, namespace: team}\nspec: {${endpoint}clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}}, topology: {class: ${this.#release}-v${String(version)}, version: ${this.#kubernetes}, controlPlane: {replicas: 1}}}\n`,
      )
    if (version > 1)
      this.write(
        'stack/cluster-addon/placeholder/templates/b.yaml',
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later}\ndata: {at: "{{ .Values.host }}:v${String(version)}"}\n`,
      )
  }

  /** Gives both clusters this options.yaml; '' takes it away. */
  options(spec: string): void {
    for (const name of Object.keys(clusters)) {
      const path = `clusters/team/${name}/options.yaml`
      if (spec !== '') this.write(path, `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${spec}\n`)
      else if (this.has(path)) this.remove(path)
    }
  }

  /** Switches the addon with a placeholder on or off in both clusters. */
  switchAddon(isEnabled: boolean): void {
    for (const name of Object.keys(clusters))
      this.write(
        `clusters/team/${name}/addons.yaml`,
        `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: placeholder, enabled: ${String(isEnabled)}}]}\n`,
      )
  }

  run(check = false): Promise<RenderResult> {
    return this.render({ check, allowEmpty: true })
  }

  /** What the tree holds of the clusters. */
  files(): Files {
    return new Map(this.filesBelow(tree).map((path) => [path, this.read(`${tree}/${path}`)]))
  }

  /** Spoils a file of the tree while `act` runs. */
  async spoiled<T>(path: string, act: () => Promise<T>): Promise<T> {
    const before = this.read(`${tree}/${path}`)
    this.write(`${tree}/${path}`, `${before}# by hand\n`)
    const result = await act()
    this.write(`${tree}/${path}`, before)
    return result
  }
}

interface State {
  readonly name: string
  readonly prepare: (fleet: LifeFleet) => void
  /** What of the clusters' folders may differ from the state before: nothing when it is absent. */
  readonly mayChange?: RegExp
}

const anything = /./
const clusterFile = /\/cluster\/cluster-.*\.yaml$/
const clusterFolder = /\/cluster\//

/** Every state of a cluster's life, each after a commit of the one before. */
const life: readonly State[] = [
  { name: 'new', prepare: () => undefined, mayChange: anything },
  { name: 'frozen', prepare: (fleet) => fleet.options('{freeze: true}') },
  { name: 'frozen, its release gone', prepare: (fleet) => fleet.offer(2) },
  { name: 'upgrade, addons', prepare: (fleet) => fleet.options(''), mayChange: anything },
  { name: 'frozen between the steps', prepare: (fleet) => fleet.options('{freeze: true}') },
  { name: 'upgrade, class', prepare: (fleet) => fleet.options(''), mayChange: clusterFile },
  { name: 'suspended', prepare: (fleet) => fleet.options('{suspend: true}') },
  {
    name: 'an addon off',
    prepare: (fleet) => {
      fleet.options('')
      fleet.switchAddon(false)
    },
    mayChange: anything,
  },
  {
    name: 'an addon on again, but frozen',
    prepare: (fleet) => {
      fleet.options('{freeze: true}')
      fleet.switchAddon(true)
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
  { name: 'decommission, finished', prepare: () => undefined, mayChange: anything },
]

/** The life of the clusters of a stack, and what is wrong in each state. */
async function live({ path: stack, isSmall = false }: Stack, tool: keyof typeof handoffs): Promise<readonly string[]> {
  const wrong: string[] = []
  const fleet = await LifeFleet.open(stack, tool)
  let before: Files = new Map()
  let isSpoiled = false
  for (const { name, prepare, mayChange } of life) {
    prepare(fleet)
    await fleet.run()
    const after = fleet.files()
    for (const path of new Set([...before.keys(), ...after.keys()]))
      if (before.get(path) !== after.get(path) && mayChange?.test(path) !== true) wrong.push(`${name}: ${path} differs`)
    const again = isSmall ? (await fleet.run()).changes : []
    for (const { path, change } of again) wrong.push(`${name}: rendered again, ${path} ${change}`)
    for (const { path, change } of (await fleet.run(true)).changes) wrong.push(`${name}: --check, ${path} ${change}`)
    const [object] = [...after.keys()].filter((path) => path.includes('/addons/0'))
    if (object !== undefined && mayChange === undefined && (isSmall || !isSpoiled)) {
      isSpoiled = true
      const found = await fleet.spoiled(object, () => fleet.run(true))
      if (found.changes.length + found.findings.filter(({ code }) => code === 'WRITE_HAND_EDITED').length === 0)
        wrong.push(`${name}: --check does not see that ${object} was edited`)
    }
    fleet.commit(name)
    before = after
  }
  return wrong
}

describe.each(stacks.map((stack) => ({ name: stack.path.split('/').slice(-3).join('/'), stack })))(
  '$name',
  ({ stack }) => {
    test.each(stack.tools)(
      'whatever is kept changes no byte of the folders of clusters, and what --check calls current is what render writes, for %s',
      async (tool) => {
        expect(await live(stack, tool)).toEqual([])
      },
      300_000,
    )
  },
)
