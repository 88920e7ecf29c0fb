import { fieldAt, textAt } from '../../model/field.ts'
import type { AcknowledgedStep, ClusterOptions, DecommissionStep } from '../../model/steps.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { type ConfigDocument, parseSingleDocument } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { readSource } from './fleet-files.ts'
import type { Reading } from './reading.ts'

/** The context of a cluster's options in its fleet. */
export interface OptionsContext {
  readonly reading: Reading
  /** True if the fleet hands over to a GitOps tool, which is what options are for. */
  readonly handsOver: boolean
}

/** An options.yaml as a value; undefined after noting what is wrong. `path` is absolute. */
export async function readClusterOptions(
  path: string,
  { reading, handsOver }: OptionsContext,
): Promise<ClusterOptions | undefined> {
  const source = await readSource(path, reading)
  const document = source === undefined ? undefined : parseSingleDocument(source, documentKinds.clusterOptions, reading)
  if (document === undefined) return undefined
  if (!checkKind(document, documentKinds.clusterOptions, reading)) return undefined
  if (asksForOneCommit(document, reading) || !checkSchema(document, 'cluster-options', reading)) return undefined
  const { value, spanOf } = document
  const decommission = fieldAt(value, 'spec', 'decommission')
  const neverApplied = textAt(value, 'spec', 'upgrade', 'neverApplied')
  const startOver = textAt(value, 'spec', 'startOver')
  const hold = textAt(value, 'spec', 'hold').trim()
  const options: ClusterOptions = {
    isSuspended: fieldAt(value, 'spec', 'suspend') === true,
    isFrozen: fieldAt(value, 'spec', 'freeze') === true,
    ...(fieldAt(value, 'spec', 'freeze') === true && { frozenAt: spanOf(['spec', 'freeze'], 'key') }),
    ...(hold !== '' && { hold }),
    ...acknowledgedOf(document, reading),
    ...(neverApplied !== '' && {
      neverApplied: { release: neverApplied, at: spanOf(['spec', 'upgrade', 'neverApplied']) },
    }),
    ...(startOver !== '' && { startOver: { release: startOver, at: spanOf(['spec', 'startOver']) } }),
    ...(decommission !== undefined && {
      decommission: {
        step: decommissionStep(textAt(decommission, 'step')),
        at: spanOf(['spec', 'decommission'], 'key'),
      },
    }),
  }
  if (!handsOver) noteWithoutEffect(document, options, reading)
  for (const [field, isSet] of [
    ['suspend', options.isSuspended],
    ['freeze', options.isFrozen],
  ] as const) {
    if (!isSet || decommission === undefined) continue
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message: `spec.${field} and spec.decommission exclude each other: nothing would be deleted`,
      at: spanOf(['spec', field], 'key'),
      hint: `Remove ${field} to delete the cluster, or decommission to keep it.`,
    })
  }
  const { acknowledged } = options
  if (acknowledged !== undefined && (options.isFrozen || decommission !== undefined)) {
    const field = decommission === undefined ? 'freeze' : 'decommission'
    reading.findings.push({
      code: 'CONFIG_CONFLICT',
      severity: 'warning',
      message: `spec.upgrade has no effect beside spec.${field}: no step of an upgrade is written`,
      at: acknowledged.at,
      hint:
        field === 'freeze'
          ? 'Remove spec.upgrade, or freeze: the upgrade goes on only without it.'
          : 'Remove spec.upgrade: a cluster that goes is not upgraded any more.',
    })
  }
  return options
}

/**
 * Options that only the objects and the steps for a GitOps tool carry out. A freeze is an error: the run would write
 * what is to stay.
 */
function noteWithoutEffect({ value, spanOf }: ConfigDocument, options: ClusterOptions, reading: Reading): void {
  const fields = [
    ['suspend', options.isSuspended, 'nothing that this run writes tells a GitOps tool to stop'],
    ['freeze', options.isFrozen, 'without a GitOps tool every run writes the cluster again'],
    ['upgrade', fieldAt(value, 'spec', 'upgrade') !== undefined, 'without a GitOps tool an upgrade has no steps'],
    ['startOver', options.startOver !== undefined, 'without a GitOps tool no earlier commit counts'],
    ['decommission', options.decommission !== undefined, 'nothing that this run writes deletes a cluster'],
  ] as const
  for (const [field, isSet, why] of fields) {
    if (!isSet) continue
    const isError = field === 'freeze'
    ;(isError ? reading.problems : reading.findings).push({
      code: 'CONFIG_CONFLICT',
      severity: isError ? 'error' : 'warning',
      message: `spec.${field} has no effect: the fleet has no spec.handoff, and ${why}`,
      at: spanOf(['spec', field], 'key'),
      hint: `Remove spec.${field}, or add spec.handoff to stackmason.yaml.`,
    })
  }
}

/** Reports fields of earlier versions: a way of upgrading that is gone, or the name of the only one there is. */
function asksForOneCommit({ value, spanOf }: ConfigDocument, reading: Reading): boolean {
  const upgrade = fieldAt(value, 'spec', 'upgrade')
  if (upgrade !== 'at-once' && upgrade !== 'two-commits') return false
  reading.problems.push({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message:
      upgrade === 'at-once'
        ? 'spec.upgrade: at-once is gone: nothing orders the changes of one commit, so a version could move before its addons'
        : 'spec.upgrade: two-commits is gone: every upgrade is two commits',
    at: spanOf(['spec', 'upgrade']),
    hint:
      'Remove the line. Where no commit tells that a step was applied, say so: `upgrade: {addonsApplied: <release>}` once the addons of that release ' +
      'are applied and checked.',
  })
  return true
}

const acknowledgements = { addonsApplied: 'addons', clusterRolledOut: 'class' } as const

function acknowledgedOf({ value, spanOf }: ConfigDocument, reading: Reading): { acknowledged?: AcknowledgedStep } {
  const said = (['addonsApplied', 'clusterRolledOut'] as const).flatMap((field) => {
    const release = textAt(value, 'spec', 'upgrade', field)
    return release === ''
      ? []
      : [{ step: acknowledgements[field], release, at: spanOf(['spec', 'upgrade', field]) } satisfies AcknowledgedStep]
  })
  const [acknowledged, other] = said
  if (other !== undefined) {
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message: 'spec.upgrade.addonsApplied and spec.upgrade.clusterRolledOut exclude each other: one step is under way',
      at: other.at,
      hint: 'Leave the one that was applied last, or neither.',
    })
  }
  return acknowledged === undefined ? {} : { acknowledged }
}

function decommissionStep(text: string): DecommissionStep {
  return text === 'delete' || text === 'finish' ? text : 'prepare'
}
