import type { CallContext } from '../engine/function.ts'
import { identifyTokens } from './token-identity.ts'

/** What a generator was asked for; tokens in `arguments` are recorded as what they stand for. */
export interface GenerateRequest {
  readonly function: string
  readonly arguments: readonly string[]
  readonly part?: string
}

/** Defers making a secret: returns the token or placeholder that stands for it. Nothing secret is ever made here. */
export function deferGeneration(context: CallContext, request: GenerateRequest): string {
  const recorded = request.arguments.map((argument) => identifyTokens(argument, context.tokens))
  return context.generate(
    { function: request.function, arguments: recorded, identity: context.identity() },
    request.part ?? 'value',
  )
}

/** Reports that `name` would have read the clock or a random source; `instead` says what was done. */
export function reportNotDeterministic(context: CallContext, name: string, instead: string): void {
  context.report({
    code: 'TEMPLATE_NOT_DETERMINISTIC',
    severity: 'warning',
    message: `${name} ${instead}`,
    hint: 'Supply the value through the values, so that output depends on inputs alone.',
  })
}
