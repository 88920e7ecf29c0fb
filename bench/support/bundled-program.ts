import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of the program that `npm run build` made. @throws Error where there is none, which a run would not tell from findings */
export function bundledProgram(): string {
  const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  if (!existsSync(program)) throw new Error(`needs a build: ${program} is not there; npm run build`)
  return program
}
