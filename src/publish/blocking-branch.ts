/** The branch of a repository beside which git cannot make another: one name would be a folder in the other. */
export function blockingBranch(branch: string, branches: readonly string[]): string | undefined {
  return branches.find((name) => branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`))
}
