import { parseGoYaml, YamlError } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { fieldAt, textAt } from '../../src/model/field.ts'
import type { Value } from '../../src/model/value.ts'
import { copyExample, exampleConfig, handoffs } from './example-fleet.ts'
import { FleetFolder } from './fleet-folder.ts'

/** The GitOps tool of the fleet. */
export type DamagedTool = keyof typeof handoffs

const clusters = ['team-a/web', 'team-b/batch'] as const
const WEB = 'clusters/team-a/web'
const OPTIONS = `${WEB}/options.yaml`

const optionsFile = (spec: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${spec}\n`

/** Publishes the next version of the stack in place of the one before, and lets the cluster ask for it. */
function wantNext(fleet: FleetFolder): void {
  fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
  fleet.edit('stacks/demo.yaml', '- v3', '- v4')
  const template = 'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml'
  fleet.edit(template, /^data:$/m, 'data:\n  mark: new')
  fleet.edit(`${WEB}/cluster.yaml`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
}

/** The committed states of a cluster's life, each made from the one before: what its inputs become, and what then. */
const life: Readonly<Record<string, (fleet: FleetFolder) => void>> = {
  fresh: () => undefined,
  'step 1': wantNext,
  'step 2': () => undefined,
  suspended: (fleet) => fleet.write(OPTIONS, optionsFile('{suspend: true}')),
  frozen: (fleet) => fleet.write(OPTIONS, optionsFile('{freeze: true}')),
  prepared: (fleet) => fleet.write(OPTIONS, optionsFile('{decommission: {}}')),
  deleted: (fleet) => fleet.write(OPTIONS, optionsFile('{decommission: {step: delete}}')),
  released: (fleet) => fleet.write(OPTIONS, optionsFile('{decommission: {step: finish}}')),
}

/** The names of the states. */
export const lifeStates: readonly string[] = Object.keys(life)

/** What may happen to a file. */
export const damageKinds = ['delete', 'truncate', 'garble', 'duplicate'] as const
/** One of them. */
export type DamageKind = (typeof damageKinds)[number]

/** What happens to one file of the tree. */
export interface Damage {
  readonly kind: DamageKind
  /** Relative to the output folder. */
  readonly file: string
  readonly is: 'on disk' | 'committed'
}

/** Files of the tree by path. */
type Tree = Readonly<Record<string, string>>

/** A committed state, and what renders make of it. */
interface State {
  readonly name: string
  readonly commit: string
  readonly tree: Tree
  /** After the next render, and after that and its commit again and again. */
  readonly next: Tree
  readonly end: Tree
}

const ROUNDS = 5

/** A fleet that is taken through its life, and then damaged in each state of it, one file at a time. */
export class DamagedFleet {
  readonly #fleet: FleetFolder
  readonly #tool: DamagedTool
  readonly #states = new Map<string, State>()

  private constructor(fleet: FleetFolder, tool: DamagedTool) {
    this.#fleet = fleet
    this.#tool = tool
  }

  /** Makes the fleet in a folder, and commits every state of its life. */
  static async open(folder: string, tool: DamagedTool): Promise<DamagedFleet> {
    const fleet = new FleetFolder(folder)
    copyExample(fleet, { clusters })
    fleet.write('stackmason.yaml', exampleConfig({ clusters, handoff: [handoffs[tool]] }))
    fleet.git('init', '-q', '--template=')
    const made = new DamagedFleet(fleet, tool)
    const commits: (readonly [string, string])[] = []
    for (const [name, prepare] of Object.entries(life)) {
      prepare(fleet)
      await fleet.render()
      commits.push([name, fleet.commit(name)])
    }
    for (const [name, commit] of commits) await made.#look(name, commit)
    return made
  }

  /** The files of the tree in a state. */
  files(state: string): readonly string[] {
    return Object.keys(this.#stateOf(state).tree)
  }

  /**
   * Damages one file in a state, and tells what the next renders do that they must not: nothing, if all is well. With
   * `by: 'blind'` the first of them is told to look at the whole commit, and not at the damaged one.
   */
  async try(name: string, damage: Damage, { by }: { readonly by?: 'blind' } = {}): Promise<readonly string[]> {
    const state = this.#stateOf(name)
    const fleet = this.#fleet
    this.#reset(state.commit)
    const damaged = this.#damage(state, damage)
    if (damage.is === 'committed') fleet.commit('damaged')
    const before = this.#tree()
    const wrong: string[] = []
    const refused = await this.#render(by === undefined ? {} : { base: state.commit })
    const after = this.#tree()
    if (refused !== undefined) {
      wrong.push(...differences(before, after).map((path) => `refused (${refused.codes}), and changes ${path}`))
      if (/INTERNAL/.test(refused.codes)) wrong.push(`refused with ${refused.codes}`)
      this.#follow(refused, state, damage)
    } else wrong.push(...this.#judge(state, damage, { damaged, after }))
    if (refused === undefined && this.#isEdit(damage, { damaged, after })) return wrong
    return [...wrong, ...(await this.#judgeEnd(state, damaged))]
  }

  /** What a render left: the step that was due, or the one before once more; nothing else of the tree is touched. */
  #judge(
    state: State,
    damage: Damage,
    { damaged, after }: { readonly damaged: Tree; readonly after: Tree },
  ): readonly string[] {
    const isNext = differences(after, state.next).length === 0
    const isSame = differences(after, state.tree).length === 0
    if (this.#isEdit(damage, { damaged, after })) return []
    if (!isNext && !isSame) {
      const [from, fewer] = [differences(after, state.next), differences(after, state.tree)]
      const left = from.length < fewer.length ? from : fewer
      return left.map((path) => `leaves ${path} as it is in no state`)
    }
    // the stack that a cluster has left may go whatever else is damaged: its objects stay
    const moves = differences(state.tree, state.next).some((path) => path.includes('/team-a/web/'))
    if (!moves || !isNext || damage.is === 'on disk' || !this.#matters(state, damage)) return []
    return differences(damaged, state.tree).length > 0
      ? ['takes the next step on a commit that does not hold this one']
      : []
  }

  /** True if the GitOps tool needs the file to have applied what the tree holds of the cluster. */
  #matters({ tree }: State, { kind, file }: Damage): boolean {
    if (kind === 'duplicate') return false
    // a list of others that is shorter builds
    if (kind === 'truncate' && /^handoff\/(?!team-a\/).*kustomization\.yaml$/.test(file)) return false
    if (file.startsWith(`${WEB}/addons`)) return true
    if (!file.startsWith('handoff/') || tree[file] === undefined) return false
    if (this.#tool === 'flux') return true
    return /^handoff\/(?:[^/]+|team-a\/[^/]+|team-a\/web\/[^/]+)$/.test(file)
  }

  /** True if what is committed of a cluster that stays as it is still holds the object: such an edit stays. */
  #isEdit({ file, is, kind }: Damage, { damaged, after }: { readonly damaged: Tree; readonly after: Tree }): boolean {
    const [one, other] = [damaged[file], after[file]]
    return is === 'committed' && kind === 'truncate' && one !== undefined && one === other && isObject(one)
  }

  /** Commit and render until nothing changes: the state must end as it would have. */
  async #judgeEnd(state: State, damaged: Tree): Promise<readonly string[]> {
    for (let round = 0; round < ROUNDS; round++) {
      this.#fleet.commit('again')
      const before = this.#tree()
      const refused = await this.#render()
      if (refused !== undefined) return [`then is refused (${refused.codes}): ${refused.hint}`]
      if (differences(before, this.#tree()).length > 0) continue
      return differences(before, state.end)
        .filter(
          (path) => damaged[path] === undefined || damaged[path] !== before[path] || state.tree[path] !== undefined,
        )
        .map((path) => `ends with another ${path}`)
    }
    return ['does not end']
  }

  /** Does what the hint of a refusal says. */
  #follow({ hint }: Refusal, { commit }: State, { file, is }: Damage): void {
    const command = /git (?:restore|checkout) [^)`]*/.exec(hint)?.[0]
    if (command !== undefined) this.#fleet.git(...command.split(' ').slice(1))
    else if (is === 'committed' && /^Restore|bring back/.test(hint))
      this.#fleet.git('checkout', commit, '--', `rendered/${file}`)
    else if (/restore the file with git|bring back/.test(hint)) this.#fleet.git('checkout', '--', `rendered/${file}`)
  }

  async #render(options: { readonly base?: string } = {}): Promise<Refusal | undefined> {
    try {
      await this.#fleet.render({ allowEmpty: true, ...options })
      return undefined
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      const [first] = error.diagnostics
      return { codes: [...new Set(error.diagnostics.map(({ code }) => code))].join(' '), hint: first?.hint ?? '' }
    }
  }

  async #look(name: string, commit: string): Promise<void> {
    this.#reset(commit)
    const tree = this.#tree()
    await this.#fleet.render({ allowEmpty: true })
    const next = this.#tree()
    let end = next
    for (let round = 0; round < ROUNDS; round++) {
      this.#fleet.commit('next')
      await this.#fleet.render({ allowEmpty: true })
      const after = this.#tree()
      if (differences(end, after).length === 0) break
      end = after
    }
    this.#states.set(name, { name, commit, tree, next, end })
  }

  /** Damages the file; the tree after that. */
  #damage({ tree }: State, { kind, file }: Damage): Tree {
    const path = `rendered/${file}`
    const text = tree[file] ?? ''
    if (kind === 'delete') this.#fleet.remove(path)
    else if (kind === 'truncate') this.#fleet.write(path, text.slice(0, Math.floor(text.length / 2)))
    else if (kind === 'garble') {
      const at = text.indexOf('\n', Math.floor(text.length / 3))
      this.#fleet.write(path, `${text.slice(0, at)}\n  ]: [\u0001 x: y: z\n${text.slice(at)}`)
    } else this.#fleet.write(path.replace(/\.yaml$/, '-copy.yaml'), text)
    return this.#tree()
  }

  #reset(commit: string): void {
    this.#fleet.git('reset', '--hard', '-q', commit)
    this.#fleet.git('clean', '-fdqx')
  }

  #tree(): Tree {
    const files = this.#fleet.filesBelow('rendered').filter((path) => !path.startsWith('.stackmason/'))
    return Object.fromEntries(files.map((path) => [path, this.#fleet.read(`rendered/${path}`)]))
  }

  #stateOf(name: string): State {
    const state = this.#states.get(name)
    if (state === undefined) throw new Error(`there is no state ${name}`)
    return state
  }
}

interface Refusal {
  readonly codes: string
  readonly hint: string
}

function differences(a: Tree, b: Tree): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path])
}

function isObject(text: string): boolean {
  const object = parsed(text)
  return (
    textAt(object, 'kind') !== '' &&
    (textAt(object, 'metadata', 'name') !== '' || fieldAt(object, 'resources') !== undefined)
  )
}

function parsed(text: string): Value {
  try {
    return parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return null
    throw error
  }
}

/** Numbers below a limit that depend on the seed alone (mulberry32). */
export function seededNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
