import { compareBytes } from '../codec/text/text-order.ts'

/** Hash of what stackmason wrote last, by path relative to the output folder. */
export type WrittenFiles = ReadonlyMap<string, string>

/**
 * Reads the record of written files; lines that are none are passed over, so that a damaged record only proves less.
 */
export function parseWrittenFiles(text: string): WrittenFiles {
  return new Map([...text.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, hash = '', path = '']) => [path, hash]))
}

/** Writes the record in the form of sha256sum, by path. */
export function formatWrittenFiles(written: WrittenFiles): string {
  return [...written]
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([path, hash]) => `${hash}  ${path}\n`)
    .join('')
}
