import { isSignedCall, signingGenerator } from '../../generate/certificates/certificate-call.ts'
import { holdsOnlyCertificates, readCertificate } from '../../generate/certificates/read-certificate.ts'
import { derivedFunctions } from '../../generate/derived-values.ts'
import { GenerateError } from '../../generate/generate-error.ts'
import type { Parts } from '../../generate/make-parts.ts'
import { referencesOf, type TemplatePiece } from '../../generate/value-template.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { BoundValue, GeneratedSecret, Generator, SecretEntry } from '../../model/binding.ts'
import type { Crypto } from '../../model/ports.ts'
import { liveText, piecesOf } from './secret-data.ts'

/** A Secret that is asked for, and the one of its name that the workload cluster has. */
export interface LiveSecret {
  readonly asked: GeneratedSecret
  readonly live: KubeObject | undefined
  /** Made by us. */
  readonly isOurs: boolean
  /** The generators that it may have something of; undefined: of any. */
  readonly holds?: ReadonlySet<string> | undefined
}

/** The requested parts, and the existing Secrets. */
export interface TakeOverRequest {
  readonly generators: readonly Generator[]
  readonly values: readonly BoundValue[]
  /** The texts of values, by their names. */
  readonly texts: ReadonlyMap<string, string>
  readonly secrets: readonly LiveSecret[]
  /** Generators of which nothing is kept. */
  readonly missing: ReadonlySet<string>
  /** The parts of all others. */
  readonly kept: ReadonlyMap<string, Parts>
}

/** Secrets are there that do not hold what would have to be taken over. The message repeats nothing of them. */
export class TakeOverError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TakeOverError'
  }
}

/**
 * Finds the parts of generators in the Secrets that a cluster has already, of an operator that ran it before or of
 * ourselves: nothing that is in use is made anew. What is in no Secret is left to be made, as long as that cannot break
 * what is taken over.
 * @throws TakeOverError
 */
export function takeOverParts(request: TakeOverRequest, crypto: Pick<Crypto, 'signerOf'>): ReadonlyMap<string, Parts> {
  const found = new Map<string, Map<string, string>>()
  for (const secret of request.secrets) readSecret(secret, request, found)
  const byName = new Map(request.generators.map((generator) => [generator.name, generator]))
  for (const secret of request.secrets) requireAll(secret, { byName, found, missing: request.missing })
  const known = new Map([...request.kept, ...found])
  for (const [name, parts] of found) {
    const generator = byName.get(name)
    if (generator === undefined) continue
    checkPair(name, parts, crypto)
    checkSigner(generator, parts, known)
    const lacking = neededParts(name, request).find((part) => !parts.has(part))
    if (lacking !== undefined) {
      throw new TakeOverError(`the Secrets of the cluster hold a part of generator ${name}, and not its ${lacking}`)
    }
    const orphan = madeOf(generator, byName).find(
      (other) => request.missing.has(other) && !found.has(other) && neededParts(other, request).length > 0,
    )
    if (orphan !== undefined) {
      throw new TakeOverError(
        `the Secrets of the cluster hold generator ${name}, and not ${orphan}, which it is made of`,
      )
    }
  }
  return found
}

/** Reads what an asked Secret holds of generators. */
function readSecret(
  { asked, live, isOurs, holds }: LiveSecret,
  { missing, texts, kept }: TakeOverRequest,
  found: Map<string, Map<string, string>>,
): void {
  if (live === undefined) return
  const named = `Secret ${asked.namespace}/${asked.name}`
  for (const entry of asked.data) {
    const pieces = piecesOf(entry).map((piece) => filled(piece, kept))
    const [reference, ...more] = pieces.flatMap((piece, at) =>
      'text' in piece || piece.part === undefined ? [] : [{ at, name: piece.name, part: piece.part }],
    )
    const text = liveText(live, entry)
    if (reference === undefined || !missing.has(reference.name) || holds?.has(reference.name) === false) continue
    if (text === undefined) {
      if (isOurs) continue
      throw new TakeOverError(`${named} is there already, and has no key ${entry.key}`)
    }
    // of two in one text nobody knows where one ends
    if (more.length > 0) continue
    const { at } = reference
    const [before, after] = [pieces.slice(0, at), pieces.slice(at + 1)].map((side) =>
      side.map((piece) => ('text' in piece ? piece.text : (texts.get(piece.name) ?? ''))).join(''),
    )
    const part = between(text, before ?? '', after ?? '')
    if (part === undefined) throw new TakeOverError(`key ${entry.key} of ${named} is not of the form that is asked for`)
    const parts = found.get(reference.name) ?? new Map<string, string>()
    const known = parts.get(reference.part)
    if (known !== undefined && known !== part) {
      throw new TakeOverError(`key ${entry.key} of ${named} differs from another that should hold the same`)
    }
    found.set(reference.name, parts.set(reference.part, part))
  }
}

/** A piece whose part is kept is text. */
function filled(piece: TemplatePiece, kept: ReadonlyMap<string, Parts>): TemplatePiece {
  if ('text' in piece || piece.part === undefined) return piece
  const text = kept.get(piece.name)?.get(piece.part)
  return text === undefined ? piece : { text }
}

