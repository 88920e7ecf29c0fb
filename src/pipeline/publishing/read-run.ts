import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parseGoJson } from '../../codec/json/go-json.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Value } from '../../model/value.ts'
import { eventFile, type PublishContext, readContext } from '../../publish/read-context.ts'

/** Reads where the program runs: which CI, and what the run is about. */
export async function readRun(ports: Pick<Ports, 'environment' | 'files'>): Promise<PublishContext> {
  return readContext(ports.environment, await readEvent(ports))
}

async function readEvent({ environment, files }: Pick<Ports, 'environment' | 'files'>): Promise<Value> {
  const file = eventFile(environment)
  if (file === undefined) return null
  try {
    return parseGoJson(decodeUtf8(await files.read(file)))
  } catch (error) {
    // what it says stands in variables, too, but for where the branch lies: that is unknown then
    if (error instanceof FileError) return null
    throw error
  }
}
