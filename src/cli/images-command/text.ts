import type { ImagesResult, ListedImage } from '../../pipeline/commands/images.ts'
import { formatTable } from '../../report/format-table.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

/** The images as a table, or the file for openstack-image-manager where it was asked for; ends with a newline. */
export function imagesText(
  { images, managerFile }: ImagesResult,
  shorten: ShortenPath,
  width?: number,
): string | TextReport {
  if (managerFile !== undefined) return { output: managerFile, isUnbroken: true }
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
  return { output: formatTable(rows, width), isUnbroken: true }
}

function formatPlace({ file, line }: ListedImage['saidAt'][number], shorten: ShortenPath): string {
  return line === undefined ? shorten(file) : `${shorten(file)}:${String(line)}`
}
