import { describe, expect, it } from 'vitest'
import { failFunction } from '../../../src/render/functions/types.ts'
import { chartFunctions, runtimeFunctions } from '../../../src/render/functions/registry.ts'
import { outcomeLike, readOracleRows } from './oracle-rows.ts'
import { createTemplateRunner } from './template-runner.ts'

// written by a Go program from templates and data: text/template with sprig 3.3.0 and Helm 4.1.4's own functions
describe('chart functions against Go', () => {
  const { data, rows } = readOracleRows('oracle.rows.jsonl')
  const run = createTemplateRunner(new Map(chartFunctions).set('fail', failFunction))
  it.each(rows.map((row, index) => [index, row.template, row] as const))('row %i: %s', (_index, template, row) => {
    expect(outcomeLike(row, run(template, data()))).toEqual(row)
  })
})

// the same with go-task/slim-sprig 3.0.0, which the Cluster Stack Operator gives to runtime templates
describe('runtime functions against Go', () => {
  const { data, rows } = readOracleRows('runtime.rows.jsonl')
  const run = createTemplateRunner(runtimeFunctions)
  it.each(rows.map((row, index) => [index, row.template, row] as const))('row %i: %s', (_index, template, row) => {
    expect(outcomeLike(row, run(template, data()))).toEqual(row)
  })
})
