/** A release as GitHub's API gives it (OpenAPI schema `release`), as far as it is of use. */
export interface GitHubRelease {
  readonly id: number
  /** The release's name here; its title may be anything. */
  readonly tag: string
  readonly isDraft: boolean
  readonly published: string | undefined
  /** Those that came with it: perhaps not all. */
  readonly assets: readonly GitHubAsset[]
}

/** A file of a release (OpenAPI schema `release-asset`). */
export interface GitHubAsset {
  readonly id: number
  readonly name: string
  readonly size: number
  /** `sha256:<hex>`; GitHub has none for files of before June 2025. */
  readonly digest: string | undefined
  /** For people: needs no token, and does not count against the rate limit of the API. */
  readonly downloadUrl: string
  /** False while it is being uploaded. */
  readonly isComplete: boolean
}

/** A problem in words that follow "the answer is not valid: ". */
export class GitHubShapeError extends Error {}

/** Reads a release. @throws GitHubShapeError */
export function parseGitHubRelease(value: unknown): GitHubRelease {
  const release = recordOf(value, 'a release')
  const published = release['published_at']
  return {
    id: countOf(release, 'id'),
    tag: textOf(release, 'tag_name'),
    isDraft: release['draft'] === true,
    published: typeof published === 'string' && isTime(published) ? published : undefined,
    assets: listOf(release, 'assets').map(parseGitHubAsset),
  }
}

/** Reads an asset. @throws GitHubShapeError */
export function parseGitHubAsset(value: unknown): GitHubAsset {
  const asset = recordOf(value, 'an asset')
  const digest = asset['digest']
  return {
    id: countOf(asset, 'id'),
    name: textOf(asset, 'name'),
    size: countOf(asset, 'size'),
    digest: typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined,
    downloadUrl: textOf(asset, 'browser_download_url'),
    isComplete: asset['state'] === 'uploaded',
  }
}

type JsonMap = Readonly<Partial<Record<string, unknown>>>

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function recordOf(value: unknown, what: string): JsonMap {
  if (!isMap(value)) throw new GitHubShapeError(`${what} is not an object`)
  return value
}

function countOf(map: JsonMap, field: string): number {
  const value = map[field]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new GitHubShapeError(`"${field}" is not a whole number`)
}

function textOf(map: JsonMap, field: string): string {
  const value = map[field]
  if (typeof value === 'string' && value !== '') return value
  throw new GitHubShapeError(`"${field}" is not text`)
}

function listOf(map: JsonMap, field: string): readonly unknown[] {
  const value: unknown = map[field]
  if (Array.isArray(value)) return value
  throw new GitHubShapeError(`"${field}" is not a list`)
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)
}
