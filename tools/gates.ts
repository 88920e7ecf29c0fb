/**
 * Builds the program that judges objects with Flux's own evaluator and with the Lua of Argo CD (`tools/gates`), into the cache that the servers of tests
 * lie in; prints its path. Tests never build: they take what is there. `.ci/run` calls this before the tests.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('gates', import.meta.url))

/** Where the program for these sources lies once it is built. */
function target(): string {
  const hash = createHash('sha256')
  for (const name of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(folder, name)))
  const cache = process.env['STACKMASON_TEST_CACHE'] ?? join(homedir(), '.cache/stackmason-test')
  return join(cache, `gates-${hash.digest('hex').slice(0, 12)}`)
}

/** Path of the program; undefined when nobody has built it. */
export function gatesProgram(): string | undefined {
  return existsSync(target()) ? target() : undefined
}

function build(): string {
  const path = target()
  if (existsSync(path)) return path
  mkdirSync(join(path, '..'), { recursive: true })
  const partial = `${path}.${String(process.pid)}`
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  try {
    execFileSync('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', partial, '.'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    renameSync(partial, path)
  } finally {
    rmSync(partial, { force: true })
  }
  return path
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${build()}\n`)
