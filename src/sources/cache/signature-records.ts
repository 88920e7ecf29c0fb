import { formatHex } from '../../codec/bytes/hex.ts'
import { joinPath } from '../../codec/path.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { Ports } from '../../model/ports.ts'
import { parseJsonObject } from '../../network/registry/manifest.ts'
import { isDigest } from '../../network/registry/repository-name.ts'
import type { SignatureRecords } from '../../network/signature/signature-records.ts'
import type { SourceContext } from '../source-context.ts'
import { ifPossible } from './cache-failure.ts'
import { cachePaths } from './cache-paths.ts'
import { readRecord } from './read-record.ts'

/** The records of signatures in the cache at `folder`; one that cannot be written to goes without. */
export function openSignatureRecords(
  folder: string,
  { files, process, random }: Pick<Ports, 'files' | 'process' | 'random'>,
): SignatureRecords {
  const pathOf = (digest: string): string => joinPath(cachePaths(folder).signatures, digest.replace('sha256:', ''))
  return {
    read: (digest) => readRecord(pathOf(digest), files),
    write: async (digest, signed) => {
      const path = pathOf(digest)
      const temporary = `${path}.${process.id}-${formatHex(random.bytes(8))}`
      await ifPossible(async () => {
        await files.write(temporary, encodeUtf8(`${signed}\n`))
        await files.rename(temporary, path)
      })
    },
  }
}

/**
 * Reads from the cache the blobs that verify the release of a manifest: the signature manifest that was good, and the
 * blobs that it lists. Empty when none was verified here.
 */
export async function signatureBlobs(
  digest: string,
  { signatures, cache }: Pick<SourceContext, 'signatures' | 'cache'>,
): Promise<readonly string[]> {
  const signed = await signatures.read(digest)
  const bytes = signed === undefined ? undefined : await cache.get(signed)
  if (signed === undefined || bytes === undefined) return []
  const manifest = parseJsonObject(bytes)
  const parts = 'value' in manifest ? [dictAt(manifest.value, 'config'), ...itemsAt(manifest.value, 'layers')] : []
  return [signed, ...parts.map((part) => textAt(part ?? null, 'digest')).filter(isDigest)]
}