/** The generators that a Secret has something of, also through what is computed. */
export function generatorsOf(
  { data }: Pick<GeneratedSecret, 'data'>,
  generators: readonly Generator[],
): readonly string[] {
  const byName = new Map(generators.map((generator) => [generator.name, generator]))
  return [...new Set(data.flatMap((entry) => originsOf(entry, byName)))].toSorted()
}

/** The generators that an entry is made of. */
function originsOf(entry: SecretEntry, byName: ReadonlyMap<string, Generator>): readonly string[] {
  return piecesOf(entry).flatMap((piece) => {
    const generator = 'part' in piece ? byName.get(piece.name) : undefined
    if (generator === undefined) return []
    return derivedFunctions.has(generator.function) ? madeOf(generator, byName) : [generator.name]
  })
}

interface Found {
  readonly byName: ReadonlyMap<string, Generator>
  readonly found: ReadonlyMap<string, Parts>
  readonly missing: ReadonlySet<string>
}

/** @throws TakeOverError where a key of a Secret that is there was made of something that cannot be read from it */
function requireAll({ asked, live, holds }: LiveSecret, { byName, found, missing }: Found): void {
  if (live === undefined) return
  for (const entry of asked.data) {
    const names = originsOf(entry, byName).filter((name) => holds?.has(name) !== false)
    const lost =
      liveText(live, entry) === undefined ? undefined : names.find((name) => missing.has(name) && !found.has(name))
    if (lost === undefined) continue
    const named = `Secret ${asked.namespace}/${asked.name}`
    throw new TakeOverError(`${named} is there already, and generator ${lost} cannot be read from key ${entry.key}`)
  }
}

/** The text between two others; line feeds at the end of PEM text are not part of it. */
function between(text: string, before: string, after: string): string | undefined {
  const isWithin = text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after)
  if (!isWithin) return undefined
  const inner = text.slice(before.length, text.length - after.length)
  return inner.endsWith('\n') && inner.startsWith('-----BEGIN ') ? inner.replace(/\n$/, '') : inner
}

/** @throws TakeOverError where a key is not that of its certificate */
function checkPair(name: string, parts: Parts, crypto: Pick<Crypto, 'signerOf'>): void {
  const [cert, key] = [parts.get('cert'), parts.get('key')]
  if (cert === undefined) return
  const { publicKey } = certificateOf(name, cert)
  // everybody may read it
  if (!holdsOnlyCertificates(cert))
    throw new TakeOverError(`the certificate of generator ${name} has something else beside it`)
  if (key === undefined) return
  let isPair: boolean
  try {
    isPair = crypto.signerOf(`${key}\n`, 'random').belongsTo(publicKey)
  } catch {
    throw new TakeOverError(`the key of generator ${name} cannot be read`)
  }
  if (!isPair) throw new TakeOverError(`certificate and key of generator ${name} do not belong together`)
}

/** @throws TakeOverError where a certificate is of another authority than the one that is there */
function checkSigner(
  { name, function: called, arguments: args }: Generator,
  parts: Parts,
  known: ReadonlyMap<string, Parts>,
): void {
  const authority = isSignedCall(called) ? known.get(signingGenerator(args[4] ?? '') ?? '')?.get('cert') : undefined
  const cert = parts.get('cert')
  if (authority === undefined || cert === undefined) return
  const [issuer, subject] = [certificateOf(name, cert).issuer, certificateOf(name, authority).subject]
  const isSame = issuer.length === subject.length && issuer.every((byte, index) => byte === subject[index])
  if (!isSame) throw new TakeOverError(`the certificate of generator ${name} is of another authority`)
}

function certificateOf(name: string, pem: string): ReturnType<typeof readCertificate> {
  try {
    return readCertificate(`${pem}\n`)
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new TakeOverError(`the certificate of generator ${name} cannot be read`)
  }
}

/** The parts of a generator that Secrets and values need, also through what is computed. */
function neededParts(name: string, { generators, values, secrets }: TakeOverRequest): readonly string[] {
  const byName = new Map(generators.map((generator) => [generator.name, generator]))
  const passed = new Set<string>()
  const partsIn = (pieces: readonly TemplatePiece[]): readonly string[] =>
    pieces.flatMap((piece) => {
      if ('text' in piece || piece.part === undefined) return []
      const generator = byName.get(piece.name)
      if (generator === undefined || !derivedFunctions.has(generator.function)) {
        return piece.name === name ? [piece.part] : []
      }
      if (passed.has(piece.name)) return []
      passed.add(piece.name)
      return partsIn(generator.arguments.flatMap(referencesOf))
    })
  return partsIn([
    ...secrets.flatMap(({ asked }) => asked.data.flatMap(piecesOf)),
    ...values.flatMap(({ from }) => ('generator' in from ? [{ name: from.generator, part: from.part }] : [])),
  ])
}

/** The generators that one is made of, through all that is computed; each once. */
function madeOf(generator: Generator, byName: ReadonlyMap<string, Generator>): readonly string[] {
  const passed = new Set<string>()
  const visit = (one: Generator): readonly string[] =>
    one.arguments.flatMap(referencesOf).flatMap(({ name, part }) => {
      const other = part === undefined || passed.has(name) ? undefined : byName.get(name)
      if (other === undefined) return []
      passed.add(name)
      return derivedFunctions.has(other.function) ? visit(other) : [name]
    })
  return visit(generator)
}
