import { dirName, joinPath } from '../../codec/path.ts'
import { clusterStackText, stackFiles } from '../../create/stack-files.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { openYaml } from '../../edit/open-yaml.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { Dict } from '../../model/value.ts'
import { writeNewFiles } from '../deliver/new-files.ts'
import { type FleetChoice, openFleet } from '../fleet/open-fleet.ts'

/** The options of `stackmason new stack`. */
export interface NewStackOptions extends FleetChoice {
  /** `provider/stack`. */
  readonly name: string
  /** With `v`. */
  readonly kubernetesVersion: string
  /** Of the ClusterStack. */
  readonly namespace: string
  /** Folders below the package's `templates`; of files with the same path that of the last folder is taken. */
  readonly templates: readonly string[]
  /** Outside of any fleet: the provider directory alone. */
  readonly isAlone: boolean
  readonly isDry: boolean
}

/** A new stack. */
export interface NewStackResult {
  /** Of the fleet; without one the folder to start from; absolute. */
  readonly folder: string
  /** The provider directory, relative to the folder. */
  readonly directory: string
  /** By path relative to the folder. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** stackmason.yaml with the stack among its sources; absent outside of a fleet. */
  readonly changed?: { readonly path: string; readonly bytes: Uint8Array }
  readonly isDry: boolean
  readonly findings: readonly Diagnostic[]
}

/**
 * Writes the provider directory of a new stack; in a fleet also a ClusterStack, and the source in stackmason.yaml.
 * @throws StackmasonError USAGE, INIT_FILE_EXISTS, CONFIG_INVALID_VALUE where stackmason.yaml cannot be changed
 */
export async function newStack(options: NewStackOptions, ports: Ports): Promise<NewStackResult> {
  const { kubernetesVersion, namespace, isDry } = options
  const [provider = '', stack = ''] = options.name.split('/')
  if (!/^[a-z0-9]+\/[a-z0-9]+$/.test(options.name))
    throw usage(
      `${JSON.stringify(options.name)} names no stack`,
      'Name it PROVIDER/STACK of a-z and 0-9 alone, for example openstack/mine.',
    )
  if (!/^v[1-9]\d{0,3}\.\d{1,4}\.\d{1,4}$/.test(kubernetesVersion))
    throw usage(`--kubernetes ${JSON.stringify(kubernetesVersion)} is no full version`, 'Write it like v1.34.7.')
  const wanted = { provider, stack, kubernetesVersion }
  const directory = `providers/${provider}/${stack}`
  const skeleton = stackFiles(await readTemplates(options.templates, ports), wanted)
  const files = new Map([...skeleton].map(([path, bytes]) => [`${directory}/${path}`, bytes]))
  if (options.isAlone) {
    await writeNewFiles({ folder: options.start, contents: files, isDry }, ports)
    return { folder: options.start, directory, files, isDry, findings: [] }
  }
  const { file, repository, warnings } = await openFleet(options, ports)
  const folder = dirName(file)
  const minor = kubernetesVersion.slice(1).split('.').slice(0, 2).join('-')
  files.set(`stacks/${provider}-${stack}-${minor}.yaml`, encodeUtf8(clusterStackText(wanted, namespace)))
  const source = `${provider}-${stack}`
  if (repository.fleet.sources.some(({ name }) => name === source))
    throw usage(`the fleet has a source ${source} already`, 'Choose another name for the stack.')
  const entry = new Dict([
    ['name', source],
    [
      'providerDirectory',
      new Dict([
        ['path', directory],
        ['version', 'v1'],
      ]),
    ],
  ])
  const withSource = async (): Promise<Uint8Array> => {
    const config = openYaml({ name: 'stackmason.yaml', bytes: await ports.files.read(file) }, 'CONFIG_INVALID_VALUE')
    return config.edit([{ how: 'append', path: ['spec', 'sources'], value: entry }])
  }
  // whether it can be changed shows before anything is written
  const changed = await withSource()
  const result = { folder, directory, files, isDry, findings: warnings }
  if (isDry) {
    await writeNewFiles({ folder, contents: files, isDry }, ports)
    return { ...result, changed: { path: 'stackmason.yaml', bytes: changed } }
  }
  // somebody may have changed it before it was held
  const work = { content: withSource, before: () => writeNewFiles({ folder, contents: files, isDry }, ports) }
  const bytes = await replaceFile(file, work, ports)
  return { ...result, changed: { path: 'stackmason.yaml', bytes } }
}

/**
 * Replaces a file while nobody else does: the draft beside it, which only one can make, is held until then. `before` is
 * done when the draft is whole, and nothing is replaced if it fails. @throws StackmasonError WRITE_FAILED
 */
async function replaceFile(
  file: string,
  { content, before }: { readonly content: () => Promise<Uint8Array>; readonly before: () => Promise<void> },
  { files }: Ports,
): Promise<Uint8Array> {
  const draft = joinPath(dirName(file), '.stackmason.yaml.partial')
  try {
    if (!(await files.createExclusive(draft, new Uint8Array()))) throw new StackmasonError(held(file, draft))
    try {
      const bytes = await content()
      await files.write(draft, bytes, 'durable')
      await before()
      // it may be a link to where the file lies
      const real = await files.realPath(file)
      await files.copyRights(real, draft)
      await files.rename(draft, real)
      return bytes
    } catch (error) {
      await files.remove(draft)
      throw error
    }
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unwritable(cause, file), { cause })
  }
}

function held(file: string, draft: string): Diagnostic {
  return {
    code: 'WRITE_FAILED',
    severity: 'error',
    message: 'another run is changing the file, or was stopped while it did',
    file,
    hint: `Run it again when the other one has ended; if there is none, remove ${draft} first.`,
  }
}

async function readTemplates(
  folders: readonly string[],
  { packageFiles }: Pick<Ports, 'packageFiles'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for (const name of folders) {
    const folder = joinPath('templates', name)
    for (const path of await packageFiles.below(folder))
      found.set(path, await packageFiles.read(joinPath(folder, path)))
  }
  return found
}

function usage(message: string, hint: string): StackmasonError {
  return new StackmasonError({ code: 'USAGE', severity: 'error', message, hint })
}
