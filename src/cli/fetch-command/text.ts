import type { FetchResult } from '../../pipeline/commands/fetch-lock.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The report of a fetch, for people; ends with a newline. */
export function fetchText({ cache, releases, dependencies, fetched }: FetchResult, shorten: ShortenPath): string {
  if (releases + dependencies === 0)
    return printableLines(['Nothing to fetch: the fleet is rendered from folders of this machine.'])
  const charts = `${plural(dependencies, 'chart')} that they depend on`
  const what =
    fetched.files === 0
      ? 'everything was there already'
      : `${plural(fetched.files, 'file')} fetched, ${plural(fetched.bytes, 'byte')}`
  return printableLines([`${shorten(cache)} holds ${plural(releases, 'release')} and ${charts}: ${what}.`])
}
