import { toPlain } from '../../codec/json/plain-value.ts'
import type { FieldChange, FoldedObject, TreeChange } from '../../model/tree-change.ts'
import { describeException } from '../describe-exception.ts'
import type { NamedChange } from './format-diff.ts'

/** The difference as plain data: facts, and each change once with the files that have it. */
export function jsonDiff({ before, after, change }: NamedChange): object {
  const { facts, groups, changes } = change
  return {
    before,
    after,
    facts: {
      ...facts,
      exceptions: facts.exceptions?.map(describeException),
      clusters: {
        ...facts.clusters,
        added: facts.clusters.added.map(({ like, ...added }) => ({
          ...added,
          like: like && { cluster: like.cluster, except: like.except.map((object) => plainObject(object, change)) },
        })),
      },
      variables: facts.variables.map(({ default: own, ...variable }) => ({
        ...variable,
        default: own && plainChange(own),
      })),
    },
    objects: changes.length,
    groups: groups.map(({ objects, ...group }) => ({
      ...group,
      objects: objects.map((object) => plainObject(object, change)),
    })),
  }
}

function plainObject({ members, fields, ...object }: FoldedObject, { changes }: TreeChange): object {
  const files = members.flatMap((index) => changes[index]?.after?.path ?? changes[index]?.before?.path ?? [])
  return { ...object, content: undefined, isOneOfMany: undefined, fields: fields.map(plainField), files }
}

function plainField({ path, isReordered, isHidden, origin, ...values }: FieldChange): object {
  return {
    path,
    ...plainChange(values),
    isReordered,
    isHidden,
    origin,
  }
}

function plainChange({ before, after }: Pick<FieldChange, 'before' | 'after'>): object {
  return {
    before: before === undefined ? undefined : toPlain(before),
    after: after === undefined ? undefined : toPlain(after),
  }
}
