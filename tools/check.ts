/**
 * Runs the checks that need no test, all at once: `npm run check` begins with them. Prettier takes as long on one core
 * as the others do on all. What each prints comes when it has ended; the exit status is 1 if one failed.
 *
 * What types and format were found of a file is known by its content. A fresh clone, which has no `.cache` yet, begins
 * with what the last good run of another one has left beside the test servers.
 */
import { exec, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCache } from './go-module.ts'

const root = join(import.meta.dirname, '..')
const left = join(testCache(), 'checks')
const types = '.cache/tsc.tsbuildinfo'

function leave(name: string, text: string): void {
  mkdirSync(left, { recursive: true })
  const partial = join(left, `${name}.${String(process.pid)}`)
  writeFileSync(partial, text)
  renameSync(partial, join(left, name))
}

/** Each file by what decides of its format: the version of Prettier, its configuration, the path and the content. */
function filesByDigest(): ReadonlyMap<string, string> {
  const own = ['package-lock.json', '.prettierrc.json', '.prettierignore'].map((name) => readFileSync(join(root, name)))
  const found = new Map<string, string>()
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const path of execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue
    const hash = createHash('sha256')
    for (const part of [...own, path, readFileSync(join(root, path))])
      hash.update(`${String(part.length)} `).update(part)
    found.set(hash.digest('hex'), path)
  }
  return found
}

interface Check {
  readonly script: string
  readonly command?: string
  /** After it has found nothing. */
  readonly then?: () => void
}

function formatCheck(): Check {
  const script = 'format:check'
  // where git does not tell what belongs to the tree, Prettier looks itself
  if (!existsSync(join(root, '.git'))) return { script }
  const files = filesByDigest()
  const then = (): void => leave('format', [...files.keys()].join('\n'))
  if (!existsSync(join(left, 'format'))) return { script, then }
  const known = new Set(readFileSync(join(left, 'format'), 'utf8').split('\n'))
  const unknown = [...files].filter(([digest]) => !known.has(digest)).map(([, path]) => path)
  const list = join(root, '.cache/unknown-format')
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(list, unknown.map((path) => `${path}\0`).join(''))
  return { script, command: `xargs -0 -r npx prettier --check --ignore-unknown < '${list}'`, then }
}

function typeCheck(): Check {
  const [own, other] = [join(root, types), join(left, 'types')]
  if (!existsSync(own) && existsSync(other)) {
    mkdirSync(join(root, '.cache'), { recursive: true })
    writeFileSync(own, readFileSync(other))
  }
  return { script: 'typecheck', then: () => leave('types', readFileSync(own, 'utf8')) }
}

// types and lint are written in Go, which collects garbage at twice the heap in use: memory is cheaper here than time
const env = { GOGC: '400', GOMEMLIMIT: '2GiB', ...process.env }

const checks: readonly Check[] = [formatCheck(), { script: 'lint' }, typeCheck(), { script: 'deadcode' }]
const failed = await Promise.all(
  checks.map(
    ({ script, command, then }) =>
      new Promise<readonly string[]>((resolve) => {
        exec(command ?? `npm run ${script}`, { cwd: root, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
          process.stdout.write(stdout + stderr)
          if (error === null) then?.()
          resolve(error === null ? [] : [script])
        })
      }),
  ),
)
for (const script of failed.flat()) process.stdout.write(`FAILED npm run ${script}\n`)
process.exitCode = failed.flat().length > 0 ? 1 : 0
