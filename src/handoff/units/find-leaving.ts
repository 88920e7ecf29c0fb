import { dirName } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { addonName } from '../../model/addon-unit-key.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { CommittedAddons, CommittedObject, Unit } from '../../model/handoff.ts'
import { inputPath } from '../../model/input-path.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import { applicationName } from '../argocd/argo-names.ts'
import { isEmptyNote } from './empty-note.ts'

/** The change that this commit makes to the addons of one cluster. */
export interface LeavingAddons {
  readonly cluster: { readonly namespace: string; readonly name: string }
  readonly committed: CommittedAddons
  /** Keys of the objects that the cluster's addons have now; see `objectKey`. */
  readonly objects: ReadonlySet<string>
  /** The units that the tree has now, of other clusters too. */
  readonly units: readonly LeftUnit[]
}

/** The facts about a unit that objects leave. */
export type LeftUnit = Pick<Unit, 'name' | 'namespace' | 'cluster' | 'release' | 'path'>

/** An Application whose sync applies nothing before somebody confirms. */
export interface WaitingApplication {
  readonly cluster: LeavingAddons['cluster']
  readonly name: string
}

/** The tool that applies the units. */
export interface LeavingTool {
  readonly tool: GitopsTool
  /** Of Argo CD; '' with Flux. */
  readonly namespace: string
}

const STAYS: Readonly<Record<GitopsTool, string>> = {
  flux: 'Flux does not delete what says prune: disabled in the commit before',
  argocd: 'Argo CD does not delete what says Prune=false',
}

/** Objects that leave the tree, described for people. */
export interface Leaving {
  readonly findings: readonly Diagnostic[]
  readonly waiting: readonly WaitingApplication[]
}

interface LeavingObject extends CommittedObject {
  readonly key: string
  readonly application: string
}

/**
 * Finds objects that leave a unit of a cluster's addons and are not simply pruned: those that the committed tree tells
 * the GitOps tool to leave alone, which stay in the cluster with nothing to manage them, also where they were about to
 * move to another unit; and those with `Prune=confirm`, for which the whole sync of Argo CD waits. A unit that goes
 * altogether prunes nothing. `namespace` is that of Argo CD.
 */
export function findLeaving(
  { cluster, committed, objects, units }: LeavingAddons,
  { tool, namespace }: LeavingTool,
): Leaving {
  const own = new Map(
    units
      .filter((unit) => unit.cluster?.name === cluster.name && unit.namespace === cluster.namespace)
      .map((unit) => [unit.path, applicationName(unit)]),
  )
  const leaving = [...committed.objects].flatMap(([key, object]): readonly LeavingObject[] => {
    const application = own.get(unitPath(object))
    const [, kind = '', inNamespace = '', name = ''] = key.split('/')
    const isOurs = isEmptyNote({ kind, namespace: inNamespace, name })
    return application === undefined || objects.has(key) || isOurs ? [] : [{ ...object, key, application }]
  })
  const confirmed = leaving.filter(({ isConfirmed }) => isConfirmed)
  const kept = leaving.filter(({ isOrphaned }) => isOrphaned)
  const file = inputPath(cluster)
  return {
    findings: [
      ...byAddon(confirmed).map(([addon, list]): Diagnostic => ({
        code: 'HANDOFF_WAITS_FOR_CONFIRMATION',
        severity: 'warning',
        message: `${list.map(describe).join(', ')} of ${addon} in cluster ${cluster.namespace}/${cluster.name} will leave with this commit, and the Application ${applicationsOf(list)} applies nothing, the new addons included, before somebody confirms the deletion`,
        file,
        hint: `Once it waits: \`${confirmation(list[0]?.application ?? '', namespace)}\`. ${waitLess(list)}`,
        about: { cluster: `${cluster.namespace}/${cluster.name}`, addon },
      })),
      ...byAddon(kept).map(([addon, list]): Diagnostic => ({
        code: 'HANDOFF_OBJECT_STAYS',
        severity: 'warning',
        message: `${list.map(describe).join(', ')} of ${addon} will leave the tree and stay in cluster ${cluster.namespace}/${cluster.name}: ${STAYS[tool]}`,
        file,
        hint: stayHint(list, objects),
        about: { cluster: `${cluster.namespace}/${cluster.name}`, addon },
      })),
    ],
    waiting: [...new Set(confirmed.map(({ application }) => application))].map((name) => ({ cluster, name })),
  }
}

