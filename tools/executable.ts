/**
 * Makes the program one file that needs no Node: `tsx tools/executable.ts x64|arm64 FILE`, after `npm run build`. A Node
 * with long-term support gets the bundle of `dist`, and what the program reads beside it, as assets. The same inputs give
 * the same bytes.
 */
import { build } from 'esbuild'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PackedProgram, THREAD_START } from '../src/system/run-executable.ts'
import { filesOfCommands, firstWords, programDigest } from './bundle.ts'
import { type Architecture, bringNode, nodeVersions } from './node.ts'

const root = join(import.meta.dirname, '..')
/** The name by which Node finds its program. */
const BLOB = 'NODE_SEA_BLOB'
/** Kinds of segments. */
const [LOADED, NOTE] = [1, 4]
/** This stands in a Node, and `:1` behind it once it holds a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Where what the program reads at run time lies on this machine, by its path in the package, in order. */
function packedFiles(dist: string): ReadonlyMap<string, string> {
  const places: readonly (readonly [string, string])[] = [
    ['dist/bundle', join(dist, 'bundle')],
    ['schemas', join(root, 'schemas')],
    ['templates', join(root, 'templates')],
  ]
  const below = places.flatMap(([to, folder]) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'library.cjs' && !filesOfCommands.has(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file): readonly [string, string] => [join(to, relative(folder, file)), file]),
  )
  const files = new Map([...below, ['package.json', join(root, 'package.json')]])
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function mainScript(files: ReadonlyMap<string, string>): Promise<string> {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const packed: PackedProgram = {
    version,
    names: [...files.keys()].filter((name) => !name.startsWith('dist/')),
    sha256: createHash('sha256')
      .update(readFileSync(files.get('dist/bundle/program.cjs') ?? ''))
      .digest('hex'),
    digest: programDigest(dirname(files.get('dist/bundle/program.cjs') ?? '')),
    commands: firstWords,
  }
  return startScript(
    `import { runExecutable } from '../src/system/run-executable.ts'\nrunExecutable(${JSON.stringify(packed)})`,
  )
}

/** A script that Node can start with nothing beside it. */
async function startScript(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** The next place of a note: a multiple of four. */
function aligned(offset: number): number {
  return Math.ceil(offset / 4) * 4
}

/**
 * What an ELF file for 64 bits holds where Node looks for its program: in a note of that name in a segment that is
 * loaded. Undefined where there is none, or where Node does not look.
 */
function blobIn(file: Buffer): Buffer | undefined {
  if (!file.includes(`${FUSE}:1`)) return undefined
  const headers = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = Number(file.readBigUInt64LE(32)) + index * file.readUInt16LE(54)
    const number = (offset: number): number => Number(file.readBigUInt64LE(at + offset))
    return { type: file.readUInt32LE(at), start: number(8), size: number(32) }
  })
  const isLoaded = (start: number, end: number): boolean =>
    headers.some((header) => header.type === LOADED && header.start <= start && end <= header.start + header.size)
  for (const { start, size } of headers.filter(({ type }) => type === NOTE)) {
    for (let at = start; at + 12 <= start + size;) {
      const [nameSize, from] = [file.readUInt32LE(at), at + 12 + aligned(file.readUInt32LE(at))]
      const to = from + file.readUInt32LE(at + 4)
      const name = file.toString('latin1', at + 12, at + 12 + nameSize).replaceAll('\0', '')
      if (name === BLOB && isLoaded(at, to)) return file.subarray(from, to)
      at = aligned(to)
    }
  }
  return undefined
}

/** Returns the bytes of the executable for Linux on these processors, of what was bundled into `dist`. */
export async function buildExecutable(architecture: Architecture, dist: string): Promise<Buffer> {
  const work = mkdtempSync(join(tmpdir(), 'stackmason-executable-'))
  try {
    const files = packedFiles(dist)
    writeFileSync(join(work, 'main.cjs'), await mainScript(files))
    writeFileSync(
      join(work, THREAD_START),
      await startScript("import { runPackedThread } from '../src/system/run-executable.ts'\nrunPackedThread()"),
    )
    const config = {
      main: 'main.cjs',
      output: 'blob',
      disableExperimentalSEAWarning: true,
      // what is meant for another Node on the same machine must not reach this one
      execArgvExtension: 'none',
      assets: { ...Object.fromEntries(files), [THREAD_START]: THREAD_START },
    }
    writeFileSync(join(work, 'config.json'), JSON.stringify(config))
    // paths stand in what is made: it is made where all are relative
    const node = join(bringNode(nodeVersions.lts, 'x64'), 'node')
    execFileSync(node, ['--experimental-sea-config', 'config.json'], {
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const target = join(work, 'stackmason')
    writeFileSync(target, readFileSync(join(bringNode(nodeVersions.lts, architecture), 'node')))
    const words = ['postject', target, BLOB, join(work, 'blob'), '--sentinel-fuse', FUSE]
    execFileSync('npx', words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const executable = readFileSync(target)
    if (!blobIn(executable)?.equals(readFileSync(join(work, 'blob'))))
      throw new Error('the program is not where Node looks')
    return executable
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , architecture, file] = process.argv
  if ((architecture !== 'x64' && architecture !== 'arm64') || file === undefined)
    throw new Error('usage: tsx tools/executable.ts x64|arm64 FILE')
  writeFileSync(file, await buildExecutable(architecture, join(root, 'dist')), { mode: 0o755 })
}
