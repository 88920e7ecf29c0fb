import { encodeBase64 } from '../codec/bytes/base64.ts'
import { utf8Length } from '../codec/bytes/utf8.ts'
import type { Ports } from '../model/ports.ts'
import { hashBcrypt } from './bcrypt.ts'
import { certificateFunctions, parseCertificateCall } from './certificates/certificate-call.ts'
import { derivedFunctions, deriveValue } from './derived-values.ts'
import { encryptText } from './encrypted-text.ts'
import { GenerateError } from './generate-error.ts'
import { isIpAddress } from './certificates/ip-address.ts'
import { checkPrivateKey } from './certificates/pem.ts'
import { certificateKey, formatPrivateKey, keyTypes } from './certificates/private-key.ts'
import { createRandomSource } from './random-source.ts'
import { drawText, drawUuid, randomAlphabets } from './random-text.ts'
import { requireArguments } from './require-arguments.ts'
import { issueCertificate, type KeyPair } from './certificates/x509.ts'

/**
 * The generated parts, by name: `value`, `hash`, `cert`, `key`. PEM text is without its last line feed, which templates
 * write themselves.
 */
export type Parts = ReadonlyMap<string, string>

/** The ports that make real secrets. */
export type MakePorts = Pick<Ports, 'crypto' | 'keys'> & {
  readonly random: Pick<Ports['random'], 'bytes'>
  /** With `sleep` others are let work between what takes long. */
  readonly clock: Pick<Ports['clock'], 'now'> & Partial<Pick<Ports['clock'], 'sleep'>>
}

/** A call of a generator, its arguments filled in. */
export interface MakeCall {
  readonly function: string
  readonly arguments: readonly string[]
  /** Of a certificate that another one signs. */
  readonly signer?: KeyPair | undefined
}

/** A Secret holds no more. */
const mostCharacters = 1_000_000

/**
 * Makes what a function of charts would have made. No message repeats an argument.
 * @throws GenerateError for a function that makes nothing, or arguments that it does not take
 */
export async function makeParts(call: MakeCall, ports: MakePorts): Promise<Parts> {
  const { function: name, arguments: args } = call
  const { crypto, random } = ports
  if (derivedFunctions.has(name)) return new Map([['value', deriveValue(name, args, crypto)]])
  if (certificateFunctions.has(name)) return makeCertificate(call, ports)
  const source = createRandomSource(random)
  const alphabet = randomAlphabets.get(name)
  if (alphabet !== undefined) return new Map([['value', drawText(alphabet, countOf(call), source)]])
  const [first = '', second = ''] = args
  switch (name) {
    case 'randBytes':
      return new Map([['value', encodeBase64(random.bytes(countOf(call)))]])
    case 'uuidv4':
      requireArguments(name, args, 0)
      return new Map([['value', drawUuid(source)]])
    case 'bcrypt':
      requireArguments(name, args, 1)
      return new Map([['hash', hashBcrypt(first, random.bytes(16))]])
    case 'htpasswd':
      requireArguments(name, args, 2)
      return new Map([['hash', hashBcrypt(second, random.bytes(16))]])
    case 'encryptAES':
      requireArguments(name, args, 2)
      return new Map([['value', encryptText(first, second, { crypto, vector: random.bytes(16) })]])
    case 'genPrivateKey':
      return makePrivateKey(call, ports)
    default:
      throw new GenerateError(`${name} makes nothing`)
  }
}

function countOf({ function: name, arguments: args }: MakeCall): number {
  requireArguments(name, args, 1)
  const [text = ''] = args
  const count = Number(text)
  if (/^[1-9][0-9]*$/.test(text) && count <= mostCharacters) return count
  throw new GenerateError(`argument 1 of ${name} is not a number from 1 to ${String(mostCharacters)}`)
}

async function makePrivateKey({ function: name, arguments: args }: MakeCall, { keys }: MakePorts): Promise<Parts> {
  requireArguments(name, args, 1)
  const kind = keyTypes.get(args[0] ?? '')
  if (kind === undefined) throw new GenerateError(`genPrivateKey makes keys of type ${[...keyTypes.keys()].join(', ')}`)
  return new Map([['key', withoutLineFeed(formatPrivateKey(kind, await keys.generate(kind)))]])
}

async function makeCertificate(
  { function: name, arguments: args, signer }: MakeCall,
  { crypto, keys, random, clock }: MakePorts,
): Promise<Parts> {
  const definition = certificateFunctions.get(name)
  const { commonName, addresses, names, days, key: given } = parseCertificateCall(name, args)
  const isAuthority = definition?.isAuthority === true
  if (definition?.isSigned === true && signer === undefined) throw new GenerateError(`${name} needs who signs`)
  if (!addresses.every(isIpAddress)) throw new GenerateError(`argument 2 of ${name} is not a list of IP addresses`)
  if (!names.every((text) => utf8Length(text) === text.length))
    throw new GenerateError(`argument 3 of ${name} is not a list of DNS names`)
  if (given !== undefined) requirePrivateKey(name, given)
  const key = given ?? formatPrivateKey(certificateKey, await keys.generate(certificateKey))
  const second = 1000
  const cert = issueCertificate(
    { commonName, addresses, names, days, isAuthority },
    {
      crypto,
      signatures: 'random',
      serial: random.bytes(16),
      start: Math.floor(clock.now() / second) * second,
      key,
      signer: definition?.isSigned === true ? signer : undefined,
    },
  )
  const parts = new Map([['cert', withoutLineFeed(cert)]])
  return given === undefined ? parts.set('key', withoutLineFeed(key)) : parts
}

function requirePrivateKey(name: string, key: string): void {
  try {
    checkPrivateKey(key)
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    // what it says of the block could repeat what was given
    throw new GenerateError(`the last argument of ${name} is not a private key in PEM`)
  }
}

function withoutLineFeed(pem: string): string {
  return pem.endsWith('\n') ? pem.slice(0, -1) : pem
}
