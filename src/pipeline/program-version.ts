import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { parseGoJson } from '../codec/json/go-json.ts'
import { textAt } from '../model/field.ts'
import type { Ports } from '../model/ports.ts'

/** The version of this program, as its package names it. */
export async function programVersion({ packageFiles }: Pick<Ports, 'packageFiles'>): Promise<string> {
  return textAt(parseGoJson(decodeUtf8(await packageFiles.read('package.json'))), 'version')
}
