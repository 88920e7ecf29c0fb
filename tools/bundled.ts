import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** Modules of src ask where they lie: the folder stands as deep in the tree as theirs. */
const folder = join(root, '.cache/bundles')

/** Of this process: what is bundled does not change while tests run, and bundling all of src takes two seconds. */
const known = new Map<string, Promise<string>>()

/**
 * Puts a program, and what it imports of src, into one file that Node starts without a loader, and returns its path.
 * The file is named for its content.
 * @param entry a file, or the text of a program
 */
export function bundled(entry: string | { readonly text: string }): Promise<string> {
  const key = JSON.stringify(entry)
  const file = known.get(key) ?? bundle(entry)
  known.set(key, file)
  return file
}

async function bundle(entry: string | { readonly text: string }): Promise<string> {
  const { outputFiles } = await build({
    ...(typeof entry === 'string'
      ? { entryPoints: [entry] }
      : { stdin: { contents: entry.text, resolveDir: root, loader: 'ts' } }),
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.url': JSON.stringify(new URL('../src/main.ts', import.meta.url).href) },
    logLevel: 'warning',
  })
  const text = outputFiles.map((file) => file.text).join('')
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.mjs`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const partial = `${file}.${String(process.pid)}`
    writeFileSync(partial, text)
    renameSync(partial, file)
  }
  return file
}
