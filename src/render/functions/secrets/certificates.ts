import { decodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { certificateFunctions, formatCertificateCall } from '../../../generate/certificates/certificate-call.ts'
import { GenerateError } from '../../../generate/generate-error.ts'
import { isIpAddress } from '../../../generate/certificates/ip-address.ts'
import { checkPrivateKey, decodePem, isDerSequence } from '../../../generate/certificates/pem.ts'
import { previewCertificate } from '../../../generate/certificates/preview.ts'
import { GoObject, goTypeOf, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { formatValue } from '../../engine/format.ts'
import { holdsToken, refuseToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { anyArgument, intArgument, textArgument } from '../arguments.ts'
import { decodeBase } from '../../../codec/bytes/base-encoding.ts'
import { startPreview, tokenFor, withholdText } from './generate.ts'
import { ofValue, ours, say, withoutQuotes } from '../../engine/error-text.ts'

/** sprig's certificate: two fields with PEM text, or what stands for it. */
class Certificate extends GoObject {
  readonly goType = 'sprig.certificate'
  readonly kind = 'struct'
  readonly cert: string
  readonly key: string
  /** True if it stands for a certificate that is made later. */
  readonly isDeferred: boolean

  constructor(cert: string, key: string, origin: 'deferred' | 'given') {
    super()
    this.cert = cert
    this.key = key
    this.isDeferred = origin === 'deferred'
  }

  override field(name: string): Value | undefined {
    if (name === 'Cert') return this.cert
    return name === 'Key' ? this.key : undefined
  }

  override toText(): string {
    return `{${this.cert} ${this.key}}`
  }
}

/** The fields that all requests for certificates have. */
interface CertificateRequest {
  readonly function: string
  readonly commonName: string
  readonly addresses?: readonly string[]
  readonly names?: readonly string[]
  readonly days: number
  readonly signer?: Certificate
  /** A given private key, in PEM or as what stands for it. */
  readonly key?: string
}

/** Defers a certificate. Of a key that was given only what stands for it is recorded: key material never is. */
function deferCertificate(context: CallContext, request: CertificateRequest): Certificate {
  const { commonName, addresses = [], names = [], days, signer, key } = request
  const preview = startPreview(context, request.function, (random) =>
    previewCertificate(
      {
        commonName,
        addresses,
        names,
        days,
        isAuthority: certificateFunctions.get(request.function)?.isAuthority === true,
      },
      { crypto: context.crypto, random, key, signer },
    ),
  )
  if (preview !== undefined) return new Certificate(preview.cert, preview.key, 'given')
  const given = key === undefined ? undefined : withholdText(key)
  const recorded = formatCertificateCall({ commonName, addresses, names, days, signer: signer?.cert, key: given })
  const spec = { function: request.function, arguments: recorded }
  // PEM text ends with a line feed; a token that left it out of sight would be indented and trimmed in another way
  const cert = `${tokenFor(context, { ...spec, part: 'cert' })}\n`
  return new Certificate(cert, key ?? `${tokenFor(context, { ...spec, part: 'key' })}\n`, 'deferred')
}

/** @throws FunctionError in sprig's words for what is no private key */
function readKey(text: string): string {
  if (isDeferredText(text)) return text
  try {
    checkPrivateKey(text)
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new FunctionError(say`parsing private key: ${withoutQuotes(error)}`, { cause: error })
  }
  return text
}

/** True if the text is a token, with or without a line feed. */
function isDeferredText(text: string): boolean {
  return holdsToken(text) && (text.length === 2 || (text.length === 3 && text.endsWith('\n')))
}

/** @throws FunctionError in sprig's words for an element that is no IP address */
function readAddresses(list: Value): readonly string[] {
  return listOf(list).map((ip) => {
    if (typeof ip !== 'string')
      throw new FunctionError(say`error parsing ip: ${ofValue(ip, formatValue(ip))} is not a string`)
    if (!holdsToken(ip) && !isIpAddress(ip)) throw new FunctionError(say`error parsing ip: ${ofValue(ip, ip)}`)
    return ip
  })
}

/** @throws FunctionError in sprig's words for an element that is no string */
function readNames(list: Value): readonly string[] {
  return listOf(list).map((name) => {
    if (typeof name === 'string') return name
    throw new FunctionError(
      say`error processing alternate dns name: ${ofValue(name, formatValue(name))} is not a string`,
    )
  })
}

function listOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : []
}

function genCA(args: readonly Value[], context: CallContext): Value {
  return deferCertificate(context, {
    function: 'genCA',
    commonName: textArgument(args, 0),
    days: intArgument(args, 1),
  })
}

function genCAWithKey(args: readonly Value[], context: CallContext): Value {
  return deferCertificate(context, {
    function: 'genCAWithKey',
    commonName: textArgument(args, 0),
    days: intArgument(args, 1),
    key: readKey(textArgument(args, 2)),
  })
}

function readSubject(args: readonly Value[]): Omit<CertificateRequest, 'function'> {
  return {
    commonName: textArgument(args, 0),
    addresses: readAddresses(anyArgument(args, 1)),
    names: readNames(anyArgument(args, 2)),
    days: intArgument(args, 3),
  }
}

function genSelfSignedCert(args: readonly Value[], context: CallContext): Value {
  return deferCertificate(context, { function: 'genSelfSignedCert', ...readSubject(args) })
}

function genSelfSignedCertWithKey(args: readonly Value[], context: CallContext): Value {
  const key = readKey(textArgument(args, 4))
  return deferCertificate(context, { function: 'genSelfSignedCertWithKey', ...readSubject(args), key })
}

function genSignedCert(args: readonly Value[], context: CallContext): Value {
  const signer = readSigner(anyArgument(args, 4))
  return deferCertificate(context, { function: 'genSignedCert', ...readSubject(args), signer })
}

function genSignedCertWithKey(args: readonly Value[], context: CallContext): Value {
  const key = readKey(textArgument(args, 5))
  const signer = readSigner(anyArgument(args, 4))
  return deferCertificate(context, { function: 'genSignedCertWithKey', ...readSubject(args), signer, key })
}

/** @throws FunctionError as the evaluator words it for a parameter of this type */
function readSigner(value: Value): Certificate {
  if (value instanceof Certificate) return value
  const got = value === null ? 'interface {}' : goTypeOf(value)
  throw new FunctionError(say`wrong type for value; expected sprig.certificate; got ${ours(got)}`)
}

/** Takes a given certificate and key apart from base64; checks their form, not their numbers. */
function buildCustomCert(args: readonly Value[], context: CallContext): Value {
  const cert = decodeGiven(textArgument(args, 0), context, 'certificate')
  const key = decodeGiven(textArgument(args, 1), context, 'private key')
  if (isDeferredText(cert) || isDeferredText(key)) return new Certificate(cert, key, 'deferred')
  const block = decodePem(refuseToken(cert, 'cannot read a certificate that is only known later'))
  if (block === undefined) throw new FunctionError('unable to decode certificate')
  if (!isDerSequence(block.bytes)) {
    throw new FunctionError('error parsing certificate: decodedCert.Bytes: x509: malformed certificate')
  }
  const given = refuseToken(key, 'cannot read a key that is only known later')
  try {
    checkPrivateKey(given)
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new FunctionError(say`error parsing private key: ${withoutQuotes(error)}`, { cause: error })
  }
  return new Certificate(cert, key, 'given')
}

function decodeGiven(text: string, context: CallContext, what: 'certificate' | 'private key'): string {
  if (holdsToken(text)) {
    const spec = text.length === 2 ? context.tokens.get(text) : undefined
    if (spec?.kind === 'derived' && spec.function === 'b64enc') return spec.input
    throw new TokenRefusedError(say`cannot decode a ${ours(what)} that is only known later`)
  }
  const bytes = decodeBase(text, 'base64')
  if (typeof bytes === 'string') throw new FunctionError(say`unable to decode base64 ${ours(what)}`)
  return decodeUtf8(bytes)
}

/**
 * sprig's certificate functions. None makes a secret key: they return what stands for certificates that are made later,
 * or previews.
 */
export const certificateDefinitions: readonly FunctionDef[] = [
  { name: 'genCA', params: ['string', 'int'], tokens: 'handle', call: genCA },
  { name: 'genCAWithKey', params: ['string', 'int', 'string'], tokens: 'handle', call: genCAWithKey },
  {
    name: 'genSelfSignedCert',
    params: ['string', 'list', 'list', 'int'],
    tokens: 'handle',
    call: genSelfSignedCert,
  },
  {
    name: 'genSelfSignedCertWithKey',
    params: ['string', 'list', 'list', 'int', 'string'],
    tokens: 'handle',
    call: genSelfSignedCertWithKey,
  },
  {
    name: 'genSignedCert',
    params: ['string', 'list', 'list', 'int', 'object'],
    tokens: 'handle',
    call: genSignedCert,
  },
  {
    name: 'genSignedCertWithKey',
    params: ['string', 'list', 'list', 'int', 'object', 'string'],
    tokens: 'handle',
    call: genSignedCertWithKey,
  },
  { name: 'buildCustomCert', params: ['string', 'string'], tokens: 'handle', call: buildCustomCert },
]
