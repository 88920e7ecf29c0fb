import { formatHex } from './hex.ts'
import type { Crypto } from '../../model/ports.ts'

/** `sha256:<hex>` of bytes, as registries and the lock write it. */
export function digestOf(bytes: Uint8Array, crypto: Crypto): string {
  return `sha256:${formatHex(crypto.hash('sha256', bytes))}`
}
