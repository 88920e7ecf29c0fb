import { type ArgoSources, createArgoHandoff } from '../../src/handoff/argocd/argo-handoff.ts'
import type { HandoffTemplates } from '../../src/handoff/handoff-template.ts'
import { createFluxHandoff } from '../../src/handoff/flux/flux-handoff.ts'
import type { ClusterNote, KeptCluster, ToolHandoff } from '../../src/handoff/tool-handoff.ts'
import type { Placeholder } from '../../src/model/binding.ts'
import type { ArgoHandoff, FluxHandoff } from '../../src/model/handoff-config.ts'
import type { HandoffFolders, Unit } from '../../src/model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../src/model/manifest.ts'
import { objectPath } from '../../src/model/object-name.ts'
import { parseTreeFolder } from '../../src/model/tree-path.ts'
import type { Dict } from '../../src/model/value.ts'

/** What a tree of units is handed over with. */
interface TreeContext {
  readonly folders: readonly RenderedFolder[]
  readonly placeholders?: readonly Placeholder[]
  /** What is committed, of clusters that stay so. */
  readonly kept?: Partial<KeptCluster>
  /** Committed objects that all namespaces share. */
  readonly committed?: readonly Dict[]
}

/** What {@link renderFlux} needs besides the units. */
export type FluxContext = TreeContext & { readonly templates: HandoffTemplates }

/** What {@link renderArgo} needs besides the units. */
export type ArgoContext = Omit<TreeContext, 'kept'> &
  ArgoSources & {
    /** Committed objects. */
    readonly kept?: readonly Manifest[]
  }

/** Hands all units over to Flux: cluster by cluster, then the rest. */
export function renderFlux(
  units: readonly Unit[],
  config: FluxHandoff,
  { templates, ...context }: FluxContext,
): HandoffFolders {
  return handOver(createFluxHandoff(config, templates), units, context)
}

/** Hands all units over to Argo CD: cluster by cluster, then the rest. */
export function renderArgo(
  units: readonly Unit[],
  config: ArgoHandoff,
  { templates, healthScripts, kept = [], ...context }: ArgoContext,
): HandoffFolders {
  return handOver(createArgoHandoff(config, { templates, healthScripts }), units, {
    ...context,
    kept: { objects: kept },
  })
}

function handOver(
  tool: ToolHandoff,
  units: readonly Unit[],
  { folders, placeholders = [], kept, committed = [] }: TreeContext,
): HandoffFolders {
  const keys = new Set(units.flatMap(({ cluster }) => (cluster === undefined ? [] : [objectPath(cluster)])))
  const ownerOf = (path: string): string | undefined => {
    const folder = parseTreeFolder(path)
    const unit = units.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`))
    const name = unit?.cluster ?? (folder?.kind === 'cluster' || folder?.kind === 'addons' ? folder : undefined)
    return name === undefined ? undefined : objectPath(name)
  }
  const notes: ClusterNote[] = []
  const made: { folders: RenderedFolder[]; handoff: RenderedFolder[] } = { folders: [], handoff: [] }
  for (const key of keys) {
    const own = units.filter(({ cluster }) => cluster !== undefined && objectPath(cluster) === key)
    const [cluster] = own.flatMap((unit) => unit.cluster ?? [])
    if (cluster === undefined) continue
    const { note, ...parts } = tool.cluster({
      cluster,
      units: own,
      folders: folders.filter(({ path }) => ownerOf(path) === key),
      placeholders: placeholders.filter(({ folder }) => ownerOf(folder) === key),
      kept: { placeholders: [], kustomizations: new Map(), objects: [], ...kept },
    })
    made.folders.push(...parts.folders)
    made.handoff.push(...parts.handoff)
    notes.push(note)
  }
  const stacks = units.filter(({ cluster }) => cluster === undefined)
  const others = folders.filter(({ path }) => !keys.has(ownerOf(path) ?? ''))
  const rest = tool.rest(stacks, others, { clusters: notes, committed })
  const byPath = (a: RenderedFolder, b: RenderedFolder): number => (a.path < b.path ? -1 : 1)
  const order = new Map(folders.map(({ path }, index) => [path, index]))
  return {
    folders: [...made.folders, ...rest.folders].toSorted((a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0)),
    handoff: [...made.handoff, ...rest.handoff].toSorted(byPath),
  }
}
