import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { realHelm } from '../../support/helm.ts'
import { outcomeLike, readOracleRows } from './oracle-rows.ts'

const helm = realHelm('holding the rows from Go against helm')

/** Every row with output as a template of one chart; the data is copied for each because templates write to it. */
function writeChart(folder: string): void {
  const { data, rows } = readOracleRows('oracle.rows.jsonl')
  mkdirSync(join(folder, 'templates'))
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: rows\nversion: 1.0.0\n')
  writeFileSync(join(folder, 'values.yaml'), `data: ${formatGoJson(data())}\n`)
  rows.forEach((row, index) => {
    if (row.error !== undefined) return
    const body = `row${index}: {{ include "row${index}" (deepCopy .Values.data) | b64enc | quote }}\n`
    writeFileSync(join(folder, `templates/${index}.yaml`), `{{ define "row${index}" }}${row.template}{{ end }}${body}`)
  })
}

describe.skipIf(helm === undefined)('the rows from Go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stackmason-rows-'))
  beforeAll(() => writeChart(folder))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are what the real helm renders', () => {
    const output = execFileSync(helm ?? '', ['template', 'rows', folder], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    const { rows } = readOracleRows('oracle.rows.jsonl')
    const rendered = new Map(
      [...output.matchAll(/^row(\d+): "(.*)"$/gm)].map(([, index, text = '']) => [
        Number(index),
        Buffer.from(text, 'base64'),
      ]),
    )
    const want = rows.map((row, index) => [index, row] as const).filter(([, row]) => row.error === undefined)
    const got = want.map(([index, row]) => {
      const bytes = rendered.get(index)
      return [index, outcomeLike(row, { output: bytes === undefined ? 'nothing' : decodeUtf8(bytes), findings: [] })]
    })
    expect(got).toEqual(want)
  })
})
