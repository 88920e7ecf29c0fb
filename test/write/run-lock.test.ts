import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { FileError, type Ports, type ProcessIdentity } from '../../src/model/ports.ts'
import { createNodeProcess } from '../../src/system/node-process.ts'
import { checkTree, writeTree } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ports, putFiles, readAll, treeOf, writeOptions } from './trees.ts'

const FOLDER = 'clusters/ns/c/addons/01-a'
const OLD = treeOf({ [FOLDER]: { value: '1' } })
const NEW = treeOf({ [FOLDER]: { value: '2' } })
const LOCK = '.stackmason/lock.json'
const SIGN = '.stackmason/lock.socket'

/** What outlives a run in the control folder. */
const RECORD = ['.stackmason/.gitignore', '.stackmason/written.sha256']

async function ownFiles(output: string): Promise<readonly string[]> {
  return Object.keys(await readAll(output)).filter((path) => path.startsWith('.stackmason/'))
}

const own = ports.process.identity()
const inContainer: ProcessIdentity = { ...own, process: 1, host: 'job-17', namespace: '4026532999' }
const runsOnLinux = process.platform === 'linux'

const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
})

/** A process that runs until the test ends. */
async function start(command: string, args: readonly string[], cwd?: string): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(child)
  await once(child, 'spawn')
  return child
}

async function identityOf(id: number | undefined): Promise<ProcessIdentity> {
  const stat = runsOnLinux ? await readFile(`/proc/${String(id)}/stat`, 'latin1') : ''
  const at = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return { ...own, process: id ?? 0, ...(at === undefined ? {} : { started: at }) }
}

async function running(): Promise<ProcessIdentity> {
  const child = await start('sleep', ['60'])
  return identityOf(child.pid)
}

async function killed(): Promise<ProcessIdentity> {
  const child = await start('sleep', ['60'])
  const identity = await identityOf(child.pid)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return identity
}

/** A process that has ended, and that its parent never asks for. */
async function zombie(): Promise<ProcessIdentity> {
  const parent = await start('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'])
  const [line]: unknown[] = parent.stdout === null ? [] : await once(parent.stdout, 'data')
  const identity = await identityOf(Number(String(line)))
  for (let tries = 0; tries < 500; tries++) {
    if (/\) Z /.test(await readFile(`/proc/${String(identity.process)}/stat`, 'latin1'))) return identity
    await setTimeout(10)
  }
  throw new Error('it never ended')
}

