import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  /** Schemas of its parameters. */
  readonly query?: Json
  readonly body?: Json
  readonly responses: Readonly<Record<string, Json>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Json
    readonly responses: Readonly<Record<string, Json>>
    readonly examples: Readonly<Record<string, { readonly value: Json }>>
  }
}

const file = fileURLToPath(new URL('github-api.json', import.meta.url))

let description: Description | undefined
let ajv: Ajv | undefined
const checks = new Map<string, ValidateFunction>()

/** What `tools/github-extract.ts` has taken out of GitHub's published OpenAPI description. */
function load(): Description {
  if (description !== undefined) return description
  const loaded: Description = JSON.parse(readFileSync(file, 'utf8'))
  description = loaded
  return loaded
}

/** An example of the description, such as `release`. */
export function githubExample(name: string): Json {
  const example = load().components.examples[name]
  if (example === undefined) throw new Error(`the description has no example ${name}`)
  return example.value
}

/** The problems that the description has with an answer; `path` without query, `method` is GET without. */
export function githubProblems(answer: {
  readonly method?: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}): readonly string[] {
  const { components } = load()
  const template = templateOf(answer.path)
  if (template === undefined) return [`no path ${answer.path}`]
  const method = (answer.method ?? 'GET').toLowerCase()
  const response = operationOf(template, method)?.responses[String(answer.status)]
  if (response === undefined) return [`${template} does not answer ${answer.status}`]
  const named = /^#\/components\/responses\/(.*)$/.exec(String(response['$ref']))?.[1]
  const content = (named === undefined ? response : components.responses[named])?.['content'] as
    Readonly<Record<string, { readonly schema: Json }>> | undefined
  const schema = content?.['application/json']?.schema
  return schema === undefined ? [] : check(`${method} ${template} ${answer.status}`, schema, answer.body)
}

/** The problems that the description has with a request: fields and parameters that nobody reads are among them. */
export function githubRequestProblems(request: {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}): readonly string[] {
  const template = templateOf(request.path)
  if (template === undefined) return [`no path ${request.path}`]
  const method = request.method.toLowerCase()
  const operation = operationOf(template, method)
  if (operation === undefined) return [`no ${request.method} ${template}`]
  const { query = {}, body } = operation
  const given = isJson(request.body) ? Object.keys(request.body) : []
  const known = isJson(body) && isJson(body['properties']) ? Object.keys(body['properties']) : undefined
  return [
    ...[...request.query].flatMap(([name, value]) => {
      const schema = query[name]
      if (!isJson(schema)) return [`no parameter ${name}`]
      const typed = schema['type'] === 'integer' ? Number(value) : value
      return check(`${method} ${template} ?${name}`, schema, typed)
    }),
    ...(known === undefined ? [] : given.filter((name) => !known.includes(name)).map((name) => `no field ${name}`)),
    ...(body === undefined ? [] : check(`${method} ${template} body`, body, request.body)),
  ]
}

function operationOf(template: string, method: string): Operation | undefined {
  return load().paths[template]?.[method]
}

/** The path with the fewest parameters is meant. */
function templateOf(path: string): string | undefined {
  const candidates = Object.keys(load().paths).filter((template) => matches(template, path))
  return candidates.sort((a, b) => a.split('{').length - b.split('{').length)[0]
}

function check(key: string, schema: Json, value: unknown): readonly string[] {
  ajv ??= new Ajv({ strict: false, validateFormats: false, allErrors: true }).addSchema({
    $id: 'https://github/',
    components: { schemas: plain(load().components.schemas) },
  })
  const compiled = checks.get(key) ?? ajv.compile(absolute(schema))
  checks.set(key, compiled)
  return compiled(value) ? [] : (compiled.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === decodeURIComponent(given[index] ?? ''))
  )
}

/** References of a schema that is taken out of the description. */
function absolute(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"https://github/#/components/')
  return plainMap(JSON.parse(text))
}

/** OpenAPI 3.0 says beside a schema that null is allowed, whatever its type and its list of values say. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return isJson(value) ? plainMap(value) : value
}

function plainMap(value: Json): Json {
  const { nullable, ...rest } = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]))
  if (nullable === true) return { anyOf: [rest, { type: 'null' }] }
  return nullable === undefined ? rest : { ...rest, nullable }
}
