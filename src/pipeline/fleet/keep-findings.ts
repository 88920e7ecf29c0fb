import { boundFindings } from '../../model/bound-findings.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { isRuleCode } from '../../model/error-codes.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { whyFixed } from '../../model/stopping-codes.ts'
import { acknowledgeFindings, unusedAcknowledgements } from './acknowledge-findings.ts'
import { distinct } from '../diagnostics.ts'

/** The findings of a stage besides its result. */
interface Found {
  readonly findings: readonly Diagnostic[]
}

/** Warnings of the stages so far. */
export interface KeptFindings {
  /**
   * Waits for a stage and keeps its findings. When it stops, what was found before is told with its errors: a warning
   * may be their reason.
   */
  readonly of: <Result extends Found>(stage: Promise<Result>) => Promise<Result>
  /** Sets what the fleet acknowledges: findings are marked with it from then on, also those of stages before. */
  readonly acknowledge: (repository: FleetRepository) => void
  /**
   * All of them, each once; with `whole`, when everything was rendered, also a note for each acknowledgement that
   * nothing matches; with `checked`, when rules looked at it too, also of those that are about findings of rules.
   */
  readonly all: (looked: 'checked' | 'whole' | 'part') => readonly Diagnostic[]
}

/** Makes a keeper of the findings of stages that follow each other. */
export function keepFindings(): KeptFindings {
  const kept: Diagnostic[] = []
  let repository: FleetRepository | undefined
  const entries = (): FleetRepository['fleet']['acknowledged'] => repository?.fleet.acknowledged ?? []
  return {
    of: async (stage) => {
      try {
        const result = await stage
        kept.push(...result.findings)
        return result
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        throw new StackmasonError(acknowledgeFindings(distinct([...kept, ...error.diagnostics]), entries()), {
          cause: error,
        })
      }
    },
    acknowledge: (read) => {
      repository = read
    },
    all: (looked) => {
      const found = distinct(kept)
      const acknowledged = entries()
      const asked = acknowledged.filter(
        ({ code }) =>
          // of those that can have no effect reading the fleet has told
          whyFixed(code) === undefined && (looked === 'checked' || (looked === 'whole' && !isRuleCode(code))),
      )
      const clusters = (repository?.clusters ?? []).map(({ namespace, name }) => `${namespace}/${name}`)
      const unused = unusedAcknowledgements(found, asked, clusters)
      return boundFindings([...acknowledgeFindings(found, acknowledged), ...unused])
    },
  }
}
