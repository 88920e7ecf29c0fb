import { joinPath } from '../../codec/path.ts'
import { endAcknowledgements } from '../../model/end-acknowledgements.ts'
import type { PublishTree } from '../../model/git-writer.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import type { Ports } from '../../model/ports.ts'
import { incompleteText } from '../../report/incomplete-text.ts'
import { relocateFindings, relocating } from '../publishing/relocate-findings.ts'
import type { JudgedFindings } from '../publishing/tell-findings.ts'
import type { Network } from '../resolve/open-source.ts'
import { check } from './check.ts'

/** The source to judge. */
export interface SourceJudgement {
  readonly tree: PublishTree
  /** stackmason.yaml, from the root. */
  readonly file: string
  /** The commit that it is compared with; absent: that of the work tree. */
  readonly base?: string | undefined
  /** Reports whether steps of upgrades are applied: the judged tree is the proposed one. */
  readonly awaited?: TreeRevision['awaited'] | undefined
  /** The root that findings are told for. */
  readonly root: string
  readonly network: Network
}

/**
 * Judges the fleet of a work tree by all rules.
 * @throws StackmasonError where nothing of it can be rendered
 */
export async function judgeSource(
  { tree, file, base, awaited, root, network }: SourceJudgement,
  ports: Ports,
): Promise<JudgedFindings> {
  const roots = { from: tree.folder, to: root }
  const { fleet, exceptions, incomplete, ...result } = await relocating(roots, () =>
    check(
      {
        start: tree.folder,
        fleet: joinPath(tree.folder, file),
        clusters: [],
        stacks: [],
        base,
        awaited,
        network,
      },
      ports,
      () => undefined,
    ),
  )
  const findings = endAcknowledgements(relocateFindings(result.findings, roots), ports.clock.now())
  const hasError = findings.some(
    ({ severity, acknowledgement }) => severity === 'error' && acknowledgement === undefined,
  )
  return {
    fleet,
    isPassed: !hasError && incomplete === undefined,
    incomplete: incomplete === undefined ? undefined : incompleteText(incomplete.clusters),
    exceptions,
    findings,
  }
}
