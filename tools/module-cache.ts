/**
 * Where CI keeps what vitest makes of modules. A fresh clone begins with what earlier runs made of the files that are as
 * they were: vitest finds it by path, content and configuration. Run as a program, this removes what is too old.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testCache } from './go-module.ts'

/** Each run adds the files that have changed, and vitest removes none: beyond this all are made anew. */
const MAX_FILES = 20_000
/** Of folders for another lock, days. */
const MAX_AGE = 7
const DAY = 24 * 60 * 60 * 1000

interface PruneOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly maxFiles?: number
}

/** The folder for a clone: vitest empties one whose lock has changed, which another run may be using. */
export function moduleCache(root: string, caches: string = join(testCache(), 'modules')): string {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  return join(caches, lock.digest('hex').slice(0, 12))
}

/** Removes what nobody has used for days of other locks, and a clone's own if it has become too large. */
export function pruneModuleCaches(own: string, { now, maxFiles = MAX_FILES }: PruneOptions): void {
  const caches = dirname(own)
  if (!existsSync(caches)) return
  for (const name of readdirSync(caches)) {
    const folder = join(caches, name)
    const isOver =
      folder === own ? readdirSync(folder).length > maxFiles : now - statSync(folder).mtimeMs > MAX_AGE * DAY
    if (isOver) rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  pruneModuleCaches(moduleCache(join(import.meta.dirname, '..')), { now: Date.now() })
}
