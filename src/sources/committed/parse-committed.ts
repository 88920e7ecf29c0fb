import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'

/**
 * A committed file of the tree. `path` is relative to the output folder.
 * @throws StackmasonError OBJECT_INVALID when the file is no YAML map with a kind: nobody can tell then what the
 * cluster has
 */
export function parseCommitted(text: string, path: string): Dict {
  const value = parse(text)
  if (value instanceof Dict && textAt(value, 'kind') !== '') return value
  throw new StackmasonError({
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `${path} as it is committed holds no object`,
    file: path,
    hint: 'Restore the file from the last commit in which it was whole, commit that, and render again.',
  })
}

function parse(text: string): Value {
  try {
    return parseGoYaml(text, { integers: 'int' })
  } catch (error) {
    if (error instanceof YamlError) return null
    throw error
  }
}
