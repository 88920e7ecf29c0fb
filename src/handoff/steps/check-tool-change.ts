import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { type GitopsTool, gitopsToolNames } from '../../model/gitops-tool.ts'
import type { Span } from '../../model/source.ts'

const OBJECT = /(?:^|\/)(?:(?:flux-)?(kustomization)|application(?:set)?|appproject)-[^/]+\.yaml$/

/** Where the docs say how the cluster learns of the tree. */
const SET_UP: Readonly<Record<GitopsTool, string>> = {
  flux: 'docs/15-flux.md, "Point Flux at it"',
  argocd: 'docs/18-argocd.md, "Set it up"',
}

/**
 * The tool that a tree is handed over to, from the names of the files below its folder `handoff`; undefined for none.
 */
export function toolOfFiles(paths: Iterable<string>): GitopsTool | undefined {
  for (const path of paths) {
    const match = OBJECT.exec(path)
    if (match !== null) return match[1] === undefined ? 'argocd' : 'flux'
  }
  return undefined
}

/**
 * The findings when the fleet uses another tool than the tree that it replaces, or none: errors until the owner has
 * retired that tool, and for clusters that keep their committed files also then, because these are made for that tool;
 * a warning for a retirement that has been carried out, and for suspended clusters, which the tool cannot take over: in
 * the change, as long as the retirement is there, and when it goes. Nothing is believed where the commit of that tree
 * still has the retirement of another tool: with it, that of this one may have come back by a revert.
 */
export function checkToolChange(
  before: GitopsTool | undefined,
  { fleet, clusters }: FleetRepository,
  retiredBefore: string,
): readonly Diagnostic[] {
  const { handoff, handoffAt, retiredTool, root } = fleet
  const now = handoff?.tool
  if (before === undefined || before === now) {
    if (retiredTool === undefined) {
      const place = handoffAt === undefined ? { file: `${root}/stackmason.yaml` } : { at: handoffAt }
      return gitopsToolOf(retiredBefore).flatMap((tool) => tellSuspended(clusters, { tool, now, place, line: 'gone' }))
    }
    const { tool, at } = retiredTool
    return [
      ...tellSuspended(clusters, { tool, now, place: { at }, line: 'there' }),
      {
        code: 'HANDOFF_TOOL_RETIRED',
        severity: 'warning',
        message:
          `spec.retiredTool says that ${gitopsToolNames[tool]} is retired; ` +
          `the tree is handed over to ${now === undefined ? 'no tool' : gitopsToolNames[now]} already`,
        at,
        hint:
          now === undefined
            ? 'Remove the line when the commit that changed the tool is merged.'
            : `Point ${gitopsToolNames[now]} at the tree if nothing does yet (${SET_UP[now]}). Remove the line when the commit that changed the tool is merged and ${gitopsToolNames[now]} has applied it${now === 'argocd' ? ', so that each Application has synced it once: as long as the line is there they prune nothing, and one with something to prune stays OutOfSync' : ''}. Before that, make ${gitopsToolNames[tool]} give up its fields, or what you remove from git stays in the clusters: docs/19-life-of-a-cluster.md, "Fields of the old tool".`,
      },
    ]
  }
  const name = gitopsToolNames[before]
  if (retiredTool?.tool === before)
    return retiredBefore !== '' && retiredBefore !== before
      ? [refuseLeft(name, retiredBefore, retiredTool.at)]
      : [
          ...clusters.flatMap((cluster) => refuseKept(cluster, before, now) ?? []),
          ...tellSuspended(clusters, { tool: before, now, place: { at: retiredTool.at }, line: 'there' }),
        ]
  const asks =
    now === undefined ? 'stackmason.yaml has no spec.handoff' : `spec.handoff asks for ${gitopsToolNames[now]}`
  return [
    {
      code: 'HANDOFF_TOOL_CHANGES',
      severity: 'error',
      message:
        `the committed tree is handed over to ${name}, but ${asks}: ` +
        `its objects would lose what keeps ${name} from deleting Clusters, Namespaces and volumes, while ${name} may still be applying them`,
      ...(handoffAt === undefined ? { file: `${root}/stackmason.yaml` } : { at: handoffAt }),
      hint:
        `Take the objects of ${name} out of the management cluster first, which deletes nothing that they applied, then write \`retiredTool: ${before}\` ` +
        `under spec in stackmason.yaml: docs/19-life-of-a-cluster.md, "Another GitOps tool". To keep ${name}, put spec.handoff.${before} back.`,
    },
  ]
}

