import { GenerateError } from './generate-error.ts'

/** Checks how many arguments a function has. @throws GenerateError for more or fewer than `count` */
export function requireArguments(name: string, args: readonly string[], count: number): void {
  if (args.length === count) return
  throw new GenerateError(`${name} takes ${count === 1 ? 'one argument' : `${String(count)} arguments`}`)
}
