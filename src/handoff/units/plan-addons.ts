import { baseName, dirName } from '../../codec/path.ts'
import { addonUnitKey, isOwn } from '../../model/addon-unit-key.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { HandoffCluster, Unit } from '../../model/handoff.ts'
import { inputPath } from '../../model/input-path.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { type AddonOwner, addonFolder, inClusterTree, parseTreeFolder } from '../../model/tree-path.ts'
import { applicationName } from '../argocd/argo-names.ts'
import { noteManifest } from '../note-manifest.ts'
import { divideAddons } from './divide-addons.ts'
import { emptyNote } from './empty-note.ts'
import { type GatedAddon, type GatedCondition, readConditions } from './read-conditions.ts'
import { unitName } from './unit-name.ts'

/** The units of one cluster's addons, and the folders that they need beside the rendered ones. */
export interface PlannedAddons {
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
}

/** The fields that all units of a cluster share. */
export type UnitIdentity = Pick<Unit, 'namespace' | 'cluster' | 'release' | 'isSuspended'>

/**
 * Plans the units of a cluster's addons, as its arrangement divides them. A unit waits for no other but for conditions:
 * stages are apply order, not readiness. From the first addon with a condition on, each addon of the release waits for
 * the one before it; a pre-condition is one more unit before its addon's. Conditions that cannot be translated are
 * errors; those that the tool cannot wait for are, too.
 */
export function planAddons(input: HandoffCluster, identity: UnitIdentity, tool: GitopsTool | undefined): PlannedAddons {
  const findings: Diagnostic[] = []
  const waiting = waitingFolders(input.addons)
  const addons = input.addons
    .filter((folder) => waiting.get(folder.path) === undefined)
    .map((folder) => readConditions(folder, { input, tool, findings }))
  const keys = input.arrangement?.units ?? divideAddons(input)
  const isAlone = ({ folder }: GatedAddon): boolean =>
    isOneAddon(folder.path) && keys.get(folder.path) !== dirName(folder.path)
  const firstGated = addons.findIndex(({ pre, post }) => pre !== undefined || post !== undefined)
  const isInChain = (addon: GatedAddon): boolean =>
    firstGated !== -1 && addons.indexOf(addon) >= firstGated && !isOwn(addon.folder.path)
  const { name } = input.cluster
  const common = {
    ...identity,
    target: 'workload',
    gate: 'none',
    dependsOn: [],
    ...(input.hasRuntimeValues ? { runtimeValues: name } : {}),
  } as const
  const folders: RenderedFolder[] = []
  const together = (owner: AddonOwner): readonly Unit[] => {
    const path = addonFolder(input.cluster, owner)
    const members = addons.filter((addon) => !isAlone(addon) && isBelow(addon.folder.path, path))
    if (members.length === 0) return []
    const includes = members.filter(({ folder }) => folder.path !== path).map(({ folder }) => baseName(folder.path))
    if (includes.length > 0) folders.push({ path, manifests: [], includes })
    const manifests = members.flatMap(({ folder }) => folder.manifests)
    return [
      {
        ...common,
        ...orphansOf(manifests, input),
        kind: unitKinds[owner],
        name: unitNameOf(name, path),
        path,
        manifests,
      },
    ]
  }
  const alone = ({ folder }: GatedAddon): Omit<Unit, 'kind'> => {
    const { path, manifests } = folder
    return { ...common, ...orphansOf(manifests, input), name: unitNameOf(name, path), path, manifests }
  }
  const apart = addons.filter(isAlone)
  const free = apart.filter((addon) => !isInChain(addon))
  const units: Unit[] = [
    ...together('release'),
    ...free.filter(({ folder }) => !isOwn(folder.path)).map((addon): Unit => ({ ...alone(addon), kind: 'addon' })),
  ]
  let before = units.map((unit) => ({ unit: unit.name }))
  const chain = (unit: Omit<Unit, 'kind'>): void => {
    units.push({ ...unit, kind: 'condition', dependsOn: before })
    before = [{ unit: unit.name }]
  }
  for (const addon of apart.filter(isInChain)) {
    const { folder, pre, post } = addon
    if (pre !== undefined) {
      const path = waitingPath(folder)
      const known = waiting.get(path)
      const own = known ?? { path, manifests: [waitingNote(baseName(folder.path), pre, input)] }
      if (known === undefined) folders.push(own)
      const unit = { ...common, name: unitNameOf(name, path), path, manifests: own.manifests }
      chain({ ...unit, preCondition: pre.condition, healthChecks: pre.checks })
    }
    chain({ ...alone(addon), ...(post !== undefined && { postCondition: post.condition, healthChecks: post.checks }) })
  }
  units.push(
    ...together('cluster'),
    ...free.filter(({ folder }) => isOwn(folder.path)).map((addon): Unit => ({ ...alone(addon), kind: 'addon' })),
  )
  for (const path of input.arrangement?.emptied ?? []) {
    const known = units.find((unit) => unit.path === path)
    if (known !== undefined) {
      units[units.indexOf(known)] = { ...known, mayDelete: 'everything' }
      continue
    }
    const note = emptyNote(unitNameOf(name, path), input)
    folders.push({ path, manifests: [note] })
    const emptied = parseTreeFolder(path)
    const isAll = emptied?.kind === 'addons' && emptied.addon === undefined
    units.push({
      ...common,
      kind: isAll ? unitKinds[emptied.owner] : 'addon',
      name: unitNameOf(name, path),
      path,
      manifests: [note],
      mayDelete: 'everything',
    })
  }
  const nameOf = ({ path }: Pick<Unit, 'path'>): string =>
    tool === 'argocd' ? applicationName({ ...identity, path }) : unitNameOf(name, path)
  findings.push(...unitChanges(input, units, nameOf))
  return { units, folders, findings }
}

