import type { UpdateResult } from '../../pipeline/commands/update.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The report of an update, for people; ends with a newline. */
export function updateText(result: UpdateResult, shorten: ShortenPath): string {
  const lines = [
    ...result.changes.map(({ change, kind, name, detail }) => `${change.padEnd(9)} ${kind} ${name}: ${detail}`),
    ...result.unused
      .filter(({ usedBy }) => usedBy === undefined)
      .map(({ name, folders }) => {
        const gone = folders.length === 0 ? '' : `; with it goes ${folders.map((folder) => `${folder}/`).join(', ')}`
        const isPruned = result.changes.some(({ change, name: moved }) => change !== 'added' && moved === name)
        const way = `; \`${shorten.command('stackmason update --prune')}\` drops it`
        return `${isPruned ? 'pruned' : 'unused'.padEnd(6)}    release ${name}${isPruned ? '' : way}${gone}`
      }),
    ...result.notTaken.map(({ release, stack, reason }) => `not taken release ${release} for ${stack}: ${reason}`),
  ]
  return printableLines([...lines, summaryOf(result, shorten)])
}

function summaryOf({ mode, status, lockFile, ...counts }: UpdateResult, shorten: ShortenPath): string {
  const what = `${plural(counts.releases, 'release')}, ${plural(counts.dependencies, 'dependency', 'dependencies')}`
  if (status === 'unchanged') return `${shorten(lockFile)} is up to date: ${what}.`
  if (mode === 'dry-run') return `${shorten(lockFile)} would change: ${what}. Nothing was written.`
  return `Wrote ${shorten(lockFile)}: ${what}. Next: ${shorten.command('stackmason render')}`
}
