import { joinPath } from '../../codec/path.ts'
import { clusterSubject, type Diagnostic, StackmasonError, workOn } from '../../model/diagnostic.ts'
import type { FluxHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import { inputPath } from '../../model/input-path.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { handoffFolder, HANDOFF_STACKS } from '../../model/tree-path.ts'
import { arrangeHandoff, type UnitObject } from '../arrange-handoff.ts'
import { createUnitFinder } from '../create-unit-finder.ts'
import { createHandoffTemplates, type HandoffTemplates } from '../handoff-template.ts'
import { noteManifest } from '../note-manifest.ts'
import { noteUnits } from '../note-units.ts'
import { type Pairing, pairingFields, readPairing } from '../pairing.ts'
import type { KeptCluster, NotedUnit, ToolHandoff } from '../tool-handoff.ts'
import { unitSubject } from '../unit-subject.ts'
import { createAnnotator } from './annotate-manifest.ts'
import { kustomizationData } from './kustomization-data.ts'
import { kustomizationDemands } from './kustomization-demands.ts'
import { namespaceManifest } from './namespace-manifest.ts'
import { hasPlaceholders } from './protect-placeholders.ts'
import { unitPairing, fluxPairings } from './unit-pairing.ts'

const TEMPLATE = 'flux/kustomization.yaml.hbs'

/**
 * Writes one Flux Kustomization per unit, and puts on the units' objects what Flux must see. Deleting a Kustomization
 * leaves everything it applied where it is, but for the last step of a decommission; what is taken out of its folder is
 * pruned. Where the fleet asks for it there is also a Namespace for every namespace with units.
 */
export function createFluxHandoff(config: FluxHandoff, templates: HandoffTemplates): ToolHandoff {
  const render = createHandoffTemplates(templates)
  const annotate = createAnnotator()

  function handOver(
    units: readonly Unit[],
    all: readonly RenderedFolder[],
    kept?: KeptCluster,
  ): { readonly objects: readonly UnitObject[]; readonly folders: readonly RenderedFolder[] } {
    const unitOf = createUnitFinder(units)
    const keptPlaceholders = new Set(kept?.placeholders.map(unitOf))
    const pairings = new Map(units.map((unit) => [unit, pairingOf(unit, kept)]))
    const objects = units.map((unit) => {
      const path = pathOf(unit, config)
      const hasValues = unit.isKept === true ? keptPlaceholders.has(unit) : waitsForValues(unit)
      const data = kustomizationData(unit, config, { path, pairing: pairings.get(unit), hasPlaceholders: hasValues })
      const manifest = workOn(unitSubject(unit), () => render(TEMPLATE, data, kustomizationDemands(unit, data)))
      return { unit, manifest }
    })
    const folders = all.map((folder): RenderedFolder => {
      const unit = unitOf(folder.path)
      if (unit === undefined) return folder
      const pairing = folder.path === unit.path ? pairings.get(unit) : undefined
      const paired = pairing === undefined ? folder : { ...folder, kustomization: pairingFields(pairing) }
      // what is read back from the committed tree has everything that Flux must see, as far as its Kustomization knows
      if (unit.isKept === true) return paired
      const mode = {
        isSubstituted: pairings.get(unit) !== undefined,
        isProtected: unit.mayDelete === undefined,
      }
      const manifests = unit.manifests.length === 0 && folder.path === unit.path ? [emptyNote(unit)] : folder.manifests
      return {
        ...paired,
        manifests: manifests.map((manifest) =>
          annotate(manifest, { ...mode, isOrphaned: unit.orphans?.has(objectKey(manifest)) === true }),
        ),
      }
    })
    return { objects, folders }
  }

  return {
    // units in workload clusters have pairings
    plainAddon: (manifests) =>
      manifests.map((manifest) => annotate(manifest, { isSubstituted: true, isProtected: true, isOrphaned: false })),
    cluster({ cluster, units, folders: all, kept }) {
      const { objects, folders } = handOver(units, all, kept)
      const own = {
        path: handoffFolder(cluster.namespace, cluster.name),
        manifests: objects.map(({ manifest }) => manifest),
      }
      const note = { cluster, units: noteUnits(units) }
      return cluster.name === HANDOFF_STACKS
        ? { folders, handoff: [], note: { ...note, shared: own } }
        : { folders, handoff: [own], note }
    },
    rest(stacks, all, { clusters }) {
      const units = [...noteUnits(stacks), ...clusters.flatMap((note) => note.units)]
      checkNames(units)
      const { objects, folders } = handOver(stacks, all)
      const namespaces = config.createNamespaces === true ? new Set(units.map(({ namespace }) => namespace)) : []
      const written = clusters.map(({ cluster, shared }) => ({
        path: handoffFolder(cluster.namespace, cluster.name),
        manifests: shared?.manifests ?? [],
      }))
      return {
        folders,
        handoff: arrangeHandoff(objects, { written, namespaces: [...namespaces].map(namespaceManifest) }),
      }
    },
  }
}

/** An artifact of a unit holds its folder where the tree has it, seen from the output folder. */
function pathOf(unit: Unit, { path, fromArtifacts }: FluxHandoff): string {
  return `./${fromArtifacts === true ? unit.path : joinPath(path, unit.path)}`
}

/**
 * Content that stays as it is committed goes on with the Kustomization that it was committed for, also where that has
 * no pairing yet.
 */
function pairingOf(unit: Unit, kept: KeptCluster | undefined): Pairing | undefined {
  if (unit.isKept !== true) return unitPairing(unit)
  const committed = kept?.kustomizations.get(unit.path)
  return committed === undefined ? undefined : readPairing(committed, fluxPairings)
}

function waitsForValues(unit: Unit): boolean {
  const withPlaceholders = unit.manifests.find(hasPlaceholders)
  if (withPlaceholders === undefined) return false
  if (unit.runtimeValues !== undefined) return true
  throw new Error(`${describe(withPlaceholders)} of unit ${unit.name} has placeholders that nothing fills`)
}

/** Flux fails on a folder without objects, and would prune nothing of what was in it. */
function emptyNote({ name, namespace, target }: Unit): Manifest {
  return noteManifest({
    name: `stackmason-${name}`,
    namespace: target === 'workload' ? 'kube-system' : namespace,
    data: { note: `Nothing else is left of ${name}.` },
    origin: { from: 'handoff', unit: 'handoff', template: 'handoff' },
  })
}

/** Flux puts the name of a Kustomization into a label of each object that it applies. */
const MAX_LABEL = 63

function checkNames(units: readonly NotedUnit[]): void {
  const taken = new Map<string, NotedUnit>()
  const problems: Diagnostic[] = []
  for (const unit of units) {
    const key = `${unit.namespace}/${unit.name}`
    for (const [text, what] of [
      [unit.name, `the Kustomization "${unit.name}"`],
      [unit.release, `the release "${unit.release}"`],
    ] as const) {
      if (text.length <= MAX_LABEL) continue
      const message = `${what} has a name of ${String(text.length)} characters; Flux writes it into labels, which hold ${String(MAX_LABEL)}`
      const about = unit.cluster === undefined ? { release: unit.release } : clusterSubject(unit.cluster)
      problems.push({ code: 'HANDOFF_NAME_TOO_LONG', severity: 'error', message, about })
    }
    const other = taken.get(key)
    if (other !== undefined) problems.push(nameConflict(other, unit))
    taken.set(key, unit)
  }
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** A stack keeps its name, which is that of its release, so it is always a cluster that gets another one. */
function nameConflict(...units: readonly [NotedUnit, NotedUnit]): Diagnostic {
  const [a, b] = units.map(ownerOf)
  const [{ name, namespace }] = units
  const clusters = units.flatMap(({ cluster }) => cluster ?? [])
  const [first] = clusters
  const folders = clusters.map((cluster) => inputPath(cluster)).join(' or ')
  return {
    code: 'HANDOFF_NAME_CONFLICT',
    severity: 'error',
    message: `${a ?? ''} and ${b ?? ''} would both be the Kustomization "${name}" in namespace ${namespace}`,
    hint:
      clusters.length > 1
        ? `Give the cluster that does not run yet another name, of the folder and in cluster.yaml: ${folders}.`
        : `Give the cluster another name, of the folder and in cluster.yaml: ${folders}.`,
    ...(first !== undefined && { about: clusterSubject(first) }),
  }
}

function ownerOf({ kind, cluster, namespace, release }: NotedUnit): string {
  if (cluster === undefined) return `stack ${namespace}/${release}`
  const name = `cluster ${cluster.namespace}/${cluster.name}`
  return kind === 'cluster' ? name : `the addons of ${name}`
}

function describe({ kind, name }: Manifest): string {
  return `${kind} "${name}"`
}
