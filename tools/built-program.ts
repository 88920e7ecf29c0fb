import { createHash, type Hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')
const programs = join(root, '.cache/programs')

/** What it reads besides its own code. */
const parts = ['package.json', 'schemas', 'templates']
/** What decides of it besides these. */
const makers = ['package-lock.json', 'src', 'tools/bundle.ts', 'tools/third-party.ts']

/** Milliseconds that another process may take for it, several times what it takes. */
const PATIENCE = 120_000
/** Milliseconds after which a program of another content is in nobody's use. */
const OLD = 24 * 3_600_000

let known: Promise<string> | undefined

/**
 * The program as it is packed, without types: returns the path of its `main.js`. It starts in a quarter of the time that
 * one file of all modules takes, in less still where XDG_CACHE_HOME or HOME keeps the compiled code of an earlier start.
 * What is built of a content of the tree serves all processes.
 */
export function builtProgram(): Promise<string> {
  known ??= build()
  return known
}

async function build(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of [...parts, ...makers]) addTo(hash, name)
  const digest = hash.digest('hex').slice(0, 32)
  const folder = join(programs, digest)
  const main = join(folder, 'dist/main.js')
  const lock = join(programs, `${digest}.lock`)
  if (existsSync(main) || (await isBuiltMeanwhile(main, lock))) return main
  try {
    if (existsSync(main)) return main
    const partial = join(lock, 'program')
    const { bundleProgram } = await import('./bundle.ts')
    await bundleProgram(join(partial, 'dist'))
    for (const name of parts) cpSync(join(root, name), join(partial, name), { recursive: true })
    renameSync(partial, folder)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  for (const name of readdirSync(programs)) {
    const other = join(programs, name)
    if (other !== folder && Date.now() - statSync(other).mtimeMs > OLD) rmSync(other, { recursive: true, force: true })
  }
  return main
}

/** Takes the lock, or waits for who has it: true if the program is there then. */
async function isBuiltMeanwhile(main: string, lock: string): Promise<boolean> {
  mkdirSync(programs, { recursive: true })
  for (const end = performance.now() + PATIENCE; ; await setTimeout(100)) {
    if (existsSync(main)) return true
    // left by a process that was killed
    if (performance.now() > end) rmSync(lock, { recursive: true, force: true })
    if (mkdirSync(lock, { recursive: true }) !== undefined) return false
  }
}

/** Each file of a path of the tree, by name and content. */
function addTo(hash: Hash, path: string): void {
  const at = join(root, path)
  if (statSync(at).isDirectory()) {
    for (const name of readdirSync(at).sort()) addTo(hash, join(path, name))
    return
  }
  const bytes = readFileSync(at)
  hash.update(`${path} ${String(bytes.length)}\n`).update(bytes)
}
