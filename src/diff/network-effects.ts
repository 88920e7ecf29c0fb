import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { EffectReason, TreeObject } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { groupKindOf } from './object-kind.ts'
import { textOf } from './values-at.ts'

/** The rules of a policy for one direction: traffic that it lets through and that it stops, each as JSON. */
interface Direction {
  readonly allowed: ReadonlySet<string>
  readonly denied: ReadonlySet<string>
  /** True if what is not allowed is stopped. */
  readonly isLimited: boolean
}

/** A policy of any network, in common terms. */
interface NetworkRules {
  /** Its subject, as JSON. */
  readonly selects: string
  /** By name: `ingress`, `egress`, `requests`. */
  readonly directions: ReadonlyMap<string, Direction>
}

/** True for kinds whose rules are known here. */
export function isNetworkPolicy(kind: string): boolean {
  return readers.some(({ of }) => of.test(kind))
}

/** The effect of a policy's change on traffic; a new policy stops what it does not allow. */
export function networkEffects(before: TreeObject | undefined, after: TreeObject): readonly EffectReason[] {
  const read = readers.find(({ of }) => of.test(groupKindOf(after)))?.read
  if (read === undefined) return []
  const [old, now] = [before === undefined ? undefined : read(before.object), read(after.object)]
  const isOther = old !== undefined && old.selects !== now.selects
  const names = [...new Set([...(old?.directions.keys() ?? []), ...now.directions.keys()])]
  return [
    ...(isOther ? [{ risk: 'lowers-guard' as const, text: 'selects other pods' }] : []),
    ...names.flatMap((name) => directionEffects(name, old?.directions.get(name), now.directions.get(name))),
  ]
}

const NOTHING: Direction = { allowed: new Set(), denied: new Set(), isLimited: false }

function directionEffects(name: string, old = NOTHING, now = NOTHING): readonly EffectReason[] {
  const more = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
    [...some].some((rule) => !others.has(rule))
  const isNoLonger = old.isLimited && !now.isLimited
  const isNow = now.isLimited && !old.isLimited
  const isLimited = old.isLimited && now.isLimited
  const opens = (isLimited && more(now.allowed, old.allowed)) || more(old.denied, now.denied)
  const closes = (isLimited && more(old.allowed, now.allowed)) || more(now.denied, old.denied)
  return [
    ...(isNoLonger ? [{ risk: 'lowers-guard' as const, text: `${name} no longer limited` }] : []),
    ...(isNow ? [{ risk: 'cuts-traffic' as const, text: `${name} limited` }] : []),
    ...(opens && !isNoLonger ? [{ risk: 'lowers-guard' as const, text: `allows more ${name}` }] : []),
    ...(closes && !isNow ? [{ risk: 'cuts-traffic' as const, text: `allows less ${name}` }] : []),
  ]
}

const readers: readonly { readonly of: RegExp; readonly read: (policy: Dict) => NetworkRules }[] = [
  { of: /^networking\.k8s\.io\/NetworkPolicy$/, read: readNetworkPolicy },
  { of: /^cilium\.io\/Cilium(?:Clusterwide)?NetworkPolicy$/, read: readCilium },
  { of: /^(?:crd\.)?projectcalico\.org\/(?:Global)?NetworkPolicy$/, read: readCalico },
  { of: /^policy\.networking\.k8s\.io\/(?:Baseline)?AdminNetworkPolicy$/, read: readAdmin },
  { of: /^security\.istio\.io\/AuthorizationPolicy$/, read: readAuthorization },
]

const setOf = (items: readonly Value[]): ReadonlySet<string> => new Set(items.map(textOf))
const selected = (policy: Dict, fields: readonly string[]): string =>
  fields.map((field) => textOf(fieldAt(policy, 'spec', field) ?? null)).join()

function readNetworkPolicy(policy: Dict): NetworkRules {
  const own = itemsAt(policy, 'spec', 'policyTypes')
  const types = own.length > 0 ? own : ['Ingress', ...(itemsAt(policy, 'spec', 'egress').length > 0 ? ['Egress'] : [])]
  return {
    selects: selected(policy, ['podSelector']),
    directions: directionsOf((name) => ({
      allowed: setOf(itemsAt(policy, 'spec', name)),
      denied: new Set(),
      isLimited: types.some((type) => typeof type === 'string' && type.toLowerCase() === name),
    })),
  }
}

/** A section that is there limits its direction, unless `enableDefaultDeny` says otherwise. */
function readCilium(policy: Dict): NetworkRules {
  const specs = [fieldAt(policy, 'spec') ?? null, ...itemsAt(policy, 'specs')].filter((spec) => spec instanceof Dict)
  const all = (field: string): readonly Value[] => specs.flatMap((spec) => itemsAt(spec, field))
  return {
    selects: specs
      .map((spec) => ['endpointSelector', 'nodeSelector'].map((field) => textOf(fieldAt(spec, field) ?? null)).join())
      .join(),
    directions: directionsOf((name) => ({
      allowed: setOf(all(name)),
      denied: setOf(all(`${name}Deny`)),
      isLimited: specs.some(
        (spec) =>
          [name, `${name}Deny`].some((field) => fieldAt(spec, field) !== undefined) &&
          fieldAt(spec, 'enableDefaultDeny', name) !== false,
      ),
    })),
  }
}

/** The first rule that fits counts. */
function readCalico(policy: Dict): NetworkRules {
  const types = itemsAt(policy, 'spec', 'types')
  return {
    selects: selected(policy, ['selector', 'namespaceSelector', 'serviceAccountSelector', 'order', 'tier']),
    directions: directionsOf((name) => {
      const rules = itemsAt(policy, 'spec', name)
      const isOf = (type: Value): boolean => typeof type === 'string' && type.toLowerCase() === name
      return {
        ...byAction(rules),
        isLimited: types.length > 0 ? types.some(isOf) : name === 'ingress' || rules.length > 0,
      }
    }),
  }
}

function readAdmin(policy: Dict): NetworkRules {
  return {
    selects: selected(policy, ['subject', 'priority']),
    directions: directionsOf((name) => ({ ...byAction(itemsAt(policy, 'spec', name)), isLimited: false })),
  }
}

function byAction(rules: readonly Value[]): Pick<Direction, 'allowed' | 'denied'> {
  const isDenied = (rule: Value): boolean => textAt(rule, 'action') === 'Deny'
  return { allowed: setOf(rules.filter((rule) => !isDenied(rule))), denied: setOf(rules.filter(isDenied)) }
}

/** Without an action it allows; one that asks another server is a limit of its own. */
function readAuthorization(policy: Dict): NetworkRules {
  const action = textAt(policy, 'spec', 'action') || 'ALLOW'
  const rules = setOf(itemsAt(policy, 'spec', 'rules'))
  const denies = action === 'DENY' || action === 'CUSTOM'
  return {
    selects: selected(policy, ['selector', 'targetRef', 'targetRefs', 'provider']),
    directions: new Map([
      [
        'requests',
        {
          allowed: denies ? new Set<string>() : rules,
          denied: denies ? rules : new Set<string>(),
          isLimited: action === 'ALLOW',
        },
      ],
    ]),
  }
}

function directionsOf(read: (name: 'ingress' | 'egress') => Direction): NetworkRules['directions'] {
  return new Map(['ingress' as const, 'egress' as const].map((name) => [name, read(name)]))
}
