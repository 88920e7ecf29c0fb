import type { Octokit } from 'octokit'

/** A client of GitHub's API that knows routes, pages and GraphQL. */
export type GitHubClient = Octokit

/** A request as octokit makes it. */
export interface OctokitRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The part of fetch's answer that octokit uses. */
export interface OctokitAnswer {
  readonly status: number
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  /** The answer's `data`: JSON is parsed by whoever answers. */
  readonly body: unknown
  /** The text of an error. */
  readonly text: () => Promise<string>
}

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Makes octokit's client. What it would do by itself is switched off: retries, waiting for rate limits and certificates
 * belong to `transport`, and it never sees a token.
 */
export async function createOctokit(
  apiUrl: string,
  exchange: (url: string, request: OctokitRequest) => Promise<OctokitAnswer>,
): Promise<GitHubClient> {
  const { Octokit } = await import('octokit')
  return new Octokit({
    baseUrl: apiUrl,
    retry: { enabled: false },
    throttle: { enabled: false },
    log: silent,
    request: {
      log: silent,
      // JSON is parsed here, by what is quick and refuses what is none
      parseSuccessResponseBody: false,
      fetch: exchange,
    },
  })
}

function ignore(): void {
  // octokit's log: what matters is thrown
}
