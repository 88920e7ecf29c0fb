/**
 * Gets `docker-registry`, the reference registry server, once, into `.cache/` (nothing is installed): Debian's package,
 * or where that cannot be had the next major version built from its Go module; prints its path.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(root, '.cache/docker-registry/docker-registry')

/**
 * The path of the registry server: that of this machine, or one that was brought here; undefined when none can be had.
 */
export function registryBinary(): string | undefined {
  const installed = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'docker-registry'))
  const found = [...installed, target].find((path) => existsSync(path))
  if (found !== undefined) return found
  mkdirSync(dirname(target), { recursive: true })
  const failures: string[] = []
  for (const bring of [unpackPackage, buildModule]) {
    const folder = mkdtempSync(`${dirname(target)}/bring-`)
    try {
      renameSync(bring(folder), target)
      return target
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  process.stderr.write(`docker-registry could not be had: ${failures.join('; ')}\n`)
  return undefined
}

function unpackPackage(folder: string): string {
  // As root, apt would hand the download to a user who may not write here.
  run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'docker-registry'], folder)
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
  if (archive === undefined) throw new Error('apt-get downloaded nothing')
  run('dpkg-deb', ['-x', archive, 'content'], folder)
  return join(folder, 'content/usr/bin/docker-registry')
}

/** Takes minutes; Go checks the module against its checksum database. */
function buildModule(folder: string): string {
  execFileSync('go', ['install', 'github.com/distribution/distribution/v3/cmd/registry@v3.0.0'], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 900_000,
  })
  return join(folder, 'registry')
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${registryBinary() ?? ''}\n`)
