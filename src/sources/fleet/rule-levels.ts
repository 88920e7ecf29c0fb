import { dictAt } from '../../model/field.ts'
import { type Code, errorCodes, isCode } from '../../model/error-codes.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { RuleLevel } from '../../model/rule-level.ts'
import type { Span } from '../../model/source.ts'
import { whyFixed } from '../../model/stopping-codes.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** `spec.check.rules` of stackmason.yaml, checked by the schema before; unknown codes are noted as problems. */
export function readRuleLevels(
  document: ConfigDocument,
  reading: Reading,
): Pick<Fleet, 'ruleLevels' | 'ruleLevelPlaces'> {
  const path = ['spec', 'check', 'rules'] as const
  const levels = [...(dictAt(document.value, ...path) ?? [])].flatMap(([code, level]) => {
    if (isCode(code)) {
      if (level !== 'error') noteFixed(code, { at: document.spanOf([...path, code], 'key'), word: 'lowered' }, reading)
      return [[code, levelOf(level)] as const]
    }
    const near = nearestName(code, Object.keys(errorCodes))
    reading.problems.push({
      code: 'CONFIG_REFERENCE',
      severity: 'error',
      message: `there is no code ${quote(code)}`,
      at: document.spanOf([...path, code], 'key'),
      hint: near === undefined ? '`stackmason check --rules` lists the rules.' : `Did you mean ${near}?`,
    })
    return []
  })
  return {
    ruleLevels: new Map(levels),
    ruleLevelPlaces: new Map(levels.map(([code]) => [code, document.spanOf([...path, code], 'key')])),
  }
}

/** An entry for what stops rendering, or tells how a command ended: the fleet means what it cannot have. */
export function noteFixed(
  code: Code,
  { at, word }: { readonly at: Span; readonly word: 'lowered' | 'acknowledged' },
  reading: Pick<Reading, 'findings'>,
): void {
  const why = whyFixed(code)
  if (why === undefined) return
  reading.findings.push({
    code: 'CONFIG_CONFLICT',
    severity: 'warning',
    message: `${code} cannot be ${word}: ${why}, so the entry has no effect`,
    at,
    hint: 'Remove the entry, and mend what is found.',
  })
}

function levelOf(level: unknown): RuleLevel {
  return level === 'error' || level === 'warning' ? level : 'off'
}
