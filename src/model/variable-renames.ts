import type { ReleaseName } from './release.ts'

/** New names of class variables by their old ones. */
export type NewNames = ReadonlyMap<string, string>

/** Class variables that have been renamed, by stack (`docker-scs`), as the fleet says. */
export type VariableRenames = ReadonlyMap<string, NewNames>

/**
 * The name that a variable has in a class now: the first one that the class has, over several renames; undefined where
 * none is known.
 */
export function renamedTo(
  name: string,
  { names, isDefined }: { readonly names: NewNames | undefined; readonly isDefined: (name: string) => boolean },
): string | undefined {
  const seen = new Set([name])
  let next = names?.get(name)
  while (next !== undefined && !seen.has(next)) {
    if (isDefined(next)) return next
    seen.add(next)
    next = names?.get(next)
  }
  return undefined
}

/** The new names of variables in classes of a stack. */
export function newNamesOf(
  renames: VariableRenames,
  { provider, stack }: Pick<ReleaseName, 'provider' | 'stack'>,
): NewNames | undefined {
  return renames.get(`${provider}-${stack}`)
}
