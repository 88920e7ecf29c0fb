import { itemsAt, textAt } from '../../model/field.ts'
import type { Positioned, PositionedFile } from '../../model/positioned.ts'
import type { Span } from '../../model/source.ts'
import { readManagerEntries } from './read-manager-entries.ts'

/** A node image that a file describes, in whatever form. */
export interface PlacedImage {
  readonly name: string
  readonly at: Span
}

/** Where files say which node images there are: Image objects, entries of openstack-image-manager and of the cluster-stack-provider-openstack. */
export function imagePlaces(files: readonly PositionedFile[]): readonly PlacedImage[] {
  const entries = readManagerEntries(files).map(({ name, spanOf }) => ({ name, at: spanOf('version') }))
  return [...files.flatMap(({ documents }) => documents.flatMap(placesIn)), ...entries]
}

function placesIn({ value, spanOf }: Positioned): readonly PlacedImage[] {
  const ofProvider = itemsAt(value, 'openStackNodeImages').map((item, index) => ({
    name: textAt(item, 'createOpts', 'name'),
    at: spanOf(['openStackNodeImages', index]),
  }))
  if (textAt(value, 'kind') !== 'Image') return ofProvider
  return [{ name: textAt(value, 'metadata', 'name'), at: spanOf(['metadata', 'name']) }]
}
