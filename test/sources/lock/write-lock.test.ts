import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FileError } from '../../../src/model/ports.ts'
import { formatLock } from '../../../src/sources/lock/format-lock.ts'
import { parseLock } from '../../../src/sources/lock/parse-lock.ts'
import { writeLock } from '../../../src/sources/lock/write-lock.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { bundled } from '../../../tools/bundled.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { lockedRelease, lockOf } from './locks.ts'

const ports = createNodePorts()
const first = lockOf([lockedRelease('a-b-1-34-v1')])
const second = lockOf([lockedRelease('a-b-1-34-v1'), lockedRelease('a-b-1-34-v2')])
const NAME = 'stackmason.lock'

describe('writeLock', () => {
  it('writes the file, and only when something changed', async () => {
    const folder = await tempFolder()
    const file = join(folder, NAME)
    expect(await writeLock(file, first, ports)).toBe('written')
    expect(await readFile(file, 'utf8')).toBe(formatLock(first))
    await utimes(file, 1000, 1000)
    expect(await writeLock(file, lockOf(first.releases.toReversed()), ports)).toBe('unchanged')
    expect((await stat(file)).mtimeMs).toBe(1_000_000)
    expect(await writeLock(file, second, ports)).toBe('written')
    expect(await readFile(file, 'utf8')).toBe(formatLock(second))
    expect(await readdir(folder)).toEqual([NAME])
  })

  it('writes anew what a merge has left out of order', async () => {
    const file = join(await tempFolder(), NAME)
    const text = formatLock(second)
    const [head = '', ...blocks] = text.split(/(?= {2}- name)/)
    await writeFile(file, head + blocks.toReversed().join(''))
    expect(await writeLock(file, second, ports)).toBe('written')
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('leaves what is there when something else is in its place', async () => {
    const folder = await tempFolder()
    const file = join(folder, NAME)
    await writeLock(file, first, ports)
    await mkdir(join(folder, 'taken'))
    const [found] = await diagnosticsOf(writeLock(join(folder, 'taken'), second, ports))
    expect(found).toMatchObject({ code: 'WRITE_FAILED', file: join(folder, 'taken') })
    expect(found?.message).toMatch(/^the lock could not be written: .*; it is as it was$/)
    expect(await readFile(file, 'utf8')).toBe(formatLock(first))
    expect((await readdir(folder)).sort()).toEqual([NAME, 'taken'])
  })

  it.each([
    ['not-permitted', 'permission is denied'],
    ['read-only', 'the file system is read-only'],
    ['no-space', 'no space is left'],
    ['other', 'the system refused it'],
  ] as const)('says why it cannot write: %s', async (reason, said) => {
    const folder = await tempFolder()
    const file = join(folder, NAME)
    await writeLock(file, first, ports)
    const write = async (path: string): Promise<never> => {
      await writeFile(path, 'half')
      throw new FileError(reason, path)
    }
    const [found] = await diagnosticsOf(writeLock(file, second, { ...ports, files: { ...ports.files, write } }))
    expect(found).toMatchObject({ message: `the lock could not be written: ${said}; it is as it was`, file })
    expect(await readdir(folder)).toEqual([NAME])
    expect(await readFile(file, 'utf8')).toBe(formatLock(first))
  })

  it('sweeps what killed writers left, and nothing of running ones', async () => {
    const folder = await tempFolder()
    const running = `.${NAME}.${String(process.pid)}-0123456789ab`
    for (const name of [`.${NAME}.999999999-0123456789ab`, running, `.${NAME}.mine`])
      await writeFile(join(folder, name), '')
    await writeLock(join(folder, NAME), first, ports)
    expect((await readdir(folder)).sort()).toEqual([`.${NAME}.mine`, running, NAME].sort())
  })

  it('is whole whenever its writer is killed', async () => {
    const folder = await tempFolder()
    const file = join(folder, NAME)
    const source = join(import.meta.dirname, '../../../src')
    const text = `import { writeLock } from '${source}/sources/lock/write-lock.ts'
import { createNodePorts } from '${source}/system/node-ports.ts'
const digest = 'sha256:' + '0'.repeat(64)
const release = (version) => ({ name: 'a-b-1-34-v' + version, source: 's', from: 'x', digest, kubernetesVersion: 'v1.34.0', stacks: [], addons: new Map(), assets: new Map() })
const locks = [200, 400].map((count) => ({ dependencies: [], releases: Array.from({ length: count }, (_, index) => release(index)) }))
for (let round = 0; ; round++) {
  if (round === 1) console.log('there is one to lose')
  await writeLock(process.argv[2], locks[round % 2], createNodePorts())
}
`
    const program = await bundled({ text })
    const counts = new Set<number>()
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      await setTimeout(20 + 13 * round)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const { releases } = parseLock({ name: NAME, text: await readFile(file, 'utf8') })
      counts.add(releases.length)
    }
    expect([...counts].every((count) => count === 200 || count === 400)).toBe(true)
    await writeLock(file, first, ports)
    expect((await readdir(folder)).sort()).toEqual([NAME])
  }, 60_000)
})
