import { copyDict, formatPointer, type PathStep } from '../../model/field.ts'
import type { LocatedToken } from '../../model/manifest.ts'
import { Dict } from '../../model/value.ts'
import { ownMetadataProblems } from '../built-in/own-metadata.ts'
import { applyDefaults } from './apply-defaults.ts'
import { defaultProblems } from './default-problems.ts'
import { embeddedProblems } from './embedded-resources.ts'
import type { NodeType, SchemaNode } from './schema-node.ts'
import { type SchemaProblem, typeNames, validateValue } from './validate-value.ts'

/** The schema of an object of some kind, and what API servers do with such an object besides. */
export interface ObjectSchema {
  readonly node: SchemaNode
  /** Of the metadata, where `node` does not describe it. */
  readonly metadata: SchemaNode | undefined
  /** The part of a status that counts: servers drop that of most kinds before they look at its values. */
  readonly status: 'values' | 'types' | 'fields'
}

/** The object as rules in CEL see it: with defaults, and without a status that servers drop. */
export function withDefaults(object: Dict, { node, status }: ObjectSchema): Dict {
  const filled = applyDefaults(object, node)
  if (!(filled instanceof Dict) || status === 'values' || !filled.has('status'))
    return filled instanceof Dict ? filled : object
  const copy = copyDict(filled)
  copy.delete('status')
  return copy
}

/**
 * All that an API server refuses by the schema, in the order of the object. `late` are texts that are known only later:
 * of those the type is judged alone.
 */
export function validateObject(
  object: Dict,
  { node, metadata, status }: ObjectSchema,
  late: readonly LocatedToken[] = [],
): readonly SchemaProblem[] {
  const found = [
    ...problemsOfMetadata(object, metadata),
    ...ownMetadataProblems(object, metadata === undefined ? 'built-in kinds' : 'custom kinds').map(
      ({ path, says }): SchemaProblem => ({ kind: 'not-allowed', path, says }),
    ),
    ...validateValue(applyDefaults(object, node), node),
    ...(metadata === undefined ? [] : embeddedProblems(object, node, metadata)),
  ]
  const ofDefaults = defaultProblems(object).filter(
    ({ path }) => !found.some((other) => formatPointer(other.path) === formatPointer(path)),
  )
  const problems = [...found, ...ofDefaults].filter(
    ({ kind, path }) => path[0] !== 'status' || path.length < 2 || isJudged(kind, status),
  )
  if (late.length === 0) return problems
  return [
    ...problems.filter((problem) => !late.some(({ pointer }) => dependsOn(problem, pointer))),
    ...late.flatMap((token) => problemOfToken(token, object, node)),
  ]
}

/** Texts in lists of containers that no rule for a whole pod looks at. */
const UNREAD = /\/(?:env\/[0-9]+\/value|(?:args|command)\/[0-9]+|image)$/

/** True if another value at the pointer might mend the problem. */
function dependsOn({ kind, path, whole }: SchemaProblem, pointer: string): boolean {
  const place = formatPointer(path)
  if (pointer === place) return true
  // a field that is missing, or that the kind does not have, stays so
  if (kind === 'missing' || kind === 'unknown-field' || kind === 'wrong-type') return false
  const looked = whole === undefined ? place : formatPointer(path.slice(0, whole))
  if (!pointer.startsWith(`${looked}/`)) return false
  return whole === undefined || !UNREAD.test(pointer.slice(looked.length).replace(/^\/[^/]*/, ''))
}

function isJudged(kind: SchemaProblem['kind'], status: ObjectSchema['status']): boolean {
  if (status === 'values' || kind === 'unknown-field') return true
  return status === 'types' && kind === 'wrong-type'
}

function problemsOfMetadata(object: Dict, metadata: SchemaNode | undefined): readonly SchemaProblem[] {
  const value = object.get('metadata')
  if (metadata === undefined || value === undefined) return []
  return validateValue(value, metadata).map((problem) => ({ ...problem, path: ['metadata', ...problem.path] }))
}

const takeIntegers: ReadonlySet<NodeType> = new Set(['any', 'integer', 'number', 'int-or-string', 'quantity'])
const takeTexts: ReadonlySet<NodeType> = new Set(['any', 'string', 'int-or-string', 'quantity'])

/** The problem with the type of a value that is filled in later. */
function problemOfToken(
  { pointer, isInteger }: LocatedToken,
  object: Dict,
  root: SchemaNode,
): readonly SchemaProblem[] {
  const found = nodeAt(object, root, pointer)
  if (found === undefined) return []
  const { node, path } = found
  const isTaken = (isInteger === true ? takeIntegers : takeTexts).has(node.type)
  return isTaken ? [] : [{ kind: 'wrong-type', path, says: typeNames[node.type] }]
}

/** The schema of what a pointer leads to; undefined where there is none. */
function nodeAt(
  object: Dict,
  root: SchemaNode,
  pointer: string,
): { readonly node: SchemaNode; readonly path: readonly PathStep[] } | undefined {
  let [node, value]: [SchemaNode | undefined, unknown] = [root, object]
  const path: PathStep[] = []
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) {
      path.push(Number(name))
      value = value[Number(name)]
      node = node.items
    } else {
      path.push(name)
      value = value instanceof Dict ? value.get(name) : undefined
      node = node.properties.get(name) ?? node.additional
    }
    if (node === undefined) return undefined
  }
  return { node, path }
}
