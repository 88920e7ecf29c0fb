import { build, type BuildOptions, type BuildResult } from '../../pipeline/commands/build.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { buildReport } from './json.ts'
import { buildSpec } from './spec.ts'
import { buildText } from './text.ts'

/** `stackmason build`. */
export const buildCommand: RunCommand = defineCommand({ run, text: buildText, json: buildReport })

/** @throws StackmasonError with every problem; then nothing was written */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<BuildResult> {
  return build(buildOptions(parsed, io), io.ports)
}

function buildOptions(parsed: ParsedArguments, io: CliIo): BuildOptions {
  const problems = conflicts(parsed)
  if (problems.length > 0) throw usageError(problems, buildSpec)
  const path = (typed: string): string => resolveFolder(io.workingFolder, typed)
  const table = valueOf(parsed, 'table')
  const caFile = valueOf(parsed, 'ca-file')
  const isPush = isSet(parsed, 'push')
  const source = valueOf(parsed, 'source')
  // nothing named: what the environment names
  const registry = valueOf(parsed, 'registry') ?? (isPush && source === undefined ? '' : undefined)
  const kubernetes = valuesOf(parsed, 'kubernetes')
  return {
    ...fleetOptions(parsed, io),
    directory: path(parsed.operands[0] ?? '.'),
    output: path(valueOf(parsed, 'out') ?? '.release'),
    isDefaultOutput: valueOf(parsed, 'out') === undefined,
    version: wantedVersion(parsed),
    table: table === undefined ? undefined : path(table),
    rows: isSet(parsed, 'all') ? 'all' : kubernetes.length > 0 ? kubernetes : 'none',
    push: isPush,
    index: isSet(parsed, 'index'),
    overwrite: isSet(parsed, 'overwrite'),
    dryRun: isSet(parsed, 'dry-run'),
    source,
    registry,
    plainHttp: isSet(parsed, 'plain-http'),
    caFile: caFile === undefined ? undefined : path(caFile),
  }
}

function wantedVersion(parsed: ParsedArguments): BuildOptions['version'] {
  const clusterStack = valueOf(parsed, 'version')
  if (clusterStack === undefined) return { mode: valueOf(parsed, 'mode') === 'hash' ? 'hash' : 'stable' }
  const clusterAddon = valueOf(parsed, 'addon-version')
  const nodeImage = valueOf(parsed, 'node-image-version')
  return {
    mode: 'explicit',
    clusterStack,
    clusterAddon,
    nodeImage,
  }
}

/** Options that do not go together. */
function conflicts(parsed: ParsedArguments): readonly string[] {
  const given = (name: string): boolean => parsed.options.has(name)
  const exclusive = [
    ['mode', 'version'],
    ['all', 'kubernetes'],
    ['registry', 'source'],
  ] as const
  const needed = [
    ['addon-version', ['version']],
    ['node-image-version', ['version']],
    ['table', ['kubernetes', 'all']],
    ['plain-http', ['registry', 'push']],
    ['ca-file', ['registry', 'push']],
  ] as const
  return [
    ...exclusive.flatMap(([a, b]) => (given(a) && given(b) ? [`--${a} and --${b} cannot be used together`] : [])),
    ...needed.flatMap(([name, others]) =>
      given(name) && !others.some(given) ? [`--${name} needs ${others.map((one) => `--${one}`).join(' or ')}`] : [],
    ),
  ]
}
