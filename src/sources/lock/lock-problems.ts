import { parseGoJson } from '../../codec/json/go-json.ts'
import { compileSchema, type SchemaProblem } from '../../codec/json-schema/json-schema.ts'
import { copyDict } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import { schemaTexts } from '../fleet/schema-texts.ts'

/** Whoever edits a lock by hand reads no more than this. */
const MAX_PROBLEMS = 20

/** Entries that are checked at a time: a file that is no lock at all may have any number of problems. */
const CHUNK = 50

/** The problems of a document against schemas/lock.json, the first 20. */
export function lockProblems(document: Dict): readonly SchemaProblem[] {
  const { validate } = compileSchema(parseGoJson(schemaTexts.lock), { patterns: 'on-use' })
  const lists = [...document].flatMap(([name, value]) => (Array.isArray(value) ? [{ name, value }] : []))
  const rest = copyDict(document)
  for (const { name } of lists) rest.set(name, [])
  const problems = [...validate(rest)]
  for (const { name, value } of lists) {
    for (let start = 0; start < value.length && problems.length < MAX_PROBLEMS; start += CHUNK) {
      const part = copyDict(rest)
      part.set(name, value.slice(start, start + CHUNK))
      for (const problem of validate(part)) {
        const [field, index, ...path] = problem.path
        // what is not about an entry was found in the rest
        if (field !== name || typeof index !== 'number' || problem.within !== undefined) continue
        problems.push({ ...problem, path: [field, index + start, ...path] })
      }
    }
  }
  return problems.filter(({ within }) => within === undefined).slice(0, MAX_PROBLEMS)
}
