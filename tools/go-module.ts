/**
 * What tools share that build programs from Go modules into the cache of test servers, which lies outside of the tree.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Where built servers lie, by version: `STACKMASON_TEST_CACHE`, else a folder of the user's cache. */
export function testCache(): string {
  return process.env['STACKMASON_TEST_CACHE'] ?? join(homedir(), '.cache/stackmason-test')
}

/** A short hash of what a program is built from. */
export function hashOfInputs(inputs: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 12)
}

/** The texts of a program's sources. */
export function sourcesOf(folder: string): readonly string[] {
  return ['go.mod', 'go.sum', 'main.go'].map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** The version of a module that go.mod names. */
export function versionIn(folder: string, module: string): string {
  const line = readFileSync(join(folder, 'go.mod'), 'utf8')
    .split('\n')
    .map((text) => text.trim().replace(/^require /, ''))
    .find((text) => text.startsWith(`${module} v`))
  const version = line?.split(' ')[1]
  if (version === undefined) throw new Error(`${folder}/go.mod names no version of ${module}`)
  return version
}

/**
 * Runs Go without flags of the machine: they would change what is built, or refuse the committed go.sum; `more` is added
 * to its environment.
 */
export function runGo(args: readonly string[], cwd: string, more: Readonly<Record<string, string>> = {}): string {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off', ...more }
  return execFileSync('go', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Builds one program; `flags` are for the linker. */
export function buildGo(
  cwd: string,
  built: { readonly path: string; readonly to: string; readonly flags?: string },
): void {
  const flags = `-s -w ${built.flags ?? ''}`.trim()
  runGo(['build', '-trimpath', '-ldflags', flags, '-o', built.to, built.path], cwd)
}

/**
 * Puts into place what `make` makes, file or folder, whole or not at all; what another process brought meanwhile is the
 * same.
 */
export function bring(target: string, make: (partial: string) => void): string {
  if (existsSync(target)) return target
  mkdirSync(dirname(target), { recursive: true })
  const folder = mkdtempSync(join(dirname(target), '.bring-'))
  const partial = join(folder, basename(target))
  try {
    make(partial)
    if (!existsSync(target)) renameSync(partial, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return target
}

/** The folder with the source of a module. Go names none as long as nothing has asked for the source. */
export function moduleSource(module: string, cwd: string): string {
  runGo(['mod', 'download', module], cwd)
  const source = runGo(['list', '-m', '-f', '{{.Dir}}', module], cwd).trim()
  if (source === '') throw new Error(`Go has no source of ${module}`)
  return source
}

/** Copies a folder of files out of a module's source. */
export function copyFromModule(
  module: string,
  { cwd, from, to }: { readonly cwd: string; readonly from: string; readonly to: string },
): void {
  const source = moduleSource(module, cwd)
  cpSync(join(source, from), to, { recursive: true })
  // Go keeps its modules read-only
  for (const name of ['.', ...readdirSync(to)]) chmodSync(join(to, name), 0o755)
}
