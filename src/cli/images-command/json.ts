import type { ImagesResult } from '../../pipeline/commands/images.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The images for programs (schemas/images-report.json). */
export function imagesReport({ fleet, images, findings }: ImagesResult, shorten: ShortenPath): Report {
  const content = {
    fleet,
    images: images.map((image) => ({
      ...image,
      saidAt: image.saidAt.map((place) => ({ ...place, file: shorten(place.file) })),
    })),
  }
  return { kind: 'ImagesReport', content, findings }
}
