import { describe, expect, it } from 'vitest'
import { chunkText } from '../../../src/render/engine/engine.ts'
import { formatGoError, formatHelmError } from '../../../src/render/engine/format-error.ts'
import { TemplateError } from '../../../src/render/engine/template-error.ts'
import { executionRows } from './execution-table.ts'
import { helmErrorRows } from './helm-error-table.ts'
import { sampleData, sampleEngine } from './sample.ts'

function render(text: string): string {
  const engine = sampleEngine()
  return chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', sampleData()))
}

function failure(text: string): TemplateError {
  try {
    render(text)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('it renders')
}

describe.each(Object.entries(executionRows))('%s', (_subject, rows) => {
  it.each(rows.filter(({ want }) => want !== undefined))('renders $input', ({ input, want }) => {
    expect(render(input)).toBe(want)
  })

  it.each(rows.filter(({ wantError }) => wantError !== undefined))('refuses $input', ({ input, wantError }) => {
    expect(formatGoError(failure(input))).toBe(wantError)
  })
})

describe('formatHelmError', () => {
  it.each(helmErrorRows)('of $input', ({ input, want }) => {
    expect(formatHelmError(failure(input))).toBe(want)
  })
})
