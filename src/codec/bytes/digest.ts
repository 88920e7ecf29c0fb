import type { Crypto } from '../../model/ports.ts'

/** `sha256:<hex>` of bytes, as registries and the lock write it. */
export function digestOf(bytes: Uint8Array, crypto: Crypto): string {
  return `sha256:${crypto.sha256Hex(bytes)}`
}
