import { parseArgs } from 'node:util'
import type { TrialForm } from '../../tools/fleets/trial-place.ts'

/** What a trial of publishers is told. */
interface TrialWords {
  /** Where the tree goes. */
  readonly form: TrialForm
  /** The step from which on it is about; undefined: from the first. */
  readonly from: string | undefined
  readonly numbers: readonly number[]
  /** Seconds after which no round begins. */
  readonly seconds: number
}

/** The words of a trial of publishers. */
export function trialWords(): TrialWords {
  const { values, positionals } = parseArgs({
    options: { form: { type: 'string' }, from: { type: 'string' }, seconds: { type: 'string' } },
    allowPositionals: true,
  })
  const forms: readonly TrialForm[] = ['branch', 'fleet', 'cluster']
  const form = forms.find((one) => one === (values.form ?? 'branch'))
  if (form === undefined) throw new Error(`--form is one of ${forms.join(', ')}`)
  const { from, seconds = 'Infinity' } = values
  return { form, from, numbers: positionals.map(Number), seconds: Number(seconds) }
}
