import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { makeFleet } from '../../bench/support/make-fleet.ts'
import { builtProgram } from '../../tools/built-program.ts'
import { handoffs } from '../../tools/fleets/example-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'
import { fates, fleetOf, plantedPorts, soundFates } from './expand/fated-fleet.ts'

interface Outcome {
  /** The status, the report, and what was said meanwhile. */
  readonly told: readonly unknown[]
  readonly tree: Readonly<Record<string, string>>
}

async function outcomeOf(fleet: FleetFolder, words: readonly string[]): Promise<Outcome> {
  if (fleet.has('rendered') && !words.includes('--check')) fleet.remove('rendered')
  const options = { cwd: fleet.folder, ports: plantedPorts }
  const { status, stdout, stderr } = await runCli(['render', ...words, '--no-cache', '-q', '-o', 'json'], options)
  const tree = Object.fromEntries(fleet.filesBelow('rendered').map((path) => [path, fleet.read(`rendered/${path}`)]))
  return { told: [status, stdout.replace(/"milliseconds": \d+/, ''), stderr], tree }
}

/** Renders the shards of a fleet one after the other; returns what each said. */
async function renderShards(
  fleet: FleetFolder,
  { of, into, words = [] }: { readonly of: number; readonly into: string; readonly words?: readonly string[] },
): Promise<readonly string[]> {
  const said: string[] = []
  for (let index = 1; index <= of; index++) {
    const shard = ['--shard', `${String(index)}/${String(of)}`, '--shard-folder', into]
    const options = { cwd: fleet.folder, ports: plantedPorts }
    const { stdout } = await runCli(['render', ...shard, '--threads', '0', ...words, '-q', '-o', 'json'], options)
    said.push(stdout)
  }
  return said
}

describe('a fleet that is joined is the one that is rendered', () => {
  test('in every file, finding, step and status', { timeout: 600_000 }, async () => {
    const fleets = fc.record({
      tool: fc.constantFrom('flux' as const, 'argocd' as const, undefined),
      clusters: fc.oneof(
        fc.array(fc.constantFrom(...soundFates), { minLength: 1, maxLength: 8 }),
        fc.array(fc.constantFrom(...Object.keys(fates)), { minLength: 1, maxLength: 8 }),
      ),
    })
    const withheld: unknown[] = []
    await fc.assert(
      fc.asyncProperty(fleets, async ({ tool, clusters }) => {
        const fleet = await fleetOf(tool, clusters)
        const plain = await outcomeOf(fleet, [])
        if (fleet.has('rendered')) fleet.remove('rendered')
        for (const of of [1, 2, 3, 4, 5]) {
          const into = join(await tempFolder(), 'shards')
          for (const said of await renderShards(fleet, { of, into })) withheld.push(JSON.parse(said).shard.withheld)
          expect(await outcomeOf(fleet, ['--join', into])).toEqual(plain)
          if (fleet.has('rendered')) fleet.remove('rendered')
          rmSync(into, { recursive: true })
        }
      }),
      { numRuns: 5, seed: 15 },
    )
    expect(new Set(withheld)).toEqual(new Set([0]))
  })
})

