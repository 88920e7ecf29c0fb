import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { TarFile } from '../../codec/bytes/tar.ts'
import { dirName, joinPath, relativePath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { formatManifestYaml } from '../../codec/yaml/manifest-yaml.ts'
import { createArtifactSources } from '../../handoff/flux/artifact-source.ts'
import { ARTIFACTS, type ArtifactUnit, pinFile } from '../../model/artifact-unit.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import { type Crypto, FileError, type Ports } from '../../model/ports.ts'
import type { ArtifactConfig } from '../../model/publish-config.ts'
import { CLUSTERS, STACKS } from '../../model/tree-path.ts'
import { type ArtifactOrigin, makeArtifact, packArtifact, typesFor } from '../../publish/oci/artifact.ts'
import { type ArtifactPin, isPinFile, PIN_HEAD, readPin } from '../../publish/oci/artifact-pin.ts'
import { mapConcurrently } from '../../write/map-concurrently.ts'
import { readHandoffSources } from '../deliver/handoff-templates.ts'
import type { FleetCheckout } from './open-checkout.ts'
import { findForeign, refuseForeign } from './refuse-foreign.ts'
import type { TreeFile } from './source-change.ts'

/** The artifact of one cluster or stack as it is to be. */
export interface PlannedUnit {
  readonly unit: ArtifactUnit
  readonly origin: ArtifactOrigin
  readonly digest: string
  /** True if the branch that holds the tree pins it so already. */
  readonly isPinned: boolean
}

/** A tree that pins artifacts. */
export interface UnitTree {
  readonly checkout: FleetCheckout
  readonly config: ArtifactConfig
  /** The root of the work tree that the output folder lies in; absolute. */
  readonly root: string
  /** Absolute. */
  readonly output: string
  /** The origin that new artifacts name. */
  readonly origin: ArtifactOrigin
  /** Pins that stand on a branch of ours: where they fit, nothing new is made. By path in the tree. */
  readonly known: ReadonlyMap<string, Uint8Array>
  /** The units that it is about, by folder; absent: all. */
  readonly only?: ReadonlyMap<string, ArtifactUnit>
}

/** All clusters and stacks of a tree, in path order. `output` is a path without links. */
export async function listUnits(output: string, ports: Pick<Ports, 'files'>): Promise<readonly ArtifactUnit[]> {
  const units: ArtifactUnit[] = []
  for (const [top, kind] of [
    [CLUSTERS, 'cluster'],
    [STACKS, 'stack'],
  ] as const) {
    if (!(await isFolder(joinPath(output, top), ports))) continue
    for (const namespace of await foldersIn(joinPath(output, top), ports))
      for (const name of await foldersIn(joinPath(output, top, namespace), ports))
        units.push({ kind, namespace, name, folder: `${top}/${namespace}/${name}` })
  }
  return units.toSorted((a, b) => compareBytes(a.folder, b.folder))
}

/** The files of a unit by their paths in the tree; links are left out. */
export async function readUnit(
  output: string,
  { folder }: Pick<ArtifactUnit, 'folder'>,
  { files }: Pick<Ports, 'files'>,
): Promise<readonly TarFile[]> {
  const found: TarFile[] = []
  const walk = async (path: string): Promise<void> => {
    for (const { name, type } of await files.entries(joinPath(output, path))) {
      const at = `${path}/${name}`
      if (type === 'directory') await walk(at)
      else if (type === 'file') found.push({ path: at, bytes: await files.read(joinPath(output, at)) })
    }
  }
  await walk(folder)
  return found
}

/**
 * Decides which artifact each unit is to have. A pin stays as long as the artifact that it names is the one that the
 * files of the unit make: so what is pinned is known without a registry, and who edits a pin by hand gets it back.
 * @throws StackmasonError OUTPUT_FOREIGN
 */
export async function planUnits(
  tree: UnitTree,
  ports: Pick<Ports, 'files' | 'crypto'>,
): Promise<readonly PlannedUnit[]> {
  const { output, root, checkout } = tree
  const foreign: string[] = []
  const units = (await listUnits(output, ports)).filter(({ folder }) => tree.only?.has(folder) !== false)
  const pins = await pinsIn(output, ports)
  const planned = await mapConcurrently(units, async (unit): Promise<PlannedUnit | undefined> => {
    const content = await readUnit(output, unit, ports)
    if (content.length === 0) return undefined
    foreign.push(...findForeign(content))
    const digestFrom = createUnitDigest(content, ports.crypto)
    const path = pinFile(unit)
    const standing = pinIn(pins.get(path))
    const fits = (pin: ArtifactPin | undefined): pin is ArtifactPin =>
      pin !== undefined && digestFrom(pin.origin) === pin.digest
    if (fits(standing)) return { unit, ...standing, isPinned: true }
    const known = tree.known.get(path)
    const proposed = pinIn(known === undefined ? undefined : decodeUtf8(known))
    if (fits(proposed)) return { unit, ...proposed, isPinned: false }
    return { unit, origin: tree.origin, digest: digestFrom(tree.origin), isPinned: false }
  })
  refuseForeign(foreign, joinPath(checkout.facts.root, relativePath(root, output)))
  return planned.filter((unit) => unit !== undefined)
}

/** Makes what tells the digest of the artifact that these files make, by where they come from. */
export function createUnitDigest(content: readonly TarFile[], crypto: Crypto): (origin: ArtifactOrigin) => string {
  const packed = packArtifact(content, typesFor('flux'), crypto)
  return (origin) => makeArtifact(packed, origin, crypto).manifest.digest
}

function pinIn(text: string | undefined): ArtifactPin | undefined {
  return text === undefined ? undefined : readPin(text)
}

/**
 * Writes the pins of a tree into its folder.
 * @throws StackmasonError HANDOFF_TEMPLATE, CONFIG_UNKNOWN_FILE, FILE_UNREADABLE
 */
export async function writePins(
  tree: UnitTree,
  units: readonly PlannedUnit[],
  ports: Ports,
): Promise<readonly TreeFile[]> {
  const { output, only } = tree
  const own = only && new Set(Array.from(only.values(), pinFile))
  const wanted = await pinTexts(tree, units, ports)
  const standing = await pinsIn(output, ports)
  const files: TreeFile[] = []
  for (const [path, text] of wanted) {
    const before = standing.get(path)
    if (before === text) continue
    await refuseLinks(output, path, ports)
    const file = joinPath(output, path)
    await ports.files.write(file, encodeUtf8(text))
    files.push({ path, change: before === undefined ? 'added' : 'changed', from: file })
  }
  for (const [path, text] of standing) {
    if (wanted.has(path) || !isPinFile(text) || own?.has(path) === false) continue
    await ports.files.remove(joinPath(output, path))
    files.push({ path, change: 'removed', from: undefined })
  }
  return files
}

/**
 * Texts by path in the tree, one for each unit. There is no list of them: Flux takes all files of a folder without a
 * kustomization.yaml, and pull requests that each add a pin do not meet in a list.
 */
async function pinTexts(
  { checkout, config, root }: UnitTree,
  units: readonly PlannedUnit[],
  ports: Ports,
): Promise<ReadonlyMap<string, string>> {
  const { fleet, file } = checkout
  const write = await createPinWriter({ ...fleet, root: joinPath(root, dirName(file)) }, config, ports)
  return new Map(units.map((planned) => [pinFile(planned.unit), write(planned)]))
}

/**
 * Makes a writer of the files that pin artifacts, as the settings and the templates of a fleet want them.
 * @throws StackmasonError HANDOFF_TEMPLATE, CONFIG_UNKNOWN_FILE, FILE_UNREADABLE; the writer HANDOFF_TEMPLATE
 */
export async function createPinWriter(
  fleet: Fleet,
  config: ArtifactConfig,
  ports: Ports,
): Promise<(planned: Pick<PlannedUnit, 'unit' | 'origin' | 'digest'>) => string> {
  const { templates } = await readHandoffSources(fleet, ports)
  const write = createArtifactSources(templates)
  const shard = fleet.handoff?.tool === 'flux' ? fleet.handoff.shard : undefined
  return ({ unit, origin, digest }) => {
    const { object } = write({
      unit,
      url: `oci://${config.host}/${config.repository}/${unit.folder}`,
      digest,
      origin,
      isPlainHttp: config.plainHttp,
      ...config.flux,
      shard,
    })
    return PIN_HEAD + formatManifestYaml(object)
  }
}

/** Nothing is written through links that somebody has committed. @throws StackmasonError WRITE_NOT_OWNED */
async function refuseLinks(output: string, path: string, { files }: Pick<Ports, 'files'>): Promise<void> {
  const steps = path.split('/')
  for (const depth of steps.keys()) {
    const at = steps.slice(0, depth + 1).join('/')
    const type = (await files.stat(joinPath(output, at)))?.type
    if (type === undefined || type === (at === path ? 'file' : 'directory')) continue
    throw new StackmasonError({
      code: 'WRITE_NOT_OWNED',
      severity: 'error',
      message: 'the pin of an artifact is to be written here, and something else is in the way; links are not followed',
      file: joinPath(output, at),
      hint: 'Take it out of the output folder, and push that.',
    })
  }
}

/** The files of {@link ARTIFACTS} by path in the tree. */
async function pinsIn(output: string, { files }: Pick<Ports, 'files'>): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const walk = async (folder: string): Promise<void> => {
    for (const { name, type } of await entriesOf(joinPath(output, folder), { files })) {
      const path = `${folder}/${name}`
      if (type === 'directory') await walk(path)
      else if (type === 'file') texts.set(path, decodeUtf8(await files.read(joinPath(output, path))))
    }
  }
  if (await isFolder(joinPath(output, ARTIFACTS), { files })) await walk(ARTIFACTS)
  return texts
}

/** True for a folder that no link leads to: what lies elsewhere on this machine is nobody's tree. */
async function isFolder(path: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  return (await files.stat(path))?.type === 'directory' && (await files.realPath(path)) === path
}

async function foldersIn(folder: string, ports: Pick<Ports, 'files'>): Promise<readonly string[]> {
  return (await entriesOf(folder, ports)).filter(({ type }) => type === 'directory').map(({ name }) => name)
}

async function entriesOf(folder: string, { files }: Pick<Ports, 'files'>): ReturnType<Ports['files']['entries']> {
  try {
    return await files.entries(folder)
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return []
    throw error
  }
}
