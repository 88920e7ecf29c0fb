import { dirName, isInside, relativePath } from '../../codec/path.ts'
import { fieldPathIn } from '../../diff/field-path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { pathOf, positionAt } from '../../model/source.ts'
import type {
  ChangeStep,
  FieldChange,
  FieldSource,
  FoldedObject,
  TreeChange,
  TreeObject,
} from '../../model/tree-change.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { Locator } from '../../render/explain/locator.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'

/** Units that are kept in memory to be asked where their fields come from: what many have in common is asked once. */
const MOST = 24

/** Remembers rendered units, to be asked later where fields come from. */
export interface OriginFinder {
  /** Keeps of a unit what differs from the other tree. */
  readonly keep: (expanded: ExpandedFolders) => void
  /** The finding with the place that a field of a new object comes from; undefined where that cannot be told. */
  readonly locate: (finding: Diagnostic, object: TreeObject, path: readonly ChangeStep[]) => Diagnostic | undefined
  /** The change with the places that the fields of its new objects come from. */
  readonly explain: (change: TreeChange) => TreeChange
}

interface Kept {
  readonly folder: RenderedFolder
  readonly locator: Locator
}

/** Remembers units of the fleet in `root`; `differs` says of a folder whether a file in it does. */
export function createOriginFinder(root: string, differs: (folder: RenderedFolder) => boolean): OriginFinder {
  const kept = new Map<string, Kept>()
  let units = 0
  return {
    keep: ({ folders, locator, isKept }) => {
      if (locator === undefined || isKept || units >= MOST) return
      const differing = folders.filter(differs)
      if (differing.length > 0) units++
      for (const folder of differing) kept.set(folder.path, { folder, locator })
    },
    locate: (finding, object, path) => {
      const unit = kept.get(dirName(object.path))
      const manifest = unit && manifestOf(object, unit)
      if (unit === undefined || manifest === undefined) return undefined
      const on = { manifest, path: fieldPathIn(object.object, path) }
      const located = locateFinding({ ...finding, on }, unit.locator)
      return located.at === undefined ? undefined : located
    },
    explain: (change) => ({
      ...change,
      groups: change.groups.map((group) => ({
        ...group,
        objects: group.objects.map((object) => explainObject(object, { root, change, kept })),
      })),
    }),
  }
}

/** True if one of the files is not, or otherwise, in another tree. */
export function hasOther(files: FileIds, others: FileIds): boolean {
  return [...files].some(([path, id]) => others.get(path) !== id)
}

function explainObject(
  object: FoldedObject,
  {
    root,
    change,
    kept,
  }: { readonly root: string; readonly change: TreeChange; readonly kept: ReadonlyMap<string, Kept> },
): FoldedObject {
  for (const index of object.members) {
    const member = change.changes[index]
    const unit = member?.after === undefined ? undefined : kept.get(dirName(member.after.path))
    if (member?.after === undefined || unit === undefined) continue
    const { after } = member
    return {
      ...object,
      fields: object.fields.map((field, at) =>
        withSource(field, { own: member.fields[at] ?? field, after, unit, root }),
      ),
    }
  }
  return object
}

function withSource(
  field: FieldChange,
  {
    own,
    after,
    unit,
    root,
  }: { readonly own: FieldChange; readonly after: TreeObject; readonly unit: Kept; readonly root: string },
): FieldChange {
  const { locator } = unit
  const manifest = manifestOf(after, unit)
  if (manifest === undefined || own.after === undefined) return field
  const { at, trace = [] } = locator.locate(manifest, fieldPathIn(after.object, own.path))
  const places = [at, ...trace.map((step) => step.at)].flatMap((span): readonly FieldSource[] =>
    span === undefined ? [] : [{ file: shortPath(pathOf(span.source), root), ...positionAt(span.source, span.start) }],
  )
  return places.length === 0 ? field : { ...field, origin: places }
}

function manifestOf(object: TreeObject, { folder }: Kept): Manifest | undefined {
  const key = objectKey(object)
  return folder.manifests.find((candidate) => objectKey(candidate) === key)
}

/** Relative to the fleet, if it is in it. */
function shortPath(file: string, root: string): string {
  return isInside(root, file) ? relativePath(root, file) : file
}
