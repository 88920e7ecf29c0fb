import { baseName, joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { digestOf } from '../../codec/bytes/digest.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import { openDirectorySource } from '../../sources/directory/source.ts'
import type { SourceContext } from '../../sources/source-context.ts'

/**
 * Writes index.json (schemas/release-index.json) for every release in a folder, so that a web server that serves the
 * folder is a source. Equal folders have equal indexes; it says no dates.
 * @returns its path
 * @throws StackmasonError FILE_*, WRITE_FAILED
 */
export async function writeReleaseIndex(folder: string, context: SourceContext): Promise<string> {
  const at = { source: { name: folder, text: '' }, start: 0, end: 0 }
  const source = await openDirectorySource({ type: 'directory', name: 'output', path: folder, at }, context)
  const releases: object[] = []
  const offered = (await source.list()).releases.toSorted((a, b) => compareBytes(formatTag(a.name), formatTag(b.name)))
  for (const release of offered) {
    const tag = formatTag(release.name)
    const located = await source.locate(release.name)
    // another spelling of the tag: a web server would not find it
    if (located === undefined || baseName(located.from) !== tag) continue
    const { kubernetesVersion } = await source.describe(release)
    const assets: object[] = []
    for (const asset of located.assets.toSorted((a, b) => compareBytes(a.name, b.name))) {
      const bytes = await source.fetch(located, asset)
      assets.push({ name: asset.name, digest: digestOf(bytes, context.ports.crypto), size: bytes.length })
    }
    releases.push({ name: tag, kubernetesVersion, assets })
  }
  const index = { apiVersion: 'stackmason.dev/v1alpha1', kind: 'ReleaseIndex', releases }
  const path = joinPath(folder, 'index.json')
  const { files } = context.ports
  try {
    // nothing is written through a link
    await files.remove(`${path}.part`)
    await files.write(`${path}.part`, encodeUtf8(`${JSON.stringify(index, undefined, 2)}\n`))
    await files.rename(`${path}.part`, path)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new StackmasonError(unwritable(error, path), { cause: error })
  }
  return path
}
