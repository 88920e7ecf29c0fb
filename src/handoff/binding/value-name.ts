/** Makes the name of a value from what it is: upper case, digits and underscores, as Flux and a shell variable want it. */
export function valueName(...parts: readonly string[]): string {
  const name = parts
    .join('_')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** Makes the name of a generator from where its result lands: letters, digits, dashes and underscores. */
export function generatorName(...parts: readonly string[]): string {
  const name = parts.map((part) => part.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')).join('_')
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
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
