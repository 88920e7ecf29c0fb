import type { Diagnostic } from '../model/diagnostic.ts'
import { watchSecrets } from '../pipeline/watch-secrets.ts'
import type { CliIo } from './cli-io.ts'
import type { CommandSpec } from './arguments/command-spec.ts'
import { commandTable } from './command-table.ts'
import { describeFailure } from './describe-failure.ts'
import { exitStatusOf } from './exit-status.ts'
import { countFindings } from '../report/count-findings.ts'
import { foldFindings } from '../report/fold-findings.ts'
import { formatCompletion } from './format-completion.ts'
import { formatDiagnostic } from '../report/format-diagnostic.ts'
import { formatCommandHelp, formatProgramHelp } from './format-help.ts'
import { nearestName } from '../model/nearest-name.ts'
import { guardOutput } from './guard-output.ts'
import { judgeAcknowledged } from './judge-acknowledged.ts'
import { createPalette } from '../report/palette.ts'
import { isSet, parseArguments, type ParsedArguments, usageError, valueOf } from './arguments/parse-arguments.ts'
import {
  formatCheckSummary,
  formatDefinitions,
  formatRecovery,
  formatRenderJson,
  formatRenderSummary,
  type RenderOutcome,
} from './render-command/format-render.ts'
import { progressOf, type Session } from './session.ts'
import { createShortenPath } from '../report/shorten-path.ts'

/**
 * Runs the program on the words after its name. Data goes to `stdout`, everything else to `stderr`; never throws. Returns the exit status:
 * 0 fine, 1 differences or errors in the input, 2 wrong usage or failure.
 */
export async function run(words: readonly string[], outside: CliIo): Promise<number> {
  const watch = watchSecrets(outside.ports, outside.environment)
  watch.note(words.join('\n'))
  const io = guardOutput(outside, watch)
  const isPlain = words.includes('--no-color') || !isColourful(io)
  const report = (findings: readonly Diagnostic[]): number => {
    const format = {
      palette: createPalette(isPlain ? 'plain' : 'colour'),
      shorten: createShortenPath(io.workingFolder),
      width: io.stderr.isTerminal ? io.stderr.columns : undefined,
    }
    const shown = findings.filter(
      ({ severity, acknowledgement }) => severity !== 'note' && acknowledgement === undefined,
    )
    for (const { finding, about } of foldFindings(shown)) {
      io.stderr.write(formatDiagnostic(watch.maskFinding(finding), format, about))
    }
    return exitStatusOf(findings)
  }
  try {
    const done = dispatch(words, { io, report, writeManifests: outside.stdout.write })
    return await Promise.race([done, ...(outside.crash === undefined ? [] : [outside.crash])])
  } catch (error) {
    return report(describeFailure(error))
  }
}

function isColourful({ stderr, environment }: CliIo): boolean {
  return stderr.isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb'
}

/** The first word names the command; loading only what a command needs keeps start-up short. */
async function dispatch(words: readonly string[], session: Session): Promise<number> {
  const { io } = session
  const [name = '--help', ...rest] = words
  if (name === '--help' || name === '-h') return write(io, formatProgramHelp(commandTable))
  if (name === '--version' || name === '-v') return write(io, `${io.version}\n`)
  const command = findCommand(name)
  const parsed = parseArguments(rest, command)
  if (isSet(parsed, 'help')) return write(io, formatCommandHelp(command))
  switch (command.name) {
    case 'render':
      return dispatchRender(parsed, session)
    case 'update':
      return (await import('./update-command/command.ts')).runUpdate(parsed, session)
    case 'fetch':
      return (await import('./fetch-command/command.ts')).runFetch(parsed, session)
    case 'list':
      return (await import('./list-command/command.ts')).runList(parsed, session)
    case 'cache':
      return (await import('./cache-command/command.ts')).runCache(parsed, session)
    case 'build':
      return (await import('./build-command/command.ts')).runBuild(parsed, session)
    case 'images':
      return (await import('./images-command/command.ts')).runImages(parsed, session)
    case 'explain':
      return dispatchExplain(parsed, session)
    case 'template':
      return dispatchTemplate(parsed, session)
    case 'adopt':
      return (await import('./adopt-command/command.ts')).runAdopt(parsed, session)
    case 'init':
      return dispatchInit(parsed, session)
    case 'completion':
      return write(io, formatCompletion(shellOf(parsed), commandTable))
    case 'version':
      return write(io, formatVersion(io.version, valueOf(parsed, 'output') ?? 'text'))
    default:
      return write(io, helpOn(parsed.operands[0]))
  }
}

function write({ stdout }: CliIo, text: string): number {
  stdout.write(text)
  return 0
}

