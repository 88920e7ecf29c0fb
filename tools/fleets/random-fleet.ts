import { join } from 'node:path'
import fc from 'fast-check'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { RenderOptions, RenderResult } from '../../src/pipeline/commands/render.ts'
import { FleetFolder } from './fleet-folder.ts'

const starter = join(import.meta.dirname, '../../templates/fleet/providers/docker/starter')
const head = 'apiVersion: stackmason.dev/v1alpha1\n'

const tools = {
  flux: '  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}\n',
  argocd: '  handoff: {argocd: {repoURL: "https://git.example/fleet.git"}}\n',
  none: '',
} as const

const releases = [
  { name: 'docker-starter-1-34-v1', version: 'v1.34.7' },
  { name: 'docker-starter-1-34-v2', version: 'v1.34.7' },
  { name: 'docker-starter-1-35-v1', version: 'v1.35.2' },
] as const

/** One fixes its endpoint, so that none of its addons waits for it. */
const clusters = { web: '', edge: '  controlPlaneEndpoint: {host: 192.0.2.7, port: 6443}\n' } as const
type Name = keyof typeof clusters

const optionTexts = [
  undefined,
  '{freeze: true}',
  '{suspend: true}',
  '{decommission: {}}',
  '{decommission: {step: delete}}',
  '{decommission: {step: finish}}',
] as const

const welcomeOff = '{name: welcome, enabled: false}'
const notes = '{name: notes, templates: {path: notes}}'
const addonLists = [undefined, welcomeOff, notes, `${welcomeOff}, ${notes}`] as const

/** What somebody does to the fleet. */
export type Step =
  | { readonly does: 'class'; readonly cluster: Name; readonly release: number }
  | { readonly does: 'addons'; readonly cluster: Name; readonly list: number }
  | { readonly does: 'options'; readonly cluster: Name; readonly options: number }
  | { readonly does: 'value'; readonly cluster: Name; readonly value: number }
  | { readonly does: 'merge'; readonly cluster: Name; readonly value: number }
  | { readonly does: 'folder'; readonly cluster: Name }
  | { readonly does: 'revert' }
  | { readonly does: 'nothing' }

const cluster = fc.constantFrom<Name>('web', 'edge')
const index = (list: readonly unknown[]): fc.Arbitrary<number> => fc.nat(list.length - 1)
/** Any of them. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('class' as const), cluster, release: index(releases) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('addons' as const), cluster, list: index(addonLists) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('options' as const), cluster, options: index(optionTexts) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('value' as const), cluster, value: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('merge' as const), cluster, value: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('folder' as const), cluster }) },
  { weight: 3, arbitrary: fc.constant<Step>({ does: 'revert' }) },
  { weight: 4, arbitrary: fc.constant<Step>({ does: 'nothing' }) },
)

/** What a run says: what it would write or wrote, or the codes that it stopped with. */
export type Outcome =
  | { readonly result: RenderResult; readonly codes: readonly string[]; readonly isSame: boolean }
  | { readonly result: undefined; readonly codes: readonly string[]; readonly isSame: false }

/** A fleet of two clusters and three releases in a repository. */
export class RandomFleet extends FleetFolder {
  /** Makes one in a folder, rendered and committed. */
  static async open(folder: string, tool: keyof typeof tools): Promise<RandomFleet> {
    const fleet = new RandomFleet(folder)
    fleet.#makeStacks()
    const sources = releases.map(({ name }, at) => {
      const path = at === 2 ? 'stack-next' : 'stack'
      return `    - {name: s${String(at)}, providerDirectory: {path: ${path}, version: ${name.slice(-2)}}}\n`
    })
    fleet.write(
      'stackmason.yaml',
      `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: random}\nspec:\n  sources:\n${sources.join('')}${tools[tool]}`,
    )
    // without a tool nothing fills in what only the cluster knows
    if (tool === 'none')
      fleet.write(
        'clusters/addons.yaml',
        `${head}kind: Addons\nspec: {runtimeValues: {Cluster.spec.controlPlaneEndpoint.host: 192.0.2.9}}\n`,
      )
    for (const name of ['web', 'edge'] as const) fleet.#ask(name, 0)
    fleet.git('init', '-q', '--initial-branch=main')
    fleet.commit()
    await fleet.run()
    fleet.commit()
    return fleet
  }

