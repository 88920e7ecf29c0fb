import { holdsParameter, tokenPattern, type TokenSpec, type TokenTable } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'
import { holdsToken } from './token-refused.ts'

/** True if any string in `values` holds a token, at any depth of lists and maps, keys included. */
export function holdsTokens(values: readonly Value[]): boolean {
  for (const text of textsOf(values)) if (holdsToken(text)) return true
  return false
}

/** True if any string in `values` holds a parameter. */
export function holdsParameters(values: readonly Value[], table: TokenTable): boolean {
  for (const text of textsOf(values)) if (holdsToken(text) && holdsParameter(text, table)) return true
  return false
}

/** Names the deferred values in `values` for a message, each once: `Cluster.spec.controlPlaneEndpoint.host`. */
export function describeTokens(values: readonly Value[], table: TokenTable): string {
  const tokens = [...textsOf(values)].flatMap((text) => text.match(tokenPattern()) ?? [])
  return [...new Set(tokens)].map((token) => describeToken(token, table)).join(', ')
}

/** Returns `text` with every token replaced by the name of what it stands for, for messages. */
export function nameTokens(text: string, table: TokenTable): string {
  if (!holdsToken(text)) return text
  return text.replace(tokenPattern(), (token) => `<${describeToken(token, table)}>`)
}

function describeToken(token: string, table: TokenTable): string {
  const spec: TokenSpec | undefined = table.get(token)
  if (spec === undefined) return 'an unknown value'
  if (spec.kind === 'runtime') return spec.path
  if (spec.kind === 'parameter') return `parameter ${String(spec.index)}`
  if (spec.kind === 'generated') return `what ${spec.generate.function} generates`
  // literal text of the input may be a password: only what is known later is named
  const inner = describeTokens([spec.input], table)
  return `${spec.function} of ${spec.input.replace(tokenPattern(), '') === '' ? inner : `text with ${inner}`}`
}

function* textsOf(values: readonly Value[]): Generator<string> {
  const seen = new Set<Value>()
  const pending: Value[] = [...values]
  // the list grows while it is walked
  for (const value of pending) {
    if (typeof value === 'string') yield value
    else if ((Array.isArray(value) || value instanceof Dict) && !seen.has(value)) {
      seen.add(value)
      for (const element of value.values()) pending.push(element)
      if (value instanceof Dict) yield* value.keys()
    }
  }
}
