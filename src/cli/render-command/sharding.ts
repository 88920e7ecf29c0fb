import { MOST_SHARDS, parseShard, type Shard } from '../../pipeline/shards/shard.ts'
import type { CliIo } from '../cli-io.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { renderSpec } from './spec.ts'

/** How a run shares its work with others. */
export type Sharding =
  | { readonly kind: 'none' }
  | { readonly kind: 'shard'; readonly shard: Shard; /** Absolute. */ readonly into: string }
  | { readonly kind: 'join'; /** Absolute. */ readonly folders: readonly string[] }

/** Options that a shard or a join does not go with, and why. */
const refused: Readonly<Record<'shard' | 'join', Readonly<Record<string, string>>>> = {
  shard: {
    cluster: 'a shard is one of a whole fleet',
    stack: 'a shard is one of a whole fleet',
    'runtime-values': 'values of running clusters belong into no file that is handed on',
    'allow-empty': 'give it to the join, which writes the tree',
    'overwrite-edited': 'give it to the join, which writes the tree',
  },
  join: {
    cluster: 'shards are of a whole fleet',
    stack: 'shards are of a whole fleet',
    'runtime-values': 'shards are rendered without it',
    threads: 'a join renders no clusters',
  },
}

/** Reads `--shard`, `--shard-folder` and `--join`. @throws StackmasonError USAGE */
export function readSharding(parsed: ParsedArguments, { workingFolder }: Pick<CliIo, 'workingFolder'>): Sharding {
  const written = valueOf(parsed, 'shard')
  const into = valueOf(parsed, 'shard-folder')
  const joined = valuesOf(parsed, 'join')
  const problems: string[] = []
  const shard = written === undefined ? undefined : parseShard(written)
  if (written !== undefined && shard === undefined)
    problems.push(
      `option --shard takes the number of a shard and how many there are, as 2/4, at most ${String(MOST_SHARDS)}; not ${JSON.stringify(written)}`,
    )
  if (written !== undefined && joined.length > 0)
    problems.push('--shard and --join are two runs: one follows the other')
  if (written !== undefined && into === undefined) problems.push('--shard needs --shard-folder: where the shard goes')
  if (written === undefined && into !== undefined) problems.push('--shard-folder goes with --shard')
  for (const [kind, isAsked] of [
    ['shard', written !== undefined],
    ['join', joined.length > 0],
  ] as const)
    for (const [name, why] of Object.entries(refused[kind]))
      if (isAsked && isSet(parsed, name)) problems.push(`--${kind} does not go with --${name}: ${why}`)
  if (problems.length > 0) throw usageError(problems, renderSpec)
  if (joined.length > 0) return { kind: 'join', folders: joined.map((folder) => resolveFolder(workingFolder, folder)) }
  if (shard === undefined || into === undefined) return { kind: 'none' }
  return { kind: 'shard', shard, into: resolveFolder(workingFolder, into) }
}
