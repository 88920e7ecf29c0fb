import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

/** Opens a box of NaCl (XSalsa20 and Poly1305); undefined where key or content are not right. */
export function openSecretbox(
  box: Uint8Array,
  { key, nonce }: { readonly key: Uint8Array; readonly nonce: Uint8Array },
): Uint8Array | undefined {
  try {
    return xsalsa20poly1305(key, nonce).decrypt(box)
  } catch {
    return undefined
  }
}
