/** Pages that belong together, in reading order. */
export interface PageGroup {
  readonly title: string
  /** Paths from the root of the project; a folder is a page that lists what is in it. */
  readonly pages: readonly string[]
}

/** Every page of the site, by who reads it. Previous and next follow this order. */
export const navigation: readonly PageGroup[] = [
  {
    title: 'Start',
    pages: [
      'README.md',
      'docs/34-start-here.md',
      'docs/01-concepts.md',
      'docs/39-faq.md',
      'docs/44-comparison.md',
      'docs/21-glossary.md',
    ],
  },
  {
    title: 'Cluster owners',
    pages: [
      'docs/02-fleet-repository.md',
      'docs/27-variables.md',
      'docs/09-generated-secrets.md',
      'docs/14-late-bound-values.md',
      'docs/19-life-of-a-cluster.md',
      'docs/38-troubleshooting.md',
    ],
  },
  {
    title: 'Reviewers',
    pages: [
      'docs/05-rendered-tree.md',
      'docs/24-diff.md',
      'docs/25-check.md',
      'docs/10-explain.md',
      'docs/28-report.md',
      'docs/31-pull-requests.md',
      'docs/36-rolling-back.md',
    ],
  },
  {
    title: 'Providers of stacks',
    pages: [
      'docs/13-building-releases.md',
      'docs/17-stages-hooks-images.md',
      'docs/11-sources.md',
      'docs/12-lock-and-cache.md',
      'docs/26-containers.md',
    ],
  },
  {
    title: 'Operators of the platform',
    pages: [
      'docs/15-flux.md',
      'docs/18-argocd.md',
      'docs/16-gates.md',
      'docs/22-controller.md',
      'docs/23-status.md',
      'docs/29-publish.md',
      'docs/30-forges.md',
      'docs/32-ci.md',
      'docs/33-oci.md',
      'docs/07-safe-writing.md',
      'docs/45-installing.md',
      'docs/35-upgrading-stackmason.md',
      'docs/37-switching-gitops-tools.md',
      'docs/42-access.md',
      'docs/43-disaster-recovery.md',
      'docs/20-moving-from-cso.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/03-configuration.md',
      'docs/04-commands.md',
      'docs/06-errors.md',
      'docs/08-library.md',
      'docs/40-sizing.md',
      'docs/41-support-matrix.md',
      'docs/46-helm-compatibility.md',
      'schemas/',
    ],
  },
  {
    title: 'The project',
    pages: ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/decisions/'],
  },
]
