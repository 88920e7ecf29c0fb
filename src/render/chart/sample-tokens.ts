import { tokenPattern, type TokenSpec, type TokenTable } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'
import { holdsToken } from '../engine/token-refused.ts'

/** A text of each type. */
const samples: Readonly<Record<TokenSpec['type'], string>> = {
  host: 'control-plane.example',
  port: '6443',
  id: '00000000-0000-4000-8000-000000000000',
  string: 'text',
  integer: '1',
}

/**
 * Returns the text with a sample of its type in place of each token. Where it is a number that no template has put in
 * quotes, a YAML reader gives a number for it.
 */
export function sampleText(text: string, tokens: TokenTable): string {
  return text.replace(tokenPattern(), (token) => {
    const spec = tokens.get(token)
    const sample = samples[spec?.type ?? 'string']
    return spec?.kind === 'runtime' && spec.form === 'text' ? `text-${sample}` : sample
  })
}

/**
 * Returns values as a schema is to see them: with samples in place of what is known later, shared where there is none.
 */
export function sampleTokens(values: Dict, tokens: TokenTable): Dict {
  if (tokens.specs.length === 0) return values
  const sampleDict = (from: Dict): Dict => {
    const copy = new Dict()
    for (const [key, child] of from) copy.set(key, sampleOf(child))
    return copy
  }
  const sampleOf = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(sampleOf)
    if (value instanceof Dict) return sampleDict(value)
    if (typeof value !== 'string' || !holdsToken(value)) return value
    const spec = value.length === 2 ? tokens.get(value) : undefined
    if (spec?.kind === 'runtime') {
      const isNumber = spec.form !== 'text' && (spec.type === 'port' || spec.type === 'integer')
      return isNumber ? Number(samples[spec.type]) : samples[spec.type]
    }
    return value.replace(tokenPattern(), (token) => samples[tokens.get(token)?.type ?? 'string'])
  }
  return sampleDict(values)
}
