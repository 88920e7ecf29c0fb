import type { AdoptResult } from '../../pipeline/commands/adopt.ts'
import type { CompareResult } from '../../pipeline/commands/compare-live.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import { type AdoptOutcome, clusterName } from './result.ts'

/** The outcome for people; ends with a newline. */
export function adoptText(outcome: AdoptOutcome, shorten: ShortenPath): string {
  return outcome.action === 'write' ? formatWritten(outcome.written, shorten) : formatComparison(outcome.compared)
}

const TO_SETTLE: readonly string[] = ['ADOPT_NOT_READY', 'ADOPT_SOURCE_UNKNOWN']

function formatWritten(result: AdoptResult, shorten: ShortenPath): string {
  const folder = shorten(result.folder)
  const isSourceKnown = !result.findings.some(({ code }) => code === 'ADOPT_SOURCE_UNKNOWN')
  const notReady = result.findings.filter(({ code }) => TO_SETTLE.includes(code)).length
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
      ...(secrets === 0 ? [] : [`    ${plural(secrets, 'existing Secret')} named, none recreated`]),
    ]),
    notReady === 0
      ? 'Nothing in the files speaks against moving now.'
      : `${plural(notReady, 'thing')} to settle before moving; see below.`,
    isSourceKnown
      ? `Next: cd ${folder} && stackmason update && stackmason adopt --compare …`
      : `Next: name the source in ${folder}/stackmason.yaml, then cd ${folder} && stackmason update && stackmason adopt --compare …`,
  ]
  return printableLines(lines)
}

function formatComparison({ clusters: places, notCompared }: CompareResult): string {
  const lines = places.flatMap(({ clusterKey: place, compared, differences, left, later, unknown }) => [
    `${clusterName(place)}: ${plural(compared, 'object')} compared, ${verdict(differences.length, unknown.length)}`,
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
  if (notCompared.length > 0) lines.push(`not compared, no objects given: ${notCompared.map(clusterName).join(', ')}`)
  lines.push(
    'Not compared: labels, annotations and fields that say who applies an object (clusterstack.x-k8s.io/instance, marks of Flux and Argo CD, managedFields).',
  )
  return printableLines(lines)
}

function verdict(differences: number, unknown: number): string {
  if (differences > 0) return `${plural(differences, 'object')} would change`
  return unknown > 0 ? 'no difference found, but not all can be told: see the warnings' : 'nothing would change'
}
