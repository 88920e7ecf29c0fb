import type { Diagnostic } from '../model/diagnostic.ts'
import type { Fleet } from '../model/fleet.ts'
import { isOtherRepository, shownRepository } from '../model/git-address.ts'
import { type GitopsTool, gitopsToolNames } from '../model/gitops-tool.ts'
import { HANDOFF } from '../model/tree-path.ts'
import { type Bootstrap, checkBootstrap } from './check-bootstrap.ts'

/** The paths that those of the handoff are compared with. */
export interface ComparedPaths {
  /** Where the tree lies, relative to the root of the repository that holds it. */
  readonly tree: string
  /** True if `spec.publish.path` says so: the tree is published elsewhere. */
  readonly isPublished: boolean
  /**
   * True if a tree that this fleet writes could be at `spec.handoff.<tool>.path`: a folder is there, and no tree of
   * before.
   */
  readonly isPlausible: boolean
  /** The file that points the tool at the tree, as `init` writes it; absent when there is none. */
  readonly bootstrap?: Bootstrap | undefined
}

/** Warnings for what says where the tree lies, and is wrong, as after a move of the output folder. */
export function checkHandoffPaths(
  fleet: Fleet,
  { tree, isPublished, isPlausible, bootstrap }: ComparedPaths,
): readonly Diagnostic[] {
  const { handoff, handoffAt, handoffPathAt } = fleet
  if (handoff === undefined || handoffAt === undefined) return []
  const { tool, path } = handoff
  const file = `bootstrap/${tool}.yaml`
  const elsewhere = otherRepository(fleet)
  if (path !== tree && !isPlausible && isGit(handoff)) {
    const lies = isPublished
      ? `but spec.publish.path puts the tree into "${tree}"`
      : `where the repository has no tree: it lies in "${tree}"`
    const units = tree === '.' ? HANDOFF : `${tree}/${HANDOFF}`
    return [
      ...elsewhere,
      {
        code: 'HANDOFF_PATH_DIFFERS',
        severity: 'warning',
        message: `spec.handoff.${tool}.path is "${path}", ${lies}, so ${gitopsToolNames[tool]} would apply nothing of it`,
        at: handoffPathAt ?? handoffAt,
        hint: `Write \`${pathField(tool, tree)}\`, and \`${pathField(tool, units)}\` in what applies it in the management cluster: see ${file}.`,
      },
    ]
  }
  return [...elsewhere, ...(bootstrap === undefined ? [] : checkBootstrap(fleet, bootstrap))]
}

/** The units of Argo CD name the repository themselves. */
function otherRepository({ handoff, handoffAt, handoffFields, publish }: Fleet): readonly Diagnostic[] {
  if (handoff?.tool !== 'argocd' || publish.repository === undefined) return []
  if (!isOtherRepository(handoff.repoURL, publish.repository)) return []
  return [
    {
      code: 'HANDOFF_PATH_DIFFERS',
      severity: 'warning',
      message: `spec.handoff.argocd.repoURL is "${shownRepository(handoff.repoURL)}", but spec.publish.repository puts the tree into "${shownRepository(publish.repository)}"`,
      at: handoffFields?.get('argocd.repoURL') ?? handoffAt,
      hint: 'Write the address of that repository as Argo CD reaches it; if the one is a mirror of the other, acknowledge the warning.',
    },
  ]
}

/** Only of a git repository is it known what lies where. */
function isGit(handoff: NonNullable<Fleet['handoff']>): boolean {
  return handoff.tool === 'argocd' || handoff.source.kind === 'GitRepository'
}

function pathField(tool: GitopsTool, path: string): string {
  return `path: ${tool === 'flux' && path !== '.' ? './' : ''}${path}`
}
