import { GitError, type GitErrorReason, type GitRemote } from '../model/git.ts'

/** The messages of git, curl and ssh, in the C locale; the first that fits decides. */
const REASONS: readonly (readonly [RegExp, GitErrorReason])[] = [
  [/spawn \S+ ENOENT/, 'not-installed'],
  [/couldn't find remote ref|not our ref|unadvertised object|no such remote ref/i, 'no-such-ref'],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|(?:returned error:|HTTP) 40[13]\b|Permission denied|Access denied|Host key verification failed|Too many authentication failures/i,
    'not-permitted',
  ],
  [/SSL|TLS|certificate/i, 'tls'],
  [
    /Could not resolve (?:host|proxy)|Failed to connect|Couldn't connect|unable to (?:connect|look up)|Connection (?:refused|reset|timed out|closed)|(?:returned error:|HTTP) (?:429|5\d\d)|early EOF|unexpected disconnect|hung up|too slow|Empty reply|transfer closed|Network is unreachable|No route to host/i,
    'unreachable',
  ],
  [
    /(?:returned error:|HTTP) 404|repository .*not found|does not appear to be a git repository|not a git repository|repository not exported|does not exist|make sure you have the correct access rights/is,
    'not-found',
  ],
]

const MAX_MESSAGE = 600
/**
 * The characters of the beginning and of the end that are examined: a server may print millions of characters, and some
 * expressions take the square of them.
 */
const MAX_LOOKED_AT = 4000

/** The error for what git printed; whatever it printed, nothing of the remote's credentials is in it. */
export function gitErrorOf(printed: string, remote: GitRemote | undefined): GitError {
  const text = shortened(withoutCredentials(printed, remote))
  const reason = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
  return new GitError(reason, reason === 'not-installed' ? 'git is not installed, or not on PATH' : summaryOf(text))
}

function shortened(text: string): string {
  if (text.length <= 2 * MAX_LOOKED_AT) return text
  return `${text.slice(0, MAX_LOOKED_AT)}\n${text.slice(-MAX_LOOKED_AT)}`
}

/** The lines that tell something, without control characters, on one line. */
function summaryOf(text: string): string {
  const lines = text
    .replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\r' ? '\n' : ' '))
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
  const telling = lines.filter((line) => /^(?:fatal|error|remote|ERROR|ssh|\S+@\S+):|Permission denied/.test(line))
  const summary = [...new Set(telling.length > 0 ? telling : lines)].join('; ')
  return summary.length > MAX_MESSAGE ? `${summary.slice(0, MAX_MESSAGE)}…` : summary
}

function withoutCredentials(text: string, remote: GitRemote | undefined): string {
  let clean = withoutQuery(text.replace(/(:\/\/)[^\s/@']*@/g, '$1'), remote?.url ?? '')
  const value = remote?.authorization?.reveal() ?? ''
  const token = value.replace(/^\S+ /, '')
  const decoded = Buffer.from(token, 'base64').toString('utf8')
  const secrets = [value, token, decoded, decoded.slice(decoded.indexOf(':') + 1)]
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '[secret]')
  return clean
}

/** Git repeats the path of a local repository, without its scheme and decoded; what is behind `?` may be a token. */
function withoutQuery(text: string, url: string): string {
  const start = url.search(/[?#]/)
  if (start === -1) return text
  const query = url.slice(start)
  return [query, decoded(query)].reduce((clean, part) => (part.length > 1 ? clean.replaceAll(part, '') : clean), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