describe('shards that are processes of their own, all at once', { timeout: 240_000 }, () => {
  const shared = sharedFolder()
  const run = async (fleet: FleetFolder, words: readonly string[]): Promise<Outcome['told']> => {
    const program = await builtProgram()
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: fleet.folder,
      STACKMASON_CACHE: fleet.path('../cache'),
      CI: 'true',
    }
    return new Promise((resolve) => {
      execFile(process.execPath, [program, 'render', ...words], { cwd: fleet.folder, env }, (error, stdout, stderr) => {
        resolve([error?.code ?? 0, stdout.replace(/"milliseconds": \d+/, ''), stderr])
      })
    })
  }
  const expectJoined = async (fleet: FleetFolder, of: number): Promise<Outcome['told']> => {
    const words = ['--no-cache', '-q', '-o', 'json']
    const trees = ['plain', 'joined'].map((name) => fleet.path(`../${name}`))
    const keep = (tree = ''): void => {
      if (fleet.has('rendered')) renameSync(fleet.path('rendered'), tree)
    }
    const plain = await run(fleet, words)
    keep(trees[0])
    const into = fleet.path('../shards')
    const indexes = Array.from({ length: of }, (_, index) => `${String(index + 1)}/${String(of)}`)
    const shards = await Promise.all(
      indexes.map((shard) => run(fleet, ['--shard', shard, '--shard-folder', into, '-q'])),
    )
    expect(shards).toEqual(indexes.map(() => [0, '', '']))
    expect(await run(fleet, ['--join', into, ...words])).toEqual(plain)
    keep(trees[1])
    const [before, after] = trees.map((tree) => new FleetFolder(tree))
    expect(after?.filesBelow('.')).toEqual(before?.filesBelow('.'))
    for (const path of before?.filesBelow('.') ?? []) expect(after?.read(path)).toBe(before?.read(path))
    return plain
  }

  test.each(['flux', 'argocd'] as const)('come to what one run comes to, with %s', async (tool) => {
    const root = await tempFolder()
    for (const [name, clusters] of Object.entries({
      sound: soundFates,
      // what is broken is broken before it is handed over
      ...(tool === 'flux' && { broken: ['sound', 'patched in vain', 'with a patch of nothing'] }),
    })) {
      const fleet = new FleetFolder(join(root, name, 'fleet'))
      fleet.copy((await fleetOf(tool, clusters)).folder, '.')
      const [status] = await expectJoined(fleet, 3)
      expect(status).toBe(name === 'sound' ? 0 : 1)
    }
  })

  test.runIf(shared !== undefined)('come to what one run comes to, of a real stack', async () => {
    const fleet = new FleetFolder(join(await tempFolder(), 'fleet'))
    makeFleet(fleet.folder, {
      providerDirectory: join(shared ?? '', 'cluster-stacks/providers/openstack/scs'),
      provider: 'openstack',
      stack: 'scs',
      kubernetesVersion: 'v1.32.5',
      clusters: 7,
    })
    fleet.edit('stackmason.yaml', 'spec:\n', `spec:\n  handoff: {${handoffs.flux}}\n`)
    const [status] = await expectJoined(fleet, 3)
    expect(status).toBe(0)
    expect(fleet.filesBelow('../joined').length).toBeGreaterThan(400)
  })

  if (shared === undefined) console.warn('shards.test.ts: no shared data, no shards of openstack/scs are rendered')
})

/** A committed fleet of three clusters, and its two shards. */
interface Rendered {
  readonly fleet: FleetFolder
  /** The folder of shards. */
  readonly shards: FleetFolder
  readonly join: (...words: readonly string[]) => Promise<{ readonly status: number; readonly stderr: string }>
}

async function twoShards(...words: readonly string[]): Promise<Rendered> {
  const made = (prepared[words.join(' ')] ??= prepareShards(words))
  const { fleet: preparedFleet, shards: preparedShards } = await made
  const folder = await tempFolder()
  const [fleet, shards] = ['fleet', 'shards'].map((name) => new FleetFolder(join(folder, name))) as [
    FleetFolder,
    FleetFolder,
  ]
  fleet.copy(preparedFleet, '.')
  shards.copy(preparedShards, '.')
  const run = async (...more: readonly string[]): ReturnType<Rendered['join']> => {
    const { status, stderr } = await runCli(['render', '--join', shards.folder, '-q', ...more], { cwd: fleet.folder })
    return { status, stderr: stderr.replaceAll(shards.folder, 'SHARDS') }
  }
  return { fleet, shards, join: run }
}

/** The fleet and its shards as they are first, by the words that they are rendered with: each test works on a copy. */
const prepared: Record<string, Promise<{ readonly fleet: string; readonly shards: string }>> = {}
const preparedFolder = tempFolderForFile()

async function prepareShards(words: readonly string[]): Promise<{ readonly fleet: string; readonly shards: string }> {
  const folder = join(preparedFolder, String(Object.keys(prepared).length))
  const fleet = new FleetFolder(join(folder, 'fleet'))
  fleet.copy((await fleetOf('flux', ['sound', 'with values'])).folder, '.')
  fleet.commit()
  const shards = join(folder, 'shards')
  await renderShards(fleet, { of: 2, into: shards, words })
  return { fleet: fleet.folder, shards }
}

const one = 'shard-1-of-2'
const two = 'shard-2-of-2'
const part = `${one}/clusters-0001.bin`
const record = (shard: string): string => `${shard}/shard.json`

