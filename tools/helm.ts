/**
 * Builds the real helm from its Go module (`tools/helm`), once, into the cache that the servers of tests lie in; prints
 * its path. Tests never build: they take what is there. `.ci/run` calls this before the tests.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, hashOfInputs, testCache, versionIn } from './go-module.ts'

const folder = fileURLToPath(new URL('helm', import.meta.url))
const main = 'helm.sh/helm/v4'

/** The commit of the tag v4.1.4: releases of helm say it, and charts can read it. */
const commit = '05fa37973dc9e42b76e1d2883494c87174b6074f'

/** The path of the helm binary (4.1.4); undefined when nobody has built it. */
export function helmBinary(): string | undefined {
  const path = target()
  return existsSync(path) ? path : undefined
}

/** Where it lies once it is built, for these versions. */
function target(): string {
  const pinned = ['go.mod', 'go.sum'].map((name) => readFileSync(join(folder, name), 'utf8'))
  return join(testCache(), `helm-${versionIn(folder, main)}-${hashOfInputs([...pinned, commit])}`, 'helm')
}

/**
 * As helm's own releases are built (its Makefile); the version of Kubernetes that it assumes is that of its client-go.
 */
function build(partial: string): void {
  const version = 'helm.sh/helm/v4/internal/version'
  const values = { version: versionIn(folder, main), gitCommit: commit, gitTreeState: 'clean' }
  const flags = Object.entries(values)
    .map(([name, value]) => `-X ${version}.${name}=${value}`)
    .join(' ')
  buildGo(folder, { path: 'helm.sh/helm/v4/cmd/helm', to: partial, flags })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = bring(target(), build)
  process.stdout.write(`${path} ${execFileSync(path, ['version', '--short'], { encoding: 'utf8' })}`)
}
