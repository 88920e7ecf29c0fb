import { withoutTrailingSlashes } from '../../codec/path.ts'
import type { Environment } from '../../model/ports.ts'
import type { ParseOutcome } from '../../model/release-name.ts'
import { isHost, parseRepository, type RepositoryName } from './repository-name.ts'

/**
 * The repository that OCI_REGISTRY and OCI_REPOSITORY name, in both spellings in use: the operator and csctl write the
 * host into OCI_REPOSITORY as well (or only there), the build scripts of cluster-stacks leave it out.
 */
export function environmentRepository(environment: Environment): ParseOutcome<RepositoryName> {
  const registry = readName(environment, 'OCI_REGISTRY')
  const repository = readName(environment, 'OCI_REPOSITORY')
  const [first = ''] = repository.split('/')
  const isWhole = repository !== first && isHost(first)
  if (repository === '') return { reason: 'OCI_REPOSITORY is not set' }
  if (registry === '' && !isWhole) return { reason: 'OCI_REGISTRY is not set, and OCI_REPOSITORY names no host' }
  if (registry === '' || repository.startsWith(`${registry}/`)) return parseRepository(repository)
  if (isWhole) return { reason: `OCI_REGISTRY names ${registry}, and OCI_REPOSITORY names ${first}` }
  return parseRepository(`${registry}/${repository}`)
}

function readName(environment: Environment, variable: string): string {
  return withoutTrailingSlashes((environment.get(variable) ?? '').trim().replace(/^(?:oci|https):\/\//, ''))
}
