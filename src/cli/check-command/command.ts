import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FailOn } from '../../model/forge.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { endAcknowledgements } from '../../model/end-acknowledgements.ts'
import { check, type CheckOptions, describeRules } from '../../pipeline/commands/check.ts'
import { publishFindings } from '../../pipeline/commands/publish-findings.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { formOf } from '../arguments/output-targets.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { exitStatusOf } from '../exit-status.ts'
import { withProgress } from '../with-progress.ts'
import { checkReport } from './json.ts'
import { checkList } from './list.ts'
import { type CheckOutcome, hasFailed, incompleteText, type JudgedFleet, type ShownRules } from './outcome.ts'
import { checkSpec } from './spec.ts'
import { checkText } from './text.ts'

/** `stackmason check`. */
export const checkCommand: RunCommand = defineCommand<CheckOutcome>({
  run,
  text: checkText,
  json: checkReport,
  list: checkList,
  exitStatus: statusOf,
})

/** Problems of the input become findings of a check without a result. */
async function run(parsed: ParsedArguments, context: CommandContext): Promise<CheckOutcome> {
  const { io } = context
  const [code] = parsed.operands
  if (isSet(parsed, 'rules')) {
    refuseForms(valuesOf(parsed, 'output').map(formOf))
    return shownRules(code)
  }
  if (isSet(parsed, 'publish-findings') && isSet(parsed, 'offline'))
    throw usageError(['--publish-findings asks the forge, and --offline nobody'], checkSpec)
  if (code !== undefined) throw usageError([`${JSON.stringify(code)} needs --rules`], checkSpec)
  const isQuiet = isSet(parsed, 'quiet')
  const isShown = isSet(parsed, 'publish-findings')
  const asked = { show: 'findings' as const, failOn: failOnOf(valueOf(parsed, 'fail-on')), untold: [], isQuiet }
  const options = checkOptions(parsed, context)
  try {
    const result = await withProgress(io, { verb: 'checked', detail: isQuiet ? 'quiet' : 'shown' }, (show) =>
      check(options, io.ports, show),
    )
    const judged = { ...asked, result, findings: endAcknowledgements(result.findings, io.ports.clock.now()) }
    return isShown ? await showFindings(judged, options, context) : judged
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    const judged = { ...asked, findings: error.diagnostics }
    // a mistake on the command line says nothing of the commit
    return isShown && exitStatusOf(error.diagnostics) !== 2 ? showFindings(judged, options, context) : judged
  }
}

/** Also shows why nothing could be judged: else what was said of the commit before would stand. */
async function showFindings(
  judged: JudgedFleet,
  { start, fleet, base, clusters, stacks }: CheckOptions,
  { io, mask, maskFinding }: CommandContext,
): Promise<JudgedFleet> {
  const incomplete = incompleteText(judged)
  const { findings: told } = await publishFindings(
    {
      start,
      file: judged.result?.file ?? fleet,
      base,
      selection: { clusters, stacks },
      isPassed: !hasFailed(judged),
      failOn: judged.failOn,
      incomplete,
      exceptions: judged.result?.exceptions,
      findings: judged.findings.map(maskFinding),
      mask,
    },
    io.ports,
  )
  const isKnown = ({ code, message }: Diagnostic): boolean =>
    judged.findings.some((finding) => finding.code === code && finding.message === message)
  const untold = told.filter((finding) => !isKnown(finding))
  return { ...judged, untold, findings: [...judged.findings, ...untold] }
}

function failOnOf(text: string | undefined): FailOn {
  return text === 'warning' || text === 'never' ? text : 'error'
}

/** @throws StackmasonError USAGE for a form that lists findings: without any it would say that a check has passed */
function refuseForms(forms: readonly string[]): void {
  const other = forms.find((form) => form !== 'text' && form !== 'json')
  if (other === undefined) return
  throw usageError([`--rules takes --output text or json, not ${other}: there are no findings to report`], checkSpec)
}

/** @throws StackmasonError USAGE for a code that no rule has */
function shownRules(code: string | undefined): ShownRules {
  const rules = describeRules()
  if (code === undefined) return { show: 'rules', rules, findings: [] }
  const rule = rules.find((known) => known.code === code)
  if (rule !== undefined) return { show: 'rule', rules: [rule], findings: [] }
  const near = nearestName(
    code,
    rules.map((known) => known.code),
  )
  const way = near === undefined ? '`stackmason check --rules` lists them' : `did you mean ${near}?`
  throw usageError([`there is no rule ${JSON.stringify(code)}: ${way}`], checkSpec)
}

function checkOptions(parsed: ParsedArguments, { io, mask }: CommandContext): CheckOptions {
  const base = valueOf(parsed, 'base')
  return {
    ...fleetOptions(parsed, io),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
    base,
    ...(io.program !== undefined &&
      !isSet(parsed, 'no-cache') && { reuses: { program: io.program, isClean: (text) => mask(text) === text } }),
  }
}

function statusOf(outcome: CheckOutcome): 0 | 1 | 2 {
  if (outcome.show !== 'findings') return 0
  const { result, findings } = outcome
  if (result !== undefined && result.incomplete === undefined) return hasFailed(outcome) ? 1 : 0
  // also where the fleet acknowledges what stops it
  return exitStatusOf(findings) === 2 ? 2 : 1
}
