import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * The folder of real charts and stacks to test on: `STACKMASON_SHARED`, else `../shared` when it is there. A use is
 * noted in `.cache/`, so that CI can tell a folder that no test used.
 */
export function sharedFolder(): string | undefined {
  const folder = resolve(root, process.env['STACKMASON_SHARED'] ?? '../shared')
  if (!existsSync(join(folder, 'cluster-stacks'))) return undefined
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(join(root, '.cache/shared-used'), folder)
  return folder
}
