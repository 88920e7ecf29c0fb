import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { isPrivateAt } from './is-private.ts'
import { makeFolder } from './make-folder.ts'
import { boundNewSpace, holdNewSpace } from './new-space.ts'

/** Facts about a program that a bundler made one file of. */
export interface ProgramFacts {
  /** sha256 of the file, hex: code that was compiled from another one is never taken for it. */
  readonly sha256: string
  /**
   * sha256 of all that the program is made of, its packages, templates and schemas too, hex: what runs remember is kept
   * for it alone.
   */
  readonly digest: string
  /** The first words for which compiled code is kept. */
  readonly commands: readonly string[]
}

/**
 * Such a program: a function in parentheses that takes `require`, the value of `import.meta.url`, who uses it, and its
 * digest.
 */
export interface CompiledProgram extends ProgramFacts {
  /** The file's URL. */
  readonly file: URL
  /** The value of `import.meta.url` where the program starts. */
  readonly start: string
}

const SUFFIX = '.compiled'
/** Bytes of the hash in front. */
const HASH = 32
/** Milliseconds after which code that was compiled by another version of Node is thrown away. */
const OLD = 30 * 24 * 3_600_000

/**
 * How many bytes of bytecode a function runs before V8 of Node 20 thinks of optimizing it: six times the default.
 * Optimizing as early as that took a third of the time of a render of 50 clusters and more than it saved, also with
 * 500. Newer versions of Node decide by other measures.
 */
const PATIENCE = 400_000

/**
 * By how many percent the heap may grow before V8 looks for garbage: by default it quadruples, so that a render of 1000
 * clusters took three times the memory that it needs. It takes a few percent more time.
 */
const HEAP_GROWTH = 50
/** The same for a run that is short: nearly all that it makes is in use until it ends. */
const FIRST_GROWTH = 100
/** Milliseconds after which a run is none of those. */
const SHORT = 2000

/**
 * Commands that run for weeks, and make little at a time. V8 makes room for up to 48 MB of new objects while there is
 * much to do, and gives it back only after minutes without: with 500 clusters a third of what the controller took. For
 * them the room stays as it is at the start.
 */
const LASTING: ReadonlySet<string> = new Set(['controller'])

/**
 * Runs a program from the machine code that an earlier run of the same command left in the user's cache folder, and
 * leaves some when there was none. V8 trusts such code, so the folder must be the user's alone, and each file must be
 * as it was written: it begins with its own hash. Where that does not hold, with NODE_DISABLE_COMPILE_CACHE, and for
 * what is no command, the program is compiled each time. Nothing is written beside the program.
 */
export function runCompiled({ file, start, ...facts }: CompiledProgram): void {
  const path = fileURLToPath(file)
  const run = evaluateCompiled({ text: readFileSync(path, 'latin1'), path, ...facts })
  if (typeof run === 'function') run(createRequire(path), start, undefined, facts.digest)
}

/**
 * Runs a program that is in memory, as `runCompiled` does: returns the value of its expression. `path` names it in
 * stack traces.
 */
export function evaluateCompiled({
  text,
  path,
  sha256,
  commands,
}: Omit<ProgramFacts, 'digest'> & { readonly text: string; readonly path: string }): unknown {
  // before anything is compiled: the flags are part of what stored code is checked for
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--interrupt-budget=${PATIENCE}`)
  boundNewSpace(LASTING.has(process.argv[2] ?? '') ? 'lasting' : 'passing')
  setHeapGrowth(FIRST_GROWTH)
  setTimeout(setHeapGrowth, SHORT, HEAP_GROWTH).unref()
  const stored = placeOf(sha256, commands)
  const cachedData = stored === undefined ? undefined : readStored(stored)
  const script = new Script(text, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  if (stored !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    // a long run would drop the code that it began with, and later ones would compile that each time
    setFlagsFromString('--no-flush-bytecode')
    process.on('exit', () => {
      setFlagsFromString('--flush-bytecode')
      setHeapGrowth(FIRST_GROWTH)
      holdNewSpace()
      store(stored, script.createCachedData())
    })
  }
  return script.runInThisContext()
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Where code of this program, this Node and this command lies: commands use different functions. Undefined where none
 * is kept.
 */
function placeOf(sha256: string, commands: readonly string[]): string | undefined {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '', NODE_DISABLE_COMPILE_CACHE: isOff = '' } = process.env
  const command = process.argv[2] ?? ''
  if (isOff !== '' || !commands.includes(command)) return undefined
  const base = isAbsolute(cache) ? cache : isAbsolute(home) ? join(home, '.cache') : undefined
  if (base === undefined) return undefined
  const name = [sha256.slice(0, 16), process.version, process.arch, command].join('-')
  return join(base, 'stackmason', 'compiled', name + SUFFIX)
}

function readStored(path: string): Buffer | undefined {
  try {
    if (!isPrivateAt(dirname(path), 'folder') || !isPrivateAt(path, 'file')) return undefined
    const bytes = readFileSync(path)
    const data = bytes.subarray(HASH)
    return hashOf(data).equals(bytes.subarray(0, HASH)) ? data : undefined
  } catch (error) {
    return ignoreFileError(error)
  }
}

function hashOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function store(path: string, data: Buffer): void {
  const folder = dirname(path)
  try {
    makeFolder(folder, 0o700)
    if (!isPrivateAt(folder, 'folder')) return
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, Buffer.concat([hashOf(data), data]), { flag: 'wx', mode: 0o600 })
    renameSync(draft, path)
    for (const name of readdirSync(folder)) {
      if (!name.includes(SUFFIX) || name === basename(path)) continue
      if (Date.now() - statSync(join(folder, name)).mtimeMs > OLD) unlinkSync(join(folder, name))
    }
  } catch (error) {
    ignoreFileError(error)
  }
}

/** The program runs all the same. */
function ignoreFileError(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error)) throw error
}