/** Another container on this machine, seen through its sign. */
async function elsewhere(output: string, how: 'runs' | 'was killed'): Promise<ProcessIdentity> {
  const script = `require('net').createServer().listen('lock.socket', () => console.log('up'))`
  const child = await start(process.execPath, ['-e', script], join(output, '.stackmason'))
  if (child.stdout !== null) await once(child.stdout, 'data')
  if (how === 'was killed') {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return inContainer
}

type Holder = (output: string) => Promise<ProcessIdentity | string>

const textOf = (holder: ProcessIdentity | string): string =>
  typeof holder === 'string' ? holder : `${JSON.stringify(holder)}\n`

const RUNS = (id: string, host: string): string => `Another run (process ${id} on ${host}) is writing to this folder`
const UNKNOWN = (who: string): string =>
  `The folder is locked by ${who}, and nothing here tells whether that still runs: it belongs to another machine, an earlier start of this one, or another container`

interface LockCase {
  readonly holder: Holder
  /** What the next run says of it; it takes the lock over when nothing stands here. */
  readonly says?: (holder: string) => string
  /** What only Linux tells. */
  readonly linux?: true
}

const BEFORE = '0d0be3ef-0000-4000-8000-000000000000'
const FOREIGN = 'a run that this version cannot name'

const ended: Readonly<Record<string, LockCase>> = {
  'a process that was killed': { holder: killed },
  'a zombie': { holder: zombie, linux: true },
  'a process whose number another one has by now': {
    holder: async () => ({ ...(await running()), started: '1' }),
    linux: true,
  },
  'an earlier process of this number': { holder: () => Promise.resolve({ ...own, started: '1' }), linux: true },
  'a container that was killed': { holder: (output) => elsewhere(output, 'was killed'), linux: true },
}

const held: Readonly<Record<string, LockCase>> = {
  'a process that runs': { holder: running, says: (id) => RUNS(id, hostname()) },
  'this process, in another run': { holder: () => Promise.resolve(own), says: (id) => RUNS(id, hostname()) },
  'a container that runs': {
    holder: (output) => elsewhere(output, 'runs'),
    says: (id) => RUNS(id, 'job-17'),
    linux: true,
  },
  'a container without a sign': {
    holder: () => Promise.resolve(inContainer),
    says: (id) => UNKNOWN(`process ${id} on job-17`),
    linux: true,
  },
  'a container with something else for its sign': {
    holder: async (output) => {
      await putFiles(output, { [SIGN]: '' })
      return inContainer
    },
    says: (id) => UNKNOWN(`process ${id} on job-17`),
    linux: true,
  },
  'another machine': {
    holder: () => Promise.resolve({ ...own, host: 'ci-2', boot: BEFORE }),
    says: (id) => UNKNOWN(`process ${id} on ci-2`),
  },
  'an earlier start of this machine': {
    holder: () => Promise.resolve({ ...own, boot: BEFORE }),
    says: (id) => UNKNOWN(`process ${id} on ${hostname()}`),
  },
  'a machine that tells nothing': {
    holder: () => Promise.resolve({ process: 4_000_000, host: 'ci-2' }),
    says: (id) => UNKNOWN(`process ${id} on ci-2`),
  },
  'an older version': { holder: () => Promise.resolve('{"process":4000000}\n'), says: () => UNKNOWN(FOREIGN) },
  'a host with line breaks in its name': {
    holder: () => Promise.resolve({ ...own, host: 'a\nb' }),
    says: () => UNKNOWN(FOREIGN),
  },
  'nobody that it names': { holder: () => Promise.resolve(''), says: () => UNKNOWN(FOREIGN) },
  'a text that breaks off': { holder: () => Promise.resolve('{"proc'), says: () => UNKNOWN(FOREIGN) },
  'text that is no JSON': { holder: () => Promise.resolve('garbage'), says: () => UNKNOWN(FOREIGN) },
  'a newer version': { holder: () => Promise.resolve('{"version":2,"run":"x"}'), says: () => UNKNOWN(FOREIGN) },
  'somebody who ends no line': {
    holder: () => Promise.resolve('{"process":1,"host":"other"}'),
    says: () => UNKNOWN('process 1 on other'),
  },
  'somebody who wrote something else': { holder: () => Promise.resolve('mine\n'), says: () => UNKNOWN(FOREIGN) },
}

/** The cases that this system can show. */
function here(cases: Readonly<Record<string, LockCase>>): [string, LockCase][] {
  return Object.entries(cases).filter(([, { linux }]) => runsOnLinux || linux !== true)
}

describe('a lock', () => {
  test.each(here(ended))('of %s is taken over', async (_, { holder }) => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    await writeFile(join(output, LOCK), textOf(await holder(output)))
    expect((await writeTree(NEW, writeOptions(output), ports)).changes).toHaveLength(1)
    expect(await ownFiles(output)).toEqual(RECORD)
  })

  test.each(here(held))('of %s is kept', async (_, { holder, says }) => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    const left = await holder(output)
    await writeFile(join(output, LOCK), textOf(left))
    const message = says?.(typeof left === 'string' ? '' : String(left.process))
    const refused = { code: 'WRITE_BUSY', message, file: join(output, LOCK) }
    const before = await readFile(join(output, FOLDER, 'configmap-value.yaml'), 'utf8')
    expect(await diagnosticsOf(writeTree(NEW, writeOptions(output), ports))).toMatchObject([refused])
    expect(await readFile(join(output, FOLDER, 'configmap-value.yaml'), 'utf8')).toBe(before)
    expect(await readFile(join(output, LOCK), 'utf8')).toBe(textOf(left))
    // a check says it only when something is half-written
    expect((await checkTree(OLD, writeOptions(output), ports)).changes).toEqual([])
    await putFiles(output, { '.stackmason/staging/new-0': 'x' })
    expect(await diagnosticsOf(checkTree(OLD, writeOptions(output), ports))).toMatchObject([refused])
  })
})

describe.runIf(runsOnLinux)('a lock where /proc', () => {
  test('cannot be read: nothing is known, so nothing is taken over', async () => {
    const blind: Ports = { ...ports, process: createNodeProcess('/nonexistent') }
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), blind)
    for (const holder of [await killed(), { process: (await killed()).process, host: hostname() }]) {
      await writeFile(join(output, LOCK), textOf(holder))
      expect(await diagnosticsOf(writeTree(NEW, writeOptions(output), blind))).toMatchObject([
        { code: 'WRITE_BUSY', message: UNKNOWN(`process ${String(holder.process)} on ${hostname()}`) },
      ])
    }
  })

  test('shows own processes only: what takes signals runs, whatever its start', async () => {
    const proc = await tempFolder()
    for (const name of ['self', 'sys', String(process.pid)]) await symlink(`/proc/${name}`, join(proc, name))
    const narrow: Ports = { ...ports, process: createNodeProcess(proc) }
    const output = await tempFolder()
    await mkdir(join(output, '.stackmason'))
    await writeFile(join(output, LOCK), textOf(await running()))
    expect((await diagnosticsOf(writeTree(NEW, writeOptions(output), narrow)))[0]?.code).toBe('WRITE_BUSY')
    await writeFile(join(output, LOCK), textOf(await killed()))
    expect((await writeTree(NEW, writeOptions(output), narrow)).changes.length).toBeGreaterThan(0)
  })
})

