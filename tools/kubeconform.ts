/**
 * Builds kubeconform from its Go module (`tools/kubeconform`), once, into the cache that the servers of tests lie in;
 * prints its path. Only a benchmark needs it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, hashOfInputs, testCache, versionIn } from './go-module.ts'

const folder = fileURLToPath(new URL('kubeconform', import.meta.url))
const main = 'github.com/yannh/kubeconform'

/** The path of kubeconform; undefined when nobody has built it. */
export function kubeconformBinary(): string | undefined {
  const path = target()
  return existsSync(path) ? path : undefined
}

/** Where it lies once it is built, for these versions. */
function target(): string {
  const pinned = ['go.mod', 'go.sum'].map((name) => readFileSync(join(folder, name), 'utf8'))
  return join(testCache(), `kubeconform-${versionIn(folder, main)}-${hashOfInputs(pinned)}`, 'kubeconform')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = bring(target(), (partial) => {
    buildGo(folder, { path: `${main}/cmd/kubeconform`, to: partial })
  })
  process.stdout.write(`${path} ${execFileSync(path, ['-v'], { encoding: 'utf8' })}`)
}
