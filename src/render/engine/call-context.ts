import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import { positionAt, type Span } from '../../model/source.ts'
import type { TokenOrigin, TokenTable } from '../../model/token.ts'
import type { Node } from './ast.ts'
import { originAt, type Execution, type Frame } from './execution.ts'
import type { CallContext, FunctionFinding, Generation } from './function.ts'

/** The state that functions of one render share: see `EngineOptions`. */
export interface ContextOptions {
  readonly crypto: Crypto
  readonly tokens: TokenTable
  readonly generate: Generation
  readonly onFinding: (finding: Diagnostic) => void
  /** How often a line asked for the identity of a generated value. */
  readonly lineRuns: Map<string, number>
  /** Findings already reported: one for each place is enough. */
  readonly reported: Set<string>
}

/** Makes what functions see of an execution. */
export function createCallContext(execution: Execution, options: ContextOptions): CallContext {
  const { crypto, tokens, lineRuns, reported } = options
  let identified: { readonly step: number; readonly identity: string } | undefined

  function report({ message: text, ...finding }: FunctionFinding, noted?: TokenOrigin): void {
    const message = text.shown()
    const { source, start } = noted?.at ?? placeOfCall()
    const key = `${source.name}\n${start}\n${finding.code}\n${message}`
    if (reported.has(key)) return
    reported.add(key)
    options.onFinding({ ...finding, message, ...(noted ?? origin()) })
  }

  function placeOfCall(): Pick<Span, 'source' | 'start'> {
    const { frame, node } = runningCall(execution)
    return { source: frame.program.definition.source, start: node.start }
  }

  function origin(): TokenOrigin {
    const { frame, node } = runningCall(execution)
    return originAt(frame, node)
  }

  /** The same for every question of one call: two parts of a certificate belong together. */
  function identity(): string {
    if (identified?.step === execution.steps) return identified.identity
    const { frame, node } = runningCall(execution)
    const { source } = frame.program.definition
    const line = `${source.name}:${positionAt(source, node.start).line}`
    const runs = (lineRuns.get(line) ?? 0) + 1
    lineRuns.set(line, runs)
    identified = { step: execution.steps, identity: `${line}:${runs}` }
    return identified.identity
  }

  return {
    crypto,
    tokens,
    charge: (amount) => execution.charge(amount),
    look: (amount) => execution.weigh(amount),
    identity,
    origin,
    report,
    seed: options.generate === 'token' ? undefined : options.generate.seed,
    generate: (spec, part) => tokens.add({ kind: 'generated', type: 'string', generate: spec, part }, origin()),
  }
}

function runningCall({ callFrame, callNode }: Execution): { readonly frame: Frame; readonly node: Node } {
  if (callFrame === undefined || callNode === undefined) throw new Error('no function is running')
  return { frame: callFrame, node: callNode }
}
