import { type Adoption, planAdoption } from '../../adopt/plan-adoption.ts'
import type { LiveObject } from '../../adopt/live-object.ts'
import type { OperatorSource } from '../../adopt/fleet-document.ts'
import { baseName, joinPath, relativePath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { CLUSTER_API } from '../../model/class-reference.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { type Environment, FileError, type Files, type Ports } from '../../model/ports.ts'
import { readFleet } from '../../sources/fleet/read-fleet.ts'
import { environmentRepository } from '../../network/registry/environment-repository.ts'
import { programVersion } from '../program-version.ts'
import { type ObjectPath, readObjectFiles } from './object-files.ts'
import { overlayFiles } from './overlay-files.ts'

/** The options of `stackmason adopt`. */
export interface AdoptOptions {
  /** Files, or folders of files, with the objects. */
  readonly inputs: readonly ObjectPath[]
  /** Absolute; made when it is not there. */
  readonly folder: string
  /**
   * Where releases come from, a folder as an absolute path; without it, what the operator's variables in the
   * environment say.
   */
  readonly source?: OperatorSource | undefined
}

/** The result of `stackmason adopt`. */
export interface AdoptResult extends Omit<Adoption, 'files'> {
  readonly folder: string
  /** Relative to `folder`, in order. */
  readonly files: readonly string[]
}

/**
 * Git's own files of a new fleet: name in the package, name in the fleet. They are kept as they are when they are
 * there.
 */
const gitFiles: readonly (readonly [string, string])[] = [
  ['gitignore', '.gitignore'],
  ['gitattributes', '.gitattributes'],
]

/**
 * Writes a fleet repository that takes over what the Cluster Stack Operator manages. It is read back before anything is
 * written; no file is ever overwritten.
 * @throws StackmasonError ADOPT_INPUT_INVALID, CONFIG_SYNTAX, ADOPT_FILE_EXISTS for every file in the way,
 * WRITE_FAILED, and what reading the fleet raises
 */
export async function adopt(options: AdoptOptions, ports: Ports): Promise<AdoptResult> {
  const { folder } = options
  const objects = await readObjectFiles(options.inputs, ports)
  refuseUnknown(options.inputs, objects)
  await refuseMissing(options.source, ports.files)
  const source = sourceFrom(options, ports.environment)
  const places = new Set(options.inputs.map(({ clusterKey: place }) => place))
  const about = { name: fleetName(folder), source, version: await programVersion(ports) }
  const { files, ...plan } = planAdoption(objects, { ...about, clusterKeys: places })
  if (plan.stacks.length === 0 && plan.clusters.length === 0) {
    const message = 'the files hold no ClusterStack and no Cluster that could be taken over'
    throw new StackmasonError([
      { code: 'ADOPT_INPUT_INVALID', severity: 'error', message },
      ...plan.findings.filter(({ code }) => code === 'ADOPT_LEFT_OUT' || code === 'ADOPT_NOT_READY'),
    ])
  }
  const inTheWay: Diagnostic[] = []
  for (const path of files.keys()) {
    if ((await ports.files.stat(joinPath(folder, path))) !== undefined) inTheWay.push(existing(joinPath(folder, path)))
  }
  if (inTheWay.length > 0) throw new StackmasonError(inTheWay)
  const read = await readFleet(joinPath(folder, 'stackmason.yaml'), {
    files: overlayFiles({ folder, texts: files }, ports.files),
    packageFiles: ports.packageFiles,
    timeZones: ports.timeZones,
  })
  const written = new Map([...files].map(([path, text]) => [path, encodeUtf8(text)]))
  for (const [template, path] of gitFiles) {
    if ((await ports.files.stat(joinPath(folder, path))) === undefined)
      written.set(path, await ports.packageFiles.read(`templates/fleet/${template}`))
  }
  const made = new Set<string>()
  for (const [path, bytes] of written) await writeNew(joinPath(folder, path), bytes, { files: ports.files, made })
  return {
    ...plan,
    folder,
    files: [...written.keys()].toSorted(compareBytes),
    findings: [...plan.findings, ...read.findings],
  }
}

/** A name that is mistyped would leave the Secrets of a cluster out without a word. */
function refuseUnknown(inputs: readonly ObjectPath[], objects: readonly LiveObject[]): void {
  const clusters = new Set(
    objects
      .filter(({ clusterKey, group, kind }) => clusterKey === '' && group === CLUSTER_API && kind === 'Cluster')
      .map(({ namespace, name }) => `${namespace}/${name}`),
  )
  const unknown = new Set(inputs.map(({ clusterKey }) => clusterKey).filter((key) => key !== '' && !clusters.has(key)))
  if (unknown.size === 0 || clusters.size === 0) return
  const names = [...clusters].toSorted(compareBytes)
  const shown = names.length > 10 ? `${names.slice(0, 10).join(', ')} and more` : names.join(', ')
  throw new StackmasonError(
    [...unknown].map((key) => ({
      code: 'ADOPT_INPUT_INVALID',
      severity: 'error',
      message: `the files of the management cluster hold no Cluster ${key}`,
      hint: `Write the file of a workload cluster as <namespace>/<cluster>=<file>. They hold ${shown}.`,
    })),
  )
}

/** The fleet that names it is not written yet, so nobody could open the place in it. */
async function refuseMissing(source: AdoptOptions['source'], files: Files): Promise<void> {
  if (source?.kind !== 'directory') return
  const found = await files.stat(source.path)
  if (found?.type === 'directory') return
  const what = found === undefined ? 'is not there' : 'is not a folder'
  throw new StackmasonError({
    code: 'ADOPT_INPUT_INVALID',
    severity: 'error',
    message: `the folder of --directory ${what}`,
    file: source.path,
    hint: 'Name the folder that holds the releases, one folder each.',
  })
}

async function writeNew(
  target: string,
  bytes: Uint8Array,
  { files, made }: { readonly files: Files; readonly made: Set<string> },
): Promise<void> {
  try {
    const parent = joinPath(target, '..')
    if (!made.has(parent)) await files.makeDirectory(parent)
    made.add(parent)
    if (await files.createExclusive(target, bytes)) return
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unwritable(cause, target), { cause })
  }
  throw new StackmasonError(existing(target))
}

function existing(file: string): Diagnostic {
  return { code: 'ADOPT_FILE_EXISTS', severity: 'error', message: 'the file is there already', file }
}

/** A folder is named as seen from the fleet, so that both can be moved together. */
function sourceFrom({ source, folder }: AdoptOptions, environment: Environment): OperatorSource {
  if (source?.kind !== 'directory') return source ?? environmentSource(environment)
  return { kind: 'directory', path: relativePath(folder, source.path) }
}

/** The operator's variables; OCI is what it uses by default. */
function environmentSource(environment: Environment): OperatorSource {
  const registry = environmentRepository(environment)
  if ('value' in registry) return { kind: 'oci', repository: `${registry.value.host}/${registry.value.repository}` }
  const owner = (environment.get('GIT_ORG_NAME') ?? '').trim()
  const repository = (environment.get('GIT_REPOSITORY_NAME') ?? '').trim()
  return owner === '' || repository === '' ? { kind: 'unknown' } : { kind: 'github', owner, repository }
}

/** The folder's name, as far as it can name a fleet. */
function fleetName(folder: string): string {
  const name = baseName(folder)
    .toLowerCase()
    .replaceAll(/[^-a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  return name === '' ? 'fleet' : name.slice(0, 63).replace(/[-.]+$/, '')
}
