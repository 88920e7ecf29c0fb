import { itemsAt, textAt } from '../../model/field.ts'
import type { Acknowledgement } from '../../model/acknowledgement.ts'
import { errorCodes, isCode } from '../../model/error-codes.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { noteFixed } from './rule-levels.ts'
import { quote } from './schema-diagnostic.ts'

/**
 * `spec.acknowledged` of stackmason.yaml, checked by the schema before; unknown codes and days are noted as problems.
 */
export function readAcknowledgements(document: ConfigDocument, reading: Reading): readonly Acknowledgement[] {
  return itemsAt(document.value, 'spec', 'acknowledged').flatMap((item, index) => {
    const path = ['spec', 'acknowledged', index] as const
    const code = textAt(item, 'code')
    const until = textAt(item, 'until')
    if (!isCode(code)) {
      const near = nearestName(code, Object.keys(errorCodes))
      const hint = near === undefined ? 'docs/06-errors.md lists all codes.' : `Did you mean ${near}?`
      const message = `there is no code ${quote(code)}`
      reading.problems.push({
        code: 'CONFIG_REFERENCE',
        severity: 'error',
        message,
        at: document.spanOf([...path, 'code']),
        hint,
      })
    }
    if (!isDay(until)) {
      reading.problems.push({
        code: 'CONFIG_INVALID_VALUE',
        severity: 'error',
        message: `no calendar has the day ${quote(until)}`,
        at: document.spanOf([...path, 'until']),
        hint: 'Write year, month and day, as in "2027-03-31".',
      })
    }
    if (!isCode(code)) return []
    const selection = (['cluster', 'release', 'addon', 'object'] as const).flatMap((key) => {
      const wanted = textAt(item, key)
      return wanted === '' ? [] : [[key, wanted] as const]
    })
    const at = document.spanOf([...path, 'code'])
    noteFixed(code, { at, word: 'acknowledged' }, reading)
    const clusterAt = textAt(item, 'cluster') === '' ? {} : { clusterAt: document.spanOf([...path, 'cluster']) }
    return [{ code, ...Object.fromEntries(selection), reason: textAt(item, 'reason'), until, at, ...clusterAt }]
  })
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
