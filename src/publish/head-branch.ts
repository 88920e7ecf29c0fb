/** What a branch of a pull request is for. */
export interface HeadBranch {
  readonly prefix: string
  /** The name of the fleet. */
  readonly fleet: string
  /** The branch that takes the changes in the end. */
  readonly base: string
  /** The namespace whose changes it holds; absent: all. */
  readonly namespace?: string
}

/** The name of the branch: the same in each run, and never one that another one would be a folder of. */
export function headBranch({ prefix, fleet, base, namespace }: HeadBranch): string {
  const part = namespace === undefined ? '' : `--${namespace}`
  return `${prefix}${fleet}/${base.replaceAll('/', '-')}${part}`
}
