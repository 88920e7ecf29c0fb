import { build, type BuildOptions, type BuildResult, type BuiltRelease } from '../../pipeline/build.ts'
import { buildSpec } from './spec.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason build` and gives the exit status.
 * @throws StackmasonError with every problem; then nothing was written
 */
export async function runBuild(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const shorten = createShortenPath(io.workingFolder)
  const result = await build(buildOptions(parsed, io.workingFolder), io.ports)
  const isJson = valueOf(parsed, 'output') === 'json'
  io.stdout.write(isJson ? formatBuildJson(result, shorten) : formatBuild(result, shorten))
  return isJson ? 0 : report(result.findings)
}

function buildOptions(parsed: ParsedArguments, workingFolder: string): BuildOptions {
  const problems = conflicts(parsed)
  if (problems.length > 0) throw usageError(problems, buildSpec)
  const path = (typed: string): string => resolveFolder(workingFolder, typed)
  const table = valueOf(parsed, 'table')
  const fleet = valueOf(parsed, 'fleet')
  const caFile = valueOf(parsed, 'ca-file')
  const isPush = isSet(parsed, 'push')
  const source = valueOf(parsed, 'source')
  // nothing named: what the environment names
  const registry = valueOf(parsed, 'registry') ?? (isPush && source === undefined ? '' : undefined)
  const kubernetes = valuesOf(parsed, 'kubernetes')
  return {
    directory: path(parsed.operands[0] ?? '.'),
    output: path(valueOf(parsed, 'out') ?? '.release'),
    version: wantedVersion(parsed),
    ...(table === undefined ? {} : { table: path(table) }),
    rows: isSet(parsed, 'all') ? 'all' : kubernetes.length > 0 ? kubernetes : 'none',
    push: isPush,
    index: isSet(parsed, 'index'),
    overwrite: isSet(parsed, 'overwrite'),
    dryRun: isSet(parsed, 'dry-run'),
    network: isSet(parsed, 'offline') ? 'offline' : 'online',
    start: workingFolder,
    ...(fleet === undefined ? {} : { fleet: path(fleet) }),
    ...(source === undefined ? {} : { source }),
    ...(registry === undefined ? {} : { registry }),
    plainHttp: isSet(parsed, 'plain-http'),
    ...(caFile === undefined ? {} : { caFile: path(caFile) }),
  }
}

function wantedVersion(parsed: ParsedArguments): BuildOptions['version'] {
  const clusterStack = valueOf(parsed, 'version')
  if (clusterStack === undefined) return { mode: valueOf(parsed, 'mode') === 'hash' ? 'hash' : 'stable' }
  const clusterAddon = valueOf(parsed, 'addon-version')
  const nodeImage = valueOf(parsed, 'node-image-version')
  return {
    mode: 'explicit',
    clusterStack,
    ...(clusterAddon === undefined ? {} : { clusterAddon }),
    ...(nodeImage === undefined ? {} : { nodeImage }),
  }
}

/** Options that do not go together. */
function conflicts(parsed: ParsedArguments): readonly string[] {
  const given = (name: string): boolean => parsed.options.has(name)
  const exclusive = [
    ['mode', 'version'],
    ['all', 'kubernetes'],
    ['registry', 'source'],
  ] as const
  const needed = [
    ['addon-version', ['version']],
    ['node-image-version', ['version']],
    ['table', ['kubernetes', 'all']],
    ['plain-http', ['registry', 'push']],
    ['ca-file', ['registry', 'push']],
  ] as const
  return [
    ...exclusive.flatMap(([a, b]) => (given(a) && given(b) ? [`--${a} and --${b} cannot be used together`] : [])),
    ...needed.flatMap(([name, others]) =>
      given(name) && !others.some(given) ? [`--${name} needs ${others.map((one) => `--${one}`).join(' or ')}`] : [],
    ),
  ]
}

/** What a build did, for people; ends with a newline. */
export function formatBuild({ mode, releases, index }: BuildResult, shorten: ShortenPath): string {
  const lines = releases.flatMap((release) => formatRelease(release, mode, shorten))
  if (index !== undefined) lines.push(`wrote ${shorten(index)}`)
  return printableLines(lines)
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

/** What a build did, for programs, in the versioned envelope. */
export function formatBuildJson(result: BuildResult, shorten: ShortenPath): string {
  const { mode, output, releases, index, findings } = result
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'BuildReport',
    mode,
    output: shorten(output),
    releases: releases.map((release) => ({
      ...release,
      ...(release.folder === undefined ? {} : { folder: shorten(release.folder) }),
    })),
    ...(index === undefined ? {} : { index: shorten(index) }),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
