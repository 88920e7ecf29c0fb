import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { type Ports, SIGNATURE_LENGTH } from '../../src/model/ports.ts'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import {
  addonTemplate,
  bothClusters,
  cluster,
  HandoffFleet,
  handoffFleet,
  type Tool,
  wantNext,
} from './handoff-fleet.ts'

const HOUR = 3_600_000
const isRoot = process.getuid?.() === 0

/** Kind and rights of what belongs to the user. */
function ownModeOf(path: string): number {
  const { mode, uid } = lstatSync(path)
  return uid === process.getuid?.() ? mode : 0
}

/** Steps of a random life; longer ones are asked for in the environment. */
const LENGTH = process.env['STACKMASON_LONG'] === undefined ? 20 : 100
const values = 'clusters/team-a/web/values/dns-cache.yaml'
const output = 'rendered/clusters/team-a/web/addons/01-dns-cache/configmap-dns-cache.yaml'

/** How old files seem to be: as they are; an hour older; or of no time at all, as where a clock stands still. */
type FileClock = 'now' | 'later' | 'never'

/** Ports whose answers are kept in a folder of their own. */
function cachedPorts(
  cache: string,
  clock: FileClock,
  twins: Pick<Twins, 'onLook' | 'onExpand' | 'packaged' | 'listed' | 'read'>,
): Ports {
  const ports = createNodePorts()
  const ahead = clock === 'later' ? HOUR : 0
  const stopped = ports.clock.now() + HOUR
  return {
    ...ports,
    clock: { ...ports.clock, now: () => ports.clock.now() + ahead },
    files: {
      ...ports.files,
      read: (path, from) => {
        twins.read.add(path)
        return ports.files.read(path, from)
      },
      entries: (path) => {
        twins.listed.add(path)
        return ports.files.entries(path)
      },
      signatures: async (paths) => {
        const signatures = await ports.files.signatures(paths)
        if (clock !== 'never') return signatures
        // what is not there has none
        return signatures.map((value, index) =>
          value !== 0 && [2, 3].includes(index % SIGNATURE_LENGTH) ? stopped : value,
        )
      },
    },
    deadline: {
      ...ports.deadline,
      together: (milliseconds, work) => {
        twins.onExpand()
        return ports.deadline.together(milliseconds, work)
      },
    },
    environment: { get: (name) => (name === 'STACKMASON_CACHE' ? cache : undefined) },
    git: {
      ...ports.git,
      // asked by every run that looks at the tree itself
      readCommitted: (...asked) => {
        twins.onLook()
        return ports.git.readCommitted(...asked)
      },
    },
    packageFiles: {
      ...ports.packageFiles,
      read: async (path) => encodeUtf8(decodeUtf8(await ports.packageFiles.read(path)) + twins.packaged),
    },
  }
}

/** What is done to both twins, or a run of them. */
type Step = { readonly name: string; readonly work: (fleet: HandoffFleet) => void } | Partial<RenderOptions>

/**
 * A fleet that is rendered with nothing kept. What it comes to follows from its tool and what was done to it, so it is
 * made only where no twin before had the same story, and then without runs that said the same as the one before.
 */
class PlainTwin {
  static readonly #known = new Map<string, string>()
  readonly #steps: Step[] = []
  readonly #tool: Tool
  #story: string
  #last = ''
  #fleet: HandoffFleet | undefined

  constructor(tool: Tool) {
    this.#tool = tool
    this.#story = tool
  }

