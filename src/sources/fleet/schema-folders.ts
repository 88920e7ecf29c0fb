import { isInside, joinPath, resolvePath } from '../../codec/path.ts'
import { itemsAt } from '../../model/field.ts'
import type { ConfigDocument } from './config-document.ts'
import { typeOf } from './fleet-files.ts'
import type { Reading } from './reading.ts'

/** The folder that is read where stackmason.yaml names none. */
const CONVENTION = 'crds'

/** `spec.check.schemas` of stackmason.yaml: the folders, absolute. */
export async function readSchemaFolders(document: ConfigDocument, reading: Reading): Promise<readonly string[]> {
  const { root, files, problems } = reading
  const written = itemsAt(document.value, 'spec', 'check', 'schemas')
  if (written.length === 0) {
    const folder = joinPath(root, CONVENTION)
    return (await files.stat(folder))?.type === 'directory' ? [folder] : []
  }
  const folders: string[] = []
  for (const [index, name] of written.entries()) {
    if (typeof name !== 'string') continue
    const folder = resolvePath(root, name)
    const at = document.spanOf(['spec', 'check', 'schemas', index])
    const what = `spec.check.schemas names ${JSON.stringify(name)}`
    if (!isInside(root, folder)) {
      const hint = 'Copy the folder into the repository, so that it is reviewed with everything else.'
      const message = `${what}, which leads out of the fleet repository`
      problems.push({ code: 'FILE_OUTSIDE', severity: 'error', message, at, hint })
    } else if ((await files.stat(folder))?.type === 'directory') {
      // the folders that it lies in may be links
      if ((await typeOf(folder, reading)) !== undefined) folders.push(folder)
    } else {
      const hint = 'Paths are relative to stackmason.yaml.'
      problems.push({ code: 'CONFIG_REFERENCE', severity: 'error', message: `${what}, which is no folder`, at, hint })
    }
  }
  return folders
}
