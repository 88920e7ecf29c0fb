import { fieldAt, textAt } from '../../model/field.ts'
import type { ClusterOptions, DecommissionStep } from '../../model/steps.ts'
import { checkKind, checkSchema } from './check-schema.ts'
import { parseSingleDocument } from './config-document.ts'
import { readSource } from './fleet-files.ts'
import type { Reading } from './reading.ts'

/** An options.yaml as a value; undefined after noting what is wrong. `path` is absolute. */
export async function readClusterOptions(path: string, reading: Reading): Promise<ClusterOptions | undefined> {
  const source = await readSource(path, reading)
  const document = source === undefined ? undefined : parseSingleDocument(source, reading)
  if (document === undefined) return undefined
  if (!checkKind(document, { apiVersion: 'stackmason.dev/v1alpha1', kind: 'ClusterOptions' }, reading)) return undefined
  if (!checkSchema(document, 'cluster-options', reading)) return undefined
  const { value, spanOf } = document
  const decommission = fieldAt(value, 'spec', 'decommission')
  const options: ClusterOptions = {
    isSuspended: fieldAt(value, 'spec', 'suspend') === true,
    isFrozen: fieldAt(value, 'spec', 'freeze') === true,
    upgrade: textAt(value, 'spec', 'upgrade') === 'at-once' ? 'at-once' : 'two-commits',
    ...(decommission !== undefined && {
      decommission: {
        step: decommissionStep(textAt(decommission, 'step')),
        at: spanOf(['spec', 'decommission'], 'key'),
      },
    }),
  }
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
  return options
}

function decommissionStep(text: string): DecommissionStep {
  return text === 'delete' || text === 'finish' ? text : 'prepare'
}
