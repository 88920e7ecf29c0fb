import type { BuildResult } from '../../pipeline/commands/build.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The report of a build, for programs (schemas/build-report.json). */
export function buildReport({ mode, output, releases, index, findings }: BuildResult, shorten: ShortenPath): Report {
  const content = {
    mode,
    output: shorten(output),
    releases: releases.map((release) => ({
      ...release,
      ...(release.folder === undefined ? {} : { folder: shorten(release.folder) }),
    })),
    ...(index === undefined ? {} : { index: shorten(index) }),
  }
  return { kind: 'BuildReport', content, findings }
}
