/** A repository on a server, as its address names it: the ways to it may differ. */
interface NamedRepository {
  readonly host: string
  /** Without a slash at either end, and without `.git`. */
  readonly path: string
}

/**
 * True if two addresses of git name different repositories for sure. Scheme, user, port, `.git` and case do not count,
 * and what forges put before the path or the host for a transport: `/scm/`, `ssh.`. A host without a domain, or within
 * a cluster, may be another name of any.
 */
export function isOtherRepository(one: string, other: string): boolean {
  const [a, b] = [parse(one), parse(other)]
  if (a === undefined || b === undefined) return false
  if (!endsAlike(a.path.toLowerCase(), b.path.toLowerCase(), '/')) return true
  return isPublic(a.host) && isPublic(b.host) && !endsAlike(a.host, b.host, '.')
}

/** The address without scheme and user, as messages show it. */
export function shownRepository(address: string): string {
  const found = parse(address)
  return found === undefined ? address : `${found.host}/${found.path}`
}

/** Undefined for a path on a machine, and for what is no address. */
function parse(address: string): NamedRepository | undefined {
  // host:path, as ssh writes it; a letter alone is a drive
  const [, host, path = ''] = /^(?:[^@/:]+@)?([^@/:]{2,}):(?!\/\/)\/?(.+)$/.exec(address) ?? []
  const url = host === undefined ? address : `ssh://${host}/${path}`
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, pathname } = new URL(url)
  if (!/^(?:https?|ssh|git|git\+ssh):$/.test(protocol) || hostname === '') return undefined
  const parts = pathname.split('/').filter((part) => part !== '')
  const plain = parts
    // Azure DevOps has one of these by https, and the other by ssh
    .filter((part, index) => part !== '_git' && !(part === 'v3' && index === 0))
    .join('/')
    .replace(/\.git$/i, '')
  return plain === '' ? undefined : { host: hostname.toLowerCase(), path: plain }
}

function endsAlike(one: string, other: string, separator: string): boolean {
  return one === other || one.endsWith(`${separator}${other}`) || other.endsWith(`${separator}${one}`)
}

/** True if a host is known by this name everywhere. */
function isPublic(host: string): boolean {
  return /\.[a-z][-a-z0-9]*$/.test(host) && !/\.(?:svc|local|internal|localhost)$/.test(host)
}
