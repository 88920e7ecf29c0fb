import { initFleet, type InitResult } from '../../pipeline/init-fleet.ts'
import type { CliIo } from '../cli-io.ts'
import type { ParsedArguments } from '../parse-arguments.ts'
import { resolveFolder } from '../resolve-folder.ts'

/**
 * Runs `stackmason init`.
 * @throws StackmasonError as `initFleet`
 */
export async function runInit(parsed: ParsedArguments, io: CliIo): Promise<InitResult> {
  const folder = resolveFolder(io.workingFolder, parsed.operands[0] ?? '.')
  return initFleet({ folder, templates: `${io.packageFolder}/templates/fleet` }, io.ports)
}
