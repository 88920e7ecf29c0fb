import { cleanCache, describeCache } from '../../pipeline/commands/cache.ts'
import { parseAge, parseSize } from '../arguments/amount.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, usageError, valueOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { cacheReport } from './json.ts'
import type { CacheResult } from './result.ts'
import { cacheSpec } from './spec.ts'
import { cacheText } from './text.ts'

const DEFAULT_SIZE = '2GiB'

/** `stackmason cache`. */
export const cacheCommand: RunCommand = defineCommand({ run, text: cacheText, json: cacheReport })

/** @throws StackmasonError USAGE, CACHE_FAILED, LOCK_INVALID */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<CacheResult> {
  if (parsed.operands[0] !== 'info') {
    const options = { ...fleetOptions(parsed, io), ...boundsOf(parsed) }
    return { action: 'prune', pruning: await cleanCache(options, io.ports), findings: [] }
  }
  const given = ['max-size', 'max-age', 'fleet'].filter((name) => valueOf(parsed, name) !== undefined)
  if (given.length > 0)
    throw usageError(
      given.map((name) => `option --${name} is for cache prune`),
      cacheSpec,
    )
  return { action: 'info', info: await describeCache(io.ports), findings: [] }
}

function boundsOf(parsed: ParsedArguments): { readonly maxBytes: number; readonly maxAge: number | undefined } {
  const [size, age] = [valueOf(parsed, 'max-size') ?? DEFAULT_SIZE, valueOf(parsed, 'max-age')]
  const maxBytes = parseSize(size)
  const maxAge = age === undefined ? undefined : parseAge(age)
  const problems: string[] = []
  if (maxBytes === undefined)
    problems.push(`option --max-size takes a size such as 500MiB, not ${JSON.stringify(size)}`)
  if (age !== undefined && maxAge === undefined) {
    problems.push(`option --max-age takes an age such as 30d or 12h, not ${JSON.stringify(age)}`)
  }
  if (maxBytes === undefined || problems.length > 0) throw usageError(problems, cacheSpec)
  return { maxBytes, maxAge }
}