/** Units of all addons of an owner. */
const unitKinds: Readonly<Record<AddonOwner, Unit['kind']>> = { release: 'addons', cluster: 'own-addons' }

/** `clusters/<namespace>/<cluster>/addons-own/<addon>` is `<cluster>-addons-own-<addon>`. */
function unitNameOf(cluster: string, path: string): string {
  return unitName(cluster, ...inClusterTree(path).split('/'))
}

/** True if a folder is one addon's, not that of all. */
function isOneAddon(path: string): boolean {
  const folder = parseTreeFolder(path)
  return folder?.kind === 'addons' && folder.addon !== undefined
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || dirName(path) === parent
}

function orphansOf(manifests: readonly Manifest[], { arrangement }: HandoffCluster): Pick<Unit, 'orphans'> {
  const keys = manifests.map(objectKey).filter((key) => arrangement?.orphans.has(key) === true)
  return keys.length === 0 ? {} : { orphans: new Set(keys) }
}

/**
 * The objects that will leave a unit with the next commit, and the units that will be removed with it, by the names
 * that the GitOps tool has for them.
 */
function unitChanges(
  { cluster, arrangement, isKept }: HandoffCluster,
  units: readonly Unit[],
  nameOf: (unit: Pick<Unit, 'path'>) => string,
): readonly Diagnostic[] {
  const { namespace, name } = cluster
  const byUnit = new Map<string, readonly string[]>()
  for (const { what, from } of arrangement?.moves ?? []) {
    const known = units.find(({ path }) => path === from || addonUnitKey(path, true) === from)
    const unit = known === undefined ? from : nameOf(known)
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), what])
  }
  const moving = [...byUnit].map(
    ([unit, whats]) =>
      `${whats.join(', ')} will leave the unit ${unit} with the next commit; with this one the unit only orphans what it has applied`,
  )
  // of a cluster that is kept as it is committed nothing goes
  const emptied = isKept === true ? [] : (arrangement?.emptied ?? [])
  const going = emptied.map(
    (path) =>
      `nothing is left of the unit ${nameOf({ path })}; with this commit it deletes what it has applied, and with the next one it goes`,
  )
  const leaving = (arrangement?.left ?? []).map(
    ({ what, from }) =>
      `${what} stays in the cluster, and nothing manages it any more: the unit ${nameOf({ path: from })} goes with this commit, and others take over only a part of what it has applied`,
  )
  const isSuspended = cluster.options?.isSuspended === true
  const resume = isSuspended
    ? `remove \`suspend\` from ${inputPath(cluster, 'options.yaml')}, render and commit`
    : 'commit what this run writes, which resumes it'
  const held =
    isSuspended || arrangement?.isHeld === true
      ? `The tree suspends the cluster, so this is not applied: ${resume}; the next step is written after that.`
      : undefined
  const finding = (what: string, hint?: string): Diagnostic => ({
    code: 'HANDOFF_UNIT_CHANGES',
    severity: 'warning',
    message: `cluster ${namespace}/${name}: ${what}`,
    file: inputPath(cluster),
    ...(hint !== undefined && { hint }),
  })
  return [
    ...[...moving, ...going].map((what) => finding(what, held)),
    ...leaving.map((what) => finding(what, 'Delete it by hand if nothing needs it, or let an addon have it.')),
  ]
}

function waitingPath({ path }: RenderedFolder): string {
  return `${path}-before`
}

/** Folders of units that only wait, by path: a cluster that is kept as it is committed has them among its addons. */
function waitingFolders(folders: readonly RenderedFolder[]): ReadonlyMap<string, RenderedFolder> {
  const paths = new Set(folders.map(waitingPath))
  return new Map(folders.filter(({ path }) => paths.has(path)).map((folder) => [folder.path, folder]))
}

/** A GitOps tool applies no empty folder, so the unit that only waits says on the cluster what it waits for. */
function waitingNote(addon: string, { condition }: GatedCondition, { release, addons }: HandoffCluster): Manifest {
  const template = addons.find((folder) => baseName(folder.path) === addon)?.manifests[0]?.origin
  return noteManifest({
    name: `stackmason-before-${addon}`,
    namespace: 'kube-system',
    data: { addon, waitsFor: condition.conditions },
    origin: { from: template?.from ?? release.origin, unit: template?.unit ?? addon, template: 'clusteraddon.yaml' },
  })
}
