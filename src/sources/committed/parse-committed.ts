import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'

/**
 * A committed file of the tree. `path` is relative to the output folder.
 * @throws StackmasonError OBJECT_INVALID when the file is no YAML map with a kind: nobody can tell then what the
 * cluster has
 */
export function parseCommitted(text: string, path: string): Dict {
  const value = parseOrNull(text)
  if (value instanceof Dict && textAt(value, 'kind') !== '') return value
  throw invalidFile(path, hasConflict(text) ? 'has conflict markers of git' : 'holds no object')
}

/** The error for a committed file of the tree that does not say what it should. */
export function invalidFile(path: string, reason: string): StackmasonError {
  return new StackmasonError({
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `the file as it is committed ${reason}`,
    file: path,
    hint: 'Restore the file from the last commit in which it was whole, commit that, and render again.',
  })
}

/** True if there is more in a file of the tree than the one object that is read. */
export function hasMoreDocuments(text: string): boolean {
  const start = text.search(/^[^#\s-]/m)
  return start !== -1 && /^---/m.test(text.slice(start))
}

function hasConflict(text: string): boolean {
  return findConflictMarker({ name: '', text }) !== undefined
}

/** The first object of a committed file; null for a file that is no YAML. */
export function parseOrNull(text: string): Value {
  try {
    return parseGoYaml(text, { integers: 'int' })
  } catch (error) {
    if (error instanceof YamlError) return null
    throw error
  }
}
