import type { Ports } from '../../model/ports.ts'
import { clustersOf, type SourceChange } from './source-change.ts'
import type { ProposingRun } from './propose.ts'
import { type JudgedFindings, tellFindings, type ToldFindings } from './tell-findings.ts'

/** Of what a check found, what is told of a group; all of it where the group is no cluster or namespace. */
export function judgedPart(
  judged: JudgedFindings,
  group: string,
  { files }: Pick<SourceChange, 'files'>,
): JudgedFindings {
  if (!/^(?:cluster|namespace)\//.test(group)) return judged
  const clusters = new Set(clustersOf(files))
  const findings = judged.findings.filter(({ about }) => about?.cluster !== undefined && clusters.has(about.cluster))
  const hasError = findings.some(
    ({ severity, acknowledgement }) => severity === 'error' && acknowledgement === undefined,
  )
  const isPassed = !hasError && judged.incomplete === undefined
  return { ...judged, isPassed, findings }
}

/** Shows beside a pull request what a check found of its change. */
export async function tellJudged(
  { session, prepared, checkout, context, mask }: ProposingRun,
  judged: JudgedFindings,
  { commit, number }: { readonly commit: string; readonly number: number },
  ports: Ports,
): Promise<ToldFindings> {
  const { findings: form, branchPrefix } = checkout.fleet.publish
  const forge = await session.forge()
  if (forge === undefined || form === 'none') return { findings: [] }
  // on another branch, or in another repository, are none of the files that findings are about
  const isHere = prepared.tree.commit === prepared.source
  return tellFindings(
    () => Promise.resolve(forge),
    judged,
    {
      root: checkout.facts.root,
      branchPrefix,
      form,
      weight: 'publish',
      commit,
      mask,
      pullRequest: number,
      forge: isHere ? session.location : undefined,
      url: context.runUrl,
    },
    ports,
  )
}
