/** Gets Debian's `docker-registry`, the reference registry server, once, into `.cache/` (nothing is installed); prints its path. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(root, '.cache/docker-registry/docker-registry')

/** The path of the registry server: that of this machine, or one unpacked from Debian's package; undefined when neither can be had. */
export function registryBinary(): string | undefined {
  const installed = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'docker-registry'))
  const found = [...installed, target].find((path) => existsSync(path))
  if (found !== undefined) return found
  mkdirSync(dirname(target), { recursive: true })
  const folder = mkdtempSync(`${dirname(target)}/unpack-`)
  try {
    // As root, apt would hand the download to a user who may not write here.
    run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'docker-registry'], folder)
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
    if (archive === undefined) return undefined
    run('dpkg-deb', ['-x', archive, 'content'], folder)
    renameSync(join(folder, 'content/usr/bin/docker-registry'), target)
    return target
  } catch (error) {
    process.stderr.write(
      `docker-registry could not be had: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${registryBinary() ?? ''}\n`)
