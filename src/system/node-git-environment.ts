import { devNull } from 'node:os'
import { inspect } from 'node:util'
import type { GitRemote } from '../model/git.ts'

/** Variables by name. */
type Variables = Readonly<Record<string, string | undefined>>

/** The environment that git runs with; printing it (simple-git does, under DEBUG) shows nothing of its content. */
export type GitEnvironment = Record<string | symbol, unknown>

/**
 * The variables that name another program or file than the user's own configuration does: git's variables, editors,
 * pagers.
 */
const GUARDED = /^(?:GIT_.*|EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS|SSH_ASKPASS_REQUIRE|LC_ALL|LANGUAGE)$/i

/** How the user reaches servers stays: ssh, proxies, certificates, and where the user's own configuration lies. */
const KEPT =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_(?!NO_VERIFY$).*|PROXY_.*|HTTP_(?!EXTRA).*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|CEILING_DIRECTORIES)$/

/** The same for configuration that the user hands over in variables. */
const KEPT_CONFIG = /^(?:http|credential|url|ssh|safe)\.|^core\.(?:sshcommand|gitproxy)$/i

/** Who makes a commit, and how it is signed: for what makes some. */
const IDENTITY = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/
const IDENTITY_CONFIG = /^(?:user|author|committer|gpg)\.|^commit\.gpgsign$/i

/** The facts that the environment of a run of git depends on. */
export interface EnvironmentOptions {
  /** A bare repository, none, or `discover`: the one around the working directory. */
  readonly repository: string
  readonly remote?: GitRemote | undefined
  /** The work tree of the repository that is discovered, whatever its configuration says; absolute. */
  readonly workTree?: string | undefined
  /** The index in place of the repository's own; absolute. */
  readonly index?: string | undefined
  /** True if commits are made. */
  readonly isWriting?: boolean | undefined
  /** Configuration for this run alone. */
  readonly config?: readonly (readonly [string, string])[] | undefined
}

/**
 * The environment of one git process. The user's and the system's configuration files stay in force, because credential
 * helpers, ssh commands, proxies and `url.<base>.insteadOf` are set there; a repository around the working directory is
 * not looked at, and nothing of a fetched repository is ever configuration. What could run a program by itself (hooks,
 * file system monitor, askpass, templates) is off, nobody is asked for anything, and only the transports `https` and
 * `ssh`, and the one that the URL itself names, are allowed: not `ext::`. The authorization goes into a variable, where
 * neither `ps` nor a file shows it.
 */
export function gitEnvironment(
  ambient: Variables,
  { repository, remote, workTree, index, isWriting = false, config = [] }: EnvironmentOptions,
): GitEnvironment {
  const isKept = (name: string): boolean => KEPT.test(name) || (isWriting && IDENTITY.test(name))
  const kept = Object.entries(ambient).filter(([name]) => !GUARDED.test(name) || isKept(name))
  const isKeptConfig = (key: string): boolean => KEPT_CONFIG.test(key) || (isWriting && IDENTITY_CONFIG.test(key))
  return {
    ...Object.fromEntries(kept),
    ...configVariables([
      ...userConfig(ambient).filter(([key]) => isKeptConfig(key)),
      ...ownConfig(remote),
      ...(isWriting ? writeConfig : []),
      ...config,
    ]),
    ...(repository !== 'discover' && { GIT_DIR: repository }),
    ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
    GIT_ALLOW_PROTOCOL: remote === undefined ? 'none' : allowedProtocols(remote.url),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    // ssh asks this program instead of the terminal, and it refuses: ssh's own configuration and agent stay in force
    SSH_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'force',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    ...(remote?.certificateFile !== undefined && { GIT_SSL_CAINFO: remote.certificateFile }),
    // messages are looked into
    LC_ALL: 'C',
    LANGUAGE: '',
    [inspect.custom]: () => '[environment]',
  }
}

/**
 * Commits are made from exact bytes and exact names, and by somebody: git would make up an address of the machine's
 * name. Which names may be put on a disk is not git's business there.
 */
const writeConfig: readonly (readonly [string, string])[] = [
  ['user.useConfigOnly', 'true'],
  ['i18n.commitEncoding', 'UTF-8'],
  ['core.splitIndex', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.protectNTFS', 'false'],
  ['core.protectHFS', 'false'],
  ['push.followTags', 'false'],
  ['push.recurseSubmodules', 'no'],
]

/** `https://host[:port]/` of an http URL; undefined for others. */
function originOf(url: string): string | undefined {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0]
}

function allowedProtocols(url: string): string {
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? (url.startsWith('/') ? 'file' : 'ssh')
  return [...new Set(['https', 'ssh', scheme])].join(':')
}

function ownConfig(remote: GitRemote | undefined): readonly (readonly [string, string])[] {
  const origin = remote?.authorization === undefined ? undefined : originOf(remote.url)
  return [
    ['core.hooksPath', devNull],
    // files of a work tree that look like a repository are none (git 2.38 and newer)
    ['safe.bareRepository', 'explicit'],
    ['core.fsmonitor', 'false'],
    // the repository's own setting would go before the variable
    ['core.useReplaceRefs', 'false'],
    ['advice.graftFileDeprecated', 'false'],
    ['core.askPass', ''],
    ['credential.interactive', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['fetch.unpackLimit', '1'],
    ['fetch.writeCommitGraph', 'false'],
    ['fetch.recurseSubmodules', 'false'],
    ['submodule.recurse', 'false'],
    ['transfer.bundleURI', 'false'],
    ['protocol.version', '2'],
    // a server that sends nothing for a minute has gone
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
    ...(origin === undefined ? [] : authorizationConfig(origin, remote?.authorization?.reveal() ?? '')),
  ]
}

/**
 * The header replaces others for the same origin, helpers are left out of it, and no redirect may carry it elsewhere.
 */
function authorizationConfig(origin: string, value: string): readonly (readonly [string, string])[] {
  return [
    ['credential.helper', ''],
    ['http.followRedirects', 'false'],
    [`http.${origin}/.followRedirects`, 'false'],
    [`http.${origin}/.extraHeader`, ''],
    [`http.${origin}/.extraHeader`, `Authorization: ${value}`],
  ]
}

function userConfig(ambient: Variables): readonly (readonly [string, string])[] {
  const count = Number(ambient['GIT_CONFIG_COUNT'] ?? 0)
  if (!Number.isSafeInteger(count) || count < 0 || count > 1000) return []
  return Array.from({ length: count }, (_, index) => {
    const key = ambient[`GIT_CONFIG_KEY_${index}`] ?? ''
    return [key, ambient[`GIT_CONFIG_VALUE_${index}`] ?? ''] as const
  })
}

function configVariables(config: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const entries = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ])
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(entries) }
}
