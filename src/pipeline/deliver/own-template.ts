import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isInside, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'

/**
 * Reads a template of the fleet in `root`, by its path from there.
 * @throws StackmasonError FILE_OUTSIDE for a link that leads out of the fleet
 */
export async function readOwnTemplate(name: string, root: string, { files }: Pick<Ports, 'files'>): Promise<Source> {
  const path = joinPath(root, name)
  if (!isInside(await files.realPath(root), await files.realPath(path)))
    throw new StackmasonError({
      code: 'FILE_OUTSIDE',
      severity: 'error',
      message: `${name} is a link that leads out of the fleet repository`,
      file: path,
    })
  return { name, text: decodeUtf8(await files.read(path)), path }
}
