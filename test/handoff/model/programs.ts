import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasArgocd } from '../../../tools/servers/argocd.ts'
import { argocdFolders } from '../../../tools/argocd.ts'
import { createKustomize, type BuildFolder } from './kustomize.ts'

/** True if the real kustomize is there: the one of Argo CD's release. */
export const hasKustomize: () => boolean = hasArgocd

/** Builds with the real kustomize. */
export function realKustomize(): BuildFolder {
  return createKustomize(
    join(argocdFolders()?.programs ?? '', 'kustomize'),
    mkdtempSync(join(tmpdir(), 'stackmason-model-')),
  )
}
