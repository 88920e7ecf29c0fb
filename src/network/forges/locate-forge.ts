import { withoutTrailingSlashes } from '../../codec/path.ts'
import { type ForgeConfig, type ForgeKind, forgeKinds } from '../../model/forge.ts'
import type { Environment } from '../../model/ports.ts'
import { tokenVariables } from '../credentials/forge-tokens.ts'
import { shownUrl } from '../transport/shown-url.ts'

/** Where a repository lies on a forge. */
export type ForgeLocation = Pick<ForgeConfig, 'kind' | 'url' | 'repository'>

/** The fleet's settings about its forge. */
export interface ForgeHints {
  readonly kind?: ForgeKind | undefined
  readonly url?: string | undefined
}

/** Services that everybody knows. */
const services: ReadonlyMap<string, ForgeKind> = new Map([
  ['github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['gitea.com', 'gitea'],
  ['codeberg.org', 'gitea'],
])
/** Common names of self-hosted servers. */
const names: ReadonlyMap<string, ForgeKind> = new Map([
  ['github', 'github'],
  ['gitlab', 'gitlab'],
  ['gitea', 'gitea'],
  ['forgejo', 'gitea'],
])

/** Set by the runners of CI, which say the kind of their forge otherwise. */
const ciVariables: ReadonlySet<string> = new Set(['GITHUB_SERVER_URL', 'CI_SERVER_URL'])

/** A forge that the environment knows. */
type KnownForge = Pick<ForgeConfig, 'kind' | 'url'>

/**
 * The place of the repository that a remote of git names; undefined when the remote is none of a forge, or nothing
 * tells which kind of forge it is: the fleet, the CI that runs there, a variable that names the host for a token, a service
 * that everybody knows, or the first part of the host's name.
 */
export function locateForge(remote: string, hints: ForgeHints, environment: Environment): ForgeLocation | undefined {
  const parsed = parseRemote(remote)
  if (parsed === undefined) return undefined
  const known = [...readCiForge(environment), ...readNamedForges(environment)]
  const given = hints.url ?? known.find((one) => hostOf(one.url) === parsed.hostname)?.url
  const url = withoutTrailingSlashes(given ?? parsed.url)
  if (!URL.canParse(url)) return undefined
  const { hostname, pathname } = new URL(url)
  const kind = hints.kind ?? known.find((one) => hostOf(one.url) === hostname)?.kind ?? kindOfHost(hostname)
  // a forge may live below a path of its host
  const folder = `${withoutTrailingSlashes(pathname)}/`
  const path = parsed.path.startsWith(folder) ? parsed.path.slice(folder.length) : parsed.path.slice(1)
  if (kind === undefined || !isRepository(path, kind)) return undefined
  return { kind, url, repository: path }
}

/** The next step where {@link locateForge} finds no forge; without a full stop, so that another way may follow. */
export function adviceOnForge(remote: string, { kind, url }: ForgeHints): string {
  if (parseRemote(remote) === undefined) {
    return 'The remote is no address of a server: set its url to that of the repository on the forge (`git remote set-url`)'
  }
  if (kind === undefined || url === undefined) {
    return 'Name it in spec.publish.forge of stackmason.yaml (kind and url)'
  }
  return `Set the url of the remote to that of a repository on the forge, such as ${shownUrl(url)}/owner/name (\`git remote set-url\`)`
}

/** The root of a forge's API. */
export function apiUrlOf({ kind, url }: Pick<ForgeConfig, 'kind' | 'url'>): string {
  if (kind !== 'github') return `${url}/api/${kind === 'gitea' ? 'v1' : 'v4'}`
  const { protocol, hostname, host } = new URL(url)
  // GitHub Enterprise Cloud with data residency
  const isService = hostname === 'github.com' || hostname.endsWith('.ghe.com')
  return isService ? `${protocol}//api.${host}` : `${url}/api/v3`
}

/** The forge on which this run of CI was started; its name and variables are set by its runner. */
function readCiForge(environment: Environment): readonly KnownForge[] {
  const get = (name: string): string => environment.get(name)?.trim() ?? ''
  const isGitea = get('GITEA_ACTIONS') === 'true' || get('FORGEJO_ACTIONS') === 'true'
  const runners = [
    { kind: 'gitlab', is: get('GITLAB_CI') === 'true', url: get('CI_SERVER_URL') },
    { kind: 'gitea', is: isGitea, url: get('GITHUB_SERVER_URL') },
    { kind: 'github', is: get('GITHUB_ACTIONS') === 'true', url: get('GITHUB_SERVER_URL') },
  ] as const
  const found = runners.find(({ is, url }) => is && URL.canParse(url))
  return found === undefined ? [] : [{ kind: found.kind, url: withoutTrailingSlashes(found.url) }]
}

/** The forges whose hosts variables of people name, so that a token is for them; those of CI are read elsewhere. */
function readNamedForges(environment: Environment): readonly KnownForge[] {
  return forgeKinds.flatMap((kind) =>
    tokenVariables[kind]
      .flatMap(({ of }) => of)
      .filter((name) => !ciVariables.has(name))
      .flatMap((name) => {
        const address = environment.get(name)?.trim() ?? ''
        const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
        return address !== '' && URL.canParse(url) ? [{ kind, url: withoutTrailingSlashes(url) }] : []
      }),
  )
}

interface Remote {
  /** The web address of the host, as far as the remote tells. */
  readonly url: string
  readonly hostname: string
  /** With a slash before it, without `.git`. */
  readonly path: string
}

function parseRemote(remote: string): Remote | undefined {
  // host:path, as ssh writes it; a letter alone is a drive
  const [, host, path = ''] = /^(?:[^@/:]+@)?([^@/:]{2,}):(?!\/\/)\/?(.+)$/.exec(remote) ?? []
  const address = host === undefined ? remote : `ssh://${host}/${path}`
  if (!URL.canParse(address)) return undefined
  const parsed = new URL(address)
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:'
  if (!isWeb && parsed.protocol !== 'ssh:' && parsed.protocol !== 'git+ssh:') return undefined
  return {
    // a port of ssh says nothing about the web
    url: isWeb ? parsed.origin : `https://${parsed.hostname}`,
    hostname: parsed.hostname,
    path: withoutTrailingSlashes(decoded(parsed.pathname)).replace(/\.git$/, ''),
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function hostOf(url: string): string {
  return new URL(url).hostname
}

function kindOfHost(hostname: string): ForgeKind | undefined {
  const known = services.get(hostname)
  if (known !== undefined) return known
  return hostname.endsWith('.ghe.com') ? 'github' : names.get(hostname.split('.')[0] ?? '')
}

/** True for `owner/name`; groups of GitLab lie in each other. */
function isRepository(path: string, kind: ForgeKind): boolean {
  const parts = path.split('/')
  const isLong = kind === 'gitlab' ? parts.length >= 2 : parts.length === 2
  return isLong && parts.every((part) => /^[\w.-]+$/.test(part) && part !== '.' && part !== '..')
}
