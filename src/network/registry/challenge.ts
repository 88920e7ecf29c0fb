/** One way in which a server says that it can be shown who asks (RFC 7235). */
export interface Challenge {
  /** Lower case: `basic`, `bearer`. */
  readonly scheme: string
  /** Names in lower case; of equal names the first counts. */
  readonly parameters: ReadonlyMap<string, string>
}

const separator = /[\s,]*/y
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const equals = /[ \t]*=[ \t]*/y
const quoted = /"((?:[^"\\]|\\[^])*)"/y
const token68 = /[ \t]+[A-Za-z0-9._~+/-]+=*[ \t]*(?=,|$)/y

/**
 * Reads a WWW-Authenticate header: any number of challenges, parameters as tokens or quoted strings. What comes after
 * something that is neither is dropped.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match ?? undefined
  }
  for (;;) {
    take(separator)
    const word = take(token)?.[0]
    if (word === undefined) return challenges
    // a word before "=" is a parameter of the challenge before it, any other begins a challenge
    if (take(equals) === undefined) {
      challenges.push({ scheme: word.toLowerCase(), parameters: new Map() })
      take(token68)
      continue
    }
    const text = take(quoted)?.[1]?.replaceAll(/\\([^])/g, '$1') ?? take(token)?.[0]
    if (text === undefined) return challenges
    const parameters = challenges.at(-1)?.parameters
    const name = word.toLowerCase()
    if (parameters !== undefined && !parameters.has(name)) parameters.set(name, text)
  }
}
