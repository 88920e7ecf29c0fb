import { ARTIFACTS } from '../model/artifact-unit.ts'
import { HANDOFF, KUSTOMIZATION_FILE, parseTreeFile } from '../model/tree-path.ts'

type ObjectFile = NonNullable<ReturnType<typeof parseTreeFile>>

const TOP = `${HANDOFF}/`

/**
 * The folder and name of a file that holds an object. What lies directly in `handoff/`, the projects of Argo CD, is of
 * no namespace; other readers of trees have nothing to do with it, nor with pins of artifacts, which belong to the
 * handoff of their namespace.
 */
export function parseObjectFile(path: string): ObjectFile | undefined {
  const file = path.slice(TOP.length)
  if (path.startsWith(TOP) && file !== '' && !file.includes('/'))
    return { folder: { kind: 'handoff', namespace: '' }, file }
  return parsePin(path) ?? parseTreeFile(path)
}

function parsePin(path: string): ObjectFile | undefined {
  const [top, namespace = '', file = '', ...more] = path.split('/')
  if (top !== ARTIFACTS || file === '' || file === KUSTOMIZATION_FILE || more.length > 0) return undefined
  return { folder: { kind: 'handoff', namespace }, file }
}
