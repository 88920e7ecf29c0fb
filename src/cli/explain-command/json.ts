import { pathOf, positionAt, type Source, type Span } from '../../model/source.ts'
import type { Explanation } from '../../pipeline/commands/explain.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The explanation for programs (schemas/explanation.json). */
export function explainReport(explanation: Explanation, shorten: ShortenPath): Report {
  const place = (source: Source, offset: number): object => ({
    file: shorten(pathOf(source)),
    ...positionAt(source, offset),
  })
  const start = (span: Span | undefined): object | undefined => span && place(span.source, span.start)
  const { path, object, from, unit, template, purpose } = explanation
  const lines = explanation.lines.map((line) => ({
    line: line.line,
    text: line.text,
    templates: line.templates.map((entry) => ({ template: entry.template, ...place(entry.source, entry.offset) })),
    values: start(line.values),
    cluster: start(line.cluster),
    fleet: start(line.fleet),
    setting: line.setting && {
      field: line.setting.field,
      isDefault: line.setting.isDefault === true,
      ...place(line.setting.at.source, line.setting.at.start),
    },
    named: line.named && { of: line.named.of, ...place(line.named.at.source, line.named.at.start) },
    by: line.by,
    holes: line.placeholders.map(({ from, at, given }) => ({ ...from, at: start(at), given: start(given) })),
    patches: line.patches.map(start),
  }))
  return {
    kind: 'Explanation',
    content: { path, object, from, unit, template, purpose, lines },
    findings: explanation.findings,
  }
}
