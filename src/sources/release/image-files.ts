import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import type { Release } from '../../model/release.ts'
import { originPath } from './origin-path.ts'

/** Files about node images beside a stack: ORC objects, what openstack-image-manager reads, and what CSPO reads. */
export const IMAGE_FILES: readonly string[] = ['image.yaml', 'kubernetes.yaml', 'node-images.yaml']

/** The node image files of a release, as written; none if it has no such file. */
export function imageFiles(files: readonly ChartFile[], origin: string): Pick<Release, 'imageFiles'> {
  const found = IMAGE_FILES.flatMap((name) => files.filter(({ path }) => path === name))
  if (found.length === 0) return {}
  return {
    imageFiles: found.map(({ path, bytes }) => ({ name: originPath(origin, path), text: decodeUtf8(bytes) })),
  }
}
