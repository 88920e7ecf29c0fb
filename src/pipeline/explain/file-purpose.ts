import { OWNER_FILE } from '../../model/tree-path.ts'
import { baseName, dirName } from '../../codec/path.ts'
import type { Manifest } from '../../model/manifest.ts'
import { CONTROL_FOLDER } from '../../write/control-folder.ts'

const CONTROL_FILES: ReadonlyMap<string, string> = new Map([
  ['.gitignore', 'it keeps this folder, which is about this clone only, out of git'],
  [
    'written.sha256',
    'it remembers what was written in this clone, so that no edit by hand is lost; it is not committed (docs/07-safe-writing.md)',
  ],
  [
    'journal.json',
    'it says what a run is writing, so that the next run completes or rolls back one that was killed (docs/07-safe-writing.md)',
  ],
  ['lock.json', 'a run holds it while it writes, so that no other one does (docs/07-safe-writing.md)'],
])

/**
 * Why stackmason wrote a file of the output folder that is not rendered from the fleet; undefined for any other. `path`
 * is relative to the folder.
 */
export function controlFilePurpose(path: string): string | undefined {
  if (path === OWNER_FILE)
    return 'it says which fleet the tree belongs to; other fleets are refused (docs/05-rendered-tree.md)'
  return dirName(path) === CONTROL_FOLDER ? CONTROL_FILES.get(baseName(path)) : undefined
}

/** Why a folder of the tree has its kustomization.yaml. */
export const INDEX_PURPOSE = 'it lists what the GitOps tool applies from this folder (docs/05-rendered-tree.md)'

/** Why an object of the folder `handoff` is there; undefined for any other object. */
export function handoffPurpose({ apiVersion, kind, origin }: Manifest): string | undefined {
  if (origin.unit !== 'handoff') return undefined
  if (apiVersion.startsWith('kustomize.toolkit.fluxcd.io/'))
    return 'it tells Flux which folder to apply, to which cluster, and after what (docs/15-flux.md)'
  if (kind === 'AppProject')
    return 'it says what the Applications of the fleet may apply, and where (docs/18-argocd.md)'
  if (apiVersion.startsWith('argoproj.io/'))
    return 'it tells Argo CD which folder to apply, to which cluster, and in which order (docs/18-argocd.md)'
  return kind === 'Namespace'
    ? 'spec.handoff.createNamespaces asks for it: the objects of this namespace need it (docs/15-flux.md, Namespaces)'
    : undefined
}
