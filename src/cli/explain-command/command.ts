import { StackmasonError } from '../../model/diagnostic.ts'
import { positionAt } from '../../model/source.ts'
import { explain, type Explanation } from '../../pipeline/explain.ts'
import type { ExplainedLine } from '../../pipeline/explain-lines.ts'
import type { CliIo } from '../cli-io.ts'
import { isSet, type ParsedArguments, valueOf } from '../arguments/parse-arguments.ts'
import { redactLine } from '../../report/redact-line.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'

/**
 * Runs `stackmason explain`.
 * @throws StackmasonError USAGE; whatever rendering raises
 */
export async function runExplain(parsed: ParsedArguments, io: CliIo): Promise<Explanation> {
  const fleet = valueOf(parsed, 'fleet')
  const runtimeValues = valueOf(parsed, 'runtime-values')
  const [, file = '', line] = /^(.*?)(?::(\d{1,7}))?$/.exec(parsed.operands[0] ?? '') ?? []
  const path = resolveFolder(io.workingFolder, file)
  if ((await io.ports.files.stat(path))?.type !== 'file') {
    throw new StackmasonError({
      code: 'USAGE',
      severity: 'error',
      message: 'there is no such file to explain',
      file: path,
    })
  }
  const explanation = await explain(
    {
      start: io.workingFolder,
      ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
      file: path,
      ...(runtimeValues === undefined ? {} : { runtimeValues: resolveFolder(io.workingFolder, runtimeValues) }),
      ...(line === undefined ? {} : { line: Number(line) }),
      network: isSet(parsed, 'offline') ? 'offline' : 'online',
    },
    io.ports,
  )
  return redacted(explanation)
}

/** The explanation with the lines of the file as they may be shown: a Secret's entries are masked. */
function redacted(explanation: Explanation): Explanation {
  const { source } = explanation
  const starts = [0]
  for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) starts.push(at + 1)
  const lines = explanation.lines.map((line) => ({
    ...line,
    text: redactLine(source, starts[line.line - 1] ?? 0, line.text),
  }))
  return { ...explanation, lines }
}

/** The explanation for people: the line, then one row for each place. */
export function formatExplanation(explanation: Explanation, shorten: (path: string) => string): string {
  const { object, from, unit, template } = explanation
  const head = `${object}, from ${shorten(from)}, ${unit}${template === from ? '' : `, ${template}`}\n`
  return head + explanation.lines.map((line) => formatLine(line, shorten)).join('')
}

function formatLine(line: ExplainedLine, shorten: (path: string) => string): string {
  return `${String(line.line).padStart(4)} | ${line.text}\n${rowsOf(line, shorten)
    .map((row) => `     ${row}\n`)
    .join('')}`
}

function rowsOf(line: ExplainedLine, shorten: (path: string) => string): readonly string[] {
  const at = (source: { readonly name: string; readonly text: string }, offset: number): string => {
    const position = positionAt(source, offset)
    return `${shorten(source.name)}:${String(position.line)}:${String(position.column)}`
  }
  return [
    ...line.templates.map(({ template, source, offset }, index) => {
      const name = template === source.name ? '' : ` (${template})`
      return `${index === 0 ? 'written by' : 'called from'} ${at(source, offset)}${name}`
    }),
    ...(line.values === undefined ? [] : [`value from ${at(line.values.source, line.values.start)}`]),
    ...(line.fleet === undefined ? [] : [`taken from ${at(line.fleet.source, line.fleet.start)}`]),
    ...(line.by === undefined || line.fleet !== undefined ? [] : [BY[line.by]]),
    ...line.holes.map((hole) => {
      const place = hole.at === undefined ? '' : `, which ${at(hole.at.source, hole.at.start)} asks for`
      return 'field' in hole.from
        ? `filled in when the cluster runs: ${hole.from.field}${place}`
        : `filled in when the cluster runs: what ${hole.from.function} makes${place}`
    }),
    ...line.patches.map((patch) => `patched by ${at(patch.source, patch.start)}`),
  ]
}

const BY: Readonly<Record<NonNullable<ExplainedLine['by']>, string>> = {
  head: 'set by stackmason: the first line of every generated file',
  'head-source': 'set by stackmason: the template or fleet file that the object comes from',
  namespace: 'set by stackmason: the object named no namespace',
  'instance-label': 'set by stackmason: the ownership label of the cluster stack operator (spec.instanceLabel)',
  'flux-not-substituted':
    'set by stackmason for Flux: the object has nothing to fill in, so its texts stay as they are',
  'flux-not-pruned': 'set by stackmason for Flux: it is never deleted because it left the tree',
  'flux-force-off': 'set by stackmason for Flux: it is never deleted to be made anew',
  'values-guard': 'set by stackmason for Flux: the object is refused while one of its values is missing',
  'argocd-sync-options': 'set by stackmason for Argo CD: how the object may be deleted',
  'argocd-sync-wave': 'set by stackmason for Argo CD: its place in the order of its stack',
  'argocd-compare-options': 'set by stackmason for Argo CD: what is compared with the cluster',
  kept: 'kept as it is committed: it is not rendered in this state',
  stackmason: 'written by stackmason: it stands in no input like this',
  fleet: 'taken from the file that the head names',
}

/** The explanation for programs, in the versioned envelope. */
export function formatExplanationJson(explanation: Explanation): string {
  const place = (source: { readonly name: string; readonly text: string }, offset: number): object => ({
    file: source.name,
    ...positionAt(source, offset),
  })
  const { path, object, from, unit, template } = explanation
  const lines = explanation.lines.map((line) => ({
    line: line.line,
    text: line.text,
    templates: line.templates.map((entry) => ({ template: entry.template, ...place(entry.source, entry.offset) })),
    ...(line.values === undefined ? {} : { values: place(line.values.source, line.values.start) }),
    ...(line.fleet === undefined ? {} : { fleet: place(line.fleet.source, line.fleet.start) }),
    ...(line.by === undefined ? {} : { by: line.by }),
    holes: line.holes.map(({ from, at }) => ({
      ...from,
      ...(at === undefined ? {} : { at: place(at.source, at.start) }),
    })),
    patches: line.patches.map((patch) => place(patch.source, patch.start)),
  }))
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'Explanation',
    path,
    object,
    from,
    unit,
    template,
    lines,
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
