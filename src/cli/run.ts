import { advise, type Diagnostic } from '../model/diagnostic.ts'
import { addToReport, reportProblem, writeReport } from '../pipeline/commands/write-report.ts'
import { watchSecrets } from '../pipeline/watch-secrets.ts'
import { countHidden } from '../report/count-findings.ts'
import { describeFinding } from '../report/describe-finding.ts'
import { findingForms } from '../report/forms/finding-forms.ts'
import { fitLines } from '../report/fit-lines.ts'
import { foldFindings } from '../report/fold-findings.ts'
import { formatFinding } from '../report/format-finding.ts'
import { createPalette } from '../report/palette.ts'
import { withoutHidden } from '../report/printable.ts'
import { formatJsonReport, type MaskField } from '../report/report.ts'
import { listExceptions } from '../report/describe-exception.ts'
import { createShortenPath, type ShortenPath } from '../report/shorten-path.ts'
import type { CommandSpec } from './arguments/command-spec.ts'
import { unknownCommand } from './arguments/find-command.ts'
import { type OutputTarget, outputTargets } from './arguments/output-targets.ts'
import { isSet, parseArguments, usageError, valuesOf } from './arguments/parse-arguments.ts'
import { fleetWord } from './arguments/fleet-options.ts'
import { resolveFolder } from './arguments/resolve-folder.ts'
import type { CliIo } from './cli-io.ts'
import { commandEntries, commandTable } from './command-table.ts'
import type { DocumentContext, EndedRun } from './command.ts'
import { describeFailure } from './describe-failure.ts'
import { exitStatusOf } from './exit-status.ts'
import { guardOutput } from './guard-output.ts'
import { endAcknowledgements } from '../model/end-acknowledgements.ts'
import { formatCommandHelp, formatProgramHelp } from './help-command/format-help.ts'

/**
 * Runs the program on the words after its name. Data goes to `stdout`, everything else to `stderr`; never throws.
 * Returns the exit status: 0 fine, 1 differences or errors in the input, 2 wrong usage or failure; a verb may say so of
 * every failure.
 */
export async function run(words: readonly string[], outside: CliIo): Promise<number> {
  const watch = watchSecrets(outside.ports, outside.environment)
  watch.note(words.join('\n'))
  const io = guardOutput(outside, watch)
  const shorten = createShortenPath(io.workingFolder, fleetWord(words))
  const report = (findings: readonly Diagnostic[], to: 'output' | 'error' = 'error'): void => {
    const stream = to === 'output' ? io.stdout : io.stderr
    const isPlain = words.includes('--no-color') || !isColourful(stream, io)
    const format = {
      palette: createPalette(isPlain ? 'plain' : 'colour'),
      shorten,
      width: stream.isTerminal ? stream.columns : undefined,
    }
    const shown = findings.filter(
      ({ severity, acknowledgement }) => severity !== 'note' && acknowledgement === undefined,
    )
    for (const { finding, about } of foldFindings(shown)) {
      stream.write(formatFinding({ finding: watch.maskFinding(finding), about }, format))
    }
  }
  try {
    const width = io.stdout.isTerminal ? io.stdout.columns : undefined
    const done = dispatch(words, {
      io,
      shorten,
      report,
      width,
      // masked before it is broken: a secret across two lines would not be found
      writeLines: (text) => {
        io.stdout.write(width === undefined ? text : fitLines(watch.mask(text), width))
      },
      writeVerbatim: outside.stdout.write,
      mask: watch.mask,
      spare: watch.spare,
      maskFinding: watch.maskFinding,
      maskField: watch.maskField,
    })
    return await Promise.race([done, ...(outside.crash === undefined ? [] : [outside.crash])])
  } catch (error) {
    const findings = endAcknowledgements(describeFailure(error), io.ports.clock.now())
    report(findings)
    io.stderr.write(countHidden(findings))
    return exitStatusOf(findings)
  }
}

/** One run of the program. */
interface Session {
  readonly io: CliIo
  readonly shorten: ShortenPath
  /** Prints findings: on standard error, unless they are what the run is about. */
  readonly report: (findings: readonly Diagnostic[], to?: 'output' | 'error') => void
  /** Columns of standard output; absent where it is no terminal. */
  readonly width: number | undefined
  /** Writes to standard output, broken to fit the terminal. */
  readonly writeLines: (text: string) => void
  /** Writes to standard output as it is: the only way around `guardOutput`. */
  readonly writeVerbatim: (text: string) => void
  /** Masks a text that goes into a file, as `guardOutput` does. */
  readonly mask: (text: string) => string
  /** Takes names that no mask hides. */
  readonly spare: (names: Iterable<string>) => void
  /** Masks a finding for other forms, as `report` does. */
  readonly maskFinding: (finding: Diagnostic) => Diagnostic
  /** Masks texts of a report in JSON as `guardOutput` does; its form stays. */
  readonly maskField: MaskField
}

function isColourful({ isTerminal }: CliIo['stdout'], { environment }: CliIo): boolean {
  return isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb'
}

