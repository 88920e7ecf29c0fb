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
      folder: release.folder === undefined ? undefined : shorten(release.folder),
    })),
    index: index === undefined ? undefined : shorten(index),
  }
  return { kind: 'BuildReport', content, findings }
}
