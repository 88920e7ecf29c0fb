import { environmentCodes } from '../../model/environment-codes.ts'
import type { InputEdits } from '../../publish/proposal.ts'
import { distinct } from '../diagnostics.ts'
import { errorsOf, keyOf, ownFiles } from './edited-tree.ts'
import type { RolloutsPlan } from './plan-rollouts.ts'
import type { ProposalDesk } from './proposal-desk.ts'
import type { RenderedSource } from './rendered-source.ts'

/**
 * Proposes what waves may get: the changed cluster.yaml files, and what differs in the tree because of them. What does not
 * pass `check` is a draft; what touches the same files as something that is merged and not rendered waits for that.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function proposeWaves(
  desk: ProposalDesk,
  rendered: RenderedSource,
  { edits, held }: RolloutsPlan,
): Promise<'done' | 'outdated'> {
  for (const one of held) desk.hold(one)
  for (const [group, wanted] of [...edits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // what moves the lock renders otherwise
    if (rendered.change.inputs.length > 0) desk.hold({ group, reason: FIRST })
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
      const part = await ownFiles(plain, edited)
      if (part === undefined) {
        desk.hold({ group, reason: FIRST })
        return 'taken'
      }
      const { change } = edited
      const known = await errorsOf(desk, plain)
      const checked = await desk.run.check(edited.tree)
      const errors = checked.findings.filter((finding) => finding.severity === 'error' && !known.has(keyOf(finding)))
      const before = new Set(plain.change.result.findings.map(keyOf))
      const news = change.result.findings.filter((finding) => !before.has(keyOf(finding)))
      const steps = (change.result.steps ?? []).filter(({ cluster }) =>
        [...part].some((path) => path.startsWith(`clusters/${cluster.namespace}/${cluster.name}/`)),
      )
      const [first] = errors
      const findings = distinct([...errors, ...news])
      return desk.take({
        group,
        rendered: edited,
        part,
        judged: { ...checked, isPassed: first === undefined, findings },
        change: {
          ...change,
          files: change.files.filter(({ path }) => part.has(path)),
          result: { ...change.result, steps, findings },
        },
        ...(first !== undefined && { draft: `it does not pass check: ${first.message}` }),
      })
    },
    async (error) => {
      if (error.diagnostics.some(({ code }) => environmentCodes.has(code))) throw error
      desk.hold({ group, reason: `it cannot be rendered: ${error.message}` }, error.diagnostics)
      return 'taken' as const
    },
  )
}