/** The first word names the command. */
async function dispatch(words: readonly string[], session: Session): Promise<number> {
  const { io } = session
  const [name = '--help', ...rest] = words
  if (name === '--help' || name === '-h') return write(io, formatProgramHelp(commandTable, session.width))
  if (name === '--version' || name === '-v') return write(io, `${io.version}\n`)
  const entry = commandEntries.find((known) => known.spec.name === name)
  if (entry === undefined) throw unknownCommand(name, commandTable)
  const { spec, load } = entry
  const parsed = parseArguments(rest, spec)
  if (isSet(parsed, 'help')) return write(io, formatCommandHelp(spec, session.width))
  const { targets, problems } = outputTargets(valuesOf(parsed, 'output'))
  const places = problems.length > 0 ? [] : await placeProblems(targets, io)
  if (problems.length + places.length > 0) throw usageError([...problems, ...places], spec)
  const run = await load()
  let ended: EndedRun
  try {
    ended = await withHelpOf(spec.name, () =>
      run(parsed, {
        io,
        commands: commandTable,
        mask: session.mask,
        spare: session.spare,
        maskFinding: session.maskFinding,
      }),
    )
  } catch (error) {
    const failed = failedRun(spec, endAcknowledgements(describeFailure(error), io.ports.clock.now()))
    const target = targets.find(({ form, file }) => form === 'json' && file === undefined)
    return show(failed, target === undefined ? [] : [target], session)
  }
  return show(ended, targets, session)
}

/** Files of reports that are inputs, or lie where only rendering writes. */
async function placeProblems(targets: readonly OutputTarget[], io: CliIo): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { form, file } of targets) {
    if (file === undefined) continue
    const problem = await reportProblem(resolveFolder(io.workingFolder, file), io.ports)
    if (problem !== undefined) problems.push(`--output ${form}=${file} ${problem}: name another file`)
  }
  return problems
}

/** A run without a result, for programs that read its report (schemas/failure-report.json). */
function failedRun({ name: command, failureStatus }: CommandSpec, findings: readonly Diagnostic[]): EndedRun {
  return {
    findings,
    exitStatus: failureStatus ?? exitStatusOf(findings),
    text: () => ({ output: '' }),
    json: () => ({ kind: 'FailureReport', content: { command }, findings }),
    list: undefined,
    has: (form) => form === 'json',
    document: () => undefined,
  }
}

/** Runs a command, so that wrong usage that says no next step names its help. */
async function withHelpOf<Result>(command: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const help = { USAGE: () => `See \`stackmason ${command} --help\`.` }
    return advise(help, () => {
      throw error
    })
  }
}

/**
 * Writes what a run has to say, files first, and gives its exit status.
 * @throws StackmasonError WRITE_FAILED
 */
async function show(ended: EndedRun, targets: readonly OutputTarget[], session: Session): Promise<number> {
  const { io, writeVerbatim } = session
  for (const { form, file } of targets) {
    if (file === undefined) continue
    await writeReport(resolveFolder(io.workingFolder, file), formatAs(form, ended, session), io.ports)
  }
  const form = targets.find(({ file }) => file === undefined)?.form ?? 'text'
  if (form === 'github') await addSummary(ended, session)
  if (form === 'text' || !ended.has(form)) showText(ended, session)
  else for (const part of formatAs(form, ended, session)) writeVerbatim(part)
  return ended.exitStatus
}

/** The report in a form for programs; it holds no secret value. */
function* formatAs(form: string, ended: EndedRun, session: Session): Generator<string> {
  const { findings, json, list } = ended
  const { io, shorten, mask, maskField, maskFinding } = session
  const { version } = io
  const { crypto } = io.ports
  const describe: DocumentContext['describe'] = (found) =>
    foldFindings(found).map(({ finding, about }) => describeFinding({ finding: maskFinding(finding), about }, shorten))
  const document = ended.document(form, { version, crypto, mask, describe, shorten })
  if (document !== undefined) {
    yield withoutHidden(document)
    return
  }
  if (form === 'json' && json !== undefined) {
    for (const part of formatJsonReport(json(shorten), shorten, maskField)) yield withoutHidden(part)
    return
  }
  const format = findingForms.get(form)
  if (list === undefined || format === undefined) throw new Error(`no form ${form}`)
  const { file, exceptions, ...listed } = list()
  yield withoutHidden(
    format({
      version,
      ...listed,
      findings: describe(findings),
      exceptions: listExceptions(exceptions, shorten),
      file: shorten(file),
      crypto,
      mask,
    }),
  )
}

/** Adds the list to the summary of the step, where GitHub Actions has a file for it. */
async function addSummary(ended: EndedRun, session: Session): Promise<void> {
  const { environment, ports } = session.io
  const file = environment['GITHUB_STEP_SUMMARY'] ?? ''
  if (file !== '') await addToReport(file, formatAs('markdown', ended, session), ports)
}

function showText({ findings, text }: EndedRun, session: Session): void {
  const { io, shorten, report, width, writeLines, writeVerbatim } = session
  const shown = text(shorten, width)
  const { output, opening = '', closing = countHidden(findings), findings: order = 'last' } = shown
  const writeData = (): void => {
    if (shown.isVerbatim === true) writeVerbatim(output)
    else if (shown.isUnbroken === true) write(io, output)
    else if (output !== '') writeLines(output)
  }
  if (order === 'last') writeData()
  if (opening !== '') io.stderr.write(opening)
  report(findings, shown.stream)
  if (closing !== '') io.stderr.write(closing)
  if (order === 'first') writeData()
}

function write({ stdout }: CliIo, text: string): number {
  stdout.write(text)
  return 0
}
