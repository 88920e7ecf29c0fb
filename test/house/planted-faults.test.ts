import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'
import { rooms } from '../../tools/rooms.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

interface Config {
  readonly rules: Readonly<Record<string, unknown>>
  readonly overrides: readonly {
    readonly files: readonly string[]
    readonly rules: Readonly<Record<string, unknown>>
  }[]
}

const configFiles = ['.oxlintrc.json', '.oxlintrc.rooms.json']
const readConfig = (name: string): Partial<Config> => JSON.parse(readFileSync(join(packageFolder, name), 'utf8'))
const { rules = {} } = readConfig('.oxlintrc.json')
const overrides = configFiles.flatMap((name) => readConfig(name).overrides ?? [])

/** One fault per rule: files to plant, and the code that lint must report for the first of them. */
const faults: Readonly<Record<string, { readonly files: Readonly<Record<string, string>>; readonly code: string }>> = {
  'import/no-cycle': {
    files: {
      'src/model/cycle-a.ts': "import type { B } from './cycle-b.ts'\nexport interface A { readonly b: B }\n",
      'src/model/cycle-b.ts': "import type { A } from './cycle-a.ts'\nexport interface B { readonly a: A }\n",
    },
    code: 'import(no-cycle)',
  },
  'import/no-default-export': {
    files: { 'src/model/default-export.ts': 'export default function f(): void {}\n' },
    code: 'import(no-default-export)',
  },
  'no-console': { files: { 'src/cli/console.ts': "console.log('x')\n" }, code: 'eslint(no-console)' },
  'no-var': { files: { 'src/model/var.ts': 'export var a = 1\n' }, code: 'eslint(no-var)' },
  'prefer-const': { files: { 'src/model/let.ts': 'let a = 1\nexport const b = a\n' }, code: 'eslint(prefer-const)' },
  eqeqeq: {
    files: { 'src/model/equal.ts': 'export const a = (b: unknown): boolean => b == 1\n' },
    code: 'eslint(eqeqeq)',
  },
  'typescript/no-explicit-any': {
    files: { 'src/model/any.ts': 'export const a = (b: any): void => void b\n' },
    code: 'typescript(no-explicit-any)',
  },
  'typescript/no-non-null-assertion': {
    files: { 'src/model/bang.ts': 'export const a = (b: string | undefined): string => b!\n' },
    code: 'typescript(no-non-null-assertion)',
  },
  'typescript/no-floating-promises': {
    files: { 'src/model/floating.ts': 'export function a(b: () => Promise<void>): void {\n  b()\n}\n' },
    code: 'typescript(no-floating-promises)',
  },
  'typescript/no-misused-promises': {
    files: { 'src/model/misused.ts': 'export const a = (b: () => Promise<boolean>): number => (b() ? 1 : 2)\n' },
    code: 'typescript(no-misused-promises)',
  },
  'typescript/consistent-type-imports': {
    files: {
      'src/model/type-import.ts': "import { T } from './type.ts'\nexport const a = (b: T): T => b\n",
      'src/model/type.ts': 'export type T = string\n',
    },
    code: 'typescript(consistent-type-imports)',
  },
  'typescript/ban-ts-comment': {
    files: { 'src/model/comment.ts': '// @ts-ignore\nexport const a: string = 1\n' },
    code: 'typescript(ban-ts-comment)',
  },
  'typescript/switch-exhaustiveness-check': {
    files: {
      'src/model/switch.ts':
        "export function a(b: 'x' | 'y'): number {\n  switch (b) {\n    case 'x':\n      return 1\n  }\n  return 2\n}\n",
    },
    code: 'typescript(switch-exhaustiveness-check)',
  },
  'no-empty': {
    files: { 'src/model/empty.ts': 'export function a(b: () => void): void {\n  try {\n    b()\n  } catch {}\n}\n' },
    code: 'eslint(no-empty)',
  },
  'unicorn/no-process-exit': {
    files: { 'src/cli/exit.ts': 'export const a = (): never => process.exit(1)\n' },
    code: 'unicorn(no-process-exit)',
  },
  'max-lines': {
    files: { 'src/model/long.ts': `export const a: readonly number[] = [\n${'  1,\n'.repeat(701)}]\n` },
    code: 'eslint(max-lines)',
  },
}

