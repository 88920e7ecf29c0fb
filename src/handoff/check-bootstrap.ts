import { spanOf } from '../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { dictAt, textAt } from '../model/field.ts'
import type { Fleet } from '../model/fleet.ts'
import { isOtherRepository, shownRepository } from '../model/git-address.ts'
import { type GitopsTool, gitopsToolNames } from '../model/gitops-tool.ts'
import type { ArgoHandoff, FluxHandoff } from '../model/handoff-config.ts'
import type { Positioned } from '../model/positioned.ts'
import { HANDOFF } from '../model/tree-path.ts'

/** The file that points a GitOps tool at the tree, as `init` writes it. */
export interface Bootstrap {
  /** Relative to the fleet. */
  readonly name: string
  readonly documents: readonly Positioned[]
}

/** A field of the file that says something else than the fleet. */
interface Difference {
  readonly document: Positioned
  readonly at: readonly string[]
  /** Goes on with `bootstrap/flux.yaml points Flux at …`. */
  readonly points: string
  /** The text to be written; undefined where there are several ways. */
  readonly field: string | undefined
}

/**
 * Warnings for a file in bootstrap/ that points the GitOps tool at another path, branch, source or repository than
 * those that the fleet names for its tree. What the fleet does not name may be anything.
 */
export function checkBootstrap({ handoff, publish }: Fleet, { name, documents }: Bootstrap): readonly Diagnostic[] {
  if (handoff === undefined) return []
  const roots = documents.filter((document) => isRoot(document, handoff.tool))
  const found =
    handoff.tool === 'flux'
      ? roots.flatMap((root) => [
          ...otherPath(root, handoff),
          ...otherSource(root, documents, handoff),
          ...otherBranch(root, documents, branchOf(publish)),
          ...sourcesOf(root, documents).flatMap((source) => otherRepository(source, ['spec', 'url'], publish)),
        ])
      : roots.flatMap((root) => [
          ...otherPath(root, handoff),
          ...otherRevision(root, handoff),
          ...otherRepository(root, ['spec', 'source', 'repoURL'], publish),
        ])
  return found.map(({ document, at, points, field }) => ({
    code: 'HANDOFF_PATH_DIFFERS',
    severity: 'warning',
    message: `${name} points ${gitopsToolNames[handoff.tool]} at ${points}`,
    at: spanOf(document, at),
    hint: `${field === undefined ? 'Write the address of that repository (if the one is a mirror of the other, acknowledge the warning)' : `Write \`${field}\``}, and apply the file again when the tree is merged: \`kubectl apply -f ${name}\`.`,
  }))
}

/** The file of a tool that the fleet does not hand its tree to, and what tells whether it is about this tree. */
export interface LeftBootstrap {
  readonly tool: GitopsTool
  readonly file: Bootstrap
  /** Where the tree lies, from the root of each repository that may hold it. */
  readonly trees: readonly string[]
  /** The file of the tool in use: it names the repository, too. */
  readonly used: Bootstrap | undefined
}

/**
 * Warnings for a file in bootstrap/ that points a tool at the tree which the fleet does not hand it to, as before a
 * change of the tool: whoever applies it again brings that tool back. An Application of another repository, as far as
 * the fleet names its own, is about something else.
 */
export function checkLeftBootstrap(fleet: Fleet, { tool, file, trees, used }: LeftBootstrap): readonly Diagnostic[] {
  const { name, documents } = file
  const now = fleet.handoff === undefined ? 'no tool' : gitopsToolNames[fleet.handoff.tool]
  const handoffs = trees.map(handoffOf)
  const known = knownRepositories(fleet, used)
  const isElsewhere = (address: string): boolean =>
    known.length > 0 && known.every((repository) => isOtherRepository(address, repository))
  return documents
    .filter((document) => isRoot(document, tool) && handoffs.includes(pathOf(document, tool)))
    .filter((root) => tool === 'flux' || !isElsewhere(textAt(root.value, 'spec', 'source', 'repoURL')))
    .map((document) => ({
      code: 'HANDOFF_TOOL_LEFT',
      severity: 'warning',
      message: `${name} points ${gitopsToolNames[tool]} at the tree, which is handed over to ${now}: applied again, it would bring ${gitopsToolNames[tool]} back`,
      at: spanOf(document, ROOT_PATH[tool]),
      hint: `Make sure that none of its objects applies the tree any longer (docs/19-life-of-a-cluster.md, "Another GitOps tool", step 2 says what to check before you delete them), and remove the file: \`git rm ${name}\`.`,
    }))
}

/** The addresses of the repositories that hold the tree, as the fleet and its file for Flux name them. */
function knownRepositories({ publish }: Fleet, used: Bootstrap | undefined): readonly string[] {
  const { documents = [] } = used ?? {}
  const roots = documents.filter((document) => isRoot(document, 'flux'))
  const sources = roots.flatMap((root) => sourcesOf(root, documents))
  return [publish.repository ?? '', ...sources.map(({ value }) => textAt(value, 'spec', 'url'))].filter(
    (address) => address !== '',
  )
}

const ROOT_PATH = { flux: ['spec', 'path'], argocd: ['spec', 'source', 'path'] } as const

/** True of the object that applies the handoff: others of the file are about something else. */
function isRoot(document: Positioned, tool: GitopsTool): boolean {
  const { value } = document
  const [group, kind] = [textAt(value, 'apiVersion').split('/')[0], textAt(value, 'kind')]
  const isOfTool =
    tool === 'flux'
      ? group === 'kustomize.toolkit.fluxcd.io' && kind === 'Kustomization'
      : group === 'argoproj.io' && kind === 'Application'
  const path = pathOf(document, tool)
  return isOfTool && (path === HANDOFF || path.endsWith(`/${HANDOFF}`))
}