  /** The starter stack, with an addon that reads what only the running cluster knows, for two minor versions. */
  #makeStacks(): void {
    for (const [path, minor, patch, versions] of [
      ['stack', 34, 7, 'v1, v2'],
      ['stack-next', 35, 2, 'v1'],
    ] as const) {
      this.copy(starter, path)
      this.write(
        `${path}/cluster-addon/welcome/overwrite.yaml`,
        'values: |\n  message: "at {{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
      )
      for (const file of ['csctl.yaml', 'cluster-class/Chart.yaml', 'cluster-addon/welcome/Chart.yaml'])
        this.write(
          `${path}/${file}`,
          this.read(`${path}/${file}`)
            .replace('v1.34.7', `v1.${String(minor)}.${String(patch)}`)
            .replace('1-34', `1-${String(minor)}`),
        )
      this.write(
        `stacks/${path}.yaml`,
        `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\nmetadata: {name: ${path}, namespace: platform}\nspec: {provider: docker, name: starter, kubernetesVersion: "1.${String(minor)}", channel: stable, autoSubscribe: false, noProvider: true, versions: [${versions}]}\n`,
      )
    }
  }

  #ask(name: Name, release: number): void {
    const { name: className = '', version = '' } = releases[release] ?? {}
    this.write(
      `clusters/team/${name}/cluster.yaml`,
      `apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: ${name}, namespace: team}\nspec:\n${clusters[name]}  topology:\n    classRef: {name: ${className}, namespace: platform}\n    version: ${version}\n    controlPlane: {replicas: 1}\n`,
    )
  }

  #put(path: string, text: string | undefined): void {
    if (text !== undefined) this.write(path, text)
    else if (this.has(path)) this.remove(path)
  }

  /** Commits what there is, if anything changed: a commit of nothing cannot be reverted. */
  override commit(): string {
    return this.git('status', '--porcelain') === '' ? this.git('rev-parse', 'HEAD') : super.commit()
  }

  /** Does what the step says to the inputs, or to the history. */
  async take(step: Step): Promise<void> {
    if (step.does === 'nothing') return
    if (step.does === 'revert') return this.#revert()
    const folder = `clusters/team/${step.cluster}`
    if (step.does === 'folder') {
      if (this.has(folder)) this.remove(folder)
      else this.#ask(step.cluster, 0)
    } else if (!this.has(folder)) return
    else if (step.does === 'class') this.#ask(step.cluster, step.release)
    else if (step.does === 'value') this.#value(step.cluster, step.value)
    else if (step.does === 'merge') await this.#merge(step.cluster, step.value)
    else if (step.does === 'options') {
      const text = optionTexts[step.options]
      this.#put(`${folder}/options.yaml`, text && `${head}kind: ClusterOptions\nspec: ${text}\n`)
    } else {
      const list = addonLists[step.list]
      const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes, namespace: kube-system}\ndata: {a: b}\n'
      this.#put(`${folder}/addons.yaml`, list && `${head}kind: Addons\nspec: {addons: [${list}]}\n`)
      this.#put(`${folder}/notes`, undefined)
      if (list?.includes('notes') === true) this.write(`${folder}/notes/notes.yaml`, map)
    }
  }

  #revert(): void {
    const parents = this.git('rev-list', '--parents', '-n1', 'HEAD').split(' ').length - 1
    if (parents > 0) this.git('revert', '--no-edit', ...(parents > 1 ? ['-m1'] : []), 'HEAD')
  }

  #value(name: Name, value: number): void {
    this.write(`clusters/team/${name}/values/welcome.yaml`, `greeting: hello ${String(value)}\n`)
  }

  /** A branch changes and renders a cluster, while something else changes on main. */
  async #merge(name: Name, value: number): Promise<void> {
    const start = this.git('rev-parse', 'HEAD')
    this.git('checkout', '-q', '-b', 'topic')
    this.#value(name, value)
    const { result } = await this.run()
    this.commit()
    this.git('checkout', '-q', 'main')
    this.write('README.md', `${String(value)}\n`)
    this.commit()
    if (result === undefined) this.git('reset', '-q', '--hard', start)
    else if (this.git('rev-list', 'main..topic') !== '') this.git('merge', '-q', '--no-ff', '--no-edit', 'topic')
    this.git('branch', '-q', '-D', 'topic')
  }

  async run(options: Partial<RenderOptions> = {}): Promise<Outcome> {
    try {
      const result = await this.render({ allowEmpty: true, ...options })
      return { result, codes: result.findings.map(({ code }) => code), isSame: result.changes.length === 0 }
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      const errors = error.diagnostics.filter(({ severity }) => severity === 'error')
      return { result: undefined, codes: errors.map(({ code }) => code), isSame: false }
    }
  }
}
