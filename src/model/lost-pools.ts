import { itemsAt, textAt } from './field.ts'
import type { ChangeStep, FieldChange } from './tree-change.ts'
import type { Value } from './value.ts'

/** A pool of workers that the topology of a Cluster has no longer. */
export interface LostPool {
  readonly name: string
  readonly path: readonly ChangeStep[]
}

const WORKERS = ['spec', 'topology', 'workers'] as const
const lists = ['machineDeployments', 'machinePools'] as const

/** The pools of workers that go with a field of a Cluster: one of them, their list, or what holds it. */
export function lostPools({ path, before, after }: FieldChange): readonly LostPool[] {
  if (before === undefined || !path.slice(0, WORKERS.length).every((step, index) => step === WORKERS[index])) return []
  const above = WORKERS.slice(path.length)
  const [own, item, ...below] = path.slice(WORKERS.length)
  return lists.flatMap((list): readonly LostPool[] => {
    if ((own !== undefined && own !== list) || below.length > 0) return []
    if (item !== undefined) return after === undefined ? [{ name: nameOf(before, item), path }] : []
    const namesIn = (value: Value): readonly string[] =>
      itemsAt(value, ...above, ...(own === undefined ? [list] : [])).map((pool) => textAt(pool, 'name'))
    const staying = new Set(namesIn(after ?? null))
    return namesIn(before)
      .filter((name) => !staying.has(name))
      .map((name) => ({ name, path: [...WORKERS, list, { key: 'name', value: name }] }))
  })
}

function nameOf(pool: Value, step: ChangeStep): string {
  return typeof step === 'object' ? step.value : textAt(pool, 'name')
}
