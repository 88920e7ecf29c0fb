/**
 * Builds the program that judges objects with Flux's own evaluator and with the Lua of Argo CD (`tools/gates`), into the cache that the servers of tests
 * lie in; prints its path. Tests never build: they take what is there. `.ci/run` calls this before the tests.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, hashOfInputs, sourcesOf, testCache } from './go-module.ts'

const folder = fileURLToPath(new URL('gates', import.meta.url))

/** Where the program for these sources lies once it is built. */
function target(): string {
  return join(testCache(), `gates-${hashOfInputs(sourcesOf(folder))}`)
}

/** Path of the program; undefined when nobody has built it. */
export function gatesProgram(): string | undefined {
  return existsSync(target()) ? target() : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = bring(target(), (partial) => buildGo(folder, { path: '.', to: partial }))
  process.stdout.write(`${program}\n`)
}
