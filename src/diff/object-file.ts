import { HANDOFF, parseTreeFile } from '../model/tree-path.ts'

type ObjectFile = NonNullable<ReturnType<typeof parseTreeFile>>

const TOP = `${HANDOFF}/`

/**
 * The folder and name of a file that holds an object. What lies directly in `handoff/`, the projects of Argo CD, is of
 * no namespace; other readers of trees have nothing to do with it.
 */
export function parseObjectFile(path: string): ObjectFile | undefined {
  const file = path.slice(TOP.length)
  if (path.startsWith(TOP) && file !== '' && !file.includes('/'))
    return { folder: { kind: 'handoff', namespace: '' }, file }
  return parseTreeFile(path)
}
