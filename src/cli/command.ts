import type { CheckExceptions } from '../model/check-exception.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Crypto } from '../model/ports.ts'
import type { ReportedFinding } from '../report/describe-finding.ts'
import type { FindingList } from '../report/forms/finding-list.ts'
import type { Report } from '../report/report.ts'
import type { ShortenPath } from '../report/shorten-path.ts'
import type { CommandSpec } from './arguments/command-spec.ts'
import type { ParsedArguments } from './arguments/parse-arguments.ts'
import type { CliIo } from './cli-io.ts'
import { exitStatusOf } from './exit-status.ts'
import { endAcknowledgements } from '../model/end-acknowledgements.ts'

/** The context of a verb besides its words. */
export interface CommandContext {
  readonly io: CliIo
  /** All verbs of the program. */
  readonly commands: readonly CommandSpec[]
  /** Hides secret values in a text: before it is cut, for a part of a secret is not found any more. */
  readonly mask: (text: string) => string
  /** Takes names that `mask` leaves as they are. */
  readonly spare: (names: Iterable<string>) => void
  /** Hides secret values in what a finding says. */
  readonly maskFinding: (finding: Diagnostic) => Diagnostic
}

/** The text of a run for people, besides its findings. */
export interface TextReport {
  /** Standard output. */
  readonly output: string
  /** Where findings stand when both streams are one: `last` if absent. */
  readonly findings?: 'first' | 'last'
  /** Where findings go: `output` where they are what the run is about. Default: `error`, as messages. */
  readonly stream?: 'output' | 'error'
  /** On standard error, before and after the findings. */
  readonly opening?: string | undefined
  readonly closing?: string | undefined
  /** The output holds lines of files, paths or scripts, which are never broken to fit the terminal. */
  readonly isUnbroken?: boolean
  /** The output holds what the user put into it, and nothing of it is masked. */
  readonly isVerbatim?: boolean
}

/** The inputs of a document. */
export interface DocumentContext {
  /** Of this program. */
  readonly version: string
  readonly crypto: Crypto
  /** Hides secret values in a text: each document sees to it, for what is escaped is not found any more. */
  readonly mask: (text: string) => string
  /** Findings as forms show them, equal ones once, without secret values. */
  readonly describe: (findings: readonly Diagnostic[]) => readonly ReportedFinding[]
  readonly shorten: ShortenPath
}

/** A run as other programs list its findings. */
export interface ListedRun extends Pick<FindingList, 'title' | 'isPassed' | 'incomplete' | 'rules' | 'file'> {
  /** Absent: none. */
  readonly exceptions?: CheckExceptions | undefined
}

/** The result of every run. */
export interface CommandResult {
  readonly findings: readonly Diagnostic[]
}

/** A verb: `run` gives data and writes nothing but progress, the others say how the data is shown. */
export interface Command<Result extends CommandResult> {
  /** @throws StackmasonError where there is no result */
  readonly run: (parsed: ParsedArguments, context: CommandContext) => Promise<Result>
  /** `width`: columns of the terminal; absent where the output goes elsewhere. */
  readonly text: (result: Result, shorten: ShortenPath, width: number | undefined) => string | TextReport
  /** Absent: the verb has no machine output. */
  readonly json?: (result: Result, shorten: ShortenPath) => Report
  /** Absent: the verb has no form for lists of findings. */
  readonly list?: (result: Result) => ListedRun
  /** Documents for people, by form. */
  readonly documents?: Readonly<Record<string, (result: Result, context: DocumentContext) => string>>
  /** True if a run without errors ends with 1, because it found differences. */
  readonly isDifferent?: (result: Result) => boolean
  /** The exit status; absent: 0, 1 or 2 by the worst finding. */
  readonly exitStatus?: (result: Result) => 0 | 1 | 2
}

/** A run of a verb that has ended, and can be shown. */
export interface EndedRun {
  readonly findings: readonly Diagnostic[]
  readonly exitStatus: number
  /** `width`: columns of the terminal; absent where the output goes elsewhere. */
  readonly text: (shorten: ShortenPath, width: number | undefined) => TextReport
  readonly json: ((shorten: ShortenPath) => Report) | undefined
  readonly list: (() => ListedRun) | undefined
  /** True if the verb has a form of its own for programs, or a document, of this name: else it is a kind of text. */
  readonly has: (form: string) => boolean
  /** The document of a form; undefined where the verb has none. */
  readonly document: (form: string, context: DocumentContext) => string | undefined
}

/** A verb whose type of result nobody else needs to know. */
export type RunCommand = (parsed: ParsedArguments, context: CommandContext) => Promise<EndedRun>

/** Makes a verb of its parts. */
export function defineCommand<Result extends CommandResult>(command: Command<Result>): RunCommand {
  const { run, text, json, list, documents = {}, isDifferent = () => false, exitStatus = worstOf } = command
  return async (parsed, context) => {
    const ended = await run(parsed, context)
    const findings = endAcknowledgements(ended.findings, context.io.ports.clock.now())
    const result = { ...ended, findings }
    return {
      findings,
      exitStatus: Math.max(exitStatus(result), isDifferent(result) ? 1 : 0),
      text: (shorten, width) => {
        const shown = text(result, shorten, width)
        return typeof shown === 'string' ? { output: shown } : shown
      },
      json: json && ((shorten) => json(result, shorten)),
      list: list && (() => list(result)),
      has: (form) => (form === 'json' && json !== undefined) || list !== undefined || documents[form] !== undefined,
      document: (form, made) => documents[form]?.(result, made),
    }
  }
}

function worstOf({ findings }: CommandResult): 0 | 1 | 2 {
  return exitStatusOf(findings)
}
