import { pathOf, positionAt, type Source } from '../../model/source.ts'
import type { Explanation } from '../../pipeline/commands/explain.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The explanation for programs, (schemas/explanation.json). */
export function explainReport(explanation: Explanation, shorten: ShortenPath): Report {
  const place = (source: Source, offset: number): object => ({
    file: shorten(pathOf(source)),
    ...positionAt(source, offset),
  })
  const { path, object, from, unit, template, purpose } = explanation
  const lines = explanation.lines.map((line) => ({
    line: line.line,
    text: line.text,
    templates: line.templates.map((entry) => ({ template: entry.template, ...place(entry.source, entry.offset) })),
    ...(line.values === undefined ? {} : { values: place(line.values.source, line.values.start) }),
    ...(line.cluster === undefined ? {} : { cluster: place(line.cluster.source, line.cluster.start) }),
    ...(line.fleet === undefined ? {} : { fleet: place(line.fleet.source, line.fleet.start) }),
    ...(line.by === undefined ? {} : { by: line.by }),
    holes: line.placeholders.map(({ from, at }) => ({
      ...from,
      ...(at === undefined ? {} : { at: place(at.source, at.start) }),
    })),
    patches: line.patches.map((patch) => place(patch.source, patch.start)),
  }))
  return {
    kind: 'Explanation',
    content: { path, object, from, unit, template, ...(purpose !== undefined && { purpose }), lines },
    findings: explanation.findings,
  }
}
