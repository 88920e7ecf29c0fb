import { environmentCodes } from '../../model/environment-codes.ts'
import type { InputEdits } from '../../publish/proposal.ts'
import { judgeEdit, knownProblems } from './edited-tree.ts'
import type { RolloutsPlan } from './plan-rollouts.ts'
import type { ProposalDesk } from './proposal-desk.ts'
import type { RenderedSource } from './rendered-source.ts'

/**
 * Proposes what waves may get: the changed cluster.yaml files, and what differs in the tree because of them. What
 * does not pass `check` is a draft; what touches the same files as something that is merged and not rendered waits for
 * that.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function proposeWaves(
  desk: ProposalDesk,
  rendered: RenderedSource,
  { edits, held }: RolloutsPlan,
): Promise<'done' | 'outdated'> {
  for (const one of held) await desk.hold(one)
  for (const [group, wanted] of [...edits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // what moves the lock renders otherwise
    if (rendered.change.inputs.length > 0) await desk.hold({ group, reason: FIRST })
    else if ((await proposeWave(desk, { group, rendered, edits: wanted })) === 'outdated') return 'outdated'
  }
  return 'done'
}

const FIRST = 'what people have merged changes the same files and has to be merged first'

async function proposeWave(
  desk: ProposalDesk,
  {
    group,
    rendered: plain,
    edits,
  }: { readonly group: string; readonly rendered: RenderedSource; readonly edits: InputEdits },
): Promise<'taken' | 'outdated'> {
  return desk.rendering(
    edits,
    async (edited) => {
      const judged = await judgeEdit(desk, { plain, edited }, knownProblems(desk, plain))
      if (judged === undefined) {
        await desk.hold({ group, reason: FIRST })
        return 'taken'
      }
      const { errors, ...made } = judged
      const [first] = errors
      return desk.take({
        ...made,
        group,
        draft: first === undefined ? undefined : `it does not pass check: ${first.message}`,
      })
    },
    async (error) => {
      if (error.diagnostics.some(({ code }) => environmentCodes.has(code))) throw error
      await desk.hold({ group, reason: `it cannot be rendered: ${error.message}`, isBroken: true }, error.diagnostics)
      return 'taken' as const
    },
  )
}