describe('a run', () => {
  test.runIf(runsOnLinux)(
    'gives a sign of life while it writes, also below a long path, and takes it away',
    async () => {
      const output = join(await tempFolder(), 'x'.repeat(120))
      const seen: string[] = []
      const watched: Ports = {
        ...ports,
        files: {
          ...ports.files,
          rename: async (from, to) => {
            seen.push(await ports.process.stateOf({ ...own, namespace: 'other' }, join(output, SIGN)))
            await ports.files.rename(from, to)
          },
        },
      }
      await writeTree(OLD, writeOptions(output), watched)
      expect(new Set(seen)).toEqual(new Set(['running']))
      expect(await ownFiles(output)).toEqual(RECORD)
    },
  )

  test('writes where no socket can be made', async () => {
    const output = await tempFolder()
    const mute: Ports = { ...ports, process: { ...ports.process, giveSign: () => Promise.resolve(undefined) } }
    expect((await writeTree(OLD, writeOptions(output), mute)).changes.length).toBeGreaterThan(0)
  })

  test('stops before it decides anything when its lock was taken over', async () => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    const other = { ...own, process: 4_000_000 }
    const robbed: Ports = {
      ...ports,
      files: {
        ...ports.files,
        write: async (path, bytes) => {
          await ports.files.write(path, bytes)
          await writeFile(join(output, LOCK), textOf(other))
        },
      },
    }
    const before = await readFile(join(output, FOLDER, 'configmap-value.yaml'), 'utf8')
    expect(await diagnosticsOf(writeTree(NEW, writeOptions(output), robbed))).toMatchObject([
      { code: 'WRITE_BUSY', message: RUNS('4000000', hostname()) },
    ])
    expect(await readFile(join(output, FOLDER, 'configmap-value.yaml'), 'utf8')).toBe(before)
    expect(await readFile(join(output, LOCK), 'utf8')).toBe(textOf(other))
  })

  test.each(['a folder', 'a pipe'])('takes %s in the place of the lock for one that it cannot name', async (what) => {
    const output = await tempFolder()
    await writeTree(OLD, writeOptions(output), ports)
    if (what === 'a folder') await mkdir(join(output, LOCK))
    else execFileSync('sh', ['-c', 'mkfifo "$0"', join(output, LOCK)])
    const refused = { code: 'WRITE_BUSY', message: UNKNOWN(FOREIGN), file: join(output, LOCK) }
    expect(await diagnosticsOf(writeTree(NEW, writeOptions(output), ports))).toMatchObject([refused])
  })

  test('is kept out of git from its first step on, and leaves nothing where it wrote nothing', async () => {
    const output = join(await tempFolder(), 'rendered')
    const seen: unknown[] = []
    const watched: Ports = {
      ...ports,
      files: {
        ...ports.files,
        write: async (path, bytes) => {
          seen.push(await readFile(join(output, '.stackmason/.gitignore'), 'utf8').catch(() => 'missing'))
          await ports.files.write(path, bytes)
          throw new FileError('no-space', path)
        },
      },
    }
    expect((await diagnosticsOf(writeTree(OLD, writeOptions(output), watched)))[0]?.code).toBe('WRITE_FAILED')
    expect(new Set(seen)).toEqual(new Set(['*\n']))
    expect(await readdir(dirname(output))).toEqual([])
  })

  test('removes the draft of a lock that a killed run left', async () => {
    const output = await tempFolder()
    await putFiles(output, { [`${LOCK}.0d0be3ef`]: '{"proc' })
    await writeTree(OLD, writeOptions(output), ports)
    expect(await ownFiles(output)).toEqual(RECORD)
  })

  test('gives up on a lock that comes back again and again', async () => {
    const output = await tempFolder()
    await mkdir(join(output, '.stackmason'))
    const contested: Ports = { ...ports, files: { ...ports.files, createExclusive: () => Promise.resolve(false) } }
    expect((await diagnosticsOf(writeTree(NEW, writeOptions(output), contested)))[0]?.message).toBe(
      'Another run is writing to this folder',
    )
  })
})
