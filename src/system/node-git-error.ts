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
/** Lines that tell something. */
const TELLING = /^(?:fatal|error|remote|ERROR|ssh|\S+@\S+):|Permission denied/
/**
 * Such lines as git, curl and ssh write them where a remote is asked. A credential helper writes to the same place, and
 * what it says may hold the password: a line that nobody else is known to write is not repeated.
 */
const OF_REMOTES: readonly RegExp[] = [
  /^remote: /,
  /^fatal: (?:unable to access '|repository '[^']*' not found|Authentication failed for '|could not read (?:Username|Password) for '|unable to get password from user$)/,
  /^fatal: (?:Could not read from remote repository|'[^']*' does not appear to be a git repository|not a git repository|unable to (?:look up|connect to) \S+|unable to find remote helper for '|unable to update url base from redirection|unknown value for config '|bad (?:numeric |boolean )?config |transport '[^']*' not allowed|protocol '[^']*' is not supported|protocol error: |remote helper '|credential url cannot be parsed)/,
  /^fatal: (?:[Cc]ouldn't find remote ref |no such remote ref |remote error: |[Tt]he remote end hung up |early EOF|unexpected disconnect |expected |invalid server response|dumb http transport |git upload-pack: |git-http-\w+|fetch-pack: |index-pack |pack |unpack|bad (?:tree )?object |bad pack |protocol v\d|could not fetch [0-9a-f]+ from promisor remote|\S+ not valid: |\S+\/info\/refs |Server does not |did not receive expected object |shallow |the receiving end |the remote end |support for protocol )/,
  /^fatal: (?:detected dubious ownership |cannot use bare repository |cannot lock ref |ambiguous argument |invalid refspec |No such remote|'[^']*' is not a commit|Unable to create '|write error: |sha1 file '|mismatched algorithms|Not a valid object name |Needed a single revision|bad revision '|unknown revision |invalid object |loose object |missing |revision |Out of memory|unable to (?:create|write|open|rename|read|start) |cannot (?:create|open|write|run|store|exec) |failed to (?:write|read|open|run))/,
  /^error: (?:failed to push some refs to '|RPC failed; |src refspec |dst refspec? |dst ref |cannot lock ref |remote unpack failed: |unpack failed: |atomic push failed |Server does not allow request |The requested URL returned error: |Could not read |no such remote ref |couldn't find remote ref |unable to (?:create|write|open|rename|read|update|push|resolve|delete|access) |cannot (?:run|open|create|spawn|exec) |failed to (?:write|read|open|delete)|invalid (?:path|object|refspec)|object |bad |inflate: |pack-objects |update_ref failed |refs\/|\d+ bytes of body are still expected)/,
]
/** The same of servers behind SSH, where git asks no helper. */
const OF_SSH = /^(?:ERROR|ssh|\S+@\S+): |Permission denied \(/
const UNTOLD = 'git failed; what it or a credential helper printed is not repeated, because it may hold a password'
/**
 * The characters of the beginning and of the end that are examined: a server may print millions of characters, and some
 * expressions take the square of them.
 */
const MAX_LOOKED_AT = 4000

/**
 * The error for what git printed, or what a run of it that printed nothing failed with. Nothing of the remote's
 * credentials is in it, and no line that another program may have written.
 */
export function gitErrorOf(
  printed: string,
  remote: GitRemote | undefined,
  from: 'printed' | 'failed' = 'printed',
): GitError {
  const text = shortened(withoutCredentials(printed, remote))
  const reason = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
  return new GitError(
    reason,
    reason === 'not-installed'
      ? 'git is not installed, or not on PATH'
      : summaryOf(text, from === 'failed' ? undefined : remote),
  )
}

function shortened(text: string): string {
  if (text.length <= 2 * MAX_LOOKED_AT) return text
  return `${text.slice(0, MAX_LOOKED_AT)}\n${text.slice(-MAX_LOOKED_AT)}`
}

/** The lines that tell something, without control characters, on one line. */
function summaryOf(text: string, remote: GitRemote | undefined): string {
  const lines = text
    .replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\r' ? '\n' : ' '))
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
  const telling = lines.filter((line) => TELLING.test(line) && (remote === undefined || isKnown(line, remote.url)))
  const shown = telling.length === 0 && remote === undefined ? lines : telling
  const summary = [...new Set(shown)].join('; ') || UNTOLD
  return summary.length > MAX_MESSAGE ? `${summary.slice(0, MAX_MESSAGE)}…` : summary
}

function isKnown(line: string, url: string): boolean {
  return OF_REMOTES.some((pattern) => pattern.test(line)) || (!/^https?:/i.test(url) && OF_SSH.test(line))
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
