import { GenerateError } from '../generate-error.ts'
import { requireArguments } from '../require-arguments.ts'
import { parseTemplate } from '../value-template.ts'

/** The signature of a certificate function of charts, besides its subject. */
interface CertificateFunction {
  readonly isAuthority: boolean
  /** Another certificate signs it. */
  readonly isSigned: boolean
  /** Its key is given. */
  readonly hasKey: boolean
}

function define(name: string, isAuthority: boolean): readonly (readonly [string, CertificateFunction])[] {
  const isSigned = name === 'genSignedCert'
  return [
    [name, { isAuthority, isSigned, hasKey: false }],
    [`${name}WithKey`, { isAuthority, isSigned, hasKey: true }],
  ]
}

/** The functions that make certificates, by their names in charts. */
export const certificateFunctions: ReadonlyMap<string, CertificateFunction> = new Map([
  ...define('genCA', true),
  ...define('genSelfSignedCert', false),
  ...define('genSignedCert', false),
])

/** A requested certificate. */
export interface CertificateCall {
  readonly commonName: string
  readonly addresses: readonly string[]
  readonly names: readonly string[]
  readonly days: number
  /** The certificate that signs, or what stands for it. */
  readonly signer?: string | undefined
  /** The given key, or what stands for it. */
  readonly key?: string | undefined
}

/**
 * Writes a call as arguments that are text: common name, addresses, names (each joined by commas), days; then the
 * signer and the key, where there are.
 */
export function formatCertificateCall({
  commonName,
  addresses,
  names,
  days,
  signer,
  key,
}: CertificateCall): readonly string[] {
  const subject = [commonName, addresses.join(','), names.join(','), String(days)]
  return [...subject, ...(signer === undefined ? [] : [signer]), ...(key === undefined ? [] : [key])]
}

/**
 * Reads what {@link formatCertificateCall} has written. @throws GenerateError for arguments that are none of function
 * `name`
 */
export function parseCertificateCall(name: string, args: readonly string[]): CertificateCall {
  const definition = certificateFunctions.get(name)
  if (definition === undefined) throw new GenerateError(`${name} makes no certificate`)
  const { isSigned, hasKey } = definition
  requireArguments(name, args, 4 + Number(isSigned) + Number(hasKey))
  const [commonName = '', addresses = '', names = '', days = '', ...rest] = args
  if (!/^-?[0-9]{1,9}$/.test(days)) throw new GenerateError(`argument 4 of ${name} is not a number of days`)
  return {
    commonName,
    addresses: splitList(addresses),
    names: splitList(names),
    days: Number(days),
    signer: isSigned ? rest[0] : undefined,
    key: hasKey ? rest.at(-1) : undefined,
  }
}

/**
 * The arguments of a call whose text everybody can read in the certificate: its subject, and who has signed it.
 * Of a given key it only holds the public half. Undefined for a function that makes no certificate.
 */
export function certifiedArguments(name: string, args: readonly string[]): readonly string[] | undefined {
  const definition = certificateFunctions.get(name)
  return definition && args.slice(0, 4 + Number(definition.isSigned))
}

function splitList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',')
}

/**
 * True if a call is signed by another certificate; what is written down for it then is a template of that one, whose
 * key has to be found too.
 */
export function isSignedCall(name: string): boolean {
  return certificateFunctions.get(name)?.isSigned === true
}

/**
 * The generator whose certificate a template stands for: line feeds may follow it. Undefined for all other text, of
 * whose key nobody knows.
 */
export function signingGenerator(template: string): string | undefined {
  const [reference, after, ...more] = parseTemplate(template)
  if (reference === undefined || 'text' in reference || reference.part !== 'cert' || more.length > 0) return undefined
  const isAlone = after === undefined || ('text' in after && /^\n*$/.test(after.text))
  return isAlone ? reference.name : undefined
}
