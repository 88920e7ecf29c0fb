import { shortHash } from '../short-hash.ts'

/** Values are annotations of a cluster Secret for Argo CD, and the name of one has 63 characters at most. */
const longestValue = 63
/** Generators are kept in a Secret by `<generator>.<part>`, and a key of one has 253 characters at most. */
const longestGenerator = 200
/** The part of that length that a number behind the name may take. */
const numberRoom = 4

/**
 * Makes the name of a value from what it is: upper case, digits and underscores, as Flux and a shell variable want it;
 * a letter or digit at both ends, as the name of an annotation needs it.
 */
export function valueName(...parts: readonly string[]): string {
  const name = parts
    .join('_')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toUpperCase()
  return cut(/^[A-Z]/.test(name) ? name : `V_${name}`, longestValue, (hash) => `_${hash.toUpperCase()}`)
}

/** Makes the name of a generator from where its result lands: letters, digits, dashes and underscores. */
export function generatorName(...parts: readonly string[]): string {
  const name = parts.map((part) => part.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')).join('_')
  return cut(/^[A-Za-z_]/.test(name) ? name : `_${name}`, longestGenerator, (hash) => `_${hash}`)
}

/** The name, or as much of it as fits and a hash of all of it. */
function cut(name: string, longest: number, ending: (hash: string) => string): string {
  if (name.length <= longest - numberRoom) return name
  const end = ending(shortHash(name))
  return name.slice(0, longest - numberRoom - end.length).replace(/[_-]+$/, '') + end
}

/** Hands out names: the wished one, or with a number behind it where another thing has that name already. */
export function createNames(): (wish: string, thing: string) => string {
  const things = new Map<string, string>()
  return (wish, thing) => {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wish : `${wish}_${String(number)}`
      const owner = things.get(name)
      if (owner !== undefined && owner !== thing) continue
      things.set(name, thing)
      return name
    }
  }
}
