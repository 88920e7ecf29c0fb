import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isInside, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'

/**
 * Reads a template of the fleet in `root`, by its path from there.
 * @throws StackmasonError FILE_OUTSIDE for a link that leads out of the fleet
 */
export async function readOwnTemplate(name: string, root: string, { files }: Pick<Ports, 'files'>): Promise<Source> {
  const path = joinPath(root, name)
  await refuseOutside(name, root, { files })
  return { name, text: decodeUtf8(await files.read(path)), path }
}

/**
 * Names in a folder of templates of the fleet in `root`, by its path from there; none where it is not there.
 * @throws StackmasonError FILE_OUTSIDE for a link that leads out of the fleet, at the link
 */
export async function listOwnTemplates(
  folder: string,
  root: string,
  { files }: Pick<Ports, 'files'>,
): Promise<readonly string[]> {
  try {
    let part = ''
    for (const name of folder.split('/')) {
      part = joinPath(part, name)
      await refuseOutside(part, root, { files })
    }
    const entries = await files.entries(joinPath(root, folder))
    return entries.map(({ name }) => name).filter((name) => !name.startsWith('.'))
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return []
    throw error
  }
}

async function refuseOutside(name: string, root: string, { files }: Pick<Ports, 'files'>): Promise<void> {
  const path = joinPath(root, name)
  if (isInside(await files.realPath(root), await files.realPath(path))) return
  throw new StackmasonError({
    code: 'FILE_OUTSIDE',
    severity: 'error',
    message: `${name} is a link that leads out of the fleet repository`,
    file: path,
  })
}
