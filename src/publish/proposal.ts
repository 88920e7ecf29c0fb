/** The changes of a fleet's inputs before it is rendered. */
export interface InputEdits {
  /**
   * How stackmason.lock moves: not; to all that is new; to that but for newer releases of subscriptions (`rest`); or to
   * these releases (tags) and nothing else.
   */
  readonly lock: 'kept' | 'moved' | 'rest' | readonly string[]
  /** New texts of files that people write, by path from the root of the repository. */
  readonly files: ReadonlyMap<string, string>
}

/** Nothing is changed: what people have merged is rendered. */
export const NO_EDITS: InputEdits = { lock: 'kept', files: new Map() }

/** One change, which a branch and a pull request of its own carry. */
export interface Proposal {
  /**
   * Its subject, by which its branch and its pull request are found again: `fleet`, `namespace/team-a`,
   * `cluster/team-a/web`, `release/docker-lab-1-34`.
   */
  readonly group: string
  /** Paths of the rendered tree that it carries; absent: all that differ. */
  readonly part?: ReadonlySet<string> | undefined
  /** Why nobody should merge it yet: then it is a draft. */
  readonly draft?: string | undefined
}

/** Why a proposal waits. */
export interface HeldProposal {
  readonly group: string
  /** One phrase. */
  readonly reason: string
}

/** The proposals in order, and those that wait. */
export interface ProposalPlan {
  readonly proposals: readonly Proposal[]
  readonly held: readonly HeldProposal[]
}
