/**
 * Extracts from GitHub's published OpenAPI description what tests hold our stand-in for GitHub to: the operations in
 * use with their answers, the schemas that those need, and the examples that the stand-in starts from. Argument:
 * `api.github.com.json` of the package @octokit/openapi (MIT), for example of `npm pack @octokit/openapi@23.0.2`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The operations that a client of ours uses, or that a test asks the stand-in for: method by path. */
const operations: Readonly<Record<string, readonly string[]>> = {
  '/repos/{owner}/{repo}': ['get'],
  '/repos/{owner}/{repo}/check-runs': ['post'],
  '/repos/{owner}/{repo}/check-runs/{check_run_id}': ['patch'],
  '/repos/{owner}/{repo}/commits/{ref}/check-runs': ['get'],
  '/repos/{owner}/{repo}/commits/{ref}/status': ['get'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch'],
  '/repos/{owner}/{repo}/issues/{issue_number}/assignees': ['post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/events': ['get'],
  '/repos/{owner}/{repo}/issues/{issue_number}/labels': ['post'],
  '/repos/{owner}/{repo}/pulls': ['get', 'post'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get', 'patch'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers': ['post'],
  '/repos/{owner}/{repo}/releases': ['get'],
  '/repos/{owner}/{repo}/releases/assets/{asset_id}': ['get'],
  '/repos/{owner}/{repo}/releases/tags/{tag}': ['get'],
  '/repos/{owner}/{repo}/releases/{release_id}': ['get'],
  '/repos/{owner}/{repo}/releases/{release_id}/assets': ['get'],
  '/repos/{owner}/{repo}/statuses/{sha}': ['post'],
}

const examples = [
  'check-run-example-of-completed-conclusion',
  'combined-commit-status',
  'full-repository-default-response',
  'issue',
  'issue-comment',
  'issue-event-for-issue-items',
  'label-items',
  'pull-request',
  'pull-request-simple',
  'release',
  'release-asset',
  'status',
]

/** Where the extract lies. */
const target = fileURLToPath(new URL('servers/github-api.json', import.meta.url))

type Json = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
}

/** Keys that validate nothing. */
const prose: ReadonlySet<string> = new Set(['description', 'externalDocs', 'title'])

/** A schema or response without what is only read by people; names of properties are kept whatever they are. */
function bare(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
    .filter(([key, child]) => isMap || !((prose.has(key) && typeof child === 'string') || /^examples?$|^x-/.test(key)))
    .map(([key, child]) => [key, bare(child, key === 'properties' && !isMap)] as const)
  return Object.fromEntries(entries)
}

/** Adds what `value` refers to, and what that refers to. */
function collect(value: unknown, description: unknown, found: Map<string, unknown>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, description, found)
  if (!isRecord(value)) return
  for (const [key, child] of Object.entries(value)) {
    if (key !== '$ref' || typeof child !== 'string') {
      collect(child, description, found)
      continue
    }
    if (found.has(child)) continue
    const part = bare(fieldOf(description, ...child.slice(2).split('/')))
    if (part === undefined) throw new Error(`the description has no ${child}`)
    found.set(child, part)
    collect(part, description, found)
  }
}

interface Parameter {
  readonly name: string
  readonly place: unknown
  readonly schema: unknown
}

/** A parameter of an operation, itself or by reference. */
function parameterOf(item: unknown, description: unknown): Parameter {
  const reference = fieldOf(item, '$ref')
  const found = typeof reference === 'string' ? fieldOf(description, ...reference.slice(2).split('/')) : item
  return { name: String(fieldOf(found, 'name')), place: fieldOf(found, 'in'), schema: fieldOf(found, 'schema') }
}

function extract(description: unknown): Json {
  const paths = Object.entries(operations).map(([path, methods]) => {
    const kept = methods.map((method) => {
      const responses = fieldOf(description, 'paths', path, method, 'responses')
      if (responses === undefined) throw new Error(`the description has no ${method} ${path}`)
      const operation = fieldOf(description, 'paths', path, method)
      const body = fieldOf(operation, 'requestBody', 'content', 'application/json', 'schema')
      const given = fieldOf(operation, 'parameters')
      const parameters = Array.isArray(given) ? given.map((item) => parameterOf(item, description)) : []
      const query = parameters.filter(({ place }) => place === 'query').map(({ name, schema }) => [name, bare(schema)])
      return [
        method,
        {
          ...(query.length > 0 && { query: Object.fromEntries(query) }),
          ...(body !== undefined && { body: bare(body) }),
          responses: bare(responses),
        },
      ] as const
    })
    return [path, Object.fromEntries(kept)] as const
  })
  const found = new Map<string, unknown>()
  collect(paths, description, found)
  const part = (kind: string): Json =>
    Object.fromEntries(
      [...found]
        .filter(([key]) => key.startsWith(`#/components/${kind}/`))
        .map(([key, value]) => [key.slice(`#/components/${kind}/`.length), value] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  return {
    source: `GitHub's OpenAPI description, version ${String(fieldOf(description, 'info', 'version'))}, extracted by tools/github-extract.ts`,
    licence: 'MIT, https://github.com/github/rest-api-description',
    paths: Object.fromEntries(paths),
    components: {
      schemas: part('schemas'),
      responses: part('responses'),
      examples: Object.fromEntries(
        examples.map((name) => {
          const value = fieldOf(description, 'components', 'examples', name, 'value')
          if (value === undefined) throw new Error(`the description has no example ${name}`)
          return [name, { value }] as const
        }),
      ),
    },
  }
}

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('give the path of api.github.com.json')
writeFileSync(target, `${JSON.stringify(extract(JSON.parse(readFileSync(file, 'utf8'))), undefined, 1)}\n`)
