import { dictAt } from '../../model/field.ts'
import { errorCodes, isCode } from '../../model/error-codes.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { RuleLevel, RuleLevels } from '../../model/rule-level.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** `spec.check.rules` of stackmason.yaml, checked by the schema before; unknown codes are noted as problems. */
export function readRuleLevels(document: ConfigDocument, reading: Reading): RuleLevels {
  const path = ['spec', 'check', 'rules'] as const
  const levels = [...(dictAt(document.value, ...path) ?? [])].flatMap(([code, level]) => {
    if (isCode(code)) return [[code, levelOf(level)] as const]
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
  return new Map(levels)
}

function levelOf(level: unknown): RuleLevel {
  return level === 'error' || level === 'warning' ? level : 'off'
}
