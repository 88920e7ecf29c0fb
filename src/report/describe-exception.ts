import type { CheckException, CheckExceptions } from '../model/check-exception.ts'
import type { Span } from '../model/source.ts'
import { placeOf } from './describe-finding.ts'
import type { ListedExceptions } from './forms/finding-list.ts'
import { plural } from './plural.ts'
import type { ShortenPath } from './shorten-path.ts'

const changes = { removed: 'is gone', changed: 'has changed', added: 'is new' }
/** Codes that a sentence names. */
const NAMED = 10

/** Says what a change keeps from being said: `CLUSTER_DELETED is off (was error)`. */
export function describeException(exception: CheckException): string {
  switch (exception.kind) {
    case 'level':
      return `${exception.code} ${levelText(exception.after)} (was ${exception.before})`
    case 'acknowledgement': {
      const { entry, earlier } = exception
      const { code, cluster, release, addon, object, reason, until } = entry
      const subjects = [
        ...(cluster === undefined ? [] : [cluster]),
        ...(release === undefined ? [] : [`release ${release}`]),
        ...(addon === undefined ? [] : [`addon ${addon}`]),
        ...(object === undefined ? [] : [object]),
      ]
      const whom = subjects.length === 0 ? ' everywhere' : ` of ${subjects.join(', ')}`
      const days = earlier === undefined ? `until ${until}` : `until ${until} instead of ${earlier}`
      return `${code}${whom} is acknowledged ${days} (${reason})`
    }
    case 'policy':
    case 'schema':
      return `${exception.file} ${changes[exception.change]}`
    case 'declaration': {
      const [first = '', ...others] = exception.files
      const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more file')}`
      return `${exception.apiVersion} is declared as served in ${first}${more}`
    }
    case 'setting':
      return `${exception.field} is ${exception.after} (was ${exception.before})`
  }
}

function levelText(level: string): string {
  return level === 'off' ? 'is off' : `counts as ${level}`
}

/** Lists exceptions for forms. */
export function listExceptions(exceptions: CheckExceptions | undefined, shorten: ShortenPath): ListedExceptions {
  const { added = [] } = exceptions ?? {}
  const standing = exceptions === undefined ? undefined : countExceptions(exceptions)
  return {
    added: added.map((exception) => {
      const at = placeOfException(exception)
      return { text: describeException(exception), place: at === undefined ? undefined : placeOf(at, shorten) }
    }),
    standing,
  }
}

/** The same for programs. */
export function plainExceptions({ off, lowered, added }: CheckExceptions): object {
  return { off, lowered, new: added.map(describeException) }
}

/** The line that says so; undefined where it is gone. */
function placeOfException(exception: CheckException): Span | undefined {
  if (exception.kind === 'level') return exception.at
  return exception.kind === 'acknowledgement' ? exception.entry.at : undefined
}

/** How many rules the fleet has off and lowered, in a sentence; undefined where there are none. */
export function countExceptions({ off, lowered }: CheckExceptions): string | undefined {
  if (off.length + lowered.length === 0) return undefined
  const parts = [
    ...(off.length === 0
      ? []
      : [`${plural(off.length, 'rule')} ${off.length === 1 ? 'is' : 'are'} off (${named(off)})`]),
    ...(lowered.length === 0
      ? []
      : [
          `${plural(lowered.length, 'rule')} ${lowered.length === 1 ? 'counts' : 'count'} as warning (${named(lowered)})`,
        ]),
  ]
  return `In this fleet ${parts.join(', and ')}.`
}

function named(codes: readonly string[]): string {
  const shown = codes.slice(0, NAMED)
  const more = codes.length - shown.length
  return [...shown, ...(more > 0 ? [`${String(more)} more`] : [])].join(', ')
}
