/**
 * Builds the real Gitea from its Go module, once, into the cache that the servers of tests lie in; prints where. Tests
 * never build: they take what is there. `.ci/run` calls this before the tests. It takes cgo for SQLite, and ten minutes
 * of CPU the first time.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, hashOfInputs, runGo, testCache } from './go-module.ts'

const module = 'code.gitea.io/gitea'
const version = 'v1.26.0'
/** Of the module's files, as Go's checksum database has it. */
const sum = 'h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA='
const tags = 'sqlite,sqlite_unlock_notify'
const flags = `-s -w -X main.Version=${version.slice(1)}`
/** What the program reads beside itself: without them in the binary no frontend has to be built. */
const resources = ['options', 'templates', 'public'] as const

/** What is there of Gitea. */
export interface GiteaFiles {
  readonly program: string
  /** For `STATIC_ROOT_PATH`. */
  readonly resources: string
}

/** Where Gitea lies; undefined when nobody has built it. */
export function giteaFiles(): GiteaFiles | undefined {
  const folder = target()
  return existsSync(folder) ? { program: join(folder, 'gitea'), resources: folder } : undefined
}

function target(): string {
  return join(testCache(), `gitea-${version}-${hashOfInputs([sum, tags, flags])}`)
}

/** Its module is the main one, with replaces of its own: so it is built in a copy of its source. */
function build(partial: string): void {
  const found: unknown = JSON.parse(runGo(['mod', 'download', '-json', `${module}@${version}`], tmpdir()))
  const { Dir: source, Sum: loaded } = Object.assign({ Dir: '', Sum: '' }, found)
  if (loaded !== sum) throw new Error(`${module}@${version} has the sum ${loaded}`)
  const copy = `${partial}-source`
  cpSync(source, copy, { recursive: true })
  // Go keeps its modules read-only
  execFileSync('chmod', ['-R', 'u+w', copy])
  runGo(['build', '-tags', tags, '-trimpath', '-ldflags', flags, '-o', join(partial, 'gitea'), '.'], copy, {
    CGO_ENABLED: '1',
    GOFLAGS: '-mod=mod',
  })
  for (const name of resources) cpSync(join(copy, name), join(partial, name), { recursive: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${bring(target(), build)}\n`)
