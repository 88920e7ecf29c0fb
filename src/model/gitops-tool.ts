/** A GitOps tool that can apply the tree, as stackmason.yaml names it. */
export type GitopsTool = 'flux' | 'argocd'

/** The tools by the names that people know. */
export const gitopsToolNames: Readonly<Record<GitopsTool, string>> = { flux: 'Flux', argocd: 'Argo CD' }
