import { adopt, type AdoptOptions, type AdoptResult } from '../../pipeline/adopt.ts'
import { compareLive, type CompareResult } from '../../pipeline/compare-live.ts'
import type { ObjectPath } from '../../pipeline/object-files.ts'
import { adoptSpec } from './spec.ts'

import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason adopt` and gives the exit status.
 * @throws StackmasonError as `adopt` and `compareLive`
 */
export async function runAdopt(parsed: ParsedArguments, session: Session): Promise<number> {
  const problems = conflicts(parsed)
  if (problems.length > 0) throw usageError(problems, adoptSpec)
  return parsed.options.has('compare') ? runCompare(parsed, session) : runWrite(parsed, session)
}

async function runWrite(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const { workingFolder } = io
  const folder = resolveFolder(workingFolder, valueOf(parsed, 'out') ?? '.')
  const source = sourceOf(parsed, workingFolder)
  const inputs = parsed.operands.map((typed) => objectPath(typed, workingFolder))
  const result = await adopt({ inputs, folder, ...(source === undefined ? {} : { source }) }, io.ports)
  const shorten = createShortenPath(workingFolder)
  const isJson = valueOf(parsed, 'output') === 'json'
  io.stdout.write(isJson ? formatAdoptJson(result, shorten) : formatAdopt(result, shorten))
  return isJson ? 0 : report(result.findings)
}

async function runCompare(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const { workingFolder } = io
  const fleet = valueOf(parsed, 'fleet')
  const result = await compareLive(
    {
      start: workingFolder,
      ...(fleet === undefined ? {} : { fleet: resolveFolder(workingFolder, fleet) }),
      inputs: valuesOf(parsed, 'compare').map((typed) => objectPath(typed, workingFolder)),
      network: isSet(parsed, 'offline') ? 'offline' : 'online',
    },
    io.ports,
  )
  const isJson = valueOf(parsed, 'output') === 'json'
  io.stdout.write(isJson ? formatComparisonJson(result, createShortenPath(workingFolder)) : formatComparison(result))
  if (!isJson) report(result.findings)
  return result.places.some(({ differences }) => differences.length > 0) ? 1 : 0
}

function conflicts(parsed: ParsedArguments): readonly string[] {
  const given = (name: string): boolean => parsed.options.has(name)
  const sources = ['oci', 'github', 'directory'].filter(given).map((name) => `--${name}`)
  const github = valueOf(parsed, 'github') ?? 'owner/name'
  if (given('compare')) {
    const others = ['out', 'oci', 'github', 'directory'].filter(given)
    return [
      ...others.map((name) => `--compare and --${name} cannot be used together`),
      ...(parsed.operands.length > 0 ? ['--compare takes one FILE; repeat it for more'] : []),
    ]
  }
  return [
    ...(parsed.operands.length === 0 ? ['adopt needs FILE: objects of the management cluster'] : []),
    ...(given('out') ? [] : ['adopt needs --out FOLDER']),
    ...['fleet', 'offline'].filter(given).map((name) => `--${name} needs --compare`),
    ...(sources.length > 1 ? [`${sources.join(' and ')} cannot be used together`] : []),
    ...(/^[^/\s]+\/[^/\s]+$/.test(github) ? [] : ['--github takes OWNER/NAME']),
  ]
}

/** `team-a/web=file`: an equals sign in a file's name does no harm as long as no cluster stands before it. */
function objectPath(typed: string, workingFolder: string): ObjectPath {
  const match = /^([a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9.]*)=(.+)$/s.exec(typed)
  const [, place = '', path = typed] = match ?? []
  return { path: resolveFolder(workingFolder, path), place }
}

function sourceOf(parsed: ParsedArguments, workingFolder: string): AdoptOptions['source'] {
  const oci = valueOf(parsed, 'oci')
  const github = valueOf(parsed, 'github')
  const directory = valueOf(parsed, 'directory')
  if (oci !== undefined) return { kind: 'oci', repository: oci.replace(/^oci:\/\//, '') }
  if (github !== undefined) {
    const [owner = '', repository = ''] = github.split('/')
    return { kind: 'github', owner, repository }
  }
  if (directory === undefined) return undefined
  return { kind: 'directory', path: resolveFolder(workingFolder, directory) }
}

/** What adopting did, for people; ends with a newline. */
export function formatAdopt(result: AdoptResult, shorten: ShortenPath): string {
  const folder = shorten(result.folder)
  const notReady = result.findings.filter(({ code }) => code === 'ADOPT_NOT_READY').length
  const lines = [
    `Wrote a fleet repository to ${folder}:`,
    ...result.files.map((path) => `  ${path}`),
    'Releases, each as it is on offer now:',
    ...result.stacks.map(({ stack, versions }) => `  ${stack}: ${versions.join(', ')}`),
    'Clusters, each with the release and version that it has now:',
    ...result.clusters.flatMap(({ cluster, release, version, endpoint, secrets }) => [
      `  ${cluster}: ${release}, ${version}`,
      endpoint === ''
        ? '    no endpoint yet'
        : `    endpoint fixed at ${endpoint}: nothing that addons read of it is left open`,
      ...(secrets === 0 ? [] : [`    ${plural(secrets, 'existing Secret')} named, none made anew`]),
    ]),
    notReady === 0
      ? 'Nothing in the files speaks against moving now.'
      : `${plural(notReady, 'thing')} to settle before moving; see below.`,
    `Next: cd ${folder} && stackmason update && stackmason adopt --compare …`,
  ]
  return printableLines(lines)
}

/** What adopting did, for programs, in the versioned envelope. */
export function formatAdoptJson(result: AdoptResult, shorten: ShortenPath): string {
  const { folder, files, stacks, clusters, findings } = result
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'AdoptReport',
    folder: shorten(folder),
    files,
    stacks,
    clusters: clusters.map(({ endpoint, ...rest }) => ({ ...rest, ...(endpoint === '' ? {} : { endpoint }) })),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** What comparing found, for people; ends with a newline. */
export function formatComparison({ places, notCompared }: CompareResult): string {
  const lines = places.flatMap(({ place, compared, differences, left, later }) => [
    `${placeName(place)}: ${plural(compared, 'object')} compared, ${differences.length === 0 ? 'nothing would change' : `${plural(differences.length, 'object')} would change`}`,
    ...differences.flatMap(({ object, fields }) => [
      `  ${object}`,
      ...fields.map(({ field, change }) => `    ${field === '' ? '' : `${field} `}${change}`),
    ]),
    ...(later === 0 ? [] : [`  ${plural(later, 'field')} not compared: known in the cluster only`]),
    ...(left.length === 0
      ? []
      : [
          '  applied by the operator, rendered by nothing; they stay as they are:',
          ...left.map((object) => `    ${object}`),
        ]),
  ])
  if (notCompared.length > 0) lines.push(`not compared, no objects given: ${notCompared.map(placeName).join(', ')}`)
  lines.push(
    'Not compared: labels, annotations and fields that say who applies an object (clusterstack.x-k8s.io/instance, marks of Flux and Argo CD, managedFields).',
  )
  return printableLines(lines)
}

function placeName(place: string): string {
  return place === '' ? 'management cluster' : place
}

/** What comparing found, for programs, in the versioned envelope. */
export function formatComparisonJson(
  { fleet, places, notCompared, findings }: CompareResult,
  shorten: ShortenPath,
): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'AdoptComparison',
    fleet,
    status: places.some(({ differences }) => differences.length > 0) ? 'different' : 'same',
    clusters: places.map(({ place, compared, later, differences, left }) => ({
      cluster: placeName(place),
      compared,
      later,
      differences,
      left,
    })),
    notCompared: notCompared.map(placeName),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
