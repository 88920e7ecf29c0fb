import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FluxHandoff } from '../../model/handoff-config.ts'
import type { HandoffFolders, Unit } from '../../model/handoff.ts'
import { type Manifest, objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { arrangeHandoff } from '../arrange-handoff.ts'
import { createUnitFinder } from '../create-unit-finder.ts'
import { createEngineTemplates, type HandoffTemplates } from '../engine-template.ts'
import { noteManifest } from '../note-manifest.ts'
import { createAnnotator } from './annotate-manifest.ts'
import { kustomizationData } from './kustomization-data.ts'
import { kustomizationDemands } from './kustomization-demands.ts'
import { hasHoles } from './protect-holes.ts'

/** What handoff to Flux needs besides the units. */
export interface FluxContext {
  /** The folders that the units apply, and those below them. */
  readonly folders: readonly RenderedFolder[]
  readonly templates: HandoffTemplates
}

const TEMPLATE = 'flux/kustomization.yaml.hbs'

/**
 * Writes one Flux Kustomization per unit, and puts on the units' objects what Flux must see. Deleting a Kustomization leaves everything it applied
 * where it is, but for the last step of a decommission; what is taken out of its folder is pruned.
 * @throws StackmasonError HANDOFF_TEMPLATE, HANDOFF_NAME_TOO_LONG, HANDOFF_NAME_CONFLICT
 */
export function renderFlux(units: readonly Unit[], config: FluxHandoff, context: FluxContext): HandoffFolders {
  checkNames(units)
  const render = createEngineTemplates(context.templates)
  const annotate = createAnnotator()
  const substituted = new Set(units.filter(isSubstituted))
  const objects = units.map((unit) => {
    const path = pathOf(unit, config)
    const data = kustomizationData(unit, config, { path, isSubstituted: substituted.has(unit) })
    return { unit, manifest: render(TEMPLATE, data, kustomizationDemands(unit, data)) }
  })
  const unitOf = createUnitFinder(units)
  const folders = context.folders.map((folder): RenderedFolder => {
    const unit = unitOf(folder.path)
    if (unit === undefined) return folder
    const mode = {
      isSubstituted: substituted.has(unit),
      isProtected: unit.mayDelete === undefined,
    }
    const manifests = unit.manifests.length === 0 && folder.path === unit.path ? [emptyNote(unit)] : folder.manifests
    return {
      ...folder,
      manifests: manifests.map((manifest) =>
        annotate(manifest, { ...mode, isLetGo: unit.letsGoOf?.has(objectKey(manifest)) === true }),
      ),
    }
  })
  return { folders, handoff: arrangeHandoff(objects) }
}

function pathOf(unit: Unit, config: FluxHandoff): string {
  return `./${joinPath(config.path, unit.path)}`
}

function isSubstituted(unit: Unit): boolean {
  if (unit.isKept === true) return unit.target === 'workload' && unit.runtimeValues !== undefined
  const withHoles = unit.manifests.find(hasHoles)
  if (withHoles === undefined) return false
  if (unit.runtimeValues !== undefined) return true
  throw new Error(`${describe(withHoles)} of unit ${unit.name} has holes that nothing fills`)
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

function checkNames(units: readonly Unit[]): void {
  const taken = new Map<string, Unit>()
  const problems: Diagnostic[] = []
  for (const unit of units) {
    const key = `${unit.namespace}/${unit.name}`
    for (const [text, what] of [
      [unit.name, `the Kustomization "${unit.name}"`],
      [unit.release, `the release "${unit.release}"`],
    ] as const) {
      if (text.length <= MAX_LABEL) continue
      const message = `${what} has a name of ${String(text.length)} characters; Flux writes it into labels, which hold ${String(MAX_LABEL)}`
      problems.push({ code: 'HANDOFF_NAME_TOO_LONG', severity: 'error', message })
    }
    const other = taken.get(key)
    if (other !== undefined) {
      const message = `${unit.path} and ${other.path} would both be the Kustomization "${unit.name}" in namespace ${unit.namespace}`
      problems.push({ code: 'HANDOFF_NAME_CONFLICT', severity: 'error', message })
    }
    taken.set(key, unit)
  }
  if (problems.length > 0) throw new StackmasonError(problems)
}

function describe({ kind, name }: Manifest): string {
  return `${kind} "${name}"`
}