interface WrittenRecord {
  readonly parts: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Changes a record, and gives it the hash of what it is then, as one who means it. */
function forge(shards: FleetFolder, shard: string, change: (record: WrittenRecord) => object): void {
  const { sha256: _before, ...written } = JSON.parse(shards.read(record(shard)))
  const changed = change(written)
  shards.write(record(shard), JSON.stringify({ ...changed, sha256: hashOf(JSON.stringify(changed)) }))
}

/** Changes the text of a part, and all hashes that tell of it. */
function forgePart(shards: FleetFolder, change: (text: string) => string): void {
  const before = readFileSync(shards.path(part))
  const start = before.indexOf(0x0a) + 1
  const end = start + Number(before.subarray(0, start - 1).toString())
  const original = before.subarray(start, end).toString()
  const text = Buffer.from(change(original))
  expect(text.toString()).not.toBe(original)
  const after = Buffer.concat([Buffer.from(`${String(text.length)}\n`), text, before.subarray(end)])
  shards.write(part, after)
  const told = { size: after.length, sha256: hashOf(after) }
  forge(shards, one, ({ parts, ...rest }) => ({ ...rest, parts: parts.map((each) => ({ ...each, ...told })) }))
}

const cases: readonly {
  readonly name: string
  readonly plant: (rendered: Rendered) => Promise<void> | void
  readonly said: string
}[] = [
  {
    name: 'that is not there',
    plant: ({ shards }) => shards.remove(two),
    said: 'SHARD_MISSING SHARDS: this shard is missing: 2/2',
  },
  {
    name: 'in no folder',
    plant: ({ shards }) => shards.remove('.'),
    said: 'SHARD_MISSING SHARDS: there is no shard in this folder',
  },
  {
    name: 'without a record, as one that was killed leaves it',
    plant: ({ shards }) => shards.remove(record(two)),
    said: 'SHARD_MISSING SHARDS: this shard is missing: 2/2',
  },
  {
    name: 'that is there twice',
    plant: ({ shards }) => shards.copy(shards.path(one), 'again/one'),
    said: 'SHARD_MISMATCHED SHARDS/shard-1-of-2/shard.json: shard 1/2 is there twice, here and in SHARDS/again/one',
  },
  {
    name: 'of another number',
    plant: async ({ fleet, shards }) => {
      await renderShards(fleet, { of: 3, into: shards.folder })
      for (const extra of ['shard-1-of-3', 'shard-2-of-3', one]) shards.remove(extra)
    },
    said: 'SHARD_MISMATCHED SHARDS/shard-3-of-3/shard.json: this is shard 3/3, and there is one of 2',
  },
  {
    name: 'of another commit',
    plant: ({ fleet }) => {
      fleet.write('clusters/team-a/web/values/dns-cache.yaml', 'clusterDomain: other.example\n')
      fleet.commit()
    },
    said: 'SHARD_MISMATCHED SHARDS/shard-1-of-2/shard.json: shard 1/2 was rendered from other files of the fleet, or at another path',
  },
  {
    name: 'of a commit before, among those of this one',
    plant: async ({ fleet, shards }) => {
      renameSync(shards.path(two), shards.path('kept'))
      fleet.write('clusters/team-a/ca/values/dns-cache.yaml', 'clusterDomain: other.example\n')
      fleet.commit()
      await renderShards(fleet, { of: 2, into: shards.folder })
      shards.remove(two)
    },
    said: 'SHARD_MISMATCHED SHARDS/kept/shard.json: shard 2/2 was rendered from other files of the fleet, or at another path',
  },
  {
    name: 'of another release',
    plant: ({ fleet }) => {
      const file = 'providers/docker/demo/cluster-addon/dns-cache/values.yaml'
      fleet.write(file, `${fleet.read(file)}# other\n`)
    },
    said: 'SHARD_MISMATCHED SHARDS/shard-1-of-2/shard.json: shard 1/2 was rendered from other releases, or another lock',
  },
  {
    name: 'of another committed tree',
    plant: async ({ fleet }) => {
      await runCli(['render', '-q'], { cwd: fleet.folder })
      fleet.commit()
      fleet.remove('rendered')
    },
    said: 'SHARD_MISMATCHED SHARDS/shard-1-of-2/shard.json: shard 1/2 was rendered from another committed tree',
  },
  {
    name: 'of another version of the program',
    plant: ({ shards }) => forge(shards, two, (written) => ({ ...written, program: '0.0.9' })),
    said: 'SHARD_MISMATCHED SHARDS/shard-2-of-2/shard.json: shard 2/2 was rendered by another version of stackmason',
  },
  {
    name: 'of another fleet',
    plant: ({ shards }) => forge(shards, two, (written) => ({ ...written, fleet: 'other' })),
    said: 'SHARD_MISMATCHED SHARDS/shard-2-of-2/shard.json: shard 2/2 is of another fleet',
  },
  {
    name: 'of another form',
    plant: ({ shards }) => forge(shards, two, (written) => ({ ...written, apiVersion: 'stackmason.dev/v2' })),
    said: 'SHARD_MISMATCHED SHARDS/shard-2-of-2/shard.json: the shard is of the form "stackmason.dev/v2", which this program does not know',
  },
  {
    name: 'whose record was changed',
    plant: ({ shards }) => shards.edit(record(one), '"of": 2', '"of": 1'),
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2/shard.json: the record of this shard is damaged, or was changed',
  },
  {
    name: 'whose record is no JSON',
    plant: ({ shards }) => shards.write(record(one), '{'),
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2/shard.json: the record of this shard is damaged, or was changed',
  },
  ...[
    { name: 'a number that is too large', field: 'shard', value: { index: 1, of: 2 ** 31 } },
    { name: 'a number that is none', field: 'shard', value: { index: 1.5, of: 2 } },
    { name: 'a field that nobody knows', field: '__proto__', value: { polluted: true } },
    {
      name: 'a part somewhere else',
      field: 'parts',
      value: [{ file: '../shard-2-of-2/clusters-0001.bin', size: 1, sha256: '0'.repeat(64), units: [] }],
    },
    {
      name: 'a part of a size that no file has',
      field: 'parts',
      value: [{ file: 'clusters-0001.bin', size: 1e300, sha256: '0'.repeat(64), units: [] }],
    },
  ].map(({ name, field, value }) => ({
    name: `with ${name}`,
    plant: ({ shards }: Rendered): void =>
      forge(shards, one, (written) => Object.defineProperty({ ...written }, field, { value, enumerable: true })),
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2/shard.json: the record of this shard is damaged, or was changed',
  })),
  {
    name: 'whose record is a link',
    plant: ({ shards }) => {
      renameSync(shards.path(record(one)), shards.path('elsewhere'))
      symlinkSync(shards.path('elsewhere'), shards.path(record(one)))
    },
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2/shard.json: the record of this shard is damaged, or was changed',
  },
  ...[
    {
      name: 'of which a byte is another',
      plant: ({ shards }: Rendered): void =>
        shards.write(part, Buffer.concat([readFileSync(shards.path(part)), Buffer.from('x')])),
    },
    {
      name: 'of which a letter is another',
      plant: ({ shards }: Rendered): void => {
        const bytes = readFileSync(shards.path(part))
        bytes.write('Looked for', bytes.indexOf('looked for'))
        shards.write(part, bytes)
      },
    },
    { name: 'that is not there', plant: ({ shards }: Rendered): void => shards.remove(part) },
    {
      name: 'that is a link',
      plant: ({ shards }: Rendered): void => {
        renameSync(shards.path(part), shards.path('elsewhere'))
        symlinkSync(shards.path('elsewhere'), shards.path(part))
      },
    },
    ...[
      {
        name: 'with a file outside of its folder',
        from: '"text","kustomization.yaml"',
        to: '"text","../kustomization.yaml"',
      },
      {
        name: 'with another hash of a file',
        from: /"hashes","list","interface \{\}",(\d+),"text","[0-9a-f]{64}"/,
        to: `"hashes","list","interface {}",$1,"text","${'0'.repeat(64)}"`,
      },
      { name: 'with a severity that is none', from: '"severity","text","warning"', to: '"severity","text","fatal"' },
      { name: 'with a code that is none', from: '"text","API_VERSION_UNDECLARED"', to: '"text","NOPE"' },
      { name: 'with a number below zero', from: '"objects","number","1"', to: '"objects","number","-1"' },
      {
        name: 'with a field of another type',
        from: '"path","text","clusters',
        to: '"path","is",null,"path","text","clusters',
      },
      { name: 'with a prototype', from: '"kind","text","rendered"', to: '"__proto__","text","rendered"' },
      {
        name: 'with a list that holds what it is in',
        from: /("leaving","object",3,"objects","list","interface \{\}",\d+),"text","[^"]*"/,
        to: '$1,"again",0',
      },
      { name: 'that is no text of ours', from: /^\[/, to: '[[' },
      {
        name: 'with lists in lists without end',
        from: /^.*$/s,
        to: `[${'"list","interface {}",1,'.repeat(100_000)}"undefined"]`,
      },
    ].map(({ name, from, to }) => ({
      name,
      plant: ({ shards }: Rendered): void => forgePart(shards, (text) => text.replace(from, to)),
    })),
  ].map(({ name, plant }) => ({
    name: `with a part ${name}`,
    plant,
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2/clusters-0001.bin: this part of a shard is damaged, or was changed',
  })),
  ...[
    'clusters/team-a/other/cluster',
    'stacks/platform/docker-demo-1-34-v3',
    'clusters/team-a/ca/../web/cluster',
    'handoff/team-a/web',
    '.stackmason',
  ].map((folder) => ({
    name: `with files of ${folder}`,
    plant: ({ shards }: Rendered): void =>
      forgePart(shards, (text) => text.replaceAll('"clusters/team-a/ca/cluster"', JSON.stringify(folder))),
    said: 'SHARD_DAMAGED SHARDS/shard-1-of-2: what this shard holds of team-a/ca lies outside of its folders',
  })),
]

describe('a join refuses a shard', { timeout: 60_000 }, () => {
  test.each(cases)('$name', async ({ plant, said }) => {
    const rendered = await twoShards()
    await plant(rendered)
    const { status, stderr } = await rendered.join()
    expect([status, stderr.split('\n').filter((line) => line.startsWith('error '))]).toEqual([
      2,
      expect.arrayContaining([`error ${said}`]),
    ])
    expect(existsSync(rendered.fleet.path('rendered'))).toBe(false)
  })
})

describe('shards', { timeout: 60_000 }, () => {
  test('are found wherever an archive puts them, and joined in another checkout with another cache', async () => {
    const { fleet, shards } = await twoShards()
    const plain = await outcomeOf(fleet, [])
    shards.copy(shards.path(one), 'first/download/one')
    const other = new FleetFolder(join(await tempFolder(), 'elsewhere'))
    fleet.remove('rendered')
    other.copy(fleet.folder, '.')
    const folders = ['--join', shards.path('first'), '--join', shards.path(two)]
    expect(await outcomeOf(other, folders)).toEqual(plain)
  })

  test('of a check are joined by a check, and by nothing else', async () => {
    const { fleet, shards, join: joined } = await twoShards()
    expect((await joined()).status).toBe(0)
    fleet.commit()
    fleet.edit('rendered/clusters/team-a/ca/cluster/cluster-ca.yaml', 'namespace: team-a', 'namespace: team-b')
    const words = ['--check']
    const plain = await outcomeOf(fleet, words)
    expect(plain.told[0]).toBe(1)
    await renderShards(fleet, { of: 2, into: shards.folder, words })
    expect(await outcomeOf(fleet, ['--check', '--join', shards.folder])).toEqual(plain)
    expect((await joined()).stderr).toContain(
      'SHARD_MISMATCHED SHARDS/shard-1-of-2/shard.json: shard 1/2 was rendered with --check, and this run is without it',
    )
  })

  test('take the place of what an earlier run has left, and of nothing else', async () => {
    const { fleet, shards, join: joined } = await twoShards()
    shards.write(`${one}/clusters-0002.bin`, 'old')
    await renderShards(fleet, { of: 2, into: shards.folder })
    expect(shards.entries(one)).toEqual(['clusters-0001.bin', 'shard.json'])
    expect((await joined()).status).toBe(0)
    shards.write(`${one}/mine`, 'mine')
    const [said = ''] = await renderShards(fleet, { of: 2, into: shards.folder })
    expect(JSON.parse(said).findings).toMatchObject([{ code: 'WRITE_NOT_OWNED', file: shards.path(`${one}/mine`) }])
    expect(shards.read(`${one}/mine`)).toBe('mine')
  })

  test('are told to people and programs', async () => {
    const fleet = await fleetOf(undefined, ['sound', 'patched in vain'])
    const into = new FleetFolder(join(await tempFolder(), 'shards'))
    const words = ['render', '--shard', '2/2', '--shard-folder', into.folder, '-q']
    const schema = compileSchema(parseGoJson(readFileSync(join(packageFolder, 'schemas/render-report.json'), 'utf8')))
    const { status, stdout } = await runCli([...words, '-o', 'json'], { cwd: fleet.folder })
    expect(status).toBe(0)
    expect(schema.validate(parseGoJson(stdout))).toEqual([])
    const { shard } = JSON.parse(stdout)
    expect(shard).toMatchObject({ index: 2, of: 2, clusters: 1, failed: 1, withheld: 0 })
    const told = await runCli(words.slice(0, -1), { cwd: fleet.folder })
    expect(told.stdout.replaceAll(into.folder, 'SHARDS').replace(/in [\d.]+ s/, 'in 1.0 s')).toBe(
      'Rendered shard 2/2: 1 cluster, 3 charts into SHARDS/shard-2-of-2, in 1.0 s.\n' +
        '  1 cluster has errors, which the join tells.\n' +
        '  When all 2 are there: stackmason render --join FOLDER\n',
    )
    expect(fleet.has('rendered')).toBe(false)
  })

  test('are the same bytes for the same inputs', async () => {
    const { fleet, shards } = await twoShards()
    const again = new FleetFolder(join(await tempFolder(), 'again'))
    // of the same checkout: charts are known by where they lie
    shards.remove('.')
    for (const { folder: into } of [shards, again]) await renderShards(fleet, { of: 2, into })
    for (const file of shards.filesBelow('.'))
      expect(readFileSync(again.path(file))).toEqual(readFileSync(shards.path(file)))
  })

  test('never touch files that people have edited', async () => {
    const { fleet, shards, join: joined } = await twoShards()
    expect((await joined()).status).toBe(0)
    fleet.commit()
    await renderShards(fleet, { of: 2, into: shards.folder })
    const file = 'rendered/clusters/team-a/ca/cluster/cluster-ca.yaml'
    const edited = `${fleet.read(file)}# mine\n`
    fleet.write(file, edited)
    const { status, stderr } = await joined()
    expect([status, stderr]).toEqual([1, expect.stringContaining(`WRITE_HAND_EDITED ${file}`)])
    expect(fleet.read(file)).toBe(edited)
    expect(shards.entries(one)).toEqual(['clusters-0001.bin', 'shard.json'])
  })

  test('hold no text of the files of the fleet that findings are about', async () => {
    const { fleet, shards, join: joined } = await twoShards()
    const patch = 'clusters/team-a/ca/patches/p.yaml'
    fleet.write(
      patch,
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec: # of mine\n  target: {kind: Cluster}\n  jsonPatch: [{op: remove, path: /spec/none}]\n',
    )
    const plain = await outcomeOf(fleet, [])
    expect(plain.told).toEqual([1, expect.stringContaining('PATCH_FAILED'), ''])
    await renderShards(fleet, { of: 2, into: shards.folder })
    const text = readFileSync(shards.path(part)).toString('latin1')
    expect(text).toContain(patch)
    expect(text).not.toContain('of mine')
    expect(text).not.toContain(fleet.folder)
    expect(await outcomeOf(fleet, ['--join', shards.folder])).toEqual(plain)
    // nor are they shown by another name, as what holds no values
    forgePart(shards, (written) => written.replaceAll(`fleet/${patch}"`, 'fleet/clusters/team-a/ca/cluster.yaml"'))
    expect((await joined()).stderr).toContain('SHARD_DAMAGED')
  })

  test.each([
    {
      words: ['--shard', '0/2', '--shard-folder', 'x'],
      said: 'option --shard takes the number of a shard and how many there are',
    },
    { words: ['--shard', '3/2', '--shard-folder', 'x'], said: 'option --shard takes' },
    { words: ['--shard', '1/9999', '--shard-folder', 'x'], said: 'option --shard takes' },
    { words: ['--shard', '1/2'], said: '--shard needs --shard-folder: where the shard goes' },
    { words: ['--shard-folder', 'x'], said: '--shard-folder goes with --shard' },
    { words: ['--shard', '1/2', '--shard-folder', 'x', '--join', 'x'], said: '--shard and --join are two runs' },
    {
      words: ['--shard', '1/2', '--shard-folder', 'x', '--cluster', 'web'],
      said: '--shard does not go with --cluster: a shard is one of a whole fleet',
    },
    {
      words: ['--shard', '1/2', '--shard-folder', 'x', '--allow-empty'],
      said: '--shard does not go with --allow-empty: give it to the join, which writes the tree',
    },
    {
      words: ['--join', 'x', '--stack', 'docker'],
      said: '--join does not go with --stack: shards are of a whole fleet',
    },
    { words: ['--join', 'x', '--runtime-values', 'y'], said: '--join does not go with --runtime-values' },
    { words: ['--join', 'x', '--threads', '2'], said: '--join does not go with --threads: a join renders no clusters' },
    { words: ['--shard', '1/2', '--shard-folder', 'rendered/x'], said: 'a shard is no part of the tree' },
  ])('$words is refused', async ({ words, said }) => {
    const fleet = await fleetOf(undefined, [])
    const { status, stderr } = await runCli(['render', ...words], { cwd: fleet.folder })
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
    expect(fleet.entries('x')).toEqual([])
  })
})
