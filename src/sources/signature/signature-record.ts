import { formatHex } from '../../codec/hex.ts'
import { joinPath } from '../../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts'
import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import { FileError } from '../../model/ports.ts'
import { ifPossible } from '../cache/cache-failure.ts'
import { parseJsonObject } from '../oci/manifest.ts'
import { isDigest } from '../oci/repository-name.ts'
import type { SourceContext } from '../source-context.ts'

/**
 * Which signature manifest was good for a manifest, kept below the cache so that a release in the cache can be verified without asking the
 * registry. It is a pointer and proves nothing: what it points at is verified again, every time, with the keys that count then.
 */
export async function readSignatureRecord(digest: string, context: SourceContext): Promise<string | undefined> {
  try {
    const text = decodeUtf8(await context.ports.files.read(recordPath(digest, context))).trim()
    return isDigest(text) ? text : undefined
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/**
 * What verifying the release of a manifest takes from the cache: the signature manifest that was good, and what it holds. Empty when none was verified here.
 */
export async function signatureBlobs(digest: string, context: SourceContext): Promise<readonly string[]> {
  const signed = await readSignatureRecord(digest, context)
  const bytes = signed === undefined ? undefined : await context.cache.get(signed)
  if (signed === undefined || bytes === undefined) return []
  const manifest = parseJsonObject(bytes)
  const parts = 'value' in manifest ? [dictAt(manifest.value, 'config'), ...itemsAt(manifest.value, 'layers')] : []
  return [signed, ...parts.map((part) => textAt(part ?? null, 'digest')).filter(isDigest)]
}

/** Keeps the pointer; a cache that cannot be written to goes without. */
export async function writeSignatureRecord(digest: string, signed: string, context: SourceContext): Promise<void> {
  const { files, process, random } = context.ports
  const path = recordPath(digest, context)
  const suffix = formatHex(random.bytes(8))
  const temporary = `${path}.${process.id}-${suffix}`
  await ifPossible(async () => {
    await files.write(temporary, encodeUtf8(`${signed}\n`))
    await files.rename(temporary, path)
  })
}

function recordPath(digest: string, { cacheFolder }: SourceContext): string {
  return joinPath(cacheFolder, 'v1/signatures', digest.replace('sha256:', ''))
}