  each(name: string, work: (fleet: HandoffFleet) => void): void {
    this.#story += `\n${name}`
    this.#last = ''
    if (this.#fleet === undefined) this.#steps.push({ name, work })
    else work(this.#fleet)
  }

  async run(options: Partial<RenderOptions>): Promise<string> {
    this.#story += `\nrun ${JSON.stringify(options)}`
    let outcome = PlainTwin.#known.get(this.#story)
    if (outcome === undefined || this.#fleet !== undefined) outcome = await outcomeOf(await this.#made(), options)
    // a run that says what the one before said has left all as it was
    else if (outcome !== this.#last) this.#steps.push(options)
    this.#last = outcome
    PlainTwin.#known.set(this.#story, outcome)
    return outcome
  }

  async #made(): Promise<HandoffFleet> {
    if (this.#fleet !== undefined) return this.#fleet
    const fleet = await handoffFleet(this.#tool, bothClusters)
    for (const step of this.#steps) {
      if ('work' in step) step.work(fleet)
      else await outcomeOf(fleet, step)
    }
    this.#fleet = fleet
    return fleet
  }
}

/** A fleet that is rendered with what earlier runs have kept, and its twin that is rendered without. */
class Twins {
  readonly #cached: HandoffFleet
  readonly #plain: PlainTwin
  readonly #cache: string
  /** How often the first was rendered, and not replayed. */
  rendered = 0
  /** How often clusters of the first were expanded as a whole, a few at a time. */
  expanded = 0
  /** The folders that were listed. */
  readonly listed = new Set<string>()
  /** The files that were read. */
  readonly read = new Set<string>()
  /** What stands behind each file of the first one's package. */
  packaged = ''

  constructor(cached: (of: Twins) => HandoffFleet, { tool, cache }: { readonly tool: Tool; readonly cache: string }) {
    this.#cached = cached(this)
    this.#plain = new PlainTwin(tool)
    this.#cache = cache
  }

  static async open(tool: Tool, clock: FileClock): Promise<Twins> {
    const { folder } = await handoffFleet(tool, bothClusters)
    const cache = await tempFolder()
    return new Twins((of) => new HandoffFleet(folder, cachedPorts(cache, clock, of)), { tool, cache })
  }

  onLook(): void {
    this.rendered++
  }

  onExpand(): void {
    this.expanded++
  }

  /** Does something to both; its name says all that decides of it. */
  each(name: string, work: (fleet: HandoffFleet) => void): void {
    work(this.#cached)
    this.#plain.each(name, work)
  }

  /** The files of the cache. */
  records(): readonly string[] {
    const folder = join(this.#cache, 'v1/runs')
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  }

  /** What both runs come to; they must come to the same. */
  async run(options: Partial<RenderOptions> = {}): Promise<string> {
    const reuses = { program: 'test', isClean: () => true }
    const one = await outcomeOf(this.#cached, { ...options, reuses })
    const other = await this.#plain.run(options)
    if (one !== other) throw new Error(`with what was kept:\n${one}\nwithout:\n${other}`)
    return one
  }
}

/** What a run came to: its result or its errors, and the tree that it left, all without the folder's name. */
async function outcomeOf(fleet: HandoffFleet, options: Partial<RenderOptions>): Promise<string> {
  let told: unknown
  try {
    const { duration: _duration, holds, ...result } = await fleet.render(options)
    // a report has its own order of them; all below keep theirs
    const names = Object.entries(result).sort(([one], [other]) => (one < other ? -1 : 1))
    told = { ...Object.fromEntries(names), holds: [...holds] }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    told = error.diagnostics
  }
  const tree = fleet
    .filesBelow('rendered')
    .filter((path) => !path.startsWith('.stackmason/') || path === '.stackmason/written.sha256')
    .map((path) => [path, fleet.read(`rendered/${path}`)])
  return JSON.stringify({ told, tree }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  ).replaceAll(fleet.folder, '')
}

type Edit = (fleet: HandoffFleet, seed: number) => void

const edits = {
  'a value': (fleet, seed) => fleet.write(values, `localAddress: 169.254.20.1${String(seed)}\n`),
  'no values': (fleet) => {
    if (fleet.has(values)) fleet.remove(values)
  },
  'values of all clusters': (fleet, seed) =>
    fleet.write('clusters/values/dns-cache.yaml', `clusterDomain: cluster.local${String(seed)}\n`),
  'values of an addon that some have': (fleet, seed) =>
    fleet.write('clusters/values/metrics.yaml', `metrics-agent: {scrapeInterval: ${String(seed)}s}\n`),
  'a cluster': (fleet, seed) =>
    fleet.write(cluster, fleet.read(cluster).replace(/replicas: \d/, `replicas: ${String((seed % 8) + 1)}`)),
  'a comment of the fleet': (fleet, seed) =>
    fleet.write('stackmason.yaml', `${fleet.read('stackmason.yaml')}# ${String(seed)}\n`),
  'a file that nobody asked for': (fleet, seed) =>
    fleet.write(`clusters/team-a/web/vlaues-${String(seed)}.yaml`, 'a: 1\n'),
  'a file of the tree by hand': (fleet, seed) => {
    if (fleet.has(output)) fleet.write(output, `${fleet.read(output)}# ${String(seed)}\n`)
  },
  'no file of the tree': (fleet) => {
    if (fleet.has(output)) fleet.remove(output)
  },
  'a file beside those of the tree': (fleet, seed) =>
    fleet.write(`rendered/clusters/team-a/web/addons/01-dns-cache/other-${String(seed)}.yaml`, 'a: 1\n'),
  'the tree as it is committed': (fleet) => {
    fleet.git('checkout', '-q', '--', 'rendered')
    fleet.git('clean', '-fdq', '--', 'rendered')
  },
  'all as it is committed': (fleet) => {
    fleet.git('checkout', '-q', '--', '.')
    fleet.git('clean', '-fdq')
  },
  'a commit': (fleet) => {
    fleet.commit()
  },
  'what git ignores': (fleet, seed) => fleet.write('.gitignore', seed % 2 === 0 ? '' : 'rendered/handoff/\n'),
  'a value of another cluster': (fleet, seed) =>
    fleet.write('clusters/team-b/batch/values/dns-cache.yaml', `localAddress: 169.254.20.2${String(seed)}\n`),
  'a value that nothing reads': (fleet, seed) => fleet.write(values, `localAdress: 169.254.20.1${String(seed)}\n`),
  'a cluster that is held back': (fleet, seed) => {
    const options = 'clusters/team-a/web/options.yaml'
    if (fleet.has(options)) fleet.remove(options)
    else
      fleet.write(
        options,
        `kind: ClusterOptions\napiVersion: stackmason.dev/v1alpha1\nspec: {hold: "${String(seed)}"}\n`,
      )
  },
  'a patch of one cluster': (fleet, seed) => {
    const patch = 'clusters/team-a/web/patches/other.yaml'
    if (fleet.has(patch)) fleet.remove(patch)
    else
      fleet.write(
        patch,
        `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {addon: dns-cache, kind: ConfigMap}\n  mergePatch: {metadata: {labels: {seed: "${String(seed)}"}}}\n`,
      )
  },
  'no record of what was written': (fleet) => fleet.remove('rendered/.stackmason'),
  'a record of less': (fleet) => {
    const record = 'rendered/.stackmason/written.sha256'
    if (fleet.has(record)) fleet.write(record, fleet.read(record).replace(/^.*configmap-dns-cache.*\n/m, ''))
  },
  'times of files': (fleet) => {
    for (const path of [cluster, output]) if (fleet.has(path)) utimesSync(fleet.path(path), 1, 1)
  },
  nothing: () => undefined,
} satisfies Record<string, Edit>

const names = Object.keys(edits) as (keyof typeof edits)[]
/** Without the way back, most of a life would be refusals. */
const often = ['nothing', 'a value', 'all as it is committed', 'all as it is committed', 'nothing', 'nothing'] as const

/** Edits of a fleet that was rendered, and is as it was; `before`: what is done first. Each makes a run say something else. */
const changes: Readonly<Record<string, { readonly before?: Edit; readonly edit: Edit }>> = {
  'a value': { edit: edits['a value'] },
  'another value of the same length': { before: edits['a value'], edit: (fleet) => edits['a value'](fleet, 2) },
  'no values': { before: edits['a value'], edit: edits['no values'] },
  'values of all clusters': { edit: edits['values of all clusters'] },
  'other values of all clusters': {
    before: edits['values of all clusters'],
    edit: (fleet) => edits['values of all clusters'](fleet, 2),
  },
  'a cluster': { edit: (fleet) => fleet.edit(cluster, 'replicas: 3', 'replicas: 4') },
  'a template of a stack': { edit: (fleet) => fleet.edit(addonTemplate, '8080', '8081') },
  'a value of a chart': {
    edit: (fleet) =>
      fleet.edit('providers/docker/demo/cluster-addon/dns-cache/values.yaml', 'cluster.local', 'cluster.lokal'),
  },
  'a patch': {
    edit: (fleet) => fleet.remove('clusters/team-a/web/patches/metrics-tolerations.yaml'),
  },
  'a cluster that is gone': { edit: (fleet) => fleet.remove('clusters/team-a/web') },
  'a file that nobody asked for': { edit: edits['a file that nobody asked for'] },
  'a file of the tree by hand': { edit: edits['a file of the tree by hand'] },
  'a file of the tree by hand, of the same length': { edit: (fleet) => fleet.edit(output, '8080', '9090') },
  'no file of the tree': { edit: edits['no file of the tree'] },
  'a folder of the tree': { edit: (fleet) => fleet.remove('rendered/clusters/team-a/web/addons') },
  'a file in the place of a folder': {
    edit: (fleet) => {
      fleet.remove('rendered/clusters/team-a/web/addons')
      fleet.write('rendered/clusters/team-a/web/addons', '')
    },
  },
  'a commit that a step waits for': { before: wantNext, edit: edits['a commit'] },
  'what git ignores and no commit holds': {
    before: (fleet) => fleet.write('.gitignore', 'rendered/handoff/\n'),
    edit: (fleet) => {
      fleet.git('rm', '-rq', '--cached', 'rendered/handoff')
    },
  },
  'a folder that only git knows': {
    before: (fleet) => {
      fleet.git('rm', '-rq', '--cached', 'rendered/handoff')
    },
    edit: (fleet) => fleet.write('.gitignore', 'rendered/handoff/\n'),
  },
}

describe.each(['later', 'never'] as const)('what an earlier run came to, of files that changed %s', (clock) => {
  test('is told again where nothing is another', async () => {
    const twins = await Twins.open('flux', clock)
    await twins.run()
    const first = await twins.run()
    const { rendered } = twins
    expect(await twins.run()).toBe(first)
    expect(await twins.run()).toBe(first)
    expect(twins.rendered).toBe(rendered)
  })

  test.each(Object.entries(changes))('is not told again after a change of %s', async (name, { before, edit }) => {
    const twins = await Twins.open('flux', clock)
    if (before !== undefined) twins.each(`before ${name}`, (fleet) => before(fleet, 1))
    await twins.run()
    await twins.run()
    const then = await twins.run()
    twins.each(name, (fleet) => edit(fleet, 1))
    expect(await twins.run()).not.toBe(then)
  })
})

test.each([
  ['flux', 'later', 4711],
  ['argocd', 'later', 822],
  ['argocd', 'now', 822],
] as const)(
  'what an earlier run came to with %s is the same in any order of edits, of files that changed %s',
  { timeout: 240_000 },
  async (tool, clock, seed) => {
    const life = fc.array(fc.tuple(fc.constantFrom(...names, ...often), fc.nat(9)), {
      minLength: LENGTH,
      maxLength: LENGTH,
    })
    const [steps = []] = fc.sample(life, { numRuns: 1, seed })
    const twins = await Twins.open(tool, clock)
    let [replayed, partly] = [0, 0]
    for (const [name, number] of steps) {
      twins.each(`${name} ${String(number)}`, (fleet) => edits[name](fleet, number))
      const { rendered } = twins
      twins.read.clear()
      await twins.run({ overwriteEdited: number > 7 })
      const reads = (end: string): boolean => [...twins.read].some((path) => path.endsWith(end))
      if (twins.rendered === rendered) replayed++
      else if (reads('/team-a/web/cluster.yaml') !== reads('/team-b/batch/cluster.yaml')) partly++
    }
    expect(replayed).toBeGreaterThan(0)
    // what was written just now is read again with all else, unless the machine is slow
    expect(partly > 0 || clock === 'now').toBe(true)
  },
)

test.each([
  ['is not there', (path: string) => rmSync(path)],
  ['is cut', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 300))],
  ['is empty', (path: string) => writeFileSync(path, '')],
  [
    'has another bit',
    (path: string) => {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
  ],
  ['others may write', (path: string) => chmodSync(path, 0o622)],
  ['a group may write', (path: string) => chmodSync(path, 0o620)],
  // only root can make it so
  ['belongs to somebody else', (path: string) => (isRoot ? chownSync(path, 65534, 65534) : rmSync(path))],
  [
    'is a link',
    (path: string) => {
      renameSync(path, join(dirname(path), `../${basename(path)}`))
      symlinkSync(`../${basename(path)}`, path)
    },
  ],
  [
    'has no result, with its hash',
    (path: string) => {
      const body = readFileSync(path).subarray(64)
      const [form, ...sizes] = decodeUtf8(body.subarray(0, 64)).trim().split(' ')
      if (form !== 'run/1') return rmSync(path)
      const start = 64 + sizes.slice(0, 3).reduce((sum, size) => sum + Number(size), 0)
      const [[key = '', salt = '', began = ''] = [], ...lists] = JSON.parse(
        decodeUtf8(body.subarray(start)),
      ) as string[][]
      const head = encodeUtf8(JSON.stringify([[key, salt, began, '["no result"]'], ...lists]))
      const first = [form, ...sizes.slice(0, 3), head.length].join(' ').padEnd(64)
      const other = Buffer.concat([encodeUtf8(first), body.subarray(64, start), head])
      writeFileSync(path, Buffer.concat([encodeUtf8(createNodePorts().crypto.sha256Hex(other)), other]))
    },
  ],
])('a record that %s costs time alone', async (_, damage) => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  expect(twins.records()).toHaveLength(2)
  for (const path of twins.records()) damage(path)
  const { rendered } = twins
  await twins.run()
  expect(twins.rendered).toBeGreaterThan(rendered)
  expect(twins.records().map(ownModeOf)).toEqual([0o100600, 0o100600])
  twins.each('a value 3', (fleet) => edits['a value'](fleet, 3))
  await twins.run()
})

test('of a folder of records only old records are removed', async () => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  const [folder = ''] = twins.records().map(dirname)
  const old = `${'0'.repeat(64)}.run`
  const names = ['thesis.txt', `${'1'.repeat(64)}.txt`, old, `${old}.4711`]
  for (const name of names) {
    writeFileSync(join(folder, name), 'precious')
    utimesSync(join(folder, name), 1, 1)
  }
  // written again, as it is damaged
  writeFileSync(twins.records().find((path) => path.endsWith('.run') && basename(path) !== old) ?? '', '')
  await twins.run()
  const left = twins.records().map((path) => basename(path))
  expect(names.filter((name) => left.includes(name))).toEqual(['thesis.txt', `${'1'.repeat(64)}.txt`])
})

test.each([
  ['others may write', (folder: string) => chmodSync(folder, 0o777)],
  [
    'belongs to somebody else',
    (folder: string) => (isRoot ? chownSync(folder, 65534, 65534) : chmodSync(folder, 0o770)),
  ],
  [
    'is a link',
    (folder: string) => {
      renameSync(folder, `${folder}-there`)
      symlinkSync(`${folder}-there`, folder)
    },
  ],
])('in a folder of records that %s nothing is believed or kept', async (_, change) => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  const [folder = ''] = twins.records().map(dirname)
  expect(ownModeOf(folder)).toBe(0o040700)
  change(folder)
  const before = twins.records().map((path) => [path, readFileSync(path, 'latin1')])
  for (let run = 0; run < 2; run++) {
    const { rendered } = twins
    await twins.run()
    expect(twins.rendered).toBeGreaterThan(rendered)
  }
  expect(twins.records().map((path) => [path, readFileSync(path, 'latin1')])).toEqual(before)
})

test('a link in the place of a file, and of a folder, is seen', async () => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  twins.each('a link', (fleet) => {
    fleet.write('elsewhere.yaml', fleet.read(cluster))
    unlinkSync(fleet.path(cluster))
    symlinkSync('../../../elsewhere.yaml', fleet.path(cluster))
  })
  await twins.run()
  await twins.run()
  twins.each('what it leads to', (fleet) => fleet.edit('elsewhere.yaml', /replicas: \d/, 'replicas: 7'))
  expect(await twins.run()).toContain('replicas: 7')
})

describe('where one cluster is another, and its files are the same', () => {
  /** The files of the other cluster that were read. */
  const others = (twins: Twins): readonly string[] => [...twins.read].filter((path) => path.includes('/team-b/batch/'))

  test.each<[string, Edit]>([
    ['a value', edits['a value']],
    ['replicas', edits['a cluster']],
    ['a comment', (fleet) => fleet.write(cluster, `${fleet.read(cluster)}# a\n`)],
    ['a patch', edits['a patch of one cluster']],
  ])('by %s, no file of others is read, at once and after', async (name, edit) => {
    const twins = await Twins.open('flux', 'later')
    await twins.run()
    await twins.run()
    twins.each(`only ${name}`, (fleet) => edit(fleet, 4))
    twins.read.clear()
    await twins.run()
    await twins.run()
    expect(twins.read).toContainEqual(expect.stringContaining('/team-a/web/cluster.yaml'))
    const { rendered } = twins
    await twins.run()
    expect(others(twins)).toEqual([])
    expect(twins.rendered).toBe(rendered)
  })

  test.each<[string, Edit]>([
    ['its class', (fleet) => fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v9')],
    ['a file of the tree less', edits['no file of the tree']],
    ['options', edits['a cluster that is held back']],
    ['a file beside', edits['a file that nobody asked for']],
    [
      'a hook, of which is told',
      (fleet) =>
        fleet.write(
          'clusters/team-a/web/patches/hook.yaml',
          'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {addon: dns-cache, kind: ConfigMap}\n  mergePatch: {metadata: {annotations: {helm.sh/hook: post-install}}}\n',
        ),
    ],
  ])('by %s, all of the fleet is looked at', async (name, edit) => {
    const twins = await Twins.open('flux', 'later')
    await twins.run()
    await twins.run()
    twins.each(`all for ${name}`, (fleet) => edit(fleet, 4))
    twins.read.clear()
    await twins.run()
    expect(others(twins)).not.toEqual([])
  })
})

test.each<[string, Edit, string]>([
  ['cluster.yaml', (fleet) => fleet.edit(cluster, '10.96.0.0/16', '10.244.0.0/16'), cluster],
  [
    'options.yaml',
    (fleet) =>
      fleet.write(
        'clusters/team-a/web/options.yaml',
        'kind: ClusterOptions\napiVersion: stackmason.dev/v1alpha1\nspec: {upgrade: {neverApplied: docker-demo-1-34-v3}}\n',
      ),
    'clusters/team-a/web/options.yaml',
  ],
])('a finding goes with the file that it stands in: %s', async (name, warn, path) => {
  const twins = await Twins.open('flux', 'later')
  twins.each(`a warning in ${name}`, (fleet) => warn(fleet, 0))
  await twins.run()
  await twins.run()
  expect(JSON.parse(await twins.run())).toHaveProperty('told.findings.0.at.source.name', path)
  twins.each(`no ${name}`, (fleet) => fleet.remove(path))
  await twins.run()
})

test('of clusters that are as they were, no folder is listed again', async () => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  await twins.run()
  twins.listed.clear()
  twins.each('a value 5', (fleet) => edits['a value'](fleet, 5))
  await twins.run()
  const listed = (cluster: string): readonly string[] =>
    [...twins.listed].filter((path) => path.includes(`/rendered/clusters/${cluster}/`))
  expect(listed('team-a/web')).not.toEqual([])
  expect(listed('team-b/batch')).toEqual([])
})

test('a run of one cluster counts the charts of another one that is on its way', async () => {
  const twins = await Twins.open('flux', 'later')
  twins.each('wants next', wantNext)
  await twins.run()
  twins.each('a commit', edits['a commit'])
  await twins.run()
  await twins.run()
  await twins.run()
  twins.read.clear()
  twins.each('replicas of another cluster', (fleet) =>
    fleet.edit('clusters/team-b/batch/cluster.yaml', 'replicas: 1', 'replicas: 3'),
  )
  await twins.run()
  // else it was a run of all
  expect([...twins.read].filter((path) => path.endsWith('/clusters/team-a/web/cluster.yaml'))).toEqual([])
})

test('where a value of all clusters is another, only what changes is read, and no other folder is listed', async () => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  await twins.run()
  twins.listed.clear()
  twins.read.clear()
  twins.each('values of all clusters 5', (fleet) => edits['values of all clusters'](fleet, 5))
  await twins.run()
  const inClusters = (paths: ReadonlySet<string>): readonly string[] =>
    [...paths].filter((path) => path.includes('/rendered/clusters/team-'))
  const changed = /\/01-dns-cache(?:\/(?:configmap|daemonset)-dns-cache\.yaml)?$/
  expect([...inClusters(twins.listed), ...inClusters(twins.read)].filter((path) => !changed.test(path))).toEqual([])
  expect(inClusters(twins.listed)).not.toEqual([])
})

describe('where values of one addon are others', () => {
  test.each(['flux', 'argocd'] as const)('it alone is rendered, with %s', async (tool) => {
    const twins = await Twins.open(tool, 'later')
    await twins.run()
    await twins.run()
    const { expanded } = twins
    for (const seed of [5, 6]) {
      twins.each(`metrics ${String(seed)}`, (fleet) => edits['values of an addon that some have'](fleet, seed))
      expect(JSON.parse(await twins.run())).toHaveProperty('told.files.written', 1)
    }
    expect(twins.expanded).toBe(expanded)
    twins.each('values 7', (fleet) => edits['values of all clusters'](fleet, 7))
    await twins.run()
    expect(twins.expanded).toBeGreaterThan(expanded)
  })

  /** What the addon may bring besides, by the value `brings`. */
  const brought = [
    'an object: {apiVersion: v1, kind: ConfigMap, metadata: {name: more}}',
    'an object in another namespace: {apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: nowhere}}',
    'a hook: {apiVersion: batch/v1, kind: Job, metadata: {name: more, annotations: {helm.sh/hook: post-upgrade}}}',
    'a definition: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: mores.example.com}, spec: {group: example.com, names: {kind: More, plural: mores}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}',
    'an object of an unknown kind: {apiVersion: example.com/v1, kind: Less, metadata: {name: more}}',
    'a random Secret: {apiVersion: v1, kind: Secret, metadata: {name: more}, stringData: {password: {{ randAlphaNum 20 }}}}',
    'a Secret: {apiVersion: v1, kind: Secret, metadata: {name: more}, stringData: {password: {{ .Values.password | default "release" }}}}',
    'a Secret that a value fills: {apiVersion: v1, kind: Secret, metadata: {name: more}, stringData: {password: {{ .Values.scrapeInterval }}}}',
    'an object of another addon: {apiVersion: v1, kind: ConfigMap, metadata: {name: dns-cache}}',
    'a wrong name: {apiVersion: v1, kind: ConfigMap, metadata: {name: "A b"}}',
  ].map((text) => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 2)] as const)
  const template = [
    ...brought.map(([name, text]) => `{{- if eq (.Values.brings | default "") "${name}" }}\n${text}\n{{- end }}\n`),
    '{{- if eq (.Values.brings | default "") "an error" }}{{ fail "no" }}{{- end }}\n',
  ]

  const few = ['an object', 'a hook', 'a random Secret', 'an error']

  test.each<[Tool, readonly string[]]>([
    ['flux', [...brought.map(([name]) => name), 'an error']],
    ['argocd', few],
  ])('all is as if nothing was kept, whatever it brings, with %s', async (tool, names) => {
    const twins = await Twins.open(tool, 'later')
    twins.each('a template', (fleet) =>
      fleet.write(
        'providers/docker/demo/cluster-addon/metrics/charts/metrics-agent/templates/more.yaml',
        template.join(''),
      ),
    )
    await twins.run()
    await twins.run()
    for (const [index, name] of names.flatMap((one) => (few.includes(one) ? [one, one, ''] : [one, ''])).entries()) {
      twins.each(`${String(index)} ${name}`, (fleet) =>
        fleet.write(
          'clusters/values/metrics.yaml',
          `metrics-agent: {brings: "${name}", scrapeInterval: "password-${String(index)}"}\n`,
        ),
      )
      await twins.run({ allowEmpty: true })
    }
    expect(twins.expanded).toBeGreaterThan(names.length)
  })
})

