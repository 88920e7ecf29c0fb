import type { CliIo } from '../cli-io.ts'
import { isSet, type ParsedArguments, valueOf } from './parse-arguments.ts'
import { resolveFolder } from './resolve-folder.ts'

/** Which fleet a run is about, and whether it may use the network. */
export interface FleetOptions {
  /** Where to look for the fleet. */
  readonly start: string
  /** The fleet, which must be there then. */
  readonly fleet?: string
  readonly network: 'online' | 'offline'
}

/** Reads `--fleet` and `--offline`. */
export function fleetOptions(parsed: ParsedArguments, { workingFolder }: Pick<CliIo, 'workingFolder'>): FleetOptions {
  const fleet = valueOf(parsed, 'fleet')
  return {
    start: workingFolder,
    ...(fleet !== undefined && { fleet: resolveFolder(workingFolder, fleet) }),
    network: isSet(parsed, 'offline') ? 'offline' : 'online',
  }
}

/** What stands behind `--fleet` in words that need not be a whole command. */
export function fleetWord(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => /^--fleet(?:=|$)/.test(word))
  const word = words[at]
  return word?.startsWith('--fleet=') === true ? word.slice('--fleet='.length) : word && words[at + 1]
}
