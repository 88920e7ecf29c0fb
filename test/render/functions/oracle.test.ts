import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/utf8.ts'
import { failFunction } from '../../../src/render/functions/types.ts'
import { chartFunctions } from '../../../src/render/functions/registry.ts'
import { createTemplateRunner, toValue } from './template-runner.ts'

/** A template and what a Go program with sprig 3.3.0 and Helm 4.1.4's functions makes of it. */
interface Row {
  readonly template: string
  readonly want?: string
  /** For output that is not UTF-8. */
  readonly wantHex?: string
  /** The innermost message, from `error calling` on where a function failed. */
  readonly error?: string
}

const file: { readonly data: unknown; readonly rows: readonly Row[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'oracle-rows.json'), 'utf8'),
)

describe('template functions against Go', () => {
  const functions = new Map(chartFunctions).set('fail', failFunction)
  it.each(file.rows.map((row, index) => [index, row.template, row] as const))('row %i: %s', (_, __, row) => {
    const { output, error } = createTemplateRunner(functions)(row.template, toValue(file.data))
    const hex = row.wantHex === undefined || output === undefined ? undefined : toHex(output)
    const { template: _template, ...want } = row
    expect(error !== undefined ? { error } : hex !== undefined ? { wantHex: hex } : { want: output }).toEqual(want)
  })
})

function toHex(text: string): string {
  return Buffer.from(encodeUtf8(text)).toString('hex')
}
