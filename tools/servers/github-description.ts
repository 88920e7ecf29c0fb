import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'

type Json = Readonly<Record<string, unknown>>

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Json>> }>>>
  >
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

/** The problems that the description has with an answer; `path` without query. */
export function githubProblems(answer: {
  readonly path: string
  readonly status: number
  readonly body: unknown
}): readonly string[] {
  const { paths, components } = load()
  const candidates = Object.keys(paths).filter((template) => matches(template, answer.path))
  // the path with the fewest parameters is meant
  const [template] = candidates.sort((a, b) => a.split('{').length - b.split('{').length)
  if (template === undefined) return [`no path ${answer.path}`]
  const response = paths[template]?.['get']?.responses[String(answer.status)]
  if (response === undefined) return [`${template} does not answer ${answer.status}`]
  const named = /^#\/components\/responses\/(.*)$/.exec(String(response['$ref']))?.[1]
  const content = (named === undefined ? response : components.responses[named])?.['content'] as
    Readonly<Record<string, { readonly schema: Json }>> | undefined
  const schema = content?.['application/json']?.schema
  if (schema === undefined) return []
  const key = `${template} ${answer.status}`
  ajv ??= new Ajv({ strict: false, validateFormats: false, allErrors: true }).addSchema({
    $id: 'https://github/',
    components: { schemas: components.schemas },
  })
  const check = checks.get(key) ?? ajv.compile(absolute(schema))
  checks.set(key, check)
  return check(answer.body) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
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
  return JSON.parse(text)
}
