import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { builtProgram } from '../../tools/built-program.ts'
import { type FileMap, changed, configMap, singleFolder, stagesFolder } from '../../tools/fleets/stack-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Machine {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly umask: string
  /** Seconds since 1970. */
  readonly modified: number
  readonly mode: number
  readonly reversed: boolean
  /** Where the provider directory lies, and where the program is started. */
  readonly folder: string
  readonly start: string
}

const machines: readonly Machine[] = [
  {
    name: 'one',
    environment: { TZ: 'UTC', LC_ALL: 'C' },
    umask: '022',
    modified: 1_700_000_000,
    mode: 0o644,
    reversed: false,
    folder: 'a',
    start: 'a',
  },
  {
    name: 'two',
    environment: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', LANG: 'de_DE.UTF-8', SOURCE_DATE_EPOCH: '5' },
    umask: '077',
    modified: 86_400,
    mode: 0o700,
    reversed: true,
    folder: 'another/deep folder/ä',
    start: '.',
  },
]

const files: FileMap = changed(stagesFolder, {
  'cluster-addon/cni/templates/I.yaml': configMap('one'),
  'cluster-addon/cni/templates/i.yaml': configMap('two'),
  'cluster-addon/cni/templates/ä.yaml': configMap('three'),
  'cluster-addon/cni/crds/b.yaml': configMap('four'),
  'cluster-addon/cni/values.yaml': 'words: again and again\n'.repeat(500),
})

function write(folder: string, content: FileMap, { reversed, modified, mode }: Machine): void {
  const entries = Object.entries(content)
  for (const [path, text] of reversed ? entries.toReversed() : entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    chmodSync(join(folder, path), mode)
    utimesSync(join(folder, path), modified, modified)
  }
}

/** Every file below the folder, in hexadecimal. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const regular = paths.filter((path) => /\.\w+$/.test(path) && !/-v\d+$/.test(path))
  return Object.fromEntries(regular.map((path) => [path, readFileSync(join(folder, path)).toString('hex')]))
}

test.each([
  { form: 'multi-stage', content: files, count: 5 },
  { form: 'old', content: singleFolder, count: 5 },
])('two machines build the same bytes: $form form', async ({ content, count }) => {
  const temp = await tempFolder()
  const main = await builtProgram()
  const built = machines.map((machine) => {
    const root = join(temp, machine.name)
    write(join(root, machine.folder), content, machine)
    const command = 'umask "$0" && exec "$@"'
    const program = [process.execPath, main]
    const words = [
      'build',
      join(root, machine.folder),
      '--version',
      'v1',
      '--out',
      join(root, 'out'),
      '--index',
      '-o',
      'json',
    ]
    const result = spawnSync('sh', ['-c', command, machine.umask, ...program, ...words], {
      cwd: join(root, machine.start),
      env: { PATH: process.env['PATH'] ?? '', HOME: temp, ...machine.environment },
      encoding: 'utf8',
    })
    expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: '' })
    return contentOf(join(root, 'out'))
  })
  expect(Object.keys(built[0] ?? {})).toHaveLength(count + 1)
  expect(built[1]).toEqual(built[0])
})
