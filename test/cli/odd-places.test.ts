import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { builtProgram } from '../../tools/built-program.ts'
import { bundled } from '../../tools/bundled.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

describe.skipIf(process.platform !== 'linux')('where the machine plays tricks', () => {
  const programs = { main: '', fewDescriptors: '' }
  beforeAll(async () => {
    const start = (file: string): string => `'${process.execPath}' '${file}'`
    programs.main = start(await builtProgram())
    programs.fewDescriptors = start(await bundled(join(packageFolder, 'test/cli/few-descriptors.ts')))
  })
  const shell = (script: string): { readonly status: number | null; readonly shown: string } => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    return { status, shown: stdout + stderr }
  }

  test('a full disk behind standard output ends with a finding', { timeout: 180_000 }, () => {
    const { status, shown } = shell(`${programs.main} version > /dev/full`)
    expect(status).toBe(2)
    expect(shown).toMatch(/^error (?:WRITE_FAILED|FILE_UNREADABLE) /)
    expect(shown).not.toMatch(/INTERNAL|\n\s+at /)
  })

  test('a full disk behind standard error stops no work', { timeout: 180_000 }, async () => {
    const cwd = await tempFolder()
    await runCli(['init'], { cwd })
    expect(shell(`cd '${cwd}' && ${programs.main} render 2> /dev/full`).status).toBe(2)
    expect((await runCli(['render', '--check'], { cwd })).status).toBe(0)
  })

  test('a file name that no system takes is not a defect', async () => {
    const { status, stderr } = await runCli(['explain', 'x'.repeat(5000)], { cwd: await tempFolder() })
    expect(status).toBe(2)
    expect(stderr).not.toContain('INTERNAL')
  })

  // with 11 and more, it depends on the version of Node whether they are enough
  test.each([0, 1, 2, 3, 4, 6, 8, 10])(
    '%i descriptors that are left end with a finding, also where git is started',
    { timeout: 180_000 },
    async (left) => {
      const cwd = await tempFolder()
      await runCli(['init', '--engine', 'flux', '--repository', 'https://git.example.com/a.git'], { cwd })
      const { status, shown } = shell(
        `cd '${cwd}' && ulimit -n 500 && ${programs.fewDescriptors} ${String(left)} render`,
      )
      expect(shown).toBe(
        'error FILE_UNREADABLE stackmason may not open more files (EMFILE)\n  → Raise the limit of the shell: `ulimit -n 1024`.\n',
      )
      expect(status).toBe(2)
    },
  )

  test('what is thrown where nobody catches it ends with a finding', async () => {
    // Without a fleet: what is broken off here goes on in this process, and must write nothing.
    const cwd = await tempFolder()
    const error = Object.assign(new Error('spawn git ENFILE'), { code: 'ENFILE', syscall: 'spawn git' })
    expect(await runCli(['render'], { cwd, crash: Promise.reject(error) })).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'error FILE_UNREADABLE the system cannot open more files (ENFILE)\n  → End other programs, or raise the limit of the system.\n',
    })
  })

  test('nobody who reads is not a failure', { timeout: 180_000 }, () => {
    expect(shell(`${programs.main} help | true`).shown).not.toMatch(/EPIPE|INTERNAL/)
  })
})

describe('names of cluster objects that lead elsewhere', () => {
  test.each(['../x', '../../x', 'a/b', '..', 'a\nb', '.x'])('%j is refused', async (name) => {
    const cwd = await tempFolder()
    const object = {
      apiVersion: 'clusterstack.x-k8s.io/v1alpha1',
      kind: 'ClusterStack',
      metadata: { name, namespace: 'a' },
      spec: { provider: 'docker', name: 'scs', kubernetesVersion: '1.34', versions: ['v1'] },
    }
    await mkdir(join(cwd, 'inner'))
    await writeFile(join(cwd, 'objects.json'), JSON.stringify(object))
    const { status, stderr } = await runCli(['adopt', 'objects.json', '--out', 'inner/fleet'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain('ADOPT_INPUT_INVALID')
    expect((await readdir(cwd, { recursive: true })).sort()).toEqual(['inner', 'objects.json'])
  })
})
