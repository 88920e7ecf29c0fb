import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { itemsAt, fieldAt, textAt } from '../../model/field.ts'
import type { ReleaseAsset } from '../../model/release-source.ts'
import type { Value } from '../../model/value.ts'
import { schemaTexts } from '../fleet/schema-texts.ts'

/** A release in index.json. */
export interface IndexedRelease {
  readonly tag: string
  readonly kubernetesVersion?: string
  readonly published?: string
  /** Sorted by name, each with digest and size. */
  readonly assets: readonly ReleaseAsset[]
}

/** Nobody reads more of them in one go. */
const MAX_PROBLEMS = 10
/**
 * Opening brackets and commas: ten thousand releases of six assets have 300,000. Tiny values would fill the memory long
 * before their text is long.
 */
const MAX_MARKS = 400_000

/**
 * Reads index.json (schemas/release-index.json) of a server that is not trusted: names with path parts, names that
 * stand twice, and sizes that no asset has are problems. Either every entry is sound, or there are problems, each a
 * clause.
 */
export function parseIndexedReleases(
  bytes: Uint8Array,
): { readonly releases: readonly IndexedRelease[] } | { readonly problems: readonly string[] } {
  if (countMarks(bytes) > MAX_MARKS) return { problems: ['it holds far more than releases'] }
  let value: Value
  try {
    value = parseGoJson(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof JsonError) return { problems: [`it is not valid JSON: ${error.message}`] }
    throw error
  }
  const problems = compileSchema(parseGoJson(schemaTexts['release-index'])).validate(value)
  if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS).map(describeProblem) }
  const releases = itemsAt(value, 'releases').map(readRelease)
  const twice = [
    ...duplicates(releases.map(({ tag }) => tag)).map((tag) => `it lists ${tag} twice`),
    ...releases.flatMap(({ tag, assets }) =>
      duplicates(assets.map(({ name }) => name)).map((name) => `it lists ${name} of ${tag} twice`),
    ),
  ]
  return twice.length > 0 ? { problems: twice.slice(0, MAX_PROBLEMS) } : { releases }
}

function countMarks(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
  return count
}

function readRelease(value: Value): IndexedRelease {
  const kubernetesVersion = textAt(value, 'kubernetesVersion')
  const published = textAt(value, 'published')
  return {
    tag: textAt(value, 'name'),
    ...(kubernetesVersion !== '' && { kubernetesVersion }),
    ...(published !== '' && { published }),
    assets: itemsAt(value, 'assets')
      .map((asset) => {
        const size = fieldAt(asset, 'size')
        return {
          name: textAt(asset, 'name'),
          digest: textAt(asset, 'digest'),
          ...(typeof size === 'number' && { size }),
        }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function duplicates(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) twice.add(name)
    seen.add(name)
  }
  return [...twice]
}

function describeProblem({ path, message }: SchemaProblem): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`
}
