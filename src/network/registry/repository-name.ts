import { withoutTrailingSlashes } from '../../codec/path.ts'
import type { ParseOutcome } from '../../model/release-name.ts'

/** A repository and the registry that has it. */
export interface RepositoryName {
  /** `host[:port]`. */
  readonly host: string
  /** `kaas/cluster-stacks`. */
  readonly repository: string
}

// the grammar of distribution's reference package
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const pathPattern = new RegExp(`^${component}(?:/${component})*$`)
const hostPattern =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/
const HUB = 'index.docker.io'
const tagPattern = /^\w[\w.-]{0,127}$/
const digestPattern = /^sha256:[0-9a-f]{64}$/

/** Parses `host[:port]/path`, with `oci://` before it or not. */
export function parseRepository(text: string): ParseOutcome<RepositoryName> {
  const name = withoutTrailingSlashes(text.replace(/^oci:\/\//, ''))
  const slash = name.indexOf('/')
  const host = slash === -1 ? name : name.slice(0, slash)
  const repository = slash === -1 ? '' : name.slice(slash + 1)
  if (!isHostName(host)) return { reason: 'it does not begin with the host of a registry, such as registry.example' }
  if (repository === '') return { reason: 'the path of the repository is missing after the host' }
  if (!isRepositoryPath(repository)) {
    return {
      reason:
        'after the host a path follows, of lower-case letters, digits and single . _ - between them, without tag or digest',
    }
  }
  return { value: { host, repository } }
}

/** True if the first part of a name is a host, as Docker decides: `localhost`, or with a dot or port. */
export function isHost(text: string): boolean {
  return isHostName(text) && (text === 'localhost' || /[.:]/.test(text))
}

/** True if the text is `host[:port]`. */
export function isHostName(text: string): boolean {
  return hostPattern.test(text) && URL.canParse(`https://${text}`)
}

/** True if the text is the path of a repository. */
export function isRepositoryPath(text: string): boolean {
  return text.length <= 255 && pathPattern.test(text)
}

/** True if the text is a tag. */
export function isTag(text: string): boolean {
  return tagPattern.test(text)
}

/** True if the text is a digest that can be checked here: `sha256:<hex>`. */
export function isDigest(text: string): boolean {
  return digestPattern.test(text)
}

/** The one name of a registry: Docker Hub is called by several. */
export function canonicalHost(host: string): string {
  return ['docker.io', 'registry-1.docker.io'].includes(host) ? HUB : host
}

/** Docker Hub is called by several names, and its own images lie below `library/`; everything else is called by one. */
export function canonicalName({ host, repository }: RepositoryName): RepositoryName {
  if (canonicalHost(host) !== HUB) return { host, repository }
  return { host: HUB, repository: repository.includes('/') ? repository : `library/${repository}` }
}

/** Where the API of a registry is. */
export function apiHost({ host }: RepositoryName): string {
  return host === HUB ? 'registry-1.docker.io' : host
}

/** `host/repository` */
export function formatName({ host, repository }: RepositoryName): string {
  return `${host}/${repository}`
}

/** `host/repository:tag` or `host/repository@digest`, for messages. */
export function formatReference({ host, repository }: RepositoryName, reference: string): string {
  return `${host}/${repository}${reference.includes(':') ? '@' : ':'}${reference}`
}
