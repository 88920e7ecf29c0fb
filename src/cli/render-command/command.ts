import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import { render, type RenderOptions, type RenderResult } from '../../pipeline/commands/render.ts'
import { renderShard, type ShardOptions } from '../../pipeline/commands/render-shard.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { renderReport } from './json.ts'
import type { RenderOutcome } from './outcome.ts'
import { readSharding, type Sharding } from './sharding.ts'
import { renderSpec } from './spec.ts'
import { renderText } from './text.ts'

/** `stackmason render`. */
export const renderCommand: RunCommand = defineCommand({ run, text: renderText, json: renderReport })

/** Problems of the input become findings of a failed outcome. */
async function run(parsed: ParsedArguments, context: CommandContext): Promise<RenderOutcome> {
  const { io } = context
  const asked = {
    mode: isSet(parsed, 'check') ? ('check' as const) : ('render' as const),
    isQuiet: isSet(parsed, 'quiet'),
  }
  const detail = asked.isQuiet ? 'quiet' : 'shown'
  try {
    const sharding = readSharding(parsed, io)
    if (sharding.kind === 'shard') {
      const options = shardOptions(parsed, context, sharding)
      const shard = await withProgress(io, { verb: 'rendered', detail }, (show) => renderShard(options, io.ports, show))
      return { ...asked, shard, status: 'sharded', findings: [] }
    }
    const result = await withProgress(io, { verb: 'rendered', detail }, (show) =>
      render(renderOptions(parsed, context, sharding), io.ports, show),
    )
    const ended =
      result.mode === 'check'
        ? checkOutcome(result, {
            compared: valueOf(parsed, 'runtime-values') === undefined ? 'tree' : 'preview',
            base: valueOf(parsed, 'base'),
          })
        : { status: 'rendered' as const, findings: result.findings }
    return { ...asked, result, status: ended.status, findings: ended.findings }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { ...asked, status: 'failed', findings: error.diagnostics }
  }
}

/** The options that a shard and a whole run share. */
type CommonOptions = Pick<RenderOptions, 'start' | 'fleet' | 'network' | 'check' | 'base' | 'threads'>

function commonOptions(parsed: ParsedArguments, { io }: CommandContext): CommonOptions {
  const base = valueOf(parsed, 'base')
  const threads = valueOf(parsed, 'threads')
  if (threads !== undefined && !COUNT.test(threads))
    throw usageError([`option --threads takes a number from 0 to 64, not ${JSON.stringify(threads)}`], renderSpec)
  return {
    ...fleetOptions(parsed, io),
    check: isSet(parsed, 'check'),
    ...(base === undefined ? {} : { base }),
    ...(threads === undefined ? {} : { threads: Number(threads) }),
  }
}

function shardOptions(
  parsed: ParsedArguments,
  context: CommandContext,
  { shard, into }: Extract<Sharding, { readonly kind: 'shard' }>,
): ShardOptions {
  const { io, mask } = context
  return {
    ...commonOptions(parsed, context),
    shard,
    into,
    program: programOf(io),
    isClean: (text) => mask(text) === text,
  }
}

function renderOptions(parsed: ParsedArguments, context: CommandContext, sharding: Sharding): RenderOptions {
  const { io, mask } = context
  const runtimeValues = valueOf(parsed, 'runtime-values')
  return {
    ...commonOptions(parsed, context),
    ...(runtimeValues === undefined ? {} : { runtimeValues: resolveFolder(io.workingFolder, runtimeValues) }),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
    allowEmpty: isSet(parsed, 'allow-empty'),
    overwriteEdited: isSet(parsed, 'overwrite-edited'),
    ...(sharding.kind === 'join' && { join: { folders: sharding.folders, program: programOf(io) } }),
    ...(io.program !== undefined &&
      !isSet(parsed, 'no-cache') && { reuses: { program: io.program, isClean: (text) => mask(text) === text } }),
  }
}

/** The version, and what the program is to the byte; what runs it is another on each machine. */
function programOf({ version, program }: CommandContext['io']): string {
  const [digest] = program?.split(' ') ?? []
  return digest === undefined ? version : `${version} ${digest}`
}

/** From 0 to 64. */
const COUNT = /^(?:[0-9]|[1-5][0-9]|6[0-4])$/

function checkOutcome(
  result: RenderResult,
  { compared, base }: { readonly compared: 'tree' | 'preview'; readonly base: string | undefined },
): { readonly status: 'current' | 'stale'; readonly findings: readonly Diagnostic[] } {
  const stale = result.changes.length
  if (stale === 0) {
    const isRefused = result.findings.some(({ severity }) => severity === 'error')
    return { status: isRefused ? 'stale' : 'current', findings: result.findings }
  }
  const hint =
    compared === 'preview'
      ? 'It may be only the values of --runtime-values that differ: they never belong into git.'
      : (wayPastRefusal(result.findings) ?? wayPastLineEnds(result.findings) ?? wayFromBase(base))
  const finding: Diagnostic = {
    code: 'RENDER_STALE',
    severity: 'error',
    message: `${String(stale)} ${stale === 1 ? 'file differs' : 'files differ'} from what the inputs render to`,
    file: result.output,
    hint,
  }
  return { status: 'stale', findings: [...result.findings, finding] }
}

/** Advice where the tree is to follow on another commit than the last one, from which a run goes on by itself. */
function wayFromBase(base: string | undefined): string | undefined {
  return base === undefined ? undefined : `Run \`stackmason render --base ${base}\`, and commit the result.`
}

/** Advice where inputs that git has converted may be all that differs: what they render to is not to be committed. */
function wayPastLineEnds(findings: readonly Diagnostic[]): string | undefined {
  if (!findings.some(({ code }) => code === 'INPUT_LINE_ENDS')) return undefined
  return 'The line ends of inputs (INPUT_LINE_ENDS) may be all that differs: check the inputs out as they are committed, and run `stackmason render --check` again. Only if it still says so, run `stackmason render` and commit the result.'
}

/** Codes of errors in a check that stop no run that writes. */
const BESIDE: readonly Code[] = ['OUTPUT_FOREIGN', 'OUTPUT_HIDDEN', 'OUTPUT_ALTERED', 'OUTPUT_PIN']

/** Advice for findings that make `render` refuse to write. */
function wayPastRefusal(findings: readonly Diagnostic[]): string | undefined {
  const refused = findings.filter(({ severity, code }) => severity === 'error' && !BESIDE.includes(code))
  if (refused.length === 0) return undefined
  return refused.every(({ code }) => code === 'WRITE_HAND_EDITED')
    ? 'Move the edits into values or patches, restore the files with git and run `stackmason render`; or give the edits up: `stackmason render --overwrite-edited`. Then commit the result.'
    : '`stackmason render` writes nothing before the other errors are corrected; then run it and commit the result.'
}
