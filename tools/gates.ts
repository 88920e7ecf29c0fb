/**
 * Builds the programs that judge objects with Flux's own evaluator and with the Lua of Argo CD (`tools/gates`), and
 * that fill variables in with Flux's own package (`tools/substitution`), into the cache that the servers of tests lie
 * in; prints their paths. Tests never build: they take what is there. `.ci/run` calls this before the tests.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, hashOfInputs, sourcesOf, testCache } from './go-module.ts'

type Program = 'gates' | 'substitution'

function folderOf(program: Program): string {
  return fileURLToPath(new URL(program, import.meta.url))
}

/** Where the program for these sources lies once it is built. */
function target(program: Program): string {
  return join(testCache(), `${program}-${hashOfInputs(sourcesOf(folderOf(program)))}`)
}

/** Path of the program that judges; undefined when nobody has built it. */
export function gatesProgram(): string | undefined {
  return builtProgram('gates')
}

/** Path of the program that substitutes; undefined when nobody has built it. */
export function substitutionProgram(): string | undefined {
  return builtProgram('substitution')
}

function builtProgram(program: Program): string | undefined {
  const path = target(program)
  return existsSync(path) ? path : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const program of ['gates', 'substitution'] as const) {
    const path = bring(target(program), (partial) => buildGo(folderOf(program), { path: '.', to: partial }))
    process.stdout.write(`${path}\n`)
  }
}