/** The steps, where an Application waits for a person, with that as the first thing to do before the next step. */
export function nameWaiting(plans: readonly StepPlan[], { waiting }: Leaving, namespace: string): readonly StepPlan[] {
  return plans.map((plan) => {
    const { namespace: place, name } = plan.cluster
    const own = waiting.filter(({ cluster }) => cluster.namespace === place && cluster.name === name)
    if (own.length === 0 || plan.due.before.length === 0 || plan.due.action === 'keep') return plan
    const sentences = own.map(
      (application) =>
        `Application ${application.name} waits before it applies anything: confirm what it deletes with \`${confirmation(application.name, namespace)}\`.`,
    )
    return { ...plan, due: { ...plan.due, before: [...sentences, ...plan.due.before] } }
  })
}

/** The command by which a person confirms what an Application waits for. */
function confirmation(application: string, namespace: string): string {
  return `kubectl -n ${namespace} annotate application ${application} argocd.argoproj.io/deletion-approved=$(date -u +%Y-%m-%dT%H:%M:%SZ) --overwrite`
}

/** How not to wait: what an earlier version has written would be kept if this one wrote it once. */
function waitLess(list: readonly LeavingObject[]): string {
  return list.every(({ key }) => /^\/(?:Namespace|PersistentVolume|PersistentVolumeClaim)\//.test(key))
    ? 'To wait for nothing, render and commit it with the object in place first: from then on the object stays.'
    : 'To keep it instead, put it back.'
}

/** The commands for what may go; a Namespace that the tree still uses is named as that. */
function stayHint(list: readonly LeavingObject[], objects: ReadonlySet<string>): string {
  const used = new Set(Array.from(objects, (key) => key.split('/')[2] ?? ''))
  const isUsed = ({ key }: LeavingObject): boolean => {
    const [group, kind, , name = ''] = key.split('/')
    return group === '' && kind === 'Namespace' && used.has(name)
  }
  const free = list.filter((object) => !isUsed(object))
  const kept = list.filter(isUsed)
  const commands = free.map(deletion).join('; ')
  return [
    ...(free.length === 0
      ? []
      : [`When the commit is applied and nothing needs it any more, delete by hand in that cluster: ${commands}`]),
    ...(kept.length === 0
      ? []
      : [`Keep ${kept.map(describe).join(', ')}: other objects of the tree are in it. Let an addon have it.`]),
  ].join('. ')
}

/** The folder that the unit of a committed object applies. */
function unitPath({ folder, unit }: CommittedObject): string {
  return unit === dirName(folder) ? unit : folder
}

function byAddon(leaving: readonly LeavingObject[]): readonly (readonly [string, readonly LeavingObject[]])[] {
  const groups = new Map<string, LeavingObject[]>()
  for (const object of leaving) {
    const addon = addonName(object.folder)
    groups.set(addon, [...(groups.get(addon) ?? []), object])
  }
  return [...groups].toSorted(([a], [b]) => compareBytes(a, b))
}

function applicationsOf(list: readonly LeavingObject[]): string {
  return [...new Set(list.map(({ application }) => application))].join(', ')
}

function describe({ key }: LeavingObject): string {
  const [, kind = '', namespace = '', name = ''] = key.split('/')
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}

function deletion({ key }: LeavingObject): string {
  const [group = '', kind = '', namespace = '', name = ''] = key.split('/')
  const resource = `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`
  return `\`kubectl delete ${resource} ${quoted(name)}${namespace === '' ? '' : ` -n ${quoted(namespace)}`}\``
}

/** As one word of a shell: names of roles may hold anything but a slash. */
function quoted(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`
}
