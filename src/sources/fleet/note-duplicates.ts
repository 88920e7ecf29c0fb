import type { Span } from '../../model/source.ts'
import { positionAt } from '../../model/source.ts'
import type { Reading } from './reading.ts'

/** Notes every item whose key an earlier item has already. */
export function noteDuplicates<Item extends { readonly at: Span }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  options: { readonly reading: Pick<Reading, 'problems'>; readonly describe: (item: Item) => string },
): void {
  const first = new Map<string, Item>()
  for (const item of items) {
    const key = keyOf(item)
    const known = first.get(key)
    if (known === undefined) {
      first.set(key, item)
      continue
    }
    const { line } = positionAt(known.at.source, known.at.start)
    const place = known.at.source === item.at.source ? `in line ${line}` : `in ${known.at.source.name}:${line}`
    const message = `${options.describe(item)} stands twice, first ${place}`
    options.reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at: item.at })
  }
}
