import type { ChangeFinding } from '../../check/begin-check.ts'
import type { ChangedField } from '../../check/changed-field.ts'
import { isInside, joinPath } from '../../codec/path.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { fieldPathIn } from '../../diff/field-path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { pathOf, type Span } from '../../model/source.ts'
import type { OriginFinder } from './find-origins.ts'
import type { OpenTree } from './open-tree.ts'

/** Where places of changes are looked for. */
export interface ChangePlaces {
  readonly origins: Pick<OriginFinder, 'locate'>
  /** The new tree. */
  readonly tree: OpenTree
  /** Its folder, absolute. */
  readonly output: string
  /** The folder of the clusters' inputs, absolute. */
  readonly inputs: string
}

/**
 * The findings with their places: in the input that the field comes from, else in the rendered file. What many clusters
 * have in common has a place only where they share that, too.
 */
export async function locateChanges(
  found: readonly ChangeFinding[],
  { origins, tree, output, inputs }: ChangePlaces,
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
  return placed.map(({ finding, changed, place }) => {
    const { file: _, ...bare } = finding
    if (place?.at !== undefined)
      return { ...bare, at: place.at, ...(place.trace !== undefined && { trace: place.trace }) }
    const text = changed?.isShared === false ? texts.get(changed.object.path) : undefined
    const at =
      changed && text !== undefined ? renderedPlace(changed, joinPath(output, changed.object.path), text) : undefined
    return at === undefined ? finding : { ...bare, at }
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
