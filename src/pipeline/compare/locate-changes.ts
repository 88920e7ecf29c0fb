import type { ChangeFinding } from '../../check/begin-check.ts'
import type { ChangedField } from '../../check/changed-field.ts'
import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { fieldPathIn } from '../../diff/field-path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { pathOf, type Source, type Span } from '../../model/source.ts'
import type { OriginFinder } from './find-origins.ts'
import type { OpenTree } from './open-tree.ts'

/** Where places of changes are looked for. */
export interface ChangePlaces {
  readonly origins: Pick<OriginFinder, 'locate'>
  /** The new tree. */
  readonly tree: OpenTree
  /** The old one, a commit. */
  readonly before: OpenTree
  /** Its folder, absolute. */
  readonly output: string
  /** The folder of the clusters' inputs, absolute. */
  readonly inputs: string
}

/**
 * The findings with their places: in the input that the field comes from, else in the rendered file. What many clusters
 * have in common has a place only where they share that, too. What is gone stands where the old tree had it.
 */
export async function locateChanges(
  found: readonly ChangeFinding[],
  { origins, tree, before, output, inputs }: ChangePlaces,
): Promise<readonly Diagnostic[]> {
  const known = new Map<string, Pick<Diagnostic, 'at' | 'trace'> | undefined>()
  const sourceOf = (finding: Diagnostic, changed: ChangedField): Pick<Diagnostic, 'at' | 'trace'> | undefined => {
    const { object, path, isShared } = changed
    const key = JSON.stringify([object.path, path, finding.code])
    if (!known.has(key)) known.set(key, origins.locate(finding, object, path))
    const place = known.get(key)
    const isOwn =
      place?.at !== undefined && isInside(joinPath(inputs, namespaceAndName(changed)), pathOf(place.at.source))
    return isShared && isOwn ? undefined : place
  }
  const placed = found.map(({ finding, changed }) => ({
    finding,
    changed,
    place: changed && sourceOf(finding, changed),
  }))
  const paths = placed.flatMap(({ changed, place }) =>
    changed === undefined || changed.isShared || place !== undefined ? [] : [changed.object.path],
  )
  const texts = await tree.read(new Set(paths))
  const goneFrom = ({ file }: Diagnostic): string | undefined => {
    const path = file !== undefined && isInside(output, file) ? relativePath(output, file) : undefined
    return path !== undefined && before.files.has(path) && !tree.files.has(path) ? path : undefined
  }
  const old = await before.read(
    new Set(placed.flatMap(({ finding, place }) => (place?.at === undefined ? (goneFrom(finding) ?? []) : []))),
  )
  return placed.map(({ finding, changed, place }) => {
    const { file: _, ...bare } = finding
    if (place?.at !== undefined)
      return { ...bare, at: place.at, ...(place.trace !== undefined && { trace: place.trace }) }
    const text = changed?.isShared === false ? texts.get(changed.object.path) : undefined
    const at =
      changed && text !== undefined ? renderedPlace(changed, joinPath(output, changed.object.path), text) : undefined
    if (at !== undefined) return { ...bare, at }
    const gone = goneFrom(finding)
    const was = gone === undefined ? undefined : old.get(gone)
    if (gone === undefined || was === undefined) return finding
    return {
      ...bare,
      at: formerPlace(finding, {
        name: joinPath(output, gone),
        text: was,
        revision: before.label.replace(/^([0-9a-f]{12})[0-9a-f]{28,}$/, '$1'),
      }),
    }
  })
}

/** The folder of a cluster's inputs below that of all clusters; `''` for what is of no cluster. */
function namespaceAndName({ object: { folder } }: ChangedField): string {
  return folder.kind === 'cluster' || folder.kind === 'addons' ? joinPath(folder.namespace, folder.name) : ''
}

/** The field in the file that is rendered; of values only keys are shown. */
function renderedPlace({ object, path }: ChangedField, name: string, text: string): Span | undefined {
  const { documents } = parsePositionedYaml({ name, text, holds: 'values' })
  const document = documents.find(
    ({ value }) => textAt(value, 'kind') === object.kind && textAt(value, 'metadata', 'name') === object.name,
  )
  return document?.spanOf(fieldPathIn(object.object, path), 'key')
}

/** The object that a finding is about in the file that a commit has; of another one the beginning of the file. */
function formerPlace({ object }: Diagnostic, file: Pick<Source, 'name' | 'text' | 'revision'>): Span {
  const source: Source = { ...file, holds: 'values' }
  const [kind, name] = [object?.slice(0, object.indexOf('/')), object?.slice(object.lastIndexOf('/') + 1)]
  const { documents } = parsePositionedYaml(source)
  const document =
    documents.find(({ value }) => textAt(value, 'kind') === kind && textAt(value, 'metadata', 'name') === name) ??
    documents[0]
  return document?.spanOf(['kind'], 'key') ?? { source, start: 0, end: 0 }
}
