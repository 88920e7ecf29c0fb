/**
 * Completes package-lock.json: `tsx tools/complete-lock.ts [--check]`. A registry mirror may lack binaries of other
 * platforms; npm then leaves them out of the lock file, and `npm ci` refuses it everywhere. Their entries need no
 * download, so they are written from the name and the version asked for.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockEntry {
  readonly version?: string
  readonly dev?: boolean
  readonly license?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The entries that are missing, by their key in the lock file. */
export function missingBinaries(packages: Readonly<Record<string, LockEntry>>): ReadonlyMap<string, object> {
  const missing = new Map<string, object>()
  for (const [key, owner] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(owner.optionalDependencies ?? {})) {
      const entry = platformEntry(name, range, owner)
      const isThere = packages[`node_modules/${name}`] ?? packages[`${key}/node_modules/${name}`]
      if (entry !== undefined && isThere === undefined) missing.set(`node_modules/${name}`, entry)
    }
  }
  return missing
}

/** An entry for a package that is named after a platform; undefined for any other. */
function platformEntry(name: string, range: string, owner: LockEntry): object | undefined {
  const [, os, rest = ''] =
    /(android|darwin|freebsd|linux|openharmony|win32)-(.*)$/.exec(name.split('/').at(-1) ?? '') ?? []
  const cpu = /arm64|x64|ia32|ppc64|riscv64|s390x|loong64|arm/.exec(rest)?.[0]
  if (os === undefined || cpu === undefined) return undefined
  const libc = os !== 'linux' ? undefined : rest.includes('musl') ? 'musl' : rest.includes('gnu') ? 'glibc' : undefined
  return {
    version: range.replace(/^[\^~]/, ''),
    cpu: [cpu],
    ...(owner.dev === true ? { dev: true } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    ...(owner.license === undefined ? {} : { license: owner.license }),
    optional: true,
    os: [os],
  }
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, '../package-lock.json')
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingBinaries(lock.packages)
  const entries = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) })
  lock.packages = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
  process.stdout.write(`${missing.size} entries added\n`)
}
