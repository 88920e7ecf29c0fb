import { generateKeyPair, type KeyObject } from 'node:crypto'
import type { KeyKind, Keys, NewKey } from '../model/ports.ts'

type Take = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject) => void

const makers: Readonly<Record<KeyKind, (take: Take) => void>> = {
  'rsa-2048': (take) => generateKeyPair('rsa', { modulusLength: 2048 }, take),
  'rsa-4096': (take) => generateKeyPair('rsa', { modulusLength: 4096 }, take),
  'dsa-2048': (take) => generateKeyPair('dsa', { modulusLength: 2048, divisorLength: 256 }, take),
  'p-256': (take) => generateKeyPair('ec', { namedCurve: 'P-256' }, take),
  ed25519: (take) => generateKeyPair('ed25519', {}, take),
}

/** {@link Keys} over node:crypto. */
export const nodeKeys: Keys = {
  generate: (kind) =>
    new Promise<NewKey>((resolve, reject) => {
      makers[kind]((error, publicKey, privateKey) => {
        if (error !== null) {
          reject(error)
          return
        }
        resolve({
          privateKey: new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' })),
          publicKey: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
        })
      })
    }),
}
