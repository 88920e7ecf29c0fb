import type { ForgeAbilities, ForgeConfig } from '../../model/forge.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Source } from '../../model/source.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import type { ReportedFinding } from '../describe-finding.ts'

/** The change that a pull request describes. */
export interface PublishedChange {
  /** Against the branch that the pull request goes to. */
  readonly change: TreeChange
  /** Of rendering and checking; equal ones once. */
  readonly findings: readonly ReportedFinding[]
  /** Of the clusters that are part of it. */
  readonly steps: readonly StepPlan[]
}

/** Where a pull request comes from. What differs from run to run although the change is the same is `run`. */
export interface PullRequestFacts {
  /** The name of the fleet. */
  readonly fleet: string
  /** The group that is published together: `fleet`, `namespace/team-a`, `cluster/team-a/web`. */
  readonly group: string
  /** The clusters that `group` stands for; absent: all. */
  readonly clusters?: readonly ObjectName[] | undefined
  /** Why nobody should merge it yet, in a phrase; absent: it is ready. */
  readonly draft?: string | undefined
  /** The branch that it goes to. */
  readonly base: string
  /** The branch that holds it. */
  readonly head: string
  /** The folder of stackmason.yaml in its repository: '' for its root. */
  readonly folder: string
  /** `sha256:…` of the lock; absent: the fleet has none. */
  readonly lock?: string | undefined
  /** The repository that findings are about; absent: places are not linked. */
  readonly forge?: Pick<ForgeConfig, 'kind' | 'url' | 'repository'> | undefined
  readonly run: {
    /** Of this program. */
    readonly version: string
    /** The commit that was rendered. */
    readonly commit: string
    /** Where all of it can be read: an address, or the name of a file among the artifacts of the run. */
    readonly report?: string | undefined
  }
}

/** The longest texts that a forge takes. */
export type TextLimits = Pick<ForgeAbilities, 'unit' | 'maxTitle' | 'maxBody'>

/** The templates of what is published; those of the fleet in place of ours. */
export interface PublishTemplates {
  readonly pullRequest: Source
  readonly commit: Source
  /** The fleet's template of titles; absent: the change in a few words. */
  readonly title?: Source | undefined
}

/** The text of a pull request. */
export interface PullRequestText {
  /** The same for equal changes, whenever and by whichever version they were rendered. */
  readonly fingerprint: string
  readonly title: string
  /** With marks around it; see `mergeBody`. */
  readonly body: string
  /** A subject, an empty line, and the change in plain words; without trailers. Ends with a newline. */
  readonly commitMessage: string
}
