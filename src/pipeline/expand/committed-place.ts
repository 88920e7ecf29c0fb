import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { Locator } from '../../render/explain/locator.ts'

/**
 * Places findings on objects that stay as they are committed: in their files, as no input tells where a field comes
 * from. `output` is the folder of the tree, absolute.
 */
export function locateCommitted(
  folders: readonly RenderedFolder[],
  output: string,
): (finding: Diagnostic) => Diagnostic {
  const folderOf = ({ origin: { from } }: Manifest): RenderedFolder | undefined =>
    folders.find(({ path }) => path === dirName(from))
  const locate: Locator['locate'] = (manifest, path) => {
    const { from } = manifest.origin
    const text = folderOf(manifest)?.committed?.get(baseName(from))
    if (text === undefined) return {}
    const [document] = parsePositionedYaml({ name: joinPath(output, from), text, holds: 'values' }).documents
    const at = document?.spanOf(path, 'key')
    return at === undefined ? {} : { at }
  }
  return (finding) => {
    const located = locateFinding(finding, { locate })
    if (finding.on === undefined || located.at !== undefined) return located
    const { manifest } = finding.on
    return folderOf(manifest) === undefined ? located : { ...located, file: joinPath(output, manifest.origin.from) }
  }
}
