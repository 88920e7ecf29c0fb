import { parseArgs } from 'node:util'
import type { TrialForm } from '../../tools/fleets/trial-place.ts'

/** The words of a trial of publishers: numbers, and where the tree goes. */
export function trialWords(): { readonly form: TrialForm; readonly numbers: readonly number[] } {
  const { values, positionals } = parseArgs({ options: { form: { type: 'string' } }, allowPositionals: true })
  const forms: readonly TrialForm[] = ['branch', 'fleet', 'cluster']
  const form = forms.find((one) => one === (values.form ?? 'branch'))
  if (form === undefined) throw new Error(`--form is one of ${forms.join(', ')}`)
  return { form, numbers: positionals.map(Number) }
}