function findCommand(name: string): CommandSpec {
  const command = commandTable.find((known) => known.name === name)
  if (command !== undefined) return command
  const near = nearestName(
    name,
    commandTable.map((known) => known.name),
  )
  const problem = name.startsWith('-')
    ? `no option ${name} here; a command comes first`
    : `there is no command ${JSON.stringify(name)}`
  throw usageError([`${problem}${near === undefined ? '' : `; did you mean ${near}?`}`], undefined)
}

function helpOn(name: string | undefined): string {
  return name === undefined ? formatProgramHelp(commandTable) : formatCommandHelp(findCommand(name))
}

function shellOf(parsed: ParsedArguments): 'bash' | 'zsh' | 'fish' {
  const shell = parsed.operands[0]
  return shell === 'zsh' || shell === 'fish' ? shell : 'bash'
}

function formatVersion(version: string, format: string): string {
  if (format !== 'json') return `${version}\n`
  const about = { apiVersion: 'stackmason.dev/v1alpha1', kind: 'Version', version, helm: '4.1.4' }
  return `${JSON.stringify(about, undefined, 2)}\n`
}

async function dispatchRender(parsed: ParsedArguments, session: Session): Promise<number> {
  const { io } = session
  const { runRender } = await import('./render-command/command.ts')
  const isQuiet = isSet(parsed, 'quiet')
  const progress = progressOf(io, 'rendered', isQuiet ? 'quiet' : 'shown')
  const ended = await runRender(parsed, io, progress)
  const outcome = { ...ended, findings: judgeAcknowledged(ended.findings, io.ports.clock.now()) }
  if (valueOf(parsed, 'output') !== 'json') {
    const nothing = isSet(parsed, 'check') ? '' : '; nothing was written'
    return reportRender(outcome, session, isQuiet ? undefined : { nothing })
  }
  io.stdout.write(formatRenderJson(outcome, createShortenPath(io.workingFolder)))
  return exitStatusOf(outcome.findings)
}

/** Without a `summary` findings alone are printed; `nothing` follows their count when the run failed: a check never writes. */
function reportRender(
  { status, result, findings }: RenderOutcome,
  session: Session,
  summary: { readonly nothing: string } | undefined,
): number {
  const { io, report } = session
  if (summary !== undefined && result?.recovered !== undefined) io.stderr.write(formatRecovery(result.recovered))
  const exitStatus = report(findings)
  if (summary === undefined) return exitStatus
  const counted = countFindings(findings)
  if (findings.length > 1 || findings.some((finding) => finding.severity === 'note' || finding.acknowledgement))
    io.stderr.write(`${counted}${exitStatus === 0 ? '' : summary.nothing}.\n`)
  // the result and the next step last, where they are looked for
  if (result !== undefined) {
    const format = status === 'rendered' ? formatRenderSummary : formatCheckSummary
    const shorten = createShortenPath(io.workingFolder)
    const needed = status === 'rendered' ? formatDefinitions(result, shorten(`${io.packageFolder}/templates/crds`)) : ''
    io.stdout.write(needed + format(result, shorten))
  }
  return exitStatus
}

async function dispatchTemplate(parsed: ParsedArguments, { io, report, writeManifests }: Session): Promise<number> {
  const { runTemplate } = await import('./template-command/command.ts')
  const { output, findings } = await runTemplate(parsed, io)
  writeManifests(output)
  return report(findings)
}

async function dispatchExplain(parsed: ParsedArguments, { io }: Session): Promise<number> {
  const { formatExplanation, formatExplanationJson, runExplain } = await import('./explain-command/command.ts')
  const explanation = await runExplain(parsed, io)
  const isJson = valueOf(parsed, 'output') === 'json'
  return write(
    io,
    isJson ? formatExplanationJson(explanation) : formatExplanation(explanation, createShortenPath(io.workingFolder)),
  )
}

async function dispatchInit(parsed: ParsedArguments, { io }: Session): Promise<number> {
  const { runInit } = await import('./init-command/command.ts')
  const { folder, files } = await runInit(parsed, io)
  const shown = createShortenPath(io.workingFolder)(folder)
  const list = files.map((path) => `  ${path}\n`).join('')
  const next = shown === '.' ? 'stackmason render' : `cd ${shown} && stackmason render`
  const engine = valueOf(parsed, 'engine')
  const handOver =
    engine === undefined
      ? ''
      : `Then commit and push; bootstrap/${engine}.yaml says how to point ${engineName(engine)} at it.\n`
  return write(io, `Wrote a fleet repository to ${shown}:\n${list}Next: ${next}\n${handOver}`)
}

function engineName(engine: string): string {
  return engine === 'flux' ? 'Flux' : 'Argo CD'
}
