import { collectSecretTexts } from '../codec/text/secret-texts.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { textAt } from '../model/field.ts'
import { isNameOfSecret, namesSecretBeside, refersToSecret } from '../model/sensitive-name.ts'
import { Dict, type Value } from '../model/value.ts'
import { describeLive, type LiveObject } from './live-object.ts'

/**
 * Says which values of a document look like secrets: the API server shows a Cluster to few, and its repository is read
 * by many. It goes by the names of variables and fields, and by what texts hold; values are never repeated.
 */
export function plainSecrets(live: LiveObject, document: Dict, path: string): readonly Diagnostic[] {
  const found = secretPlaces(document)
  if (found.length === 0) return []
  return [
    {
      code: 'SECRET_IN_PLAINTEXT',
      severity: 'warning',
      message: `${describeLive(live)}: ${path} holds in plaintext what looks like a secret: ${found.join(', ')}`,
      file: live.file,
      hint: 'Do not commit it before you have read it. Where the class can take it from a Secret, change the variable to that and replace what was readable; everybody who ever reads the repository can read it.',
    },
  ]
}

/** Variables by name, with the fields below them; other places by their fields. Each once, in order. */
function secretPlaces(document: Dict): readonly string[] {
  const found = new Set<string>()
  const visit = (value: Value, place: readonly string[], isNamed: boolean): void => {
    if (typeof value === 'string') {
      if (value !== '' && (isNamed || holdsSecret(value))) found.add(place.join('.'))
    } else if (Array.isArray(value)) for (const item of value) visit(item, place, isNamed)
    else if (value instanceof Dict) {
      const name = textAt(value, 'name')
      if (name !== '' && value.has('value')) {
        visit(value.get('value') ?? null, [`variable ${name}`], namesSecretBeside(name))
        return
      }
      // what tells which secret is meant is none: `secretRef: {name: …, key: …}`
      for (const [key, item] of value)
        if (!refersToSecret(key)) visit(item, [...place, key], isNamed || isNameOfSecret(key))
    }
  }
  visit(document, [], false)
  return [...found]
}

/** A key, a token, or lines with a password, as they are hidden where text is shown. */
function holdsSecret(text: string): boolean {
  let isFound = false
  collectSecretTexts(text, () => {
    isFound = true
  })
  return isFound
}
