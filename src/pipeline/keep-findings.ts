import { boundFindings } from '../model/bound-findings.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { distinct } from './diagnostics.ts'

/** What a stage gives besides its result. */
interface Found {
  readonly findings: readonly Diagnostic[]
}

/** Warnings of the stages so far. */
export interface KeptFindings {
  /** Waits for a stage and keeps its findings. When it stops, what was found before is told with its errors: a warning may be their reason. */
  readonly of: <Result extends Found>(stage: Promise<Result>) => Promise<Result>
  /** All of them, each once. */
  readonly all: () => readonly Diagnostic[]
}

/** Makes a keeper of the findings of stages that follow each other. */
export function keepFindings(): KeptFindings {
  const kept: Diagnostic[] = []
  return {
    of: async (stage) => {
      try {
        const result = await stage
        kept.push(...result.findings)
        return result
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        throw new StackmasonError(distinct([...kept, ...error.diagnostics]), { cause: error })
      }
    },
    all: () => boundFindings(distinct(kept)),
  }
}
