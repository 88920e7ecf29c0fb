import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PathStep } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import type { Dict } from '../../model/value.ts'
import { locateInCluster } from './locate-in-cluster.ts'

/** The errors and the warnings about a Cluster. */
export interface ClusterJudgement {
  readonly problems: readonly Diagnostic[]
  readonly findings: readonly Diagnostic[]
}

/** Judges the values of a Cluster whose fields are written where `spanOf` says. */
export type JudgeCluster = (cluster: {
  readonly value: Dict
  readonly spanOf: (path: readonly PathStep[]) => Span
  readonly show: (text: string) => string
}) => ClusterJudgement

/** Judges a Cluster that patches have changed: what cluster.yaml itself was told of is left out. */
export function judgePatched(
  before: Manifest | undefined,
  after: Manifest | undefined,
  { cluster, judge }: { readonly cluster: Cluster; readonly judge: JudgeCluster | undefined },
): ClusterJudgement {
  if (judge === undefined || before === undefined || after === undefined || before === after)
    return { problems: [], findings: [] }
  const located = locateInCluster(cluster)
  const spanOf = (path: readonly PathStep[]): Span => located.spanOf(path) ?? cluster.document.span
  const told = judge({ value: before.object, spanOf, show })
  const known = new Set([...told.problems, ...told.findings].map(({ message }) => message))
  const isNew = ({ message }: Diagnostic): boolean => !known.has(message)
  const { problems, findings } = judge({ value: after.object, spanOf, show })
  return { problems: problems.filter(isNew), findings: findings.filter(isNew) }
}

/** Values of patches are shown nowhere: docs/decisions/0022. */
function show(text: string): string {
  return `of ${String(text.length)} character${text.length === 1 ? '' : 's'}`
}
