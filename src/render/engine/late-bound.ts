import { Dict, type Value } from '../../model/value.ts'
import type { ParsedTemplate } from './ast.ts'
import { refusedCall, type LateBoundFunction } from './call-function.ts'
import { decideTruth, templateError, type Frame, type Raw } from './execution.ts'
import { ofValue, inGo, ours, say, spoken, type ErrorText } from './error-text.ts'
import { formatGoError, quoteText } from './format-error.ts'
import { quoteGo } from './format.ts'
import { withoutNoValue } from './output.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateSet } from './template-set.ts'
import { holdsToken } from './token-refused.ts'

/** Helm's name for the set of all templates, and so for the text of a `tpl`. */
export const setName = 'gotpl'

/** Helm's own guard against templates that include themselves (pkg/engine/engine.go, recursionMaxNums). */
const maxIncludesOfOneName = 1000

/**
 * The cost of a `tpl` besides that of running its text, and of each character of the text: it has to be parsed and
 * compiled.
 */
const tplWork = 1600
const parseWork = 16

function missingTemplate(name: string): ErrorText {
  const quoted = ofValue(name, quoteGo(name))
  return inGo(
    `template: no template ${quoteGo(name)} associated with template ${quoteGo(setName)}`,
    say`no template has the name that it was given: ${quoted}`,
  )
}

/** The functions that Helm adds to a chart's templates besides plain ones (pkg/engine/engine.go, initFunMap). */
export const lateBoundFunctions: readonly LateBoundFunction[] = [
  { name: 'include', params: ['string', 'any'], late: include },
  { name: 'tpl', params: ['string', 'any'], late: tpl },
  { name: 'required', params: ['string', 'any'], late: required },
  { name: 'fail', params: ['string'], late: fail },
  // without a cluster there is nothing to be found
  { name: 'lookup', params: ['string', 'string', 'string', 'string'], late: () => new Dict() },
]

function include(frame: Frame, [name, data]: readonly Value[], nesting: number): Raw {
  const { execution } = frame
  if (typeof name !== 'string') throw new Error('include takes a name')
  if (holdsToken(name))
    throw refusedCall(frame, { name: 'include', args: [name], problem: say`needs the name of a template now` })
  const running = execution.includes.get(name) ?? 0
  if (running > maxIncludesOfOneName) {
    const known = ofValue(name, name)
    const message = say`rendering template has a nested reference name: ${known}: unable to execute template`
    throw templateError(frame, message, { code: 'TEMPLATE_LIMIT_DEPTH', call: 'include' })
  }
  const definition = execution.set.find(name)
  if (definition === undefined) {
    throw templateError(frame, missingTemplate(name), { call: 'include' })
  }
  execution.includes.set(name, running + 1)
  const dot = data ?? undefined
  const inner = execution.enter(definition, frame, { entry: 'include', dot, nesting, output: execution.createOutput() })
  inner.program.run(inner, dot)
  execution.leave(inner)
  execution.includes.set(name, running)
  return inner.output.text
}

/** Renders text as a template that sees all others; what it defines is seen by itself and by what it includes only. */
function tpl(frame: Frame, [text, data]: readonly Value[], nesting: number): Raw {
  const { execution } = frame
  if (typeof text !== 'string') throw new Error('tpl takes a text')
  if (!text.includes('{{')) return withoutNoValue(text)
  execution.weigh(tplWork + text.length * parseWork)
  const parsed = parseText(frame, text)
  const own = parsed.definitions.find(({ name }) => name === setName)
  if (own === undefined) throw new Error('a parsed template defines itself')
  const { set } = execution
  execution.set = createTemplateSet([parsed], set)
  const dot = data ?? undefined
  const inner = execution.enter(own, frame, { entry: 'tpl', dot, nesting, output: execution.createOutput() })
  inner.program.run(inner, dot)
  execution.leave(inner)
  execution.set = set
  return withoutNoValue(inner.output.text)
}

function parseText(frame: Frame, text: string): ParsedTemplate {
  try {
    return frame.execution.options.parse({ name: setName, text, holds: 'values' }, () => frame.execution.step(frame))
  } catch (error) {
    if (!(error instanceof TemplateError) || error.details.parse === undefined) throw error
    const go = `cannot parse template ${quoteText(text)}: ${formatGoError(error)}`
    const { message, parse } = error.details
    // the parser shows nothing of a text that may be a value
    const shown = say`cannot parse its text, line ${ours(parse.line)}: ${ours(message)}`
    throw templateError(frame, inGo(go, shown), { call: 'tpl', cause: error })
  }
}

function required(frame: Frame, [message, value]: readonly Value[]): Raw {
  if (value !== null && value !== undefined && value !== '') {
    decideTruth(frame, frame.node, value)
    return value
  }
  throw failure(frame, 'required', message)
}

function fail(frame: Frame, [message]: readonly Value[]): Raw {
  throw failure(frame, 'fail', message)
}

function failure(frame: Frame, call: string, message: Value | undefined): TemplateError {
  const text = typeof message === 'string' ? message : ''
  return templateError(frame, spoken(text), { code: 'TEMPLATE_FAIL', call })
}
