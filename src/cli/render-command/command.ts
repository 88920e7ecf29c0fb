import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { render, type RenderOptions, type RenderResult } from '../../pipeline/render.ts'
import type { CliIo } from '../cli-io.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import type { Progress } from '../progress.ts'
import type { RenderOutcome } from './format-render.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'

/**
 * Runs `stackmason render`. Problems of the input become findings of a failed outcome.
 * @throws whatever is a defect
 */
export async function runRender(parsed: ParsedArguments, io: CliIo, progress: Progress): Promise<RenderOutcome> {
  try {
    const result = await render(renderOptions(parsed, io), io.ports, progress.show)
    progress.clear()
    return result.mode === 'check'
      ? checkOutcome(result, valueOf(parsed, 'runtime-values') === undefined ? 'tree' : 'preview')
      : { status: 'rendered', result, findings: result.findings }
  } catch (error) {
    progress.clear()
    if (error instanceof StackmasonError) return { status: 'failed', findings: error.diagnostics }
    throw error
  }
}

function renderOptions(parsed: ParsedArguments, io: CliIo): RenderOptions {
  const fleet = valueOf(parsed, 'fleet')
  const runtimeValues = valueOf(parsed, 'runtime-values')
  const base = valueOf(parsed, 'base')
  return {
    start: io.workingFolder,
    ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
    ...(runtimeValues === undefined ? {} : { runtimeValues: resolveFolder(io.workingFolder, runtimeValues) }),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
    check: isSet(parsed, 'check'),
    ...(base === undefined ? {} : { base }),
    allowEmpty: isSet(parsed, 'allow-empty'),
    overwriteEdited: isSet(parsed, 'overwrite-edited'),
    network: isSet(parsed, 'offline') ? 'offline' : 'online',
  }
}

function checkOutcome(result: RenderResult, compared: 'tree' | 'preview'): RenderOutcome {
  const stale = result.changes.length
  if (stale === 0) {
    const isRefused = result.findings.some(({ severity }) => severity === 'error')
    return { status: isRefused ? 'stale' : 'current', result, findings: result.findings }
  }
  const finding: Diagnostic = {
    code: 'RENDER_STALE',
    severity: 'error',
    message: `${String(stale)} ${stale === 1 ? 'file differs' : 'files differ'} from what the inputs render to`,
    file: result.output,
    ...(compared === 'preview' && {
      hint: 'It may be only the values of --runtime-values that differ: they never belong into git.',
    }),
  }
  return { status: 'stale', result, findings: [...result.findings, finding] }
}
