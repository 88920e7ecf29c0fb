import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { podPathOf } from '../../model/pods.ts'
import type { ChangeStep, TreeChange, TreeObject } from '../../model/tree-change.ts'
import { changedObjects, inField, nameOf } from '../changed-object.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** A field that keeps what the API server once filled in, against what the new object says. */
interface KeptDefault {
  readonly path: readonly ChangeStep[]
  readonly effect: string
  readonly wayOut: string
}

/** Finds changes that leave what the API server filled in when the object was made, so that they do something else. */
export const keptDefaults: Rule = changeRule(
  {
    code: 'DEFAULT_STAYS',
    severity: 'error',
    explanation: [
      'The API server fills in fields when an object is made. Nobody owns them, so server-side apply leaves them as they are when the fields change that they were made from, and refuses nothing.',
      'A NetworkPolicy without `policyTypes` whose `egress` comes later goes on to let everything out; where it goes, nothing is let out any more. A pod template without `serviceAccountName` that once had one goes on with that account, and with its rights: the server wrote it into `serviceAccount`, too. Both were tried on the API server of Kubernetes 1.34; a new object, such as that of a new cluster, behaves as it is written.',
      'The way out is to write the field: `policyTypes`, or `serviceAccountName: default`. What has once been written may be left out again later.',
    ],
  },
  findKeptDefaults,
)

/** The findings of {@link keptDefaults}. */
export function findKeptDefaults(change: TreeChange): readonly RuleFinding[] {
  return changedObjects(change).flatMap(({ change: { change: kind, before, after }, finding }) => {
    // another name is another object
    if (kind !== 'changed' || before === undefined || after === undefined) return []
    const kept = keptPolicyTypes(before, after) ?? keptAccount(before, after)
    if (kept === undefined) return []
    return [{ ...inField(finding, kept.path), message: `${nameOf(after)} ${kept.effect}`, hint: kept.wayOut }]
  })
}

function keptPolicyTypes(before: TreeObject, after: TreeObject): KeptDefault | undefined {
  const both = [before, after]
  if (!both.every(({ apiVersion, kind }) => apiVersion === 'networking.k8s.io/v1' && kind === 'NetworkPolicy'))
    return undefined
  if (both.some(({ object }) => itemsAt(object, 'spec', 'policyTypes').length > 0)) return undefined
  const [had, has] = both.map(({ object }) => itemsAt(object, 'spec', 'egress').length > 0)
  if (had === has) return undefined
  return has === true
    ? {
        path: ['spec', 'egress'],
        effect:
          'gets `egress`, which is not enforced: the API server has filled in `policyTypes: [Ingress]`, and that stays',
        wayOut: 'Write `policyTypes: [Ingress, Egress]`.',
      }
    : {
        path: ['spec'],
        effect:
          'loses `egress`, and then lets nothing out: the API server has filled in `policyTypes: [Ingress, Egress]`, and that stays',
        wayOut: 'Write `policyTypes: [Ingress]`.',
      }
}

/** Each of the two stands for the other. */
const ACCOUNT = ['serviceAccountName', 'serviceAccount'] as const

function keptAccount(before: TreeObject, after: TreeObject): KeptDefault | undefined {
  const path = podPathOf(after)
  // of a pod, and of a Job, it cannot change
  if (path === undefined || path.length === 1 || after.kind === 'Job') return undefined
  const had = ACCOUNT.map((name) => textAt(before.object, ...path, name)).filter((name) => name !== '')
  const [account = ''] = had
  if (had.length !== 1 || account === 'default' || dictAt(after.object, ...path) === undefined) return undefined
  if (ACCOUNT.some((name) => textAt(after.object, ...path, name) !== '')) return undefined
  return {
    path,
    effect: `leaves out the service account ${account}, and its pods keep it: the API server has written it into two fields, and one of them stays`,
    wayOut: 'Write `serviceAccountName: default`.',
  }
}
