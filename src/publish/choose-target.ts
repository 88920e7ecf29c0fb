import type { PublishConfig } from '../model/publish-config.ts'
import type { PublishContext } from './read-context.ts'

/** Where a rendered tree goes. */
export interface PublishTarget {
  /** `author`: the branch of the pull request that the run is about. */
  readonly kind: 'author' | 'branch' | 'pullRequest'
  /** The ref of the fleet that is rendered. */
  readonly source: string
  /** The branch that takes the tree in the end: itself, or by a pull request; undefined: the default branch there. */
  readonly branch: string | undefined
  /** The branch from which upgrades go on. */
  readonly base?: string | undefined
  /** Set: the tree goes elsewhere than where the fleet lies. */
  readonly elsewhere?:
    | {
        /** Absent: the fleet's own. */
        readonly repository: string | undefined
        /** Absent: the same as in the fleet. */
        readonly path: string | undefined
      }
    | undefined
  /** True if nothing can be pushed from here. */
  readonly isReadOnly: boolean
}

/** The options of the command line. */
export interface TargetChoice {
  /** The branch that is rendered and gets the result, as in a run on a pull request. */
  readonly branch?: string | undefined
}

/**
 * Chooses where a rendered tree goes: into the author's branch in a run on a pull request, else where the fleet says.
 * `defaultBranch` is that of the fleet's remote.
 */
export function chooseTarget(
  { publish, branch }: { readonly publish: PublishConfig } & TargetChoice,
  { pullRequest }: PublishContext,
  defaultBranch: string | undefined,
): PublishTarget | undefined {
  const base = publish.base ?? defaultBranch
  if (branch !== undefined) {
    return {
      kind: 'author',
      source: `refs/heads/${branch}`,
      branch,
      base: base === branch ? undefined : base,
      isReadOnly: false,
    }
  }
  if (pullRequest !== undefined) {
    const { head, lies, headRef } = pullRequest
    const isHere = lies === 'repository'
    const source = isHere ? `refs/heads/${head}` : headRef
    return { kind: 'author', source, branch: head, base: pullRequest.base, isReadOnly: !isHere }
  }
  if (base === undefined) return undefined
  const { into, repository, path } = publish
  const target = publish.branch ?? (repository === undefined ? base : undefined)
  const isElsewhere = repository !== undefined || target !== base || path !== undefined
  return {
    kind: into,
    source: `refs/heads/${base}`,
    branch: target,
    elsewhere: isElsewhere ? { repository, path } : undefined,
    isReadOnly: false,
  }
}
