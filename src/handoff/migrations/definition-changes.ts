import type { Diagnostic, FindingSubject } from '../../model/diagnostic.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { definedVersions, isResourceDefinition, storageVersion } from '../../model/resource-definition.ts'

/** A definition whose storage version is not the committed one. */
export interface DefinitionChange {
  readonly definition: Manifest
  readonly from: string
  readonly to: string
}

/** Finds definitions that change their storage version; `committed` has the committed ones, by name of definition. */
export function changedDefinitions(
  manifests: readonly Manifest[],
  committed: ReadonlyMap<string, string>,
): readonly DefinitionChange[] {
  return manifests.filter(isResourceDefinition).flatMap((definition) => {
    const [from, to] = [committed.get(definition.name), storageVersion(definition.object)]
    return from === undefined || to === '' || from === to ? [] : [{ definition, from, to }]
  })
}

/** True if the definition has no version any more in which objects may be stored. */
export function dropsVersion({ definition, from }: DefinitionChange): boolean {
  return !definedVersions(definition.object).includes(from)
}

/** Whom changes are about: as people call it, and as findings do. */
export interface ChangeSubject {
  readonly title: string
  readonly about: FindingSubject
}

const CHAPTER = 'docs/22-controller.md, Storage versions of addons'

/** So many definitions are named. */
const NAMED = 3

/** The findings about changes that an API server refuses, or that leave stored objects as they are. */
export function tellChanges(
  changes: readonly DefinitionChange[],
  { title, about }: ChangeSubject,
): readonly Diagnostic[] {
  const kept = changes.filter((change) => !dropsVersion(change))
  const [first] = kept
  const dropped = changes.filter(dropsVersion).map(({ definition, from, to }): Diagnostic => ({
    code: 'STORAGE_VERSION_DROPPED',
    severity: 'error',
    message: `${title}: CustomResourceDefinition ${definition.name} loses version ${from}, in which its objects are stored as of the committed tree; the API server refuses that`,
    ...placeIn(definition, 'spec', 'versions'),
    hint: `Take two commits: the first one keeps ${from} beside ${to}, with \`storage: false\` (a patch can add it); drop it when \`stackmason status\` says that it may be removed (${CHAPTER}).`,
    about,
  }))
  if (first === undefined) return dropped
  const texts = kept.slice(0, NAMED).map(({ definition, from, to }) => `${definition.name} from ${from} to ${to}`)
  const more = kept.length > NAMED ? [`${String(kept.length - NAMED)} more`] : []
  return [
    ...dropped,
    {
      code: 'STORAGE_VERSION_CHANGES',
      severity: 'warning',
      message: `${title}: the storage version changes of ${[...texts, ...more].join(', ')}; objects that are there stay stored as they are, and nothing migrates them`,
      ...placeIn(first.definition, 'spec', 'versions'),
      hint: `Have them migrated when this is applied, and keep the earlier version in the definition until then (${CHAPTER}).`,
      about,
    },
  ]
}
