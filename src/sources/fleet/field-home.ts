import { parseGoJson } from '../../codec/json/go-json.ts'
import { dictAt, type PathStep } from '../../model/field.ts'
import { kindOfSchema } from './document-kind.ts'
import { schemaTexts, type SchemaName } from './schema-texts.ts'

/** The schemas of documents that people write; of Cluster the newer one alone, whose top fields the older has, too. */
const written: readonly SchemaName[] = [
  'fleet',
  'clusterstack',
  'cluster-v1beta2',
  'cluster-options',
  'addons',
  'patch',
]

/**
 * Says where a field belongs that stands at the top of a document, or right below its `spec`, and is not possible
 * there: elsewhere in such a document, or below `spec` of another kind. Undefined where no kind has it.
 */
export function fieldHome(schema: SchemaName, path: readonly PathStep[], name: string): string | undefined {
  const place = path.join('/')
  if (place !== '' && place !== 'spec') return undefined
  const within = [['spec'], ['spec', 'topology']].find(
    (folder) => folder.join('/') !== place && has(schema, folder, name),
  )
  if (within !== undefined) return `Write it below \`${within.join('.')}\`.`
  const own = kindOfSchema(schema)
  const files = written.flatMap((other) => {
    const kind = kindOfSchema(other)
    return kind === undefined || kind === own || !has(other, ['spec'], name) ? [] : [kind.file]
  })
  return files.length === 0 ? undefined : `It belongs below \`spec\` of ${files.join(' or ')}.`
}

function has(schema: SchemaName, folder: readonly string[], name: string): boolean {
  const root = parseGoJson(schemaTexts[schema])
  return dictAt(root, ...folder.flatMap((step) => ['properties', step]), 'properties')?.has(name) === true
}
