import { getBuiltinModule } from 'node:process'
import { getRawAsset } from 'node:sea'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import type { PackageFiles } from '../model/ports.ts'
import { evaluateCompiled, type ProgramFacts } from './run-compiled.ts'

/** Facts about the package that an executable holds as assets, each named by its path in the package. */
export interface PackedProgram extends ProgramFacts {
  readonly version: string
  /** Paths of the package's files, sorted. */
  readonly names: readonly string[]
}

const BUNDLE = 'dist/bundle/'

/** The start of a thread of an executable: it calls `runPackedThread`. */
export const THREAD_START = 'thread-start.cjs'

/**
 * Runs the program that lies in the executable of this process, as `runCompiled` does with the one that lies in a
 * package. Nothing is read from beside the executable, and nothing is unpacked.
 */
export function runExecutable({ version, names, ...facts }: PackedProgram): void {
  const name = `${BUNDLE}program.cjs`
  // the program is ASCII: V8 keeps a byte for each character
  const run = evaluateCompiled({ text: bytesOf(name).toString('latin1'), path: name, ...facts })
  const host = {
    version,
    packageFiles: packedFiles(names),
    digest: facts.digest,
    threadProgram: { text: bytesOf(THREAD_START).toString() },
  }
  const use = (program: { readonly startProgram: (of: typeof host) => void }): void => program.startProgram(host)
  if (typeof run === 'function') run(requirePacked(), pathToFileURL(process.execPath).href, use)
}

/** Runs the program of threads that lies in the executable, in a thread of it. */
export function runPackedThread(): void {
  requirePacked()('./thread.cjs')
}

function packedFiles(names: readonly string[]): PackageFiles {
  const below = (folder: string): readonly string[] =>
    names.filter((name) => name.startsWith(`${folder}/`)).map((name) => name.slice(folder.length + 1))
  return {
    names: (folder) => Promise.resolve(below(folder).filter((name) => !name.includes('/'))),
    below: (folder) => Promise.resolve(below(folder)),
    // a copy: the bytes of an asset cannot be written to
    read: (path) => Promise.resolve(new Uint8Array(bytesOf(path))),
  }
}

function bytesOf(name: string): Buffer {
  const found = getRawAsset(name)
  return typeof found === 'string' ? Buffer.from(found) : Buffer.from(found)
}

/** Finds what Node brings and files of the bundle, never a file of the machine. */
function requirePacked(): (name: string) => unknown {
  const loaded = new Map<string, { exports: unknown }>()
  const find = (name: string): unknown => {
    if (!name.startsWith('./')) return builtIn(name)
    const path = BUNDLE + name.slice('./'.length)
    const known = loaded.get(path)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(path, module)
    const text = `(function (module, exports, require, __filename, __dirname) {${bytesOf(path).toString()}\n})`
    const run: unknown = new Script(text, { filename: path }).runInThisContext()
    if (typeof run === 'function') run(module, module.exports, find, `/${path}`, `/${BUNDLE}`)
    return module.exports
  }
  return find
}

function builtIn(name: string): unknown {
  const found = getBuiltinModule(name)
  if (found !== undefined) return found
  // packages try names, and look for this code
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
}
