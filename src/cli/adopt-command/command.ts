import { adopt, type AdoptOptions } from '../../pipeline/commands/adopt.ts'
import { compareLive } from '../../pipeline/commands/compare-live.ts'
import type { ObjectPath } from '../../pipeline/commands/object-files.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { CliIo } from '../cli-io.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { adoptReport } from './json.ts'
import { type AdoptOutcome, mayChange } from './result.ts'
import { adoptSpec } from './spec.ts'
import { adoptText } from './text.ts'

/** `stackmason adopt`. */
export const adoptCommand: RunCommand = defineCommand({
  run,
  text: adoptText,
  json: adoptReport,
  isDifferent: mayChange,
})

/** @throws StackmasonError as `adopt` and `compareLive` */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<AdoptOutcome> {
  const problems = conflicts(parsed)
  if (problems.length > 0) throw usageError(problems, adoptSpec)
  return parsed.options.has('compare') ? compare(parsed, io) : write(parsed, io)
}

async function write(parsed: ParsedArguments, { workingFolder, ports }: CliIo): Promise<AdoptOutcome> {
  const folder = resolveFolder(workingFolder, valueOf(parsed, 'out') ?? '.')
  const source = sourceOf(parsed, workingFolder)
  const inputs = parsed.operands.map((typed) => objectPath(typed, workingFolder))
  const written = await adopt({ inputs, folder, source }, ports)
  return { action: 'write', written, findings: written.findings }
}

async function compare(parsed: ParsedArguments, io: CliIo): Promise<AdoptOutcome> {
  const inputs = valuesOf(parsed, 'compare').map((typed) => objectPath(typed, io.workingFolder))
  const compared = await compareLive({ ...fleetOptions(parsed, io), inputs }, io.ports)
  return { action: 'compare', compared, findings: compared.findings }
}

function conflicts(parsed: ParsedArguments): readonly string[] {
  const given = (name: string): boolean => parsed.options.has(name)
  const sources = ['oci', 'github', 'directory'].filter(given).map((name) => `--${name}`)
  const github = valueOf(parsed, 'github') ?? 'owner/name'
  if (given('compare')) {
    const others = ['out', 'oci', 'github', 'directory'].filter(given)
    return [
      ...others.map((name) => `--compare and --${name} cannot be used together`),
      ...(parsed.operands.length > 0 ? ['--compare takes one FILE; repeat it for more'] : []),
    ]
  }
  return [
    ...(parsed.operands.length === 0 ? ['adopt needs FILE: objects of the management cluster'] : []),
    ...(given('out') ? [] : ['adopt needs --out FOLDER']),
    ...['fleet', 'offline'].filter(given).map((name) => `--${name} needs --compare`),
    ...(sources.length > 1 ? [`${sources.join(' and ')} cannot be used together`] : []),
    ...(/^[^/\s]+\/[^/\s]+$/.test(github) ? [] : ['--github takes OWNER/NAME']),
  ]
}

/** `team-a/web=file`: an equals sign in a file's name does no harm as long as no cluster stands before it. */
function objectPath(typed: string, workingFolder: string): ObjectPath {
  const match = /^([a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9.]*)=(.+)$/s.exec(typed)
  const [, place = '', path = typed] = match ?? []
  return { path: resolveFolder(workingFolder, path), clusterKey: place }
}

function sourceOf(parsed: ParsedArguments, workingFolder: string): AdoptOptions['source'] {
  const oci = valueOf(parsed, 'oci')
  const github = valueOf(parsed, 'github')
  const directory = valueOf(parsed, 'directory')
  if (oci !== undefined) return { kind: 'oci', repository: oci.replace(/^oci:\/\//, '') }
  if (github !== undefined) {
    const [owner = '', repository = ''] = github.split('/')
    return { kind: 'github', owner, repository }
  }
  if (directory === undefined) return undefined
  return { kind: 'directory', path: resolveFolder(workingFolder, directory) }
}
