import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { labelKey } from '../../model/kubernetes-names.ts'
import { billionthsOf } from '../../model/quantity.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { FoundProblem } from '../schema/schema-node.ts'
import { none, problem, repeated } from './rule-parts.ts'

const ONE = 1_000_000_000n
const HUGE_PAGES = 'hugepages-'

/** True for resources of Kubernetes itself. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

/** True for resources of devices and the like, which are counted and named with a domain. */
function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && labelKey.allows(`requests.${name}`)
}

/** True for resources of which a container may get more than it asks for. */
export function isOvercommitted(name: string): boolean {
  return isNative(name) && !name.startsWith(HUGE_PAGES)
}

/** The resources that containers may ask for. */
export const containerResource = 'cpu, memory, ephemeral-storage, hugepages-<size>, or a name with a domain'

/** True for the name of a resource that containers may ask for. */
export function isContainerResource(name: string): boolean {
  if (!labelKey.allows(name)) return false
  return name.includes('/')
    ? isNative(name) || isExtended(name)
    : ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith(HUGE_PAGES)
}

/** True for the name of a resource that a pod may ask for as a whole. */
function isPodResource(name: string): boolean {
  return ['cpu', 'memory'].includes(name) || name.startsWith(HUGE_PAGES)
}

/** True for a number of whole things. */
export function isWhole(amount: bigint): boolean {
  const thousandths = (amount + 999_999n) / 1_000_000n
  return thousandths % 1000n === 0n
}

function amountProblem(name: string, amount: bigint): string | undefined {
  if (amount < 0n) return '0 or more'
  if (isExtended(name) && !isWhole(amount)) return 'a whole number'
  if (!name.startsWith(HUGE_PAGES)) return undefined
  const size = billionthsOf(name.slice(HUGE_PAGES.length))
  return size === undefined || size < ONE || size % ONE !== 0n || amount % size !== 0n
    ? 'a multiple of the size of its pages'
    : undefined
}

/** Problems with requests and limits of containers or pods. `resources` stands in the field of that name. */
export function resourceProblems(resources: Dict | undefined, of: 'container' | 'pod'): readonly FoundProblem[] {
  if (resources === undefined) return none
  const limits = dictAt(resources, 'limits') ?? new Dict()
  const requests = dictAt(resources, 'requests') ?? new Dict()
  const found = [
    ...[...limits].map(([name, value]) => ({ list: 'limits', name, says: nameOrAmount(name, value, of) })),
    ...[...requests].map(([name, value]) => ({
      list: 'requests',
      name,
      says: nameOrAmount(name, value, of) ?? requestProblem(name, value, limits.get(name) ?? undefined),
    })),
  ].flatMap(({ list, name, says }) => (says === undefined ? none : problem(says, 'resources', list, name)))
  const names = [...limits.keys(), ...requests.keys()]
  const hugePages = names.find((name) => name.startsWith(HUGE_PAGES))
  // a pod as a whole may have its processors from its containers
  return of === 'pod' || hugePages === undefined || names.includes('cpu') || names.includes('memory')
    ? found
    : [...found, ...problem('a map with cpu or memory beside huge pages', 'resources')]
}

function nameOrAmount(name: string, value: Value, of: 'container' | 'pod'): string | undefined {
  if (of === 'container' ? !isContainerResource(name) : !isPodResource(name))
    return of === 'container' ? containerResource : 'cpu, memory or hugepages-<size>'
  const amount = billionthsOf(value)
  return amount === undefined ? undefined : amountProblem(name, amount)
}

function requestProblem(name: string, value: Value, limit: Value | undefined): string | undefined {
  const [amount, most] = [billionthsOf(value), billionthsOf(limit)]
  if (amount === undefined) return undefined
  if (limit === undefined) return isOvercommitted(name) ? undefined : 'beside an equal limit'
  if (most === undefined) return undefined
  if (!isOvercommitted(name)) return amount === most ? undefined : 'equal to its limit'
  return amount > most ? 'its limit or less' : undefined
}

/** Claims of a container are those of its pod. */
export function claimProblems(container: Value, ofPod: ReadonlySet<string>): readonly FoundProblem[] {
  const claims = itemsAt(container, 'resources', 'claims')
  return [
    ...claims.flatMap((claim, index) => {
      const name = textAt(claim, 'name')
      return name === '' || ofPod.has(name)
        ? none
        : problem('the name of a claim in resourceClaims of the pod', 'resources', 'claims', index, 'name')
    }),
    ...repeated(claims, (claim) => (textAt(claim, 'request') === '' ? textAt(claim, 'name') : '')).flatMap(
      ({ index }) => problem('a claim that is not named before it', 'resources', 'claims', index, 'name'),
    ),
  ]
}
