import { formatHex } from '../../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { GoInt, goTypeOf, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { holdsToken } from '../../engine/token-refused.ts'
import { decryptAesText, encryptAesText } from './aes.ts'
import { anyArgument, textArgument } from '../arguments.ts'
import { hashBcrypt } from './bcrypt.ts'
import { certificateFunctions } from './certificates.ts'
import { derivePassword } from './derive-password.ts'
import { deferGeneration, startPreview, tokenFor, withholdText } from './generate.ts'
import { identifyTokens } from '../../../model/token-identity.ts'
import { drawPrivateKey } from './x509.ts'

/** The bytes to hash. Text with tokens is hashed by what they stand for: it changes with the question, not with the answer. */
function bytesToHash(name: string, text: string, context: CallContext): Uint8Array {
  if (!holdsToken(text)) return encodeUtf8(text)
  context.report({
    code: 'TEMPLATE_TOKEN_HASHED',
    severity: 'warning',
    message: `${name} hashes text that holds a value only known later; the hash does not change with the value`,
    hint: 'Nothing restarts by itself when the value changes; restart what reads it.',
  })
  return encodeUtf8(identifyTokens(text, context.tokens))
}

function hash(name: string, algorithm: 'sha1' | 'sha256' | 'sha512'): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'handle',
    call(args, context) {
      const input = textArgument(args, 0)
      const digest = formatHex(context.crypto.hash(algorithm, bytesToHash(name, input, context)))
      if (holdsToken(input))
        context.tokens.noteHash(digest, { kind: 'derived', type: 'string', function: name, input }, context.origin())
      return digest
    },
  }
}

function adler32sum(args: readonly Value[], context: CallContext): Value {
  let low = 1
  let high = 0
  for (const byte of bytesToHash('adler32sum', textArgument(args, 0), context)) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return String(high * 65536 + low)
}

const maxBcryptBytes = 72
const bcryptCharge = 65_536

/** A salted hash differs each time, so it is deferred, without recording the password. Errors are text, as in sprig. */
function deferBcrypt(context: CallContext, name: string, args: readonly [...user: string[], password: string]): string {
  const password = args.at(-1) ?? ''
  const recorded = [...args.slice(0, -1), withholdText(password)]
  if (!holdsToken(password) && encodeUtf8(password).length > maxBcryptBytes) {
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes'
  }
  const request = { function: name, arguments: recorded, part: 'hash' }
  return deferGeneration(context, request, (random) => {
    // so many steps' worth of work
    context.charge(bcryptCharge)
    return hashBcrypt(password, random.bytes(16))
  })
}

/** `user:hash`; only the hash is deferred, so that charts can split it off. */
function htpasswd(args: readonly Value[], context: CallContext): Value {
  const user = textArgument(args, 0)
  if (!holdsToken(user) && user.includes(':')) return `invalid username: ${user}`
  return `${user}:${deferBcrypt(context, 'htpasswd', [user, textArgument(args, 1)])}`
}

function encryptAes(args: readonly Value[], context: CallContext): Value {
  const text = textArgument(args, 1)
  if (text === '') return ''
  const password = textArgument(args, 0)
  const recorded = [password, text].map(withholdText)
  return deferGeneration(context, { function: 'encryptAES', arguments: recorded }, (random) =>
    encryptAesText(password, text, random.bytes(16)),
  )
}

const keyTypes: ReadonlySet<string> = new Set(['', 'rsa', 'dsa', 'ecdsa', 'ed25519'])

function genPrivateKey(args: readonly Value[], context: CallContext): Value {
  const type = textArgument(args, 0)
  if (!keyTypes.has(type)) return `Unknown type ${type}`
  const request = { function: 'genPrivateKey', arguments: [type === '' ? 'rsa' : type], part: 'key' }
  // as for certificates: the line feed at the end of PEM text stays in sight
  return startPreview(context, 'genPrivateKey', drawPrivateKey) ?? `${tokenFor(context, request)}\n`
}

function callDerivePassword(args: readonly Value[], context: CallContext): Value {
  const counter = anyArgument(args, 0)
  if (!(counter instanceof GoInt) || counter.value < 0n || counter.value > 0xffffffffn) {
    throw new FunctionError(`wrong type for value; expected uint32; got ${goTypeOf(counter)}`)
  }
  return derivePassword(context, {
    counter: Number(counter.value),
    type: textArgument(args, 1),
    password: textArgument(args, 2),
    user: textArgument(args, 3),
    site: textArgument(args, 4),
  })
}

/**
 * sprig's cryptography. What is a function of its input alone (hashes, derivePassword, decryptAES) is computed; what makes a key, a
 * salt or an initialization vector is deferred.
 */
export const cryptoFunctions: readonly FunctionDef[] = [
  hash('sha1sum', 'sha1'),
  hash('sha256sum', 'sha256'),
  hash('sha512sum', 'sha512'),
  { name: 'adler32sum', params: ['string'], tokens: 'handle', call: adler32sum },
  {
    name: 'bcrypt',
    params: ['string'],
    tokens: 'handle',
    call: (args, context) => deferBcrypt(context, 'bcrypt', [textArgument(args, 0)]),
  },
  { name: 'htpasswd', params: ['string', 'string'], tokens: 'handle', call: htpasswd },
  {
    name: 'derivePassword',
    params: ['any', 'string', 'string', 'string', 'string'],
    tokens: 'refuse',
    call: callDerivePassword,
  },
  { name: 'encryptAES', params: ['string', 'string'], tokens: 'handle', call: encryptAes },
  {
    name: 'decryptAES',
    params: ['string', 'string'],
    tokens: 'refuse',
    call: (args) => decryptAesText(textArgument(args, 0), textArgument(args, 1)),
  },
  { name: 'genPrivateKey', params: ['string'], tokens: 'refuse', call: genPrivateKey },
  ...certificateFunctions,
]
