import { dirName, baseName } from '../../codec/path.ts'
import { addonUnitKey } from '../../model/addon-unit-key.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { CommittedAddons, CommittedObject, DeletionMarks } from '../../model/handoff.ts'
import { objectKey } from '../../model/manifest.ts'
import { KUSTOMIZATION_FILE, parseTreeFile, parseTreeFolder } from '../../model/tree-path.ts'
import { parseCommitted } from './parse-committed.ts'

/**
 * How a committed tree divides a cluster's addons among units. `base` is the cluster's folder in the output, `folders`
 * are those of its addons, relative to it; `files` holds at least the indexes of `addons` and `addons-own`, by their
 * path relative to it.
 * @throws StackmasonError OBJECT_INVALID for an index that cannot be read
 */
export function committedUnits(
  base: string,
  folders: Iterable<string>,
  files: ReadonlyMap<string, string>,
): CommittedAddons['units'] {
  const together = new Set<string>()
  for (const [file, text] of files) {
    const path = `${base}/${file}`
    if (baseName(file) !== KUSTOMIZATION_FILE || !holdsAll(dirName(path))) continue
    for (const resource of itemsAt(parseCommitted(text, path), 'resources'))
      if (typeof resource === 'string') together.add(`${dirName(path)}/${resource}`)
  }
  return new Map(
    [...folders].map((folder) => {
      const path = `${base}/${folder}`
      return [path, holdsAll(path) ? path : addonUnitKey(path, !together.has(path))]
    }),
  )
}

/**
 * Reads which unit of a committed tree applies which object of a cluster's addons. `files` are all below the folders of
 * addons, by their path relative to the cluster's folder, `base`; `marks` are those of the GitOps tool that applies the
 * tree.
 * @throws StackmasonError OBJECT_INVALID for a file that holds no object
 */
export function readCommittedAddons(
  base: string,
  files: ReadonlyMap<string, string>,
  marks: DeletionMarks,
): CommittedAddons {
  const paths = [...files.keys()].filter((path) => isObjectFile(`${base}/${path}`))
  const units = committedUnits(base, new Set(paths.map(dirName)), files)
  const objects = new Map<string, CommittedObject>()
  for (const path of paths) {
    const folder = `${base}/${dirName(path)}`
    const { key, ...deletion } = readIdentity(files.get(path) ?? '', { path: `${base}/${path}`, marks })
    objects.set(key, { folder, unit: units.get(folder) ?? folder, ...deletion })
  }
  return { units, objects }
}

/** True if a folder is that of all addons of an owner. */
function holdsAll(folder: string): boolean {
  const parsed = parseTreeFolder(folder)
  return parsed?.kind === 'addons' && parsed.addon === undefined
}

function isObjectFile(path: string): boolean {
  const { folder, file = '' } = parseTreeFile(path) ?? {}
  return folder?.kind === 'addons' && file.endsWith('.yaml') && !file.startsWith('.') && file !== KUSTOMIZATION_FILE
}

interface Identity extends Pick<CommittedObject, 'isOrphaned' | 'isConfirmed'> {
  readonly key: string
}

const plain = '[A-Za-z0-9][A-Za-z0-9./:_-]*'
const line = (field: string): RegExp => new RegExp(`^${field}: (${plain})$`, 'm')
const [apiVersionLine, kindLine, nameLine, namespaceLine] = ['apiVersion', 'kind', ' {2}name', ' {2}namespace'].map(
  line,
)
const metadataLines = /^metadata:\n(?: .*\n)*/m

/** Most objects say who they are in a few plain lines: a fleet has too many to read them all as YAML. */
function readIdentity(
  text: string,
  { path, marks }: { readonly path: string; readonly marks: DeletionMarks },
): Identity {
  const metadata = metadataLines.exec(text)?.[0] ?? ''
  const [apiVersion, kind, name] = [
    apiVersionLine?.exec(text)?.[1],
    kindLine?.exec(text)?.[1],
    nameLine?.exec(metadata)?.[1],
  ]
  const namespace = namespaceLine?.exec(metadata)?.[1]
  const isPlain = !metadata.includes(marks.annotation)
  const hasNamespace = namespace !== undefined || !/^ {2}namespace:/m.test(metadata)
  if (apiVersion !== undefined && kind !== undefined && name !== undefined && isPlain && hasNamespace)
    return {
      key: objectKey({ apiVersion, kind, name, namespace }),
      isOrphaned: false,
    }
  const object = parseCommitted(text, path)
  return {
    key: objectKey({
      apiVersion: textAt(object, 'apiVersion'),
      kind: textAt(object, 'kind'),
      name: textAt(object, 'metadata', 'name'),
      namespace: textAt(object, 'metadata', 'namespace'),
    }),
    ...marks.read(textAt(object, 'metadata', 'annotations', marks.annotation)),
  }
}
