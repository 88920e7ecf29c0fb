import { pathOf, positionAt, type Source } from '../../model/source.ts'
import type { ExplainedLine } from '../../pipeline/explain/explain-lines.ts'
import type { Explanation } from '../../pipeline/commands/explain.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

/** The explanation for people: the line, then one row for each place. */
export function explainText(explanation: Explanation, shorten: ShortenPath): TextReport {
  const { root, object, from, unit, template, purpose } = explanation
  const near = shorten.within(root)
  // it is named like the file of a fleet that takes its place
  const builtIn = explanation.isBuiltIn ? 'built-in ' : ''
  const origin = unit === '' ? from : `${shorten(from)}, ${unit}${template === from ? '' : `, ${builtIn}${template}`}`
  const why = purpose === undefined ? '' : `  why: ${purpose}\n`
  const head = `${object}, from ${origin}\n${why}`
  return { output: head + explanation.lines.map((line) => formatLine(line, near)).join(''), isUnbroken: true }
}

function formatLine(line: ExplainedLine, shorten: (path: string) => string): string {
  return `${String(line.line).padStart(4)} | ${line.text}\n${rowsOf(line, shorten)
    .map((row) => `     ${row}\n`)
    .join('')}`
}

function rowsOf(line: ExplainedLine, shorten: (path: string) => string): readonly string[] {
  const at = (source: Source, offset: number): string => {
    const position = positionAt(source, offset)
    return `${shorten(pathOf(source))}:${String(position.line)}:${String(position.column)}`
  }
  return [
    ...line.templates.map(({ template, source, offset }, index) => {
      const name = template === source.name ? '' : ` (${template})`
      return `${index === 0 ? 'written by' : 'called from'} ${at(source, offset)}${name}`
    }),
    ...(line.values === undefined ? [] : [`value from ${at(line.values.source, line.values.start)}`]),
    ...(line.cluster === undefined ? [] : [`set in ${at(line.cluster.source, line.cluster.start)}`]),
    ...(line.fleet === undefined ? [] : [`taken from ${at(line.fleet.source, line.fleet.start)}`]),
    ...(line.setting === undefined ? [] : [settingRow(line.setting, at)]),
    ...(line.named === undefined ? [] : [`${NAMED[line.named.of]} ${at(line.named.at.source, line.named.at.start)}`]),
    ...(line.by === undefined || line.fleet !== undefined ? [] : [BY[line.by]]),
    ...line.placeholders.map((placeholder) => {
      const { given } = placeholder
      const place =
        placeholder.at === undefined ? '' : `, which ${at(placeholder.at.source, placeholder.at.start)} asks for`
      const preview = given === undefined ? '' : `; in the preview from ${at(given.source, given.start)}`
      return 'field' in placeholder.from
        ? `filled in when the cluster runs: ${placeholder.from.field}${place}${preview}`
        : `filled in when the cluster runs: what ${placeholder.from.function} makes${place}`
    }),
    ...line.patches.map((patch) => `patched by ${at(patch.source, patch.start)}`),
  ]
}

function settingRow(
  { field, at, isDefault }: NonNullable<ExplainedLine['setting']>,
  place: (source: Source, offset: number) => string,
): string {
  const where = place(at.source, at.start)
  return isDefault === true ? `default of ${field}; set it below ${where}` : `from ${field}, set in ${where}`
}

const NAMED: Readonly<Record<NonNullable<ExplainedLine['named']>['of'], string>> = {
  cluster: 'from the name of the cluster, set in',
  release: 'from the release, which is offered by the ClusterStack in',
  namespace: 'from the namespace, set in',
  folder: 'from the folder of the namespace, which holds the cluster of',
}

const BY: Readonly<Record<NonNullable<ExplainedLine['by']>, string>> = {
  head: 'set by stackmason: the first line of every generated file',
  'head-source': 'set by stackmason: the template or fleet file that the object comes from',
  namespace: 'set by stackmason: the object named no namespace',
  'instance-label': 'set by stackmason: the ownership label of the cluster stack operator (spec.instanceLabel)',
  'flux-not-substituted':
    'set by stackmason for Flux: the object has nothing to fill in, so its texts stay as they are',
  'flux-not-pruned': 'set by stackmason for Flux: it is never deleted because it left the tree',
  'flux-force-off': 'set by stackmason for Flux: it is never deleted and recreated',
  'values-guard': 'set by stackmason for Flux: the object is refused while one of its values is missing',
  'argocd-sync-options': 'set by stackmason for Argo CD: how the object may be deleted',
  'argocd-sync-wave': 'set by stackmason for Argo CD: its place in the order of its stack',
  'argocd-compare-options': 'set by stackmason for Argo CD: what is compared with the cluster',
  'argocd-health': 'set by stackmason for Argo CD: nothing waits for the health of this object',
  kept: 'kept as it is committed: it is not rendered in this state',
  'built-in-template': 'written by a built-in template of stackmason: no input has this line',
  stackmason: 'written by stackmason: no input has this line',
  fleet: 'taken from the file that the head names',
}
