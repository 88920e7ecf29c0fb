import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rooms } from '../../tools/rooms.ts'
import { packageFolder } from '../cli/run-cli.ts'

const source = join(packageFolder, 'src')
const names = rooms.map(({ name }) => name)
const built = readdirSync(source)
  .filter((name) => statSync(join(source, name)).isDirectory())
  .sort()

const lines = ['What', 'In', 'Out', 'Must not', 'Start here']

/** What is wrong with the README of a room. */
function problemsOf(room: string): readonly string[] {
  const path = join(source, room, 'README.md')
  if (!existsSync(path)) return ['there is none']
  const [heading, ...found] = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const expected = lines.map((line) => `- **${line}:** `)
  const starts = Array.from(found.at(-1)?.matchAll(/`([^`]+)`/g) ?? [], ([, start = '']) => start)
  return [
    ...(heading === `# ${room}` ? [] : [`the heading is ${heading ?? 'missing'}`]),
    ...(found.length === lines.length ? [] : [`${String(found.length)} lines`]),
    ...expected.filter((start, index) => found[index]?.startsWith(start) !== true).map((start) => `no ${start}`),
    ...(starts.length > 0 ? [] : ['no file to start with']),
    ...starts.filter((start) => !existsSync(join(source, room, start))).map((start) => `${start} is not there`),
  ]
}

/** The folders of `pipeline`: each imports those behind it only; what lies beside them serves all. */
const floors = [
  'commands',
  'publishing',
  'checking',
  'compare',
  'reuse',
  'shards',
  'expand',
  'release',
  'update',
  'explain',
  'deliver',
  'resolve',
  'fleet',
  '.',
]

interface Import {
  readonly from: string
  readonly to: string
}

function importsInPipeline(): readonly Import[] {
  const folder = join(source, 'pipeline')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .flatMap((from) =>
      Array.from(readFileSync(join(folder, from), 'utf8').matchAll(/from '(\.[^']+)'/g), ([, to = '']) => ({
        from,
        to: posix.join(posix.dirname(from), to),
      })),
    )
    .filter(({ to }) => !to.startsWith('..'))
}

/** Imports that lead upwards, or to a folder that the list does not name. */
function wrongImports(imports: readonly Import[]): readonly string[] {
  const floorOf = (path: string): number => floors.indexOf(posix.dirname(path))
  return imports
    .filter(({ from, to }) => floorOf(from) < 0 || floorOf(to) < floorOf(from))
    .map(({ from, to }) => `${from} imports ${to}`)
}

/** The rows of CONTRIBUTING's table of where things are: the question, and the paths that answer it. */
const answers = Array.from(
  readFileSync(join(packageFolder, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| (Wh[^|]*?\?) +\| (.*) \|$/gm),
  ([, question = '', answer = '']) => ({
    question,
    paths: Array.from(answer.matchAll(/`((?:src|schemas|test)\/[^`]+)`/g), ([, path = '']) => path),
  }),
)

/** What is wrong with a path of that table. */
function problemOf(path: string): string | undefined {
  if (!existsSync(join(packageFolder, path))) return `${path} does not exist`
  const [top, room = '', ...rest] = path.split('/')
  if (top !== 'src') return undefined
  const said = readFileSync(join(source, room, 'README.md'), 'utf8').includes(`\`${rest.join('/')}\``)
  return said ? undefined : `the README of ${room} does not name ${path}`
}

describe('rooms', () => {
  test('CONTRIBUTING answers at least ten questions of newcomers', () => {
    expect(answers.length).toBeGreaterThanOrEqual(10)
  })

  test.each(answers)('$question: the answer exists, and the README of its room names it', ({ paths }) => {
    expect(paths).not.toEqual([])
    expect(paths.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
  })

  test('every folder of src/ is in the table', () => {
    expect(built.length).toBeGreaterThan(10)
    expect(built.filter((name) => !names.includes(name))).toEqual([])
  })

  test('import rooms that stand above them only', () => {
    const low = rooms.flatMap(({ name, mayImport }, index) =>
      mayImport.filter((other) => !names.slice(0, index).includes(other)).map((other) => `${name} imports ${other}`),
    )
    expect(low).toEqual([])
  })

  test('the folders of pipeline import those below them only', () => {
    const imports = importsInPipeline()
    expect(imports.length).toBeGreaterThan(100)
    expect(wrongImports(imports)).toEqual([])
    const planted = [
      { from: 'fleet/with-fleet.ts', to: 'expand/expand-fleet.ts' },
      { from: 'diagnostics.ts', to: 'fleet/with-fleet.ts' },
      { from: 'elsewhere/x.ts', to: 'diagnostics.ts' },
      { from: 'commands/render.ts', to: 'expand/expand-fleet.ts' },
    ]
    expect(wrongImports(planted)).toEqual([
      'fleet/with-fleet.ts imports expand/expand-fleet.ts',
      'diagnostics.ts imports fleet/with-fleet.ts',
      'elsewhere/x.ts imports diagnostics.ts',
    ])
  })

  test('no folder inside a room has the name of a room: the rules of imports go by name', () => {
    const inside = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/').split('/'))
      .filter((parts) => parts.length > 1 && !parts.at(-1)?.includes('.') && names.includes(parts.at(-1) ?? ''))
    expect(inside.map((parts) => parts.join('/'))).toEqual([])
  })

  test.each(built)('the README of %s says in five lines what it is', (room) => {
    expect(problemsOf(room)).toEqual([])
  })
})
