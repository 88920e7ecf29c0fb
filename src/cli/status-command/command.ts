import {
  isReady,
  readRemoval,
  readStatus,
  type RemovalResult,
  type StatusResult,
} from '../../pipeline/commands/status.ts'
import { parseAge } from '../arguments/amount.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { statusReport } from './json.ts'
import { statusSpec } from './spec.ts'
import { changeLines, statusText } from './text.ts'

/** The result of a run: the state of the fleet, or the answer whether a version may be removed. */
export type StatusCommandResult = StatusResult | RemovalResult

/** `stackmason status`. */
export const statusCommand: RunCommand = defineCommand<StatusCommandResult>({
  run,
  text: statusText,
  json: statusReport,
  isDifferent: (result) => ('verdict' in result ? result.verdict === 'no' : !isReady(result)),
})

/** @throws StackmasonError as {@link readStatus} */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<StatusCommandResult> {
  const { ports, version } = io
  const access = { kubeconfig: kubeconfigOf(parsed, io), context: valueOf(parsed, 'context') }
  const userAgent = `stackmason/${version}`
  const definition = valueOf(parsed, 'definition')
  if (definition !== undefined) return readRemoval(parseDefinition(definition), { access, userAgent }, ports)
  const isWatching = isSet(parsed, 'watch')
  const timeout = valueOf(parsed, 'timeout')
  const most = timeout === undefined ? undefined : parseAge(timeout)
  if (timeout !== undefined && (most === undefined || !isWatching)) {
    throw usageError(
      [
        isWatching
          ? `option --timeout takes a time such as 30m, not ${JSON.stringify(timeout)}`
          : '--timeout needs --watch',
      ],
      statusSpec,
    )
  }
  const options = { ...fleetOptions(parsed, io), clusters: valuesOf(parsed, 'cluster'), access, userAgent }
  if (!isWatching) return readStatus(options, ports)
  const until = AbortSignal.any([
    ports.termination.signal(),
    ...(most === undefined ? [] : [afterTime(most, ports.clock)]),
  ])
  const show = changeLines()
  const onChange: typeof show = (status) => {
    const lines = show(status)
    io.stderr.write(lines)
    return lines
  }
  return readStatus({ ...options, watch: { onChange, until } }, ports)
}

function afterTime(milliseconds: number, clock: CliIo['ports']['clock']): AbortSignal {
  const over = new AbortController()
  void clock.sleep(milliseconds, new AbortController().signal).then(() => {
    over.abort()
  })
  return over.signal
}

/** As kubectl finds it; undefined: the cluster that this pod runs in. */
function kubeconfigOf(parsed: ParsedArguments, { environment, workingFolder }: CliIo): string | undefined {
  const named = valueOf(parsed, 'kubeconfig')
  if (named !== undefined) return resolveFolder(workingFolder, named)
  const files = (environment['KUBECONFIG'] ?? '').split(':').filter((file) => file !== '')
  const [first] = files
  if (files.length > 1) throw usageError(['KUBECONFIG names several files: name one with --kubeconfig'], statusSpec)
  if (first !== undefined) return resolveFolder(workingFolder, first)
  const isPod = (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== ''
  const home = environment['HOME'] ?? ''
  return isPod || home === '' ? undefined : `${home}/.kube/config`
}

/** @throws StackmasonError USAGE */
function parseDefinition(text: string): { readonly definition: string; readonly version: string } {
  const [, definition = '', version = ''] = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/([a-z0-9]+)$/.exec(text) ?? []
  if (definition === '') {
    throw usageError(
      [
        `option --definition takes a name and a version such as certificates.cert-manager.io/v1, not ${JSON.stringify(text)}`,
      ],
      statusSpec,
    )
  }
  return { definition, version }
}
