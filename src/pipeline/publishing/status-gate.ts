import { shortCommit } from '../../model/git.ts'
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

/** A commit status that holds back a cluster. */
export interface AwaitedStatus {
  /** `namespace/name`. */
  readonly cluster: string
  /** The step of its upgrade that was committed last. */
  readonly step: 'addons' | 'class'
  /** The class name of the release that it was of. */
  readonly release: string
  /** The commit that brought it; absent where the branch has none such that is near enough. */
  readonly since?: string | undefined
  readonly context: string
  readonly state: Exclude<CommitStatus, 'success'>
  /** The commit on which it is so; absent for one that is missing. */
  readonly commit?: string | undefined
}

/** The report on the step that a tree holds of a cluster. */
export interface StepReport {
  readonly verdicts: readonly StatusVerdict[]
  /** The commit that brought the step. */
  readonly since: LineCommit | undefined
}

/** Says what was reported of what a branch holds of clusters. */
export class StepReports {
  readonly #names: StatusNames
  readonly #history: BranchHistory
  readonly #forge: Forge | undefined
  readonly #statuses = new Map<string, Promise<readonly NamedStatus[]>>()

  /** Without names nothing has to be reported; without a forge nobody reports anything. */
  constructor(names: StatusNames | undefined, history: BranchHistory, forge: Forge | undefined) {
    this.#names = names ?? { addons: [], class: [] }
    this.#history = history
    this.#forge = forge
  }

  /** Reads the report on a cluster in the tree: on its step, or on all of it. */
  async report(cluster: AwaitedCluster, about: 'step' | 'all'): Promise<StepReport> {
    const { committed } = cluster
    const names = about === 'all' ? [...this.#names.addons, ...this.#names.class] : this.#names[stepOf(committed)]
    const commits = await this.#history.commitsWith(cluster, committed, isAt(committed))
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

/** Says what the next steps of clusters wait for, and remembers it. */
export class StatusGate {
  readonly #reports: StepReports
  readonly #awaited = new Map<string, readonly AwaitedStatus[]>()

  constructor(reports: StepReports) {
    this.#reports = reports
  }

  /** The conditions that the next step of a cluster still waits for, one sentence each. */
  readonly awaited = async (cluster: AwaitedCluster): Promise<readonly string[]> => {
    const { verdicts, since } = await this.#reports.report(cluster, 'step')
    const path = objectPath(cluster)
    const open = verdicts.flatMap(({ context, state, commit }): readonly AwaitedStatus[] =>
      state === 'success'
        ? []
        : [
            {
              cluster: path,
              step: stepOf(cluster.committed),
              release: cluster.committed.addons ?? '',
              since: since?.commit,
              context,
              state,
              commit,
            },
          ],
    )
    this.#awaited.set(path, open)
    const where = since === undefined ? 'of the branch' : `${shortCommit(since.commit)}, or of a later one,`
    return open.map(({ context }) => `Commit status ${context} of commit ${where} is successful.`)
  }

  /** The statuses that clusters wait for, by cluster. */
  get found(): readonly AwaitedStatus[] {
    return [...this.#awaited].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, statuses]) => statuses)
  }
}

/** The step of an upgrade that was committed last. */
function stepOf({ className, addons }: CommittedCluster): 'addons' | 'class' {
  return className === addons ? 'class' : 'addons'
}

/** Where the upgrade leads may change on the way. */
function isAt(wanted: CommittedCluster): (committed: CommittedCluster | undefined) => boolean {
  return (committed) => committed?.className === wanted.className && committed?.addons === wanted.addons
}

/** A status that failed, or was skipped, stops an upgrade until somebody mends what it is about. */
export function failedStatuses(awaited: readonly AwaitedStatus[]): readonly Diagnostic[] {
  return awaited.flatMap(({ cluster, step, release, context, state, commit = '' }): readonly Diagnostic[] =>
    state === 'failure' || state === 'skipped'
      ? [
          {
            code: 'PUBLISH_STATUS_FAILED',
            severity: 'error',
            message: `the upgrade of ${cluster} stops at the ${step} of ${release}: commit status ${context} ${state === 'failure' ? 'has failed' : 'was skipped, or is neutral,'} on commit ${shortCommit(commit)}`,
            hint:
              state === 'failure'
                ? 'Mend what it is about: the upgrade goes on once it is successful on that commit, or on a later one.'
                : 'A job is skipped where one that it needs has failed, or by its own condition. Mend that, and let it run: the upgrade goes on once it is successful on that commit, or on a later one.',
            about: { cluster },
          },
        ]
      : [],
  )
}
