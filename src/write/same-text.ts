import type { Crypto } from '../model/ports.ts'
import { sha256 } from './sha256.ts'

const CR = 0x0d
const LF = 0x0a

/**
 * True if two files are equal but for line endings: git on Windows may check out CRLF, which YAML reads as the same
 * text.
 */
export function isSameText(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || equalBytes(a, b) || equalBytes(withoutCarriageReturns(a), withoutCarriageReturns(b))
}

/** True if the file is the one that `hash` was taken of, whatever its line endings became. */
export function hasHash(bytes: Uint8Array, hash: string, crypto: Crypto): boolean {
  if (sha256(bytes, crypto) === hash) return true
  const text = withoutCarriageReturns(bytes)
  return text.length !== bytes.length && sha256(text, crypto) === hash
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

function withoutCarriageReturns(bytes: Uint8Array): Uint8Array {
  return bytes.includes(CR) ? bytes.filter((byte, at) => byte !== CR || bytes[at + 1] !== LF) : bytes
}
