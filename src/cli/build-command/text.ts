import type { BuildResult, BuiltRelease } from '../../pipeline/commands/build.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

/** The report of a build, for people; ends with a newline. */
export function buildText({ mode, releases, index }: BuildResult, shorten: ShortenPath): TextReport {
  const lines = releases.flatMap((release) => formatRelease(release, mode, shorten))
  if (index !== undefined) lines.push(`wrote ${shorten(index)}`)
  return { output: printableLines(lines), isUnbroken: true }
}

const HEADS: Readonly<Record<BuildResult['mode'], Readonly<Record<BuiltRelease['status'], string>>>> = {
  write: { built: 'built', exists: 'already built', unchanged: 'unchanged since' },
  'dry-run': { built: 'would build', exists: 'already built', unchanged: 'unchanged since' },
}

const PUSHES: Readonly<Record<NonNullable<BuiltRelease['pushed']>['result'], string>> = {
  pushed: 'pushed to',
  exists: 'already there, the same:',
  missing: 'would push to',
}

function formatRelease(release: BuiltRelease, mode: BuildResult['mode'], shorten: ShortenPath): string[] {
  const { status, tag, kubernetesVersion, versions, hash, folder, files, pushed } = release
  const head = `${HEADS[mode][status]} ${tag}`
  if (folder === undefined) return [head]
  const width = Math.max(...files.map(({ name }) => name.length))
  return [
    `${head} in ${shorten(folder)}`,
    `  Kubernetes ${kubernetesVersion}, addons ${versions.clusterAddon}, node images ${versions.nodeImage}, hash ${hash}`,
    ...files.map(({ name, size, digest }) => `  ${name.padEnd(width)}  ${digest}  ${String(size)}`),
    ...(pushed === undefined
      ? []
      : [`  ${PUSHES[pushed.result]} ${pushed.reference}${pushed.digest === undefined ? '' : ` (${pushed.digest})`}`]),
  ]
}
