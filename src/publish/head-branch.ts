/** The fleet and base that branches of pull requests belong to. */
export interface HeadBranches {
  readonly prefix: string
  /** The name of the fleet. */
  readonly fleet: string
  /** The branch that takes the changes in the end. */
  readonly base: string
}

/** Stands between the branch of a fleet and the subject of one of its proposals. */
const SEPARATOR = '--'

/** The name of the branch of a proposal: the same in each run, and never one that another one would be a folder of. */
export function headBranch(branches: HeadBranches, group: string): string {
  const whole = wholeFleet(branches)
  return group === 'fleet' ? whole : `${whole}${SEPARATOR}${group.replaceAll('/', '.')}`
}

/** The kind of the group of a branch, as in `cluster/team-a/web`; undefined for a branch of no proposal. */
export function kindOfHead(branches: HeadBranches, name: string): string | undefined {
  const whole = wholeFleet(branches)
  if (name === whole) return 'fleet'
  return name.startsWith(whole + SEPARATOR) ? name.slice(whole.length + SEPARATOR.length).split('.', 1)[0] : undefined
}

/** True for the branch of a proposal of any fleet with that prefix, into one of the bases. */
export function isHeadOfAny(prefix: string, bases: readonly string[], name: string): boolean {
  const [fleet = '', ...rest] = name.startsWith(prefix) ? name.slice(prefix.length).split('/') : []
  const isHead = (base: string): boolean => kindOfHead({ prefix, fleet, base }, name) !== undefined
  return fleet !== '' && rest.length > 0 && bases.some(isHead)
}

/** True if two bases differ, and the branches of proposals for both have one name. */
export function isNamesake(base: string, other: string): boolean {
  return other !== base && flat(other) === flat(base)
}

function wholeFleet({ prefix, fleet, base }: HeadBranches): string {
  return `${prefix}${fleet}/${flat(base)}`
}

function flat(base: string): string {
  return base.replaceAll('/', '-')
}
