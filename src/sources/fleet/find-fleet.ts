import { baseName, dirName, joinPath, normalizePath, isAbsolutePath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'

const NAME = 'stackmason.yaml'

/**
 * The absolute path of the stackmason.yaml that `start` (that file itself, or a folder) belongs to: in the folder or
 * the nearest one above.
 * @throws StackmasonError CONFIG_NOT_FOUND
 */
export async function findFleet(start: string, ports: Pick<Ports, 'files'>): Promise<string> {
  const { files } = ports
  const from = normalizePath(start)
  const stat = await files.stat(from)
  if (stat === undefined) throw notFound({ message: `${start} is not there`, file: start })
  if (stat.type === 'file' || (stat.type === 'link' && (await leadsToFile(from, ports))))
    return isAbsolutePath(from) ? from : joinPath(await files.realPath(dirName(from)), baseName(from))
  let folder = isAbsolutePath(from) ? from : await files.realPath(from)
  const misnamed: string[] = []
  for (;;) {
    for (const name of [NAME, 'stackmason.yml']) {
      const found = await files.stat(joinPath(folder, name))
      if (found === undefined || found.type === 'directory') continue
      if (name === NAME) return joinPath(folder, name)
      misnamed.push(joinPath(folder, name))
    }
    const parent = dirName(folder)
    if (parent === folder) break
    folder = parent
  }
  const message = `there is no ${NAME} in ${start} or in a folder above`
  const [other] = misnamed
  throw notFound({ message, ...(other !== undefined && { file: other, hint: `Rename ${other} to ${NAME}.` }) })
}

async function leadsToFile(link: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  try {
    return (await files.stat(await files.realPath(link)))?.type === 'file'
  } catch (error) {
    if (error instanceof FileError) return false
    throw error
  }
}

function notFound(details: Pick<Diagnostic, 'message' | 'file' | 'hint'>): StackmasonError {
  return new StackmasonError({ code: 'CONFIG_NOT_FOUND', severity: 'error', ...details })
}