const inTree = 'rendered/clusters/team-b/batch/addons'

/** Takes a line out of the record of written files. */
function withoutLine(part: string): Edit {
  return (fleet) => {
    const record = 'rendered/.stackmason/written.sha256'
    const lines = fleet.read(record).split('\n')
    lines.splice(
      lines.findIndex((line) => line.includes(part)),
      1,
    )
    fleet.write(record, lines.join('\n'))
  }
}

const besides: readonly (readonly [string, Edit])[] = [
  ['another file', (fleet) => fleet.write(`${inTree}/other.yaml`, 'a: 1\n')],
  ['another hidden file', (fleet) => fleet.write(`${inTree}/.other`, '')],
  ['another folder', (fleet) => fleet.write(`${inTree}/other/a.txt`, '')],
  ['one file less', (fleet) => fleet.remove(`${inTree}/kustomization.yaml`)],
  [
    'a copy in its place',
    (fleet) => {
      fleet.copy(inTree, 'copy')
      fleet.remove(inTree)
      symlinkSync('../../../../copy', fleet.path(inTree))
    },
  ],
  [
    'the same folder elsewhere, and a link to it',
    (fleet) => {
      renameSync(fleet.path('rendered/clusters/team-b'), fleet.path('moved'))
      symlinkSync('../../moved', fleet.path('rendered/clusters/team-b'))
    },
  ],
  ['less in the record', edits['a record of less']],
  ['less of it in the record', withoutLine('team-b/batch/addons')],
  ['less of a stack in the record', withoutLine(' stacks/')],
  ['no record', edits['no record of what was written']],
]

