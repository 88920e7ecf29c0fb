import { alternatives } from '../arguments/alternatives.ts'
import { newCluster, type NewClusterOptions } from '../../pipeline/commands/new-cluster.ts'
import { newStack } from '../../pipeline/commands/new-stack.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { newSpec } from './spec.ts'
import { type NewOutcome, newText } from './text.ts'

/** `stackmason new`. */
export const newCommand: RunCommand = defineCommand({ run, text: newText })

const ONLY: Readonly<Record<string, readonly string[]>> = {
  cluster: ['like', 'class', 'set', 'pods', 'services', 'endpoint'],
  stack: ['kubernetes', 'namespace', 'no-fleet'],
}

/** The providers that there are templates for, and their folders below templates/. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  docker: ['fleet/providers/docker/starter'],
  openstack: ['fleet/providers/docker/starter', 'stack/openstack'],
}

/** @throws StackmasonError USAGE, and as making a cluster or stack */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<NewOutcome> {
  const [what = '', name = ''] = parsed.operands
  const other = what === 'cluster' ? 'stack' : 'cluster'
  const strange = (ONLY[other] ?? []).filter((option) => parsed.options.has(option))
  if (strange.length > 0)
    throw usageError(
      strange.map((option) => `--${option} is for a new ${other}`),
      newSpec,
    )
  return what === 'cluster' ? runCluster(name, parsed, io) : runStack(name, parsed, io)
}

async function runCluster(name: string, parsed: ParsedArguments, io: CliIo): Promise<NewOutcome> {
  const [like, className] = [valueOf(parsed, 'like'), valueOf(parsed, 'class')]
  if ((like === undefined) === (className === undefined))
    throw usageError(['a new cluster needs either --like or --class'], newSpec)
  const set = valuesOf(parsed, 'set')
  if (set.length > 0 && className === undefined) throw usageError(['--set needs --class'], newSpec)
  const bad = set.filter((word) => !/^[^=]+=/.test(word))
  if (bad.length > 0) throw usageError(['--set takes VARIABLE=VALUE'], newSpec)
  const [pods, services, endpoint] = ['pods', 'services', 'endpoint'].map((option) => valueOf(parsed, option))
  const options: NewClusterOptions = {
    ...fleetOptions(parsed, io),
    name,
    from: like !== undefined ? { like } : { class: className ?? '' },
    variables: new Map(set.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)])),
    pods,
    services,
    endpoint,
    isDry: isSet(parsed, 'dry-run'),
  }
  const result = await withProgress(
    io,
    { verb: 'rendered', detail: io.stderr.isTerminal ? 'shown' : 'quiet' },
    (show) => newCluster(options, io.ports, show),
  )
  return { ...result, what: 'cluster' }
}

async function runStack(name: string, parsed: ParsedArguments, io: CliIo): Promise<NewOutcome> {
  const [provider = ''] = name.split('/')
  const folders = Object.hasOwn(TEMPLATES, provider) ? TEMPLATES[provider] : undefined
  if (folders === undefined)
    throw usageError(
      [`there is no template for ${JSON.stringify(provider)}: begin with ${alternatives(Object.keys(TEMPLATES))}`],
      newSpec,
    )
  const result = await newStack(
    {
      ...fleetOptions(parsed, io),
      name,
      kubernetesVersion: valueOf(parsed, 'kubernetes') ?? 'v1.34.7',
      namespace: valueOf(parsed, 'namespace') ?? 'platform',
      templates: folders,
      isAlone: isSet(parsed, 'no-fleet'),
      isDry: isSet(parsed, 'dry-run'),
    },
    io.ports,
  )
  return { ...result, what: 'stack', notes: [] }
}
