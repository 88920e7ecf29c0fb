import { listImages, type ImagesOptions, type ImagesResult, type ListedImage } from '../../pipeline/images.ts'
import { exitStatusOf } from '../exit-status.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { progressOf, type Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason images` and gives the exit status.
 * @throws StackmasonError for whatever keeps the images from being listed or exported
 */
export async function runImages(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const fleet = valueOf(parsed, 'fleet')
  const output = valueOf(parsed, 'output')
  const progress = progressOf(io, 'rendered', io.stderr.isTerminal && output !== 'json' ? 'shown' : 'quiet')
  const options: ImagesOptions = {
    start: io.workingFolder,
    ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
    releases: valuesOf(parsed, 'release'),
    export: output === 'openstack-image-manager',
    network: isSet(parsed, 'offline') ? 'offline' : 'online',
  }
  try {
    const result = await listImages(options, io.ports, progress.show)
    progress.clear()
    const shorten = createShortenPath(io.workingFolder)
    if (output === 'json') {
      io.stdout.write(formatImagesJson(result, shorten))
      return exitStatusOf(result.findings)
    }
    io.stdout.write(result.managerFile ?? formatImages(result, shorten))
    return report(result.findings)
  } catch (error) {
    progress.clear()
    throw error
  }
}

/** The images as a table; ends with a newline. */
function formatImages({ images }: ImagesResult, shorten: ShortenPath): string {
  if (images.length === 0) return 'No node images are needed.\n'
  const rows = [
    ['NAME', 'KUBERNETES', 'RELEASES', 'NAMESPACES', 'HOW', 'CLUSTERS', 'SAID IN'],
    ...images.map((image) => [
      image.name,
      image.kubernetesVersions.join(', '),
      image.releases.join(', '),
      image.namespaces.join(', '),
      image.use,
      String(image.usedBy.length),
      image.saidAt.map((place) => formatPlace(place, shorten)).join(', ') || '-',
    ]),
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return printableLines(lines.map((line) => line.trimEnd()))
}

function formatPlace({ file, line }: ListedImage['saidAt'][number], shorten: ShortenPath): string {
  return line === undefined ? shorten(file) : `${shorten(file)}:${String(line)}`
}

/** The same for programs (schemas/images-report.json). */
function formatImagesJson({ fleet, images, findings }: ImagesResult, shorten: ShortenPath): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'ImagesReport',
    fleet,
    images: images.map((image) => ({
      ...image,
      saidAt: image.saidAt.map((place) => ({ ...place, file: shorten(place.file) })),
    })),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
