import { spanOf } from '../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { textAt } from '../model/field.ts'
import type { Fleet } from '../model/fleet.ts'
import { type GitopsTool, gitopsToolNames } from '../model/gitops-tool.ts'
import type { Positioned } from '../model/positioned.ts'
import { HANDOFF } from '../model/tree-path.ts'

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
  readonly bootstrap?: { readonly name: string; readonly documents: readonly Positioned[] } | undefined
}

/** Warnings for what says where the tree lies, and is wrong, as after a move of the output folder. */
export function checkHandoffPaths(
  { handoff, handoffAt, handoffPathAt }: Fleet,
  { tree, isPublished, isPlausible, bootstrap }: ComparedPaths,
): readonly Diagnostic[] {
  if (handoff === undefined || handoffAt === undefined) return []
  const { tool, path } = handoff
  const file = `bootstrap/${tool}.yaml`
  if (path !== tree && !isPlausible && isGit(handoff)) {
    const lies = isPublished
      ? `but spec.publish.path puts the tree into "${tree}"`
      : `where the repository has no tree: it lies in "${tree}"`
    const units = tree === '.' ? HANDOFF : `${tree}/${HANDOFF}`
    return [
      {
        code: 'HANDOFF_PATH_DIFFERS',
        severity: 'warning',
        message: `spec.handoff.${tool}.path is "${path}", ${lies}, so ${gitopsToolNames[tool]} would apply nothing of it`,
        at: handoffPathAt ?? handoffAt,
        hint: `Write \`${pathField(tool, tree)}\`, and \`${pathField(tool, units)}\` in what applies it in the management cluster: see ${file}.`,
      },
    ]
  }
  const wanted = path === '.' ? HANDOFF : `${path}/${HANDOFF}`
  return (bootstrap?.documents ?? []).flatMap((document): readonly Diagnostic[] => {
    const at = pathIn(document, tool)
    const found = at === undefined ? '' : withoutDot(textAt(document.value, ...at))
    if (at === undefined || found === wanted || !(found === HANDOFF || found.endsWith(`/${HANDOFF}`))) return []
    return [
      {
        code: 'HANDOFF_PATH_DIFFERS',
        severity: 'warning',
        message: `${file} points ${gitopsToolNames[tool]} at "${found}", but what this fleet writes for it lies in "${wanted}"`,
        at: spanOf(document, at),
        hint: `Write \`${pathField(tool, wanted)}\`, and apply the file again when the tree is merged: \`kubectl apply -f ${file}\`.`,
      },
    ]
  })
}

/** Only of a git repository is it known what lies where. */
function isGit(handoff: NonNullable<Fleet['handoff']>): boolean {
  return handoff.tool === 'argocd' || handoff.source.kind === 'GitRepository'
}

function pathField(tool: GitopsTool, path: string): string {
  return `path: ${tool === 'flux' && path !== '.' ? './' : ''}${path}`
}

function pathIn({ value }: Positioned, tool: GitopsTool): readonly string[] | undefined {
  const [group, kind] = [textAt(value, 'apiVersion').split('/')[0], textAt(value, 'kind')]
  if (tool === 'flux' && group === 'kustomize.toolkit.fluxcd.io' && kind === 'Kustomization') return ['spec', 'path']
  return tool === 'argocd' && group === 'argoproj.io' && kind === 'Application' ? ['spec', 'source', 'path'] : undefined
}

/** `./rendered/handoff/` is `rendered/handoff`. */
function withoutDot(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
