import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { Value } from '../../../src/model/value.ts'
import type { Outcome } from './template-runner.ts'
import { toValue } from './template-runner.ts'

/** A template and what Go makes of it. */
export interface OracleRow {
  readonly template: string
  readonly want?: string
  /** For output that is not UTF-8. */
  readonly wantHex?: string
  /** The innermost message, from `error calling` on where a function failed. */
  readonly error?: string
}

/**
 * Reads a file of rows that a Go program wrote; its first line holds the data of all templates, made anew for each
 * because templates write to it.
 */
export function readOracleRows(name: string): { readonly data: () => Value; readonly rows: readonly OracleRow[] } {
  const [first = '{}', ...lines] = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
  const head: { readonly data?: unknown } = JSON.parse(first)
  return { data: () => toValue(head.data), rows: lines.map((line): OracleRow => JSON.parse(line)) }
}

/** The outcome in the form of the row, to compare the two. */
export function outcomeLike(row: OracleRow, { output, error }: Outcome): OracleRow {
  const { template } = row
  if (error !== undefined) return { template, error }
  if (row.wantHex === undefined || output === undefined) return { template, want: output ?? '' }
  return { template, wantHex: Buffer.from(encodeUtf8(output)).toString('hex') }
}