/** Imports that a room must not have, at two depths: room rule, forbidden pattern, and where the fault is planted. */
const forbiddenImports = overrides.flatMap(({ files, rules }) => {
  const rule = rules['no-restricted-imports']
  const pattern = files[0] ?? ''
  if (!Array.isArray(rule)) return []
  const options: { readonly patterns: readonly { readonly group: readonly string[] }[] } = rule[1]
  const folders = pattern.endsWith('/**') ? [pattern.slice(0, -3), `${pattern.slice(0, -3)}/deep/er`] : ['']
  return options.patterns
    .flatMap(({ group }) => group)
    .flatMap((forbidden, index) =>
      folders.map((folder) => ({
        room: pattern,
        forbidden,
        file: folder === '' ? pattern : `${folder}/planted-${String(index)}.ts`,
        up: '../'.repeat(folder.split('/').length - (pattern.startsWith('src/') && folder !== '' ? 1 : 0)) || './',
      })),
    )
})

function importOf(forbidden: string, up: string): string {
  if (forbidden === 'node:*') return "import { readFileSync } from 'node:fs'\nexport const used = readFileSync\n"
  const target = forbidden.replace('**/', up === '' ? './' : up).replace('/**', '/target.ts')
  return `import { used } from '${target}'\nexport const again = used\n`
}

let found: readonly { readonly code: string; readonly filename: string }[] = []

beforeAll(() => {
  const folder = tempFolderForFile()
  const plant = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const name of [...configFiles, 'tsconfig.json']) copyFileSync(join(packageFolder, name), join(folder, name))
  symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
  for (const { files } of Object.values(faults)) for (const [path, text] of Object.entries(files)) plant(path, text)
  for (const { forbidden, file, up } of forbiddenImports.filter(({ room }) => room !== 'src/program.ts')) {
    plant(file, importOf(forbidden, up))
  }
  const forMain = forbiddenImports.filter(({ room }) => room === 'src/program.ts')
  plant(
    'src/program.ts',
    forMain
      .map(
        ({ forbidden }, at) =>
          `import { used as used${String(at)} } from '${forbidden.replace('**', '.').replace('/**', '/target.ts')}'\nvoid used${String(at)}\n`,
      )
      .join(''),
  )
  plant('src/model/fine.ts', 'export const fine = 1\n')
  plant('bench/fine.ts', "import { fine } from '../src/model/fine.ts'\nexport const fineToo = fine\n")
  plant('src/cli/fine.ts', "import { fine } from '../model/fine.ts'\nexport const fineToo = fine\n")
  const lint = join(packageFolder, 'node_modules/.bin/oxlint')
  const { stdout } = spawnSync(lint, ['--type-aware', '--format=json', 'src', 'tools', 'bench'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  found = JSON.parse(stdout).diagnostics
})

function codesIn(file: string): readonly string[] {
  return found.filter(({ filename }) => filename.replaceAll('\\', '/') === file).map(({ code }) => code)
}

describe('lint finds a planted fault', () => {
  test('there is a fault for every rule that is on', () => {
    const on = Object.entries(rules).filter(([, setting]) => setting !== 'off')
    expect(on.map(([name]) => name).sort()).toEqual(Object.keys(faults).sort())
  })

  test.each(Object.entries(faults))('%s', (_rule, { files, code }) => {
    expect(codesIn(Object.keys(files)[0] ?? '')).toContain(code)
  })

  test.each(forbiddenImports.filter(({ room }) => room !== 'src/program.ts'))(
    '$room must not import $forbidden: $file',
    ({ file }) => {
      expect(codesIn(file)).toContain('eslint(no-restricted-imports)')
    },
  )

  test('src/program.ts hands over to cli and system only', () => {
    const forMain = forbiddenImports.filter(({ room }) => room === 'src/program.ts')
    expect(forMain.length).toBeGreaterThan(5)
    expect(codesIn('src/program.ts').filter((code) => code === 'eslint(no-restricted-imports)')).toHaveLength(
      forMain.length,
    )
  })

  test('every room has rules', () => {
    expect(rooms.length).toBeGreaterThan(10)
    for (const { name } of rooms) expect(forbiddenImports.some(({ room }) => room === `src/${name}/**`)).toBe(true)
  })

  test.each(['tools', 'bench'])('%s imports nothing of the tests', (folder) => {
    expect(forbiddenImports.filter(({ room }) => room === `${folder}/**`)).toHaveLength(4)
  })

  test('and nothing where there is none', () => {
    expect(['src/model/fine.ts', 'src/cli/fine.ts', 'bench/fine.ts'].flatMap(codesIn)).toEqual([])
  })
})
