import { dnsLabel } from '../../model/kubernetes-names.ts'
import type { InitController } from '../../pipeline/commands/init-controller.ts'
import { initFleet } from '../../pipeline/commands/init-fleet.ts'
import { isSet, type ParsedArguments, usageError, valueOf } from '../arguments/parse-arguments.ts'
import { refuseImage } from '../arguments/image-name.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { initSpec } from './spec.ts'
import { type InitOutcome, initText } from './text.ts'

/**
 * The addresses that each GitOps tool accepts: Flux only URLs, Argo CD also `user@host:path`. No passwords, and nothing
 * that YAML reads otherwise.
 */
const ADDRESSES: Readonly<Record<string, RegExp>> = {
  flux: /^(?:https?|ssh):\/\/(?:[\w.-]+@)?[\w.-]+(?::\d+)?(?:\/[\w.~%+-]+)+\/?$/,
  argocd: /^(?:(?:https?|ssh):\/\/(?:[\w.-]+@)?[\w.-]+(?::\d+)?(?:\/[\w.~%+-]+)+\/?|[\w.-]+@[\w.-]+:[\w./~%+-]+)$/,
}

/** `stackmason init`. */
export const initCommand: RunCommand = defineCommand({ run, text: initText })

/** @throws StackmasonError USAGE, and as `initFleet` */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<InitOutcome> {
  const engine = valueOf(parsed, 'engine')
  const repository = valueOf(parsed, 'repository')
  const problem = repository === undefined ? undefined : repositoryProblem(repository, engine)
  if (problem !== undefined) throw usageError([problem], initSpec)
  const name = valueOf(parsed, 'name')
  const refusal = name === undefined ? undefined : nameProblem(name, engine)
  if (refusal !== undefined) throw usageError([refusal], initSpec)
  const folder = resolveFolder(io.workingFolder, parsed.operands[0] ?? '.')
  const templates = ['fleet', ...(engine === undefined ? [] : [`engine/${engine}`])]
  const controller = readController(valueOf(parsed, 'controller-image'), engine)
  const options = {
    folder,
    templates,
    isEmpty: isSet(parsed, 'empty'),
    ...(name === undefined ? {} : { name }),
    ...(repository === undefined ? {} : { repository }),
    ...(controller === undefined ? {} : { controller }),
  }
  return { ...(await initFleet(options, io.ports)), isEmpty: options.isEmpty, engine, repository, name, findings: [] }
}

/** Names that objects of others have where those in bootstrap/ lie, or that Argo CD keeps for itself. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  flux: ['flux-system', 'stackmason-controller'],
  argocd: ['default', 'stackmason-controller'],
}

function nameProblem(name: string, engine: string | undefined): string | undefined {
  if (!dnsLabel.allows(name)) return `--name takes the name of a fleet: ${dnsLabel.says}`
  if (engine === undefined || TAKEN[engine]?.includes(name) !== true) return undefined
  return `--name ${name} is taken: with --engine ${engine} something else has that name`
}

function readController(image: string | undefined, engine: string | undefined): InitController | undefined {
  if (image === undefined) return undefined
  const tool = engine === 'flux' || engine === 'argocd' ? engine : undefined
  if (tool === undefined) throw usageError(['--controller-image needs --engine'], initSpec)
  const problems = refuseImage(image, 'controller-image')
  if (problems.length > 0) throw usageError(problems, initSpec)
  return { image, tool }
}

/** Never with the address itself: it may hold a password. */
function repositoryProblem(repository: string, engine: string | undefined): string | undefined {
  if (engine === undefined) return '--repository needs --engine'
  if (ADDRESSES[engine]?.test(repository) === true) return undefined
  const forms = engine === 'flux' ? 'https:// or ssh://' : 'https://, ssh:// or user@host:path'
  return `--repository takes an address with ${forms}, and without a password`
}
