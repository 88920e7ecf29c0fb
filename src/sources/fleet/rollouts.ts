import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { labelOperators, type LabelSelector, type RolloutConfig, type WaveConfig } from '../../model/rollout-config.ts'
import type { Value } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** Milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/**
 * `spec.rollouts` of stackmason.yaml, checked by the schema before. Each stack has one, and each wave a name of its
 * own.
 */
export function readRollouts(document: ConfigDocument, reading: Reading): readonly RolloutConfig[] {
  const rollouts = itemsAt(document.value, 'spec', 'rollouts').map((item, index): RolloutConfig => {
    const path = ['spec', 'rollouts', index] as const
    const [provider, stack] = [textAt(item, 'stack', 'provider'), textAt(item, 'stack', 'stack')]
    const kubernetesVersion = textAt(item, 'kubernetesVersion')
    const waves = itemsAt(item, 'waves').map(readWave)
    const named = waves.map(({ name }, at) => ({ name, at: document.spanOf([...path, 'waves', at, 'name']) }))
    noteDuplicates(named, ({ name }) => name, { reading, describe: ({ name }) => `the wave ${quote(name)}` })
    return {
      stack: stack === '' ? undefined : { provider, stack },
      kubernetesVersion: kubernetesVersion || undefined,
      waves,
      at: document.spanOf(path),
    }
  })
  const stackOf = ({ stack }: RolloutConfig): string =>
    stack === undefined ? 'all others' : `${stack.provider}-${stack.stack}`
  noteDuplicates(rollouts, stackOf, {
    reading,
    describe: (rollout) =>
      `the rollout of ${rollout.stack === undefined ? 'all other stacks' : quote(stackOf(rollout))}`,
  })
  return rollouts
}

function readWave(value: Value): WaveConfig {
  const hold = textAt(value, 'hold')
  return {
    name: textAt(value, 'name'),
    clusters: readSelector(fieldAt(value, 'clusters') ?? null),
    rest: readRest(textAt(value, 'rest')),
    hold: hold || undefined,
  }
}

function readSelector(value: Value): LabelSelector {
  const labels = [...(dictAt(value, 'matchLabels') ?? [])]
  return {
    matchLabels: new Map(labels.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []))),
    matchExpressions: itemsAt(value, 'matchExpressions').flatMap((item) => {
      const operator = labelOperators.find((known) => known === textAt(item, 'operator'))
      const values = itemsAt(item, 'values').filter((text): text is string => typeof text === 'string')
      return operator === undefined ? [] : [{ key: textAt(item, 'key'), operator, values }]
    }),
  }
}

function readRest(text: string): number {
  let total = 0
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)([mhd])/g))
    total += Number(count) * (UNITS.get(unit) ?? 0)
  return total
}