function pathOf({ value }: Positioned, tool: GitopsTool): string {
  return withoutDot(textAt(value, ...ROOT_PATH[tool]))
}

/** The folder of the units in a tree. */
function handoffOf(tree: string): string {
  return tree === '.' ? HANDOFF : `${tree}/${HANDOFF}`
}

function otherPath(document: Positioned, { tool, path }: FluxHandoff | ArgoHandoff): readonly Difference[] {
  const at = ROOT_PATH[tool]
  const found = pathOf(document, tool)
  const wanted = handoffOf(path)
  if (found === wanted) return []
  const points = `"${found}", but what this fleet writes for it lies in "${wanted}"`
  return [{ document, at, points, field: `path: ${tool === 'flux' ? './' : ''}${wanted}` }]
}

/** From another source another commit may be applied. A source of the fleet's name in the file is a second one. */
function otherSource(
  root: Positioned,
  documents: readonly Positioned[],
  { source, fromArtifacts }: FluxHandoff,
): readonly Difference[] {
  const reference = referenceOf(root)
  const isSame = ({ kind, name, namespace }: SourceReference): boolean =>
    kind === source.kind &&
    name === source.name &&
    (source.namespace === undefined || namespace === undefined || namespace === source.namespace)
  const isThere = documents.some(({ value }) =>
    isSame({
      kind: textAt(value, 'kind'),
      name: textAt(value, 'metadata', 'name'),
      namespace: textAt(value, 'metadata', 'namespace') || undefined,
    }),
  )
  if (reference === undefined || fromArtifacts === true || isSame(reference) || isThere) return []
  const wanted = { ...source, namespace: source.namespace ?? reference.namespace }
  return [
    {
      document: root,
      at: ['spec', 'sourceRef'],
      points: `${shown(reference)}, but the units of this fleet are applied from ${shown(wanted)}`,
      field: `sourceRef: {kind: ${source.kind}, name: ${source.name}${source.namespace === undefined ? '' : `, namespace: ${source.namespace}`}}`,
    },
  ]
}

function otherBranch(
  root: Positioned,
  documents: readonly Positioned[],
  branch: string | undefined,
): readonly Difference[] {
  if (branch === undefined) return []
  return sourcesOf(root, documents).flatMap((document): readonly Difference[] => {
    const { value } = document
    const ref = dictAt(value, 'spec', 'ref')
    // a tag or a commit comes before the branch
    const isOfBranch = ref !== undefined && [...ref].every(([field]) => field === 'branch')
    const found = textAt(value, 'spec', 'ref', 'branch')
    if (!isOfBranch || found === '' || found === branch) return []
    const points = `the branch "${found}", but spec.publish puts the tree on "${branch}"`
    return [{ document, at: ['spec', 'ref', 'branch'], points, field: `branch: ${branch}` }]
  })
}

/** The GitRepository that a Kustomization names, where the file has it. */
function sourcesOf(root: Positioned, documents: readonly Positioned[]): readonly Positioned[] {
  const reference = referenceOf(root)
  return documents.filter(
    ({ value }) =>
      textAt(value, 'kind') === 'GitRepository' &&
      reference?.kind === 'GitRepository' &&
      textAt(value, 'metadata', 'name') === reference.name,
  )
}

function otherRepository(
  document: Positioned,
  at: readonly string[],
  { repository }: Fleet['publish'],
): readonly Difference[] {
  const found = textAt(document.value, ...at)
  if (found === '' || repository === undefined || !isOtherRepository(found, repository)) return []
  const points = `the repository "${shownRepository(found)}", but spec.publish puts the tree into "${shownRepository(repository)}"`
  return [{ document, at, points, field: undefined }]
}

function otherRevision(document: Positioned, { targetRevision }: ArgoHandoff): readonly Difference[] {
  const at = ['spec', 'source', 'targetRevision']
  const found = textAt(document.value, ...at)
  const names = [found, targetRevision].map((name) => name.replace(/^refs\/(?:heads|tags)\//, ''))
  // HEAD is the default branch, whatever its name
  if (found === '' || names.includes('HEAD') || names[0] === names[1]) return []
  const points = `the revision "${found}", but spec.handoff.argocd.targetRevision is "${targetRevision}"`
  return [{ document, at, points, field: `targetRevision: ${targetRevision}` }]
}

/** The branch that the tree is pushed to, where the fleet names it. Others may follow one that is merged from it. */
function branchOf({ into, branch, base, repository }: Fleet['publish']): string | undefined {
  if (into === 'pullRequest') return undefined
  return branch ?? (repository === undefined ? base : undefined)
}

interface SourceReference {
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
}

/** The source that a Kustomization names: in its own namespace where it names none. */
function referenceOf({ value }: Positioned): SourceReference | undefined {
  const [kind, name] = [textAt(value, 'spec', 'sourceRef', 'kind'), textAt(value, 'spec', 'sourceRef', 'name')]
  const namespace = textAt(value, 'spec', 'sourceRef', 'namespace') || textAt(value, 'metadata', 'namespace')
  return kind === '' || name === '' ? undefined : { kind, name, namespace: namespace === '' ? undefined : namespace }
}

function shown({ kind, name, namespace }: SourceReference): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** `./rendered/handoff/` is `rendered/handoff`. */
function withoutDot(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
