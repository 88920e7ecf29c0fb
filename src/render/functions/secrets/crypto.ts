import { encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { hashBcrypt, maxBcryptBytes } from '../../../generate/bcrypt.ts'
import { derivePassword, passwordTypes } from '../../../generate/derive-password.ts'
import { decryptText, encryptText } from '../../../generate/encrypted-text.ts'
import { hashFunctions, type HashFunction } from '../../../generate/hash-functions.ts'
import { previewKey } from '../../../generate/certificates/preview.ts'
import { keyTypes } from '../../../generate/certificates/private-key.ts'
import { holdsParameter } from '../../../model/token.ts'
import { GoInt, goTypeOf, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { holdsToken } from '../../engine/token-refused.ts'
import { anyArgument, textArgument } from '../arguments.ts'
import { certificateDefinitions } from './certificates.ts'
import { asFunction, deferGeneration, startPreview, tokenFor, withholdText } from './generate.ts'
import { identifyTokens } from '../../../model/token-identity.ts'
import { ours, say } from '../../engine/error-text.ts'

/**
 * The bytes to hash. Text with tokens is hashed by what they stand for: it changes with the question, not with the
 * answer.
 */
function bytesToHash(name: string, text: string, context: CallContext): Uint8Array {
  if (!holdsToken(text)) return encodeUtf8(text)
  context.report({
    code: 'TEMPLATE_TOKEN_HASHED',
    severity: 'warning',
    message: say`${ours(name)} hashes text that holds a value only known later; the hash does not change with the value`,
    hint: 'Nothing restarts by itself when the value changes; restart what reads it.',
  })
  return encodeUtf8(identifyTokens(text, context.tokens))
}

/** A hash that reads no secret later: what it is taken over is noted, so that in a Secret the real one is made. */
function hash([name, hashBytes]: readonly [name: string, hashBytes: HashFunction]): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'handle',
    call(args, context) {
      const input = textArgument(args, 0)
      if (holdsParameter(input, context.tokens))
        return context.tokens.add({ kind: 'derived', type: 'string', function: name, input })
      const digest = hashBytes(bytesToHash(name, input, context), context.crypto)
      if (holdsToken(input) && name !== 'adler32sum')
        context.tokens.noteHash(digest, { kind: 'derived', type: 'string', function: name, input }, context.origin())
      return digest
    },
  }
}

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
    encryptText(password, text, { crypto: context.crypto, vector: random.bytes(16) }),
  )
}

function genPrivateKey(args: readonly Value[], context: CallContext): Value {
  const type = textArgument(args, 0)
  const known = type === '' ? 'rsa' : type
  if (!keyTypes.has(known)) return `Unknown type ${type}`
  const request = { function: 'genPrivateKey', arguments: [known], part: 'key' }
  // as for certificates: the line feed at the end of PEM text stays in sight
  return startPreview(context, 'genPrivateKey', previewKey) ?? `${tokenFor(context, request)}\n`
}

/** The charge for 32 MiB of memory. */
const passwordCharge = 4_194_304

function callDerivePassword(args: readonly Value[], context: CallContext): Value {
  const counter = anyArgument(args, 0)
  if (!(counter instanceof GoInt) || counter.value < 0n || counter.value > 0xffffffffn) {
    throw new FunctionError(say`wrong type for value; expected uint32; got ${ours(goTypeOf(counter))}`)
  }
  const type = textArgument(args, 1)
  if (!passwordTypes.has(type)) return `cannot find password template ${type}`
  context.charge(passwordCharge)
  const request = {
    counter: Number(counter.value),
    type,
    password: textArgument(args, 2),
    user: textArgument(args, 3),
    site: textArgument(args, 4),
  }
  return asFunction(() => derivePassword(request, context.crypto))
}

/**
 * sprig's cryptography. What is a function of its input alone (hashes, derivePassword, decryptAES) is computed; what
 * makes a key, a salt or an initialization vector is deferred.
 */
export const cryptoFunctions: readonly FunctionDef[] = [
  ...[...hashFunctions].map(hash),
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
    call: (args, { crypto }) => asFunction(() => decryptText(textArgument(args, 0), textArgument(args, 1), crypto)),
  },
  { name: 'genPrivateKey', params: ['string'], tokens: 'refuse', call: genPrivateKey },
  ...certificateDefinitions,
]
