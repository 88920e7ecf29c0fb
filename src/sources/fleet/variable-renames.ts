import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import type { VariableRenames } from '../../model/variable-renames.ts'
import type { ConfigDocument } from './config-document.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** A variable that got another name. */
interface Rename {
  readonly from: string
  readonly to: string
  readonly at: Span
}

/**
 * `spec.variableRenames` of stackmason.yaml, checked by the schema before. A variable may be renamed again, but never
 * come back to a name that it had, and no two become one: then nobody could say which value is meant.
 */
export function readVariableRenames(document: ConfigDocument, reading: Reading): VariableRenames {
  const entries = itemsAt(document.value, 'spec', 'variableRenames').map((item, index) => {
    const path = ['spec', 'variableRenames', index] as const
    const renames = [...(dictAt(item, 'names') ?? [])].flatMap(([from, to]): readonly Rename[] =>
      typeof to === 'string' ? [{ from, to, at: document.spanOf([...path, 'names', from]) }] : [],
    )
    noteDuplicates(renames, ({ to }) => to, { reading, describe: ({ to }) => `the new name ${quote(to)}` })
    noteCycles(renames, reading)
    return {
      stack: `${textAt(item, 'provider')}-${textAt(item, 'stack')}`,
      names: new Map(renames.map(({ from, to }) => [from, to])),
      at: document.spanOf([...path, 'stack']),
    }
  })
  noteDuplicates(entries, ({ stack }) => stack, {
    reading,
    describe: ({ stack }) => `the stack ${quote(stack)}`,
  })
  return new Map(entries.map(({ stack, names }) => [stack, names]))
}

/** Each cycle is noted once, at the rename that closes it. */
function noteCycles(renames: readonly Rename[], { problems }: Reading): void {
  const byName = new Map(renames.map((rename) => [rename.from, rename]))
  const walked = new Set<Rename>()
  for (const rename of renames) {
    const chain: Rename[] = []
    let next: Rename | undefined = rename
    for (; next !== undefined && !walked.has(next); next = byName.get(next.to)) {
      walked.add(next)
      chain.push(next)
    }
    const start = next === undefined ? -1 : chain.indexOf(next)
    const closing = chain.at(-1)
    if (start === -1 || closing === undefined) continue
    const cycle = [...chain.slice(start).map(({ from }) => from), closing.to].map(quote)
    const message =
      closing.from === closing.to
        ? `the variable ${quote(closing.to)} is renamed to itself`
        : `variables are renamed in a circle: ${cycle.join(' -> ')}`
    problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at: closing.at })
  }
}
