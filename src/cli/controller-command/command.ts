import { LeaseLostError } from '../../controller/lease/lease-election.ts'
import type { MetricsAddress } from '../../controller/controller-options.ts'
import { createLog, type LogLevel } from '../../controller/log.ts'
import { openManagementCluster } from '../../controller/open-management-cluster.ts'
import { runController } from '../../controller/run-controller.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { type KubeAccess, KubeAccessError, type KubeAccessOptions } from '../../model/kube-access.ts'
import { ListenError } from '../../model/listener.ts'
import type { Ports } from '../../model/ports.ts'
import { controllerDefinitions, controllerManifests } from '../../pipeline/commands/controller-manifests.ts'
import { type ParsedArguments, usageError, valueOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, type CommandResult, defineCommand, type RunCommand } from '../command.ts'
import { type ControllerAction, readInstallOptions, strayOptions } from './install-options.ts'
import { readOptions } from './options.ts'
import { controllerSpec } from './spec.ts'

const actions: readonly ControllerAction[] = ['run', 'manifests', 'definitions']
const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** The output of the command: manifests, or nothing. */
interface ControllerOutcome extends CommandResult {
  readonly output: string
}

/** `stackmason controller`. Manifests hold what the user put into them. */
export const controllerCommand: RunCommand = defineCommand({
  run,
  text: ({ output }: ControllerOutcome) => ({ output, isVerbatim: true }),
})

/** @throws StackmasonError USAGE, CONTROLLER_FAILED, WRITE_FAILED */
async function run(parsed: ParsedArguments, context: CommandContext): Promise<ControllerOutcome> {
  const action = actions.find((name) => name === parsed.operands[0]) ?? 'run'
  const problems = strayOptions(parsed, action)
  if (problems.length > 0) throw usageError(problems, controllerSpec)
  if (action === 'run') return work(parsed, context)
  if (action === 'manifests') return writeManifests(parsed, context.io)
  return { output: await controllerDefinitions(context.io.ports), findings: [] }
}

async function writeManifests(parsed: ParsedArguments, { ports, workingFolder }: CliIo): Promise<ControllerOutcome> {
  const out = valueOf(parsed, 'out')
  const folder = out === undefined ? undefined : resolveFolder(workingFolder, out)
  return { output: await controllerManifests(readInstallOptions(parsed), folder, ports), findings: [] }
}

async function work(parsed: ParsedArguments, { io }: CommandContext): Promise<ControllerOutcome> {
  const options = readOptions(parsed)
  const { ports } = io
  const { clock, random, crypto, keys, listener, metrics, kube } = ports
  const stopped = ports.termination.signal()
  const level = levels.find((name) => name === valueOf(parsed, 'log-level')) ?? 'info'
  const log = createLog(level, clock, (line) => {
    io.stderr.write(line)
  })
  const kubeconfig = valueOf(parsed, 'kubeconfig')
  const access = await openAccess(ports, {
    kubeconfig: kubeconfig === undefined ? undefined : resolveFolder(io.workingFolder, kubeconfig),
    context: valueOf(parsed, 'context'),
  })
  try {
    const namespace = options.lease?.namespace ?? access.namespace
    if (options.lease !== undefined && namespace === undefined) {
      throw usageError(['nothing says where the lease is kept: give --lease-namespace, or --no-lease'], controllerSpec)
    }
    await runController(
      {
        ...options,
        identity: identityOf(ports),
        metrics: resolveMetrics(options.metrics, io.workingFolder),
        lease: options.lease === undefined ? undefined : { namespace: namespace ?? '', times: options.lease.times },
        version: io.version,
        userAgent: `stackmason/${io.version}`,
      },
      { connection: access.connection, kube, listener, metrics, clock, random, crypto, keys, log },
      stopped,
    )
    return { output: '', findings: [] }
  } catch (error) {
    if (error instanceof LeaseLostError)
      throw failed(error.message, 'Start it again: it waits until the lease is free.')
    if (error instanceof ListenError) {
      const { host, port } = error.address
      throw failed(
        `cannot listen at ${host}:${String(port)}: ${error.message}`,
        error.reason === 'certificate'
          ? 'Check --metrics-tls-cert and --metrics-tls-key: both in PEM, and the key of the certificate.'
          : 'Name another address, or end what listens there.',
      )
    }
    throw error
  } finally {
    await access.connection.close()
  }
}

async function openAccess(ports: Ports, options: KubeAccessOptions): Promise<KubeAccess> {
  try {
    return await openManagementCluster(options, ports)
  } catch (error) {
    if (!(error instanceof KubeAccessError)) throw error
    const of = options.kubeconfig === undefined ? '' : ` by ${options.kubeconfig}`
    throw failed(
      `no way to an API server${of}: ${error.message}`,
      'Name a kubeconfig with --kubeconfig, and try it: kubectl --kubeconfig FILE get runtimevalues -A.',
    )
  }
}

function failed(message: string, hint: string): StackmasonError {
  return new StackmasonError({ code: 'CONTROLLER_FAILED', severity: 'error', message, hint })
}

function resolveMetrics(metrics: MetricsAddress | undefined, folder: string): MetricsAddress | undefined {
  if (metrics?.tls === undefined) return metrics
  const { certificate, key } = metrics.tls
  return { ...metrics, tls: { certificate: resolveFolder(folder, certificate), key: resolveFolder(folder, key) } }
}

/** The name of the pod, and something that no earlier run in it has had. */
function identityOf({ environment, random, process }: Ports): string {
  const host = environment.get('HOSTNAME') ?? `process-${String(process.id)}`
  return `${host}_${Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
