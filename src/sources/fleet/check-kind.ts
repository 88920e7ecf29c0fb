import { textAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { Dict } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import { type DocumentKind, documentKinds } from './document-kind.ts'
import type { Reading } from './reading.ts'

/**
 * True if the document says that it is what the file must hold. Another `kind` or `apiVersion` is one problem of its
 * own: to list every field of it as unknown would help nobody.
 */
export function checkKind(document: ConfigDocument, wanted: DocumentKind, reading: Reading): boolean {
  const before = reading.problems.length
  const kind = document.value instanceof Dict ? textAt(document.value, 'kind') : ''
  const isOther = kind !== '' && kind !== wanted.kind
  for (const field of ['kind', 'apiVersion'] as const) {
    const found = document.value instanceof Dict ? textAt(document.value, field) : ''
    const allowed: readonly string[] = field === 'kind' ? [wanted.kind] : wanted.apiVersions
    if (found === '' || allowed.includes(found)) continue
    const listed = allowed.map((text) => `"${text}"`).join(' or ')
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${field} must be ${listed} in this file`,
      at: document.spanOf([field]),
      hint: isOther
        ? wayToKind(kind, wanted)
        : `Write \`${field}: ${nearestName(found, allowed) ?? wanted.apiVersions[0]}\`.`,
    })
  }
  return reading.problems.length === before
}

/** A misspelt kind is corrected; a document of another kind belongs elsewhere. */
function wayToKind(kind: string, wanted: DocumentKind): string {
  const others: readonly DocumentKind[] = Object.values(documentKinds)
  const other = others.find((known) => known.kind === kind)
  if (other !== undefined) return `A document of kind ${kind} belongs in ${other.file}.`
  return nearestName(kind, [wanted.kind]) === undefined
    ? `This file is of kind ${wanted.kind}: docs/03-configuration.md has its fields.`
    : `Write \`kind: ${wanted.kind}\`.`
}
