import { update, type UpdateOptions, type UpdateResult } from '../../pipeline/update.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { showAsking } from '../show-asking.ts'
import type { Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason update` and gives the exit status.
 * @throws StackmasonError with every problem; then the lock is as it was
 */
export async function runUpdate(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const fleet = valueOf(parsed, 'fleet')
  const options: UpdateOptions = {
    start: io.workingFolder,
    ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
    stacks: valuesOf(parsed, 'stack'),
    releases: valuesOf(parsed, 'release'),
    prune: isSet(parsed, 'prune'),
    dryRun: isSet(parsed, 'dry-run'),
    network: isSet(parsed, 'offline') ? 'offline' : 'online',
  }
  const shorten = createShortenPath(io.workingFolder)
  const isJson = valueOf(parsed, 'output') === 'json'
  const asking = showAsking(io, isJson ? 'quiet' : 'shown')
  const result = await update(options, io.ports, asking.show).finally(asking.clear)
  io.stdout.write(isJson ? formatUpdateJson(result, shorten) : formatUpdate(result, shorten))
  return isJson ? 0 : report(result.findings)
}

/** What an update did, for people; ends with a newline. */
export function formatUpdate(result: UpdateResult, shorten: ShortenPath): string {
  const lines = [
    ...result.changes.map(({ change, kind, name, detail }) => `${change.padEnd(9)} ${kind} ${name}: ${detail}`),
    ...result.unused
      .filter(({ usedBy }) => usedBy === undefined)
      .map(({ name, folders }) => {
        const gone = folders.length === 0 ? '' : `; with it goes ${folders.map((folder) => `${folder}/`).join(', ')}`
        const isPruned = result.changes.some(({ change, name: moved }) => change !== 'added' && moved === name)
        return `${isPruned ? 'pruned' : 'unused'.padEnd(6)}    release ${name}${isPruned ? gone : `; \`stackmason update --prune\` drops it${gone}`}`
      }),
    ...result.notTaken.map(({ release, stack, reason }) => `not taken release ${release} for ${stack}: ${reason}`),
  ]
  return printableLines([...lines, summaryOf(result, shorten)])
}

function summaryOf({ mode, status, lockFile, ...counts }: UpdateResult, shorten: ShortenPath): string {
  const what = `${plural(counts.releases, 'release')}, ${plural(counts.dependencies, 'dependency', 'dependencies')}`
  if (status === 'unchanged') return `${shorten(lockFile)} is up to date: ${what}.`
  if (mode === 'dry-run') return `${shorten(lockFile)} would change: ${what}. Nothing was written.`
  return `Wrote ${shorten(lockFile)}: ${what}. Next: stackmason render`
}

/** The same for programs (schemas/update-report.json). */
export function formatUpdateJson(result: UpdateResult, shorten: ShortenPath): string {
  const { mode, status, fleet, lockFile, releases, dependencies, changes, notTaken, unused, findings } = result
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'UpdateReport',
    mode,
    status,
    fleet,
    lock: shorten(lockFile),
    summary: { releases, dependencies },
    changes,
    notTaken,
    unused,
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
