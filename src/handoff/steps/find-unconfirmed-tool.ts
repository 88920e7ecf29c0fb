import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import { type GitopsTool, gitopsToolNames } from '../../model/gitops-tool.ts'

/** The tool of the tree in commits of a line that follow each other. */
export interface ToolState {
  /** How many commits come after the newest of them. */
  readonly age: number
  /** The newest of them. */
  readonly commit: string
  readonly tool: GitopsTool | undefined
}

/** A `retiredTool` in stackmason.yaml of commits of a line that follow each other. */
export interface RetiredState {
  /** How many commits come after the newest of them; -1: inputs that are in no commit. */
  readonly age: number
  /** '' for none; undefined where there is no such file. */
  readonly tool: string | undefined
}

/** A change of tool that nobody confirmed. */
export interface UnconfirmedTool {
  /** The tool that may still apply the tree. */
  readonly before: GitopsTool
  /** The commit before the one that changed it. */
  readonly last: string
  /** How many commits come after the one that changed it. */
  readonly age: number
}

/** The tools of a line of commits, newest first, and what was retired meanwhile. */
export interface ToolHistory {
  readonly states: readonly ToolState[]
  /** Newest first. */
  readonly retired: readonly RetiredState[]
  /** Ages of commits whose change needs no word, such as a merge of a line on which it was confirmed. */
  readonly settled?: ReadonlySet<number>
}

/**
 * Finds the change by which the tree left the last tool that was confirmed, if it has not come back to that since. A
 * change is confirmed when `retiredTool` of the tool before is newly there in the commit that makes it, before it or
 * later; a revert of an earlier change has none, or that of the other tool. Where there was no tool, or the inputs are
 * not known, nothing speaks against it.
 */
export function findUnconfirmedTool({ states, retired, settled }: ToolHistory): UnconfirmedTool | undefined {
  let live = states.at(-1)?.tool
  let found: UnconfirmedTool | undefined
  for (let at = states.length - 2; at >= 0; at--) {
    const [newer, older, oldest] = [states[at], states[at + 1], states[at + 2]]
    if (newer === undefined || older === undefined || newer.tool === older.tool) continue
    const age = older.age - 1
    const within = { from: at === 0 ? -1 : newer.age, until: oldest && oldest.age - 1 }
    if (live === undefined || newer.tool === undefined || newer.tool === live || settled?.has(age) === true) {
      live = newer.tool
      found = undefined
    } else if (isConfirmed(live, retired, within)) {
      live = newer.tool
      found = undefined
    } else found = { before: live, last: older.commit, age }
  }
  return found
}

/** True if a tool was retired by a commit between two, the older one left out. */
function isConfirmed(
  tool: GitopsTool,
  retired: readonly RetiredState[],
  { from, until }: { readonly from: number; readonly until: number | undefined },
): boolean {
  return retired.some((state, index) => {
    const before = retired[index + 1]
    // the oldest commit that has it so
    const since = before === undefined ? Number.POSITIVE_INFINITY : before.age - 1
    const isWithin = since >= from && (until === undefined || state.age < until)
    if (!isWithin) return false
    if (state.tool === undefined) return true
    const isNew = before?.tool === undefined || before.tool === ''
    return state.tool === tool && isNew && (until === undefined || since < until)
  })
}

/** Refuses a tree that commits have handed over to the fleet's tool without a word that the other one is gone. */
export function refuseUnconfirmedTool(
  { before, last }: UnconfirmedTool,
  { handoff, handoffAt, retiredTool, root }: Pick<Fleet, 'handoff' | 'handoffAt' | 'retiredTool' | 'root'>,
): Diagnostic {
  const name = gitopsToolNames[before]
  const now = handoff === undefined ? 'no tool' : gitopsToolNames[handoff.tool]
  return {
    code: 'HANDOFF_TOOL_CHANGES',
    severity: 'error',
    message:
      `the commit after ${last} handed the tree over from ${name} to ${now}, and \`retiredTool: ${before}\` was not set for that: ` +
      `so does a revert of an earlier change, by which objects lose what keeps ${name} from deleting Clusters, Namespaces and volumes, while ${name} may still be applying them`,
    ...(handoffAt === undefined ? { file: `${root}/stackmason.yaml` } : { at: handoffAt }),
    hint:
      `If ${name} still applies the tree, revert that commit (after a revert: revert the revert), inputs and tree together. ` +
      `If the objects of ${name} are really gone from the management cluster (docs/19-life-of-a-cluster.md, "Another GitOps tool"), ` +
      (retiredTool?.tool === before ? `take \`retiredTool\` out in a commit of its own, then ` : '') +
      `write \`retiredTool: ${before}\` under spec in stackmason.yaml, commit that, and remove it when ${now} has applied the tree.`,
  }
}
