import { formatGoJson } from '../../codec/json/go-json.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { isSubstitutionOff } from './substitution-off.ts'

/**
 * The paths of those folders, read back from the committed tree, that have placeholders. A placeholder is text there:
 * `${NAME}` of a value that the committed RuntimeValues object publishes, in an object that Flux does not leave alone.
 */
export function foldersWithPlaceholders(folders: readonly RenderedFolder[]): readonly string[] {
  const known = folders
    .flatMap(({ manifests }) => manifests.filter(isBinding))
    .flatMap(({ object }) => itemsAt(object, 'spec', 'values').map((value) => textAt(value, 'name')))
  const hasPlaceholders = (manifest: Manifest): boolean => {
    if (isBinding(manifest) || isSubstitutionOff(manifest)) return false
    // `$$` is a dollar that stays one
    const names = [...formatGoJson(manifest.object).matchAll(/\$\$|\$\{([A-Z_][A-Z0-9_]*)\}/g)].map(([, name]) => name)
    return names.some((name) => name !== undefined && known.includes(name))
  }
  return folders.filter(({ manifests }) => manifests.some(hasPlaceholders)).map(({ path }) => path)
}

function isBinding({ kind, apiVersion }: Manifest): boolean {
  return kind === 'RuntimeValues' && apiVersion.startsWith('stackmason.dev/')
}
