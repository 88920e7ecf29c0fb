import { StackmasonError } from './diagnostic.ts'
import type { ReleaseName, ReleaseVersion } from './release.ts'
import type { Span } from './source.ts'

/** A parse that may fail: `value`, or the `reason` in words that follow "… is not valid: ". */
export type ParseOutcome<Result> = { readonly value: Result } | { readonly reason: string }

/** Where the text was written, for the error. */
export interface NameOptions {
  readonly at?: Span
  readonly file?: string
  /** The next step, where the general one does not fit. */
  readonly hint?: string
}

/** How channel and patch of a version are joined: `v0-sha.abc` (dot) or `v0-sha-abc` (dash). */
export type VersionSpelling = 'dot' | 'dash'

/**
 * Parses a release tag (`docker-ferrol-1-27-v0-sha-abc1234`): the dash form, the name of a release directory or
 * registry tag. Rules: cluster-stack-operator pkg/clusterstack `NewFromClusterStackReleaseProperties`; provider and
 * stack are narrower, see {@link matchReleaseTag}.
 * @throws StackmasonError RELEASE_NAME_INVALID
 */
export function parseReleaseTag(tag: string, options: NameOptions = {}): ReleaseName {
  return valueOf(matchReleaseTag(tag), `release tag ${quote(tag)}`, options)
}

/**
 * Parses a cluster class name (`docker-ferrol-1-27-v0-sha.abc1234`): the dot form, as in `Cluster.spec.topology.class`.
 * Rules: cluster-stack-operator pkg/clusterstack `NewFromClusterClassProperties`.
 * @throws StackmasonError RELEASE_NAME_INVALID
 */
export function parseClassName(className: string, options: NameOptions = {}): ReleaseName {
  return valueOf(matchClassName(className), `cluster class name ${quote(className)}`, options)
}

/**
 * Parses a version in dot or dash form (`v7`, `v0-sha.abc1234`, `v0-sha-abc1234`). As upstream, `v1-stable.3` is read
 * and printed as `v1`.
 * @throws StackmasonError RELEASE_NAME_INVALID
 */
export function parseVersion(version: string, options: NameOptions = {}): ReleaseVersion {
  return valueOf(matchVersion(version), `version ${quote(version)}`, options)
}

/**
 * Like {@link parseReleaseTag}, without throwing. Provider and stack must be lower-case letters and digits: a dash
 * would make the tag ambiguous, a dot breaks the operator's conversion between class name and tag, and everything else
 * is no Kubernetes name.
 */
export function matchReleaseTag(tag: string): ParseOutcome<ReleaseName> {
  const parts = tag.split('-')
  if (parts.length === 5 || parts.length === 7) return matchParts(parts, 'dash')
  return { reason: partsReason(parts.length, '5 or 7', '<provider>-<stack>-<major>-<minor>-<version>') }
}

/** Like {@link parseClassName}, without throwing. */
export function matchClassName(className: string): ParseOutcome<ReleaseName> {
  const parts = className.split('-')
  if (parts.length === 5 || parts.length === 6) return matchParts(parts, 'dot')
  const asTag = matchReleaseTag(className)
  if ('value' in asTag) {
    return { reason: `this is the release tag; the class is called ${quote(formatClassName(asTag.value))}` }
  }
  return { reason: partsReason(parts.length, '5 or 6', '<provider>-<stack>-<major>-<minor>-<version with a dot>') }
}

/** Like {@link parseVersion}, without throwing; `spelling` admits only that form. */
export function matchVersion(version: string, spelling?: VersionSpelling): ParseOutcome<ReleaseVersion> {
  const match = /^v(\d+)(?:-(\w+)([-.])(\w+))?$/.exec(version)
  const separator = match?.[3]
  const isOtherForm = separator !== undefined && spelling !== undefined && (separator === '.') !== (spelling === 'dot')
  if (match === null || isOtherForm) {
    return { reason: `a version is v<number> or ${versionForm(spelling)}, such as v3 or ${versionExample(spelling)}` }
  }
  const major = Number(match[1])
  if (!Number.isSafeInteger(major)) return { reason: 'the number after v is too large' }
  return { value: { major, channel: match[2] ?? 'stable', patch: match[4] ?? '' } }
}

/** The version as text; off the stable channel the spelling decides what stands before the patch. */
export function formatVersion(version: ReleaseVersion, spelling: VersionSpelling): string {
  if (version.channel === 'stable') return `v${version.major}`
  return `v${version.major}-${version.channel}${spelling === 'dot' ? '.' : '-'}${version.patch}`
}

/** The release tag, in dash form. */
export function formatTag(name: ReleaseName): string {
  return `${releasePrefix(name)}-${formatVersion(name.version, 'dash')}`
}

/** The cluster class's name, in dot form. */
export function formatClassName(name: ReleaseName): string {
  return `${releasePrefix(name)}-${formatVersion(name.version, 'dot')}`
}

/**
 * `<provider>-<stack>-<major>-<minor>`: the Helm release name of the class chart, and what chart file names start with.
 */
export function releasePrefix(name: ReleaseName): string {
  return `${name.provider}-${name.stack}-${name.kubernetes.major}-${name.kubernetes.minor}`
}

/**
 * Orders stable versions by their number: negative, 0 or positive. @throws RangeError for another channel, which has no
 * order
 */
export function compareVersions(a: ReleaseVersion, b: ReleaseVersion): number {
  if (a.channel !== 'stable' || b.channel !== 'stable') throw new RangeError('only stable versions have an order')
  return a.major - b.major
}

function matchParts(parts: readonly string[], spelling: VersionSpelling): ParseOutcome<ReleaseName> {
  const [provider = '', stack = '', majorText = '', minorText = ''] = parts
  for (const [role, part] of [
    ['provider', provider],
    ['stack', stack],
  ]) {
    if (part === '') return { reason: `the ${role} is empty` }
    if (!/^[a-z0-9]+$/.test(part ?? '')) return { reason: `the ${role} ${quote(part ?? '')} may hold only a-z and 0-9` }
  }
  const major = matchPositive(majorText)
  const minor = matchPositive(minorText)
  if (major === undefined || minor === undefined) {
    return { reason: `${quote(`${majorText}-${minorText}`)} is not a Kubernetes version such as 1-34` }
  }
  const version = matchVersion(parts.slice(4).join('-'), spelling)
  if ('reason' in version) return version
  return { value: { provider, stack, kubernetes: { major, minor }, version: version.value } }
}

function matchPositive(text: string): number | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value > 0 && Number.isSafeInteger(value) ? value : undefined
}

function partsReason(count: number, wanted: string, form: string): string {
  return `it has ${count} part${count === 1 ? '' : 's'} between dashes instead of ${wanted}, as in ${form}`
}

function versionForm(spelling: VersionSpelling | undefined): string {
  if (spelling === undefined) return 'v<number>-<channel>.<patch> (or with a dash for the dot)'
  return spelling === 'dot' ? 'v<number>-<channel>.<patch>' : 'v<number>-<channel>-<patch>'
}

function versionExample(spelling: VersionSpelling | undefined): string {
  return spelling === 'dash' ? 'v0-sha-abc1234' : 'v0-sha.abc1234'
}

/** Names come from outside: quotes and control characters must not leave a message's line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}

function valueOf<Result>(outcome: ParseOutcome<Result>, subject: string, options: NameOptions): Result {
  if ('value' in outcome) return outcome.value
  throw new StackmasonError({
    code: 'RELEASE_NAME_INVALID',
    severity: 'error',
    message: `${subject} is not valid: ${outcome.reason}`,
    ...options,
  })
}
