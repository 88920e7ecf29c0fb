import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { createTokenTable, type GenerateSpec, type TokenTable } from '../../../src/model/token.ts'
import type { CallContext } from '../../../src/render/engine/function.ts'

/** What a function asked of its context. */
export interface Recorded {
  readonly context: CallContext
  readonly tokens: TokenTable
  readonly findings: readonly Pick<Diagnostic, 'code' | 'severity' | 'message' | 'hint'>[]
  readonly generated: readonly { readonly spec: GenerateSpec; readonly part: string }[]
}

/** A context without an engine: real hashes, tokens for what is generated, everything else recorded. */
export function recordingContext(tokens: TokenTable = createTokenTable(), seed?: string): Recorded {
  const findings: Recorded['findings'][number][] = []
  const generated: Recorded['generated'][number][] = []
  return {
    tokens,
    findings,
    generated,
    context: {
      crypto: createNodePorts().crypto,
      tokens,
      charge: () => undefined,
      look: () => undefined,
      seed,
      identity: () => 'chart/templates/a.yaml:3:1',
      origin: () => ({ at: { source: { name: 'chart/templates/a.yaml', text: '' }, start: 0, end: 0 } }),
      generate: (spec, part) => {
        generated.push({ spec, part })
        return tokens.add({ kind: 'generated', type: 'string', generate: spec, part })
      },
      report: ({ message, ...finding }) => findings.push({ ...finding, message: message.shown() }),
    },
  }
}

/** A context for functions that need none. */
export function idleContext(): CallContext {
  return recordingContext().context
}
