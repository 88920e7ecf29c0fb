import { StackmasonError } from '../../model/diagnostic.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { placeOf, type DependencyRequest } from './dependency-context.ts'

/**
 * Says how a dependency's repository is asked.
 * @throws StackmasonError DEPENDENCY_UNSUPPORTED for what Helm takes from its own configuration or from this machine
 */
export function repositoryKind(dependency: DependencyRequest): 'helm' | 'oci' {
  const { repository } = dependency
  if (hasUser(repository))
    throw unsupported(
      dependency,
      'has credentials in its address',
      'Take them out of Chart.yaml, and name variables for them under spec.chartRepositories of stackmason.yaml.',
    )
  if (/^https?:\/\/[^/?#]/i.test(repository)) return 'helm'
  if (/^oci:\/\/[^/?#]/i.test(repository)) return 'oci'
  if (repository === '')
    throw unsupported(
      dependency,
      'names no repository, so it must lie in charts/, and does not',
      'Vendor the chart into charts/, or name the repository in Chart.yaml.',
    )
  if (/^(?:@|alias:)/.test(repository))
    throw unsupported(
      dependency,
      `names the repository ${repository}, which only the configuration of somebody's Helm knows`,
      'Write the address of the repository in Chart.yaml.',
    )
  if (repository.startsWith('file:'))
    throw unsupported(
      dependency,
      `lies at ${repository}, which is not in the release`,
      'Vendor the chart: `helm dependency update` packs it into charts/.',
    )
  throw unsupported(
    dependency,
    `names the repository ${shownUrl(repository)}, which is not an https or oci address`,
    'Write an address such as https://charts.example.org or oci://registry.example.org/charts, or vendor the chart into charts/.',
  )
}

function unsupported(dependency: DependencyRequest, why: string, hint: string): StackmasonError {
  const message = `dependency ${dependency.name} ${why}`
  return new StackmasonError({
    code: 'DEPENDENCY_UNSUPPORTED',
    severity: 'error',
    message,
    ...placeOf(dependency),
    hint,
  })
}

/** True if an address has a user, and so maybe a password, in front of its host. */
export function hasUser(url: string): boolean {
  return /^[^/?#]*\/\/[^/?#]*@/.test(url)
}
