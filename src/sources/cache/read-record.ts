import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { FileError, type Files } from '../../model/ports.ts'
import { isDigest } from '../../network/registry/repository-name.ts'

/** A digest is shorter. */
const MAX_BYTES = 1024

/** Reads the digest that the record of a signature holds; undefined for what is none. */
export async function readRecord(path: string, files: Files): Promise<string | undefined> {
  try {
    if (((await files.stat(path))?.size ?? 0) > MAX_BYTES) return undefined
    const text = decodeUtf8(await files.read(path)).trim()
    return isDigest(text) ? text : undefined
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}
