import type { ProcessIdentity } from '../model/ports.ts'

/** The text of a lock: one line of JSON. */
export function formatHolder({ process, host, boot, namespace, started }: ProcessIdentity): string {
  return `${JSON.stringify({ process, host, boot, namespace, started })}\n`
}

/** Who holds a lock; `foreign` for what another version or somebody else wrote. */
export function parseHolder(text: string): ProcessIdentity | 'foreign' {
  const fields = parseObject(text)
  const process = fields?.get('process')
  const host = fields?.get('host')
  if (typeof process !== 'number' || typeof host !== 'string' || !isPlain(host)) return 'foreign'
  const optional = (['boot', 'namespace', 'started'] as const).flatMap((name) => {
    const value = fields?.get(name)
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { process, host, ...Object.fromEntries(optional) }
}

function parseObject(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** Fit to be shown. */
function isPlain(host: string): boolean {
  return /^[^\s\p{Cc}\p{Cf}]{1,255}$/u.test(host)
}
