/**
 * True if the credentials of a registry may go to the token service that it names: to the same host, and to one beside,
 * above or below it in one domain (`registry-1.docker.io` and `auth.docker.io`, `registry.gitlab.com` and
 * `gitlab.com`); never from TLS to plain http.
 */
export function isTokenServerOf(realm: string, origin: string): boolean {
  const service = new URL(realm)
  const registry = new URL(origin)
  if (registry.protocol === 'https:' && service.protocol !== 'https:') return false
  if (service.hostname === registry.hostname) return true
  const domain = domainOf(registry.hostname)
  return domain !== undefined && (service.hostname === domain || service.hostname.endsWith(`.${domain}`))
}

/**
 * The domain that a host of this name is one of; undefined for addresses, bare names and what lies right below a public
 * suffix.
 */
function domainOf(host: string): string | undefined {
  const labels = host.split('.')
  const isAddress = host.startsWith('[') || /^\d+$/.test(labels.at(-1) ?? '')
  if (isAddress || labels.length < 2) return undefined
  const parent = labels.length === 2 ? labels : labels.slice(1)
  return isPublicSuffix(parent) ? (isPublicSuffix(labels) ? undefined : host) : parent.join('.')
}

/** `co.uk`, `com.au` and the like, by their form, and hosting domains below which strangers are neighbours. */
function isPublicSuffix(labels: readonly string[]): boolean {
  const [second = '', top = ''] = labels
  return (
    labels.length === 2 &&
    ((top.length === 2 && /^(?:[a-z]{2}|com|net|org|gov|edu)$/.test(second)) || shared.has(labels.join('.')))
  )
}

const shared: ReadonlySet<string> = new Set([
  'amazonaws.com',
  'azurecr.io',
  'azurewebsites.net',
  'cloudapp.net',
  'fly.dev',
  'github.io',
  'gitlab.io',
  'herokuapp.com',
  'netlify.app',
  'ngrok.io',
  'pages.dev',
  'pkg.dev',
  'run.app',
  'vercel.app',
  'workers.dev',
])
