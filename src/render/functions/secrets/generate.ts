import { GIVEN, tokenPattern, type TokenOrigin } from '../../../model/token.ts'
import { GenerateError } from '../../../generate/generate-error.ts'
import { createSeededRandom, type RandomSource } from '../../../generate/random-source.ts'
import { FunctionError, type CallContext } from '../../engine/function.ts'
import { identifyTokens } from '../../../model/token-identity.ts'
import { ours, say, withoutQuotes, type ErrorText } from '../../engine/error-text.ts'

/** A call of a generator; tokens in `arguments` are recorded as what they stand for. */
export interface GenerateRequest {
  readonly function: string
  readonly arguments: readonly string[]
  readonly part?: string
}

/** Makes what is shown in place of a secret, of the same form. */
export type MakePreview<Result> = (random: RandomSource) => Result

/**
 * Defers making a secret: returns the token that stands for it, or where the render shows previews one that follows
 * from the release's name and the place of the call. No secret is ever made here.
 */
export function deferGeneration(
  context: CallContext,
  request: GenerateRequest,
  makePreview: MakePreview<string>,
): string {
  return startPreview(context, request.function, makePreview) ?? tokenFor(context, request)
}

/** Returns the token for a part of what is generated later. */
export function tokenFor(context: CallContext, request: GenerateRequest): string {
  const recorded = request.arguments.map((argument) => identifyTokens(argument, context.tokens))
  const spec = { function: request.function, arguments: recorded, identity: context.identity() }
  return context.generate(spec, request.part ?? 'value')
}

/** Makes the preview of what function `name` would make, and reports it; undefined when the render defers. */
export function startPreview<Result>(
  context: CallContext,
  name: string,
  makePreview: MakePreview<Result>,
): Result | undefined {
  if (context.seed === undefined) return undefined
  context.report({
    code: 'TEMPLATE_GENERATED_SECRET',
    severity: 'warning',
    message: say`${ours(name)} makes a secret; what stands there is a preview that anyone can compute from the release's name`,
  })
  const random = createSeededRandom(context.crypto, JSON.stringify([context.seed, name, context.identity()]))
  return asFunction(() => makePreview(random))
}

/** Does the work of a function of charts. @throws FunctionError for what cannot be made */
export function asFunction<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new FunctionError(withoutQuotes(error), { cause: error })
  }
}

/**
 * Returns a password or other plaintext as it may be recorded: what stands for its tokens, and {@link GIVEN} for the
 * rest. Values must not reach messages, findings or files this way.
 */
export function withholdText(text: string): string {
  const tokens = text.match(tokenPattern()) ?? []
  return tokens.join('') === text ? text : [GIVEN, ...tokens].join(' ')
}

/**
 * Reports that `name` would have read the clock or a random source; `instead` says what was done, `origin` where, when
 * it was not the running call.
 */
export function reportNotDeterministic(
  context: CallContext,
  name: string,
  { instead, origin }: { readonly instead: ErrorText; readonly origin?: TokenOrigin },
): void {
  const finding = {
    code: 'TEMPLATE_NOT_DETERMINISTIC',
    severity: 'warning',
    message: say`${ours(name)} ${instead}`,
  } as const
  context.report(finding, origin)
}