/** Clusters that a message names. */
const NAMED = 10

interface SuspendedTelling {
  /** The tool that is retired. */
  readonly tool: GitopsTool
  readonly now: GitopsTool | undefined
  readonly place: { readonly at: Span } | { readonly file: string }
  /** `gone`: this run is the first without `retiredTool`. */
  readonly line: 'there' | 'gone'
}

/**
 * Tells which clusters the new tool does not take over, because they are suspended. Nothing of the old tool deletes
 * anything there; but its fields stay, and Argo CD must not prune before it has synced once, which it does only when
 * the cluster is no longer suspended.
 */
function tellSuspended(
  clusters: readonly Cluster[],
  { tool, now, place, line }: SuspendedTelling,
): readonly Diagnostic[] {
  const names = clusters.flatMap(({ namespace, name, options }) =>
    options?.isSuspended === true ? [`${namespace}/${name}`] : [],
  )
  if (names.length === 0 || now === undefined || now === tool) return []
  const named = names.slice(0, NAMED).join(', ')
  const who = names.length > NAMED ? `${named} and ${String(names.length - NAMED)} more` : named
  const [old, other] = [gitopsToolNames[tool], gitopsToolNames[now]]
  const [is, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  const until =
    `until \`suspend\` is gone from options.yaml and ${other} has applied ${them}` +
    (now === 'argocd' ? ': each Application must have synced once before it prunes' : '')
  return [
    {
      code: 'HANDOFF_TOOL_RETIRED',
      severity: 'warning',
      message:
        `${who} ${is} suspended: ${other} takes over nothing of ${them}, and ${old} stays an owner of the fields there` +
        (line === 'gone' ? `, but \`retiredTool: ${tool}\` goes` : ''),
      ...place,
      hint:
        `${line === 'gone' ? 'Put' : 'Leave'} \`retiredTool: ${tool}\` ${line === 'gone' ? 'back' : 'there'} ${until}. ` +
        `Then make ${old} give up its fields there, too: docs/19-life-of-a-cluster.md, "Fields of the old tool".`,
    },
  ]
}

function gitopsToolOf(text: string): readonly GitopsTool[] {
  return text === 'flux' || text === 'argocd' ? [text] : []
}

/** Refuses a confirmation where that of an earlier change was never removed: a revert exchanges the two. */
function refuseLeft(name: string, left: string, at: Span): Diagnostic {
  return {
    code: 'HANDOFF_TOOL_CHANGES',
    severity: 'error',
    message:
      `spec.retiredTool says that ${name} is retired, in place of \`${left}\`, which was left there from an earlier change: ` +
      `so does a revert of that change, while ${name} applies the tree`,
    at,
    hint:
      `If the change of the tool is not meant, restore stackmason.yaml. Otherwise take \`retiredTool\` out in a commit of its own, with spec.handoff as it was, and merge that. ` +
      `Then change the tool: docs/19-life-of-a-cluster.md, "Another GitOps tool".`,
  }
}

/**
 * Refuses a cluster that keeps its committed files: they hold placeholders of one tool, which another applies as text.
 */
function refuseKept(
  { namespace, name, options }: Cluster,
  before: GitopsTool,
  now: GitopsTool | undefined,
): Diagnostic | undefined {
  const { frozenAt, decommission } = options ?? {}
  const at = frozenAt ?? decommission?.at
  if (at === undefined) return undefined
  const isFrozen = frozenAt !== undefined
  return {
    code: 'HANDOFF_TOOL_CHANGES',
    severity: 'error',
    message:
      `spec.${isFrozen ? 'freeze' : 'decommission'} keeps what is committed of ${namespace}/${name}, which is made for ${gitopsToolNames[before]}, ` +
      `but the tree changes to ${now === undefined ? 'no tool' : gitopsToolNames[now]}`,
    at,
    hint: isFrozen
      ? `Put spec.handoff.${before} back and remove \`freeze\`, render and commit; or leave the tool as it is until then.`
      : `Put spec.handoff.${before} back, and end the decommission or take it back; then change the tool.`,
  }
}