test.each(besides)('a run that changes one cluster sees of another one: %s', async (name, edit) => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  await twins.run()
  twins.each(`${name}, and a value`, (fleet) => {
    edit(fleet, 1)
    edits['a value'](fleet, 6)
  })
  const { rendered } = twins
  await twins.run()
  await twins.run()
  expect(twins.rendered).toBeGreaterThan(rendered)
})

test.each(besides)('a run that changes all clusters sees of one: %s', async (name, edit) => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  await twins.run()
  twins.each(`${name}, and a value of all`, (fleet) => {
    edit(fleet, 1)
    edits['values of all clusters'](fleet, 6)
  })
  const { rendered } = twins
  await twins.run()
  await twins.run()
  expect(twins.rendered).toBeGreaterThan(rendered)
})

test('another package of the program is another program', async () => {
  const twins = await Twins.open('flux', 'later')
  await twins.run()
  await twins.run()
  const { rendered } = twins
  await twins.run()
  expect(twins.rendered).toBe(rendered)
  twins.packaged = '\n'
  await twins.run()
  expect(twins.rendered).toBeGreaterThan(rendered)
})

test('a tree that a run has made is not taken for there when it is gone', async () => {
  const twins = await Twins.open('flux', 'later')
  const { tree } = JSON.parse(await twins.run()) as { tree: unknown[] }
  expect(tree.length).toBeGreaterThan(0)
  for (let run = 0; run < 3; run++) {
    twins.each('no tree', (fleet) => fleet.remove('rendered'))
    expect(JSON.parse(await twins.run())).toHaveProperty('tree', tree)
  }
})
