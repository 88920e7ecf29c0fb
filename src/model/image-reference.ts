/** A container image, as registries and container runtimes know it. */
export interface ImageReference {
  /** `host[:port]`; `docker.io` where the text names none. */
  readonly registry: string
  /** Without the registry: `library/nginx`. */
  readonly repository: string
  readonly tag: string | undefined
  /** `sha256:…` */
  readonly digest?: string | undefined
}

const LONGEST = 512
const LONGEST_NAME = 255
const HOST = /^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])$/
const PORT = /^[0-9]{1,5}$/
const ADDRESS = /^\[[0-9a-fA-F:]{2,45}\](?::[0-9]{1,5})?$/
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/

const HUB = 'docker.io'

/**
 * Reads an image reference by the grammar and the defaults of container runtimes (github.com/distribution/reference,
 * ParseNormalizedNamed), but adds no tag; undefined for a text that is none.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > LONGEST) return undefined
  const at = text.indexOf('@')
  const digest = at === -1 ? undefined : text.slice(at + 1)
  const named = at === -1 ? text : text.slice(0, at)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const tag = colon === -1 ? undefined : named.slice(colon + 1)
  const name = splitName(colon === -1 ? named : named.slice(0, colon))
  if (name === undefined) return undefined
  if ((tag !== undefined && !TAG.test(tag)) || (digest !== undefined && !DIGEST.test(digest))) return undefined
  return { ...name, tag, digest }
}

/** True if a text names the registry of an image: what stands before the first slash is a host. */
export function namesRegistry(text: string): boolean {
  const slash = text.indexOf('/')
  return slash !== -1 && isHost(text.slice(0, slash))
}

/**
 * The reference that a registry or runtime is asked for: by digest where there is one, whatever tag stands beside it.
 */
export function pulledReference({ registry, repository, tag = 'latest', digest }: ImageReference): string {
  return digest === undefined ? `${registry}/${repository}:${tag}` : `${registry}/${repository}@${digest}`
}

/** The whole reference, with its registry, tag and digest; `latest` where it has neither. */
export function formatImageReference(reference: ImageReference): string {
  const { registry, repository, tag, digest } = reference
  if (tag === undefined || digest === undefined) return pulledReference(reference)
  return `${registry}/${repository}:${tag}@${digest}`
}

function splitName(name: string): Pick<ImageReference, 'registry' | 'repository'> | undefined {
  const slash = name.indexOf('/')
  const first = name.slice(0, Math.max(slash, 0))
  const isNamed = isHost(first)
  const registry = !isNamed || first === 'index.docker.io' ? HUB : first
  const path = isNamed ? name.slice(slash + 1) : name
  const repository = registry === HUB && !path.includes('/') ? `library/${path}` : path
  if (registry.length + 1 + repository.length > LONGEST_NAME) return undefined
  return isRegistry(registry) && repository.split('/').every((part) => COMPONENT.test(part))
    ? { registry, repository }
    : undefined
}

/** As runtimes tell a host from the first part of a repository. */
function isHost(first: string): boolean {
  return first === 'localhost' || /[.:]/.test(first) || first !== first.toLowerCase()
}

function isRegistry(registry: string): boolean {
  if (registry.startsWith('[')) return ADDRESS.test(registry)
  const [host = '', port, ...more] = registry.split(':')
  return (
    more.length === 0 && (port === undefined || PORT.test(port)) && host.split('.').every((part) => HOST.test(part))
  )
}
