import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/** A program that a bundler made one file of: a function in parentheses that takes `require`, the value of `import.meta.url`, and what
 * stands for `import()`. */
export interface CompiledProgram {
  /** The file's URL. */
  readonly file: URL
  /** What `import.meta.url` was where the program starts. */
  readonly start: string
  /** Imports a module by name, as from beside the program. */
  readonly importModule: (name: string) => Promise<unknown>
  /** sha256 of the file, hex: code that was compiled from another one is never taken for it. */
  readonly sha256: string
}

const SUFFIX = '.compiled'
/** Milliseconds after which code that was compiled by another version of Node is thrown away. */
const OLD = 30 * 24 * 3_600_000

/**
 * How many bytes of bytecode a function runs before V8 of Node 20 thinks of optimizing it: six times the default. Optimizing as early as that took a
 * third of the time of a render of 50 clusters and more than it saved, also with 500. Newer versions of Node decide by other measures.
 */
const PATIENCE = 400_000

/**
 * Runs a program from the machine code that an earlier run of the same command left beside it, and leaves some when there was none. It lies beside the
 * program because whoever can write there can change the program anyway; any other place could be made to run foreign code. Where nothing can be
 * written, or with NODE_DISABLE_COMPILE_CACHE, the program is compiled each time.
 */
export function runCompiled({ file, start, importModule, sha256 }: CompiledProgram): void {
  // before anything is compiled: the flags are part of what stored code is checked for
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--interrupt-budget=${PATIENCE}`)
  const path = fileURLToPath(file)
  const text = readFileSync(path, 'latin1')
  const isCaching = (process.env['NODE_DISABLE_COMPILE_CACHE'] ?? '') === ''
  // commands use different functions, and those that were compiled lazily are part of it
  const command = /^[a-z]{1,20}$/.exec(process.argv[2] ?? '')?.[0] ?? 'other'
  const name = [sha256.slice(0, 16), process.version, process.arch, command].join('-')
  const stored = join(dirname(path), name + SUFFIX)
  const cachedData = isCaching ? readStored(stored) : undefined
  const script = new Script(text, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  if (isCaching && (cachedData === undefined || script.cachedDataRejected === true)) {
    process.on('exit', () => store(stored, script.createCachedData()))
  }
  const run: unknown = script.runInThisContext()
  if (typeof run === 'function') run(createRequire(path), start, importModule)
}

function readStored(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    return ignoreFileError(error)
  }
}

/** Waits for the disk before the file gets its name: V8 does not look at all of it, so it has to be whole also after a power failure. */
function store(path: string, data: Buffer): void {
  const folder = dirname(path)
  try {
    const draft = `${path}.${process.pid}`
    const file = openSync(draft, 'w')
    try {
      writeFileSync(file, data)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
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
