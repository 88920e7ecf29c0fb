import { printable } from '../printable.ts'

/** A judgement that has a name on a forge. */
export interface NamedJudgement {
  /** The name of the fleet; '' where it is not known. */
  readonly fleet: string
  /** The beginning of its branches, which tells fleets of one name apart. */
  readonly branchPrefix: string
  /** Its folder, from the root of the repository; '.' for the root. */
  readonly folder: string
  /** The part of it that was judged; absent: all of it. */
  readonly part?: string | undefined
}

/**
 * The name of a check run, status and comment: begins as the branches of the fleet do. A part of the fleet has a name
 * of its own, and so has each folder of a repository, since the last one to write a name on a commit is the one that
 * counts.
 */
export function checkName({ fleet, branchPrefix, folder, part }: NamedJudgement): string {
  const whole = fleet === '' ? 'stackmason' : `${branchPrefix}${fleet}`
  return printable(`${whole}${part === undefined ? '' : `/${part}`}${folder === '.' ? '' : `@${folder}`}`)
}
