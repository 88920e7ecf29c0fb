import { itemsAt, textAt } from '../../model/field.ts'
import type { ClusterStack, FleetRepository } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { parseClassName } from '../../model/release-name.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

type StackName = Pick<ClusterStack, 'provider' | 'stack'>

/**
 * Notes entries of stackmason.yaml for a stack that no ClusterStack is about, where one with a name like it has no
 * entry: they would have no effect, without a word. Others may be left from a stack that was removed.
 */
export function noteUnknownStacks(
  document: ConfigDocument,
  { clusterStacks, clusters }: Pick<FleetRepository, 'clusterStacks' | 'clusters'>,
  reading: Reading,
): void {
  // where a class has the name of the entry, the ClusterStack is what is misspelt
  const named: readonly StackName[] = [...clusterStacks, ...clusters.map(({ className }) => parseClassName(className))]
  for (const list of ['stacks', 'nodeImages']) {
    const entries = itemsAt(document.value, 'spec', list).map((item): StackName => ({
      provider: textAt(item, 'provider'),
      stack: textAt(item, 'stack'),
    }))
    const open = clusterStacks.filter((known) => !entries.some((entry) => isSame(entry, known)))
    for (const [index, entry] of entries.entries()) {
      if (named.some((known) => isSame(entry, known))) continue
      const meant = meantField(entry, open)
      if (meant === undefined) continue
      reading.findings.push({
        code: 'CONFIG_REFERENCE',
        severity: 'warning',
        message: `no ClusterStack of the fleet has the stack ${quote(entry.stack)} of provider ${quote(entry.provider)}, so spec.${list}[${String(index)}] has no effect`,
        at: document.spanOf(['spec', list, index, meant.field]),
        hint: `Did you mean the ${meant.field} ${meant.name}?`,
      })
    }
  }
}

function isSame(a: StackName, b: StackName): boolean {
  return a.provider === b.provider && a.stack === b.stack
}

function meantField(
  { provider, stack }: StackName,
  open: readonly StackName[],
): { readonly field: keyof StackName; readonly name: string } | undefined {
  const stacks = open.filter((known) => known.provider === provider).map((known) => known.stack)
  const meantStack = nearestName(stack, stacks)
  if (meantStack !== undefined) return { field: 'stack', name: meantStack }
  const providers = open.filter((known) => known.stack === stack).map((known) => known.provider)
  const meantProvider = nearestName(provider, providers)
  return meantProvider === undefined ? undefined : { field: 'provider', name: meantProvider }
}
