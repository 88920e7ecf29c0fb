import type { Diagnostic } from '../../model/diagnostic.ts'
import type { CommitStatus, Forge, NamedStatus } from '../../model/forge.ts'
import type { LineCommit } from '../../model/git-writer.ts'
import { objectPath } from '../../model/object-name.ts'
import type { StatusNames } from '../../model/publish-config.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { StatusJudge, type StatusVerdict } from '../../publish/statuses/judge-statuses.ts'
import { requiredStatuses } from '../../publish/statuses/required-statuses.ts'
import type { AwaitedCluster } from '../../sources/committed/tree-files.ts'
import type { BranchHistory } from './branch-history.ts'

/** As many commits are asked for: what a tool has reported on none of them, it has not reported. */
const ASKED = 50

/** Digits of a commit's id that people are given. */
const SHORT = 12

/** A commit status that holds back a cluster. */
export interface AwaitedStatus {
  /** `namespace/name`. */
  readonly cluster: string
  /** What was committed last of its upgrade. */
  readonly step: 'addons' | 'class'
  /** The class name of the release that it was of. */
  readonly release: string
  /** The commit that brought it; absent where the branch has none such that is near enough. */
  readonly since?: string
  readonly context: string
  readonly state: Exclude<CommitStatus, 'success'>
  /** The commit on which it is so; absent for one that is missing. */
  readonly commit?: string
}

/** What is known of the step that a tree holds of a cluster. */
export interface StepReport {
  readonly verdicts: readonly StatusVerdict[]
  /** The commit that brought the step. */
  readonly since: LineCommit | undefined
}

/** Says by commit statuses whether what a branch holds of clusters is applied. */
export class StatusGate {
  readonly #names: StatusNames
  readonly #history: BranchHistory
  readonly #forge: Forge | undefined
  readonly #statuses = new Map<string, Promise<readonly NamedStatus[]>>()
  readonly #awaited = new Map<string, readonly AwaitedStatus[]>()

  /** Without a forge nobody reports anything. */
  constructor(names: StatusNames, history: BranchHistory, forge: Forge | undefined) {
    this.#names = names
    this.#history = history
    this.#forge = forge
  }

  /** What the next step of a cluster still waits for, one sentence each. */
  readonly awaited = async (cluster: AwaitedCluster): Promise<readonly string[]> => {
    const { committed } = cluster
    const { className = '', addons = '' } = committed
    const step = className === addons ? 'class' : 'addons'
    const { verdicts, since } = await this.report(cluster, this.#names[step])
    const path = objectPath(cluster)
    const open = verdicts.flatMap(({ context, state, commit }): readonly AwaitedStatus[] =>
      state === 'success'
        ? []
        : [
            {
              cluster: path,
              step,
              release: addons,
              ...(since !== undefined && { since: since.commit }),
              context,
              state,
              ...(commit !== undefined && { commit }),
            },
          ],
    )
    this.#awaited.set(path, open)
    const where = since === undefined ? 'of the branch' : `${since.commit.slice(0, SHORT)}, or of a later one,`
    return open.map(({ context }) => `Commit status ${context} of commit ${where} is successful.`)
  }

  /** What held back clusters, by cluster. */
  get found(): readonly AwaitedStatus[] {
    return [...this.#awaited].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, statuses]) => statuses)
  }

  /** What was reported of the step that the tree holds of a cluster. */
  async report(cluster: AwaitedCluster, names: readonly string[]): Promise<StepReport> {
    const commits = await this.#history.commitsWith(cluster, cluster.committed, isAt(cluster.committed))
    const judge = new StatusJudge(requiredStatuses(names, { cluster, units: cluster.units }))
    for (const { commit } of commits.slice(0, ASKED)) {
      if (judge.isDecided) break
      judge.note(commit, await this.#statusesOf(commit))
    }
    return { verdicts: judge.verdicts(), since: commits.at(-1) }
  }

  #statusesOf(commit: string): Promise<readonly NamedStatus[]> {
    const known = this.#statuses.get(commit) ?? this.#forge?.statusesOf(commit) ?? Promise.resolve([])
    this.#statuses.set(commit, known)
    return known
  }
}

/** Where the upgrade leads may change on the way. */
function isAt(wanted: CommittedCluster): (committed: CommittedCluster | undefined) => boolean {
  return (committed) => committed?.className === wanted.className && committed?.addons === wanted.addons
}

/** A status that failed stops an upgrade until somebody mends what it is about. */
export function failedStatuses(awaited: readonly AwaitedStatus[]): readonly Diagnostic[] {
  return awaited.flatMap(({ cluster, step, release, context, state, commit = '' }): readonly Diagnostic[] =>
    state === 'failure'
      ? [
          {
            code: 'PUBLISH_STATUS_FAILED',
            severity: 'error',
            message: `the upgrade of ${cluster} stops at the ${step} of ${release}: commit status ${context} has failed on commit ${commit.slice(0, SHORT)}`,
            hint: 'Mend what it is about: the upgrade goes on once it is successful on that commit, or on a later one.',
            about: { cluster },
          },
        ]
      : [],
  )
}
