import { holdsOnlyCertificates } from '../../generate/certificates/read-certificate.ts'
import { deriveValue, derivedFunctions } from '../../generate/derived-values.ts'
import { GenerateError } from '../../generate/generate-error.ts'
import type { Parts } from '../../generate/make-parts.ts'
import { encodeValue, isPublic, isPublicPart } from '../../generate/published-value.ts'
import { fillTemplate } from '../../generate/value-template.ts'
import type { BoundValue, Generator, ValueOrigin } from '../../model/binding.ts'
import type { RuntimeKind } from '../../model/class-reference.ts'
import type { Crypto } from '../../model/ports.ts'
import { holdsAssumption, refuseRuntimeValue } from '../../model/runtime-value.ts'
import type { NotMade } from '../generated-secrets/secret-reasons.ts'
import { parseFieldPath, valueAt } from './field-path.ts'
import type { RuntimeValuesSpec } from './read-spec.ts'

/** Why a value is not there. Of these the first two may pass by themselves, others but the third need a person. */
export type UnresolvedReason =
  | 'SourceNotFound'
  | 'FieldMissing'
  /** Generated parts are missing; the reason is theirs. */
  | NotMade['reason']
  | 'ValueRefused'
  | 'AssumptionBroken'
  | 'PrivatePart'
  | 'InvalidSpec'

/** The result for one value. */
export type ResolvedValue =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly reason: UnresolvedReason; readonly message: string }

/** The objects that values are read from; undefined: there is none. */
export type SourceObjects = Readonly<Record<RuntimeKind, unknown>>

/** The results of generators, or why there are none. */
export type MadeParts = ReadonlyMap<string, Parts> | NotMade

/** Thrown inside; the message never holds a value. */
class Unresolved extends Error {
  readonly reason: UnresolvedReason

  constructor(reason: UnresolvedReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Finds the values of a RuntimeValues object, as they are published; each by itself. Nothing private is among them:
 * of what generators make, only what can be traced to fields and certificates.
 */
export function resolveValues(
  spec: ResolvedSpec,
  objects: SourceObjects,
  { crypto, made }: ResolvePorts,
): readonly ResolvedValue[] {
  const textOf = createReader(spec, objects, { crypto, made })
  return spec.values.map((value): ResolvedValue => {
    const { name } = value
    const text = read(() => encodeValue(textOf(value), value.encode))
    return typeof text === 'string' ? { name, text } : { name, ...text }
  })
}

/** The texts of values that other texts are made of, as they are before they are encoded; those that are there. */
export function textsOfValues(
  spec: ResolvedSpec,
  objects: SourceObjects,
  ports: ResolvePorts,
): ReadonlyMap<string, string> {
  const textOf = createReader(spec, objects, ports)
  return new Map(
    spec.values.flatMap((value) => {
      const text = read(() => textOf(value))
      return typeof text === 'string' ? [[value.name, text]] : []
    }),
  )
}

/** The part of a spec that is resolved; Argo CD takes texts of several lines, which Flux would join. */
type ResolvedSpec = Pick<RuntimeValuesSpec, 'values' | 'generators' | 'argoCluster'>

/** The ports that texts are computed with. */
interface ResolvePorts {
  readonly crypto: Pick<Crypto, 'hash'>
  readonly made: MadeParts
}

function read(text: () => string): string | { readonly reason: UnresolvedReason; readonly message: string } {
  try {
    return text()
  } catch (error) {
    if (error instanceof Unresolved) return { reason: error.reason, message: error.message }
    if (error instanceof GenerateError) return { reason: 'InvalidSpec', message: error.message }
    throw error
  }
}

/** The most characters that the texts of one object may have: some of them are made for others alone. */
const MOST_TOGETHER = 8_000_000

/** Gives the text of a value, before it is encoded. */
function createReader(
  spec: ResolvedSpec,
  objects: SourceObjects,
  { crypto, made }: ResolvePorts,
): (value: BoundValue) => string {
  const values = new Map(spec.values.map((value) => [value.name, value]))
  const generators = new Map(spec.generators.map((generator) => [generator.name, generator]))

  const known = new Map<string, string>()
  let length = 0

  /** Each is computed once, however many others are made of it. */
  function once(key: string, compute: () => string): string {
    const before = known.get(key)
    if (before !== undefined) return before
    const text = compute()
    known.set(key, text)
    length += text.length
    if (length > MOST_TOGETHER)
      throw new Unresolved('InvalidSpec', `texts are longer than ${String(MOST_TOGETHER)} characters together`)
    return text
  }

  /** `passed` are those that it is part of. */
  function textOf(value: BoundValue, passed: ReadonlySet<string>): string {
    const { name, from, type, encode, assumptions } = value
    const isField = 'kind' in from
    const text = isField ? readField(value, from, objects[from.kind]) : partOf(from.generator, from.part, passed)
    // what is made may have lines and quotes where it is encoded: then none of them is published
    const isPlain = encode === undefined && !spec.argoCluster
    const refused = isField || isPlain ? refuseRuntimeValue(type, text) : undefined
    if (refused !== undefined) throw new Unresolved('ValueRefused', `${nameOf(from)} ${refused}`)
    const broken = assumptions.find((assumption) => !holdsAssumption(text, assumption))
    if (broken === undefined) return text
    const assumed = 'isSet' in broken ? 'set' : `other than ${JSON.stringify(broken.notEqual)}`
    throw new Unresolved('AssumptionBroken', `charts were rendered on ${name} being ${assumed}, and it is not`)
  }

  function partOf(name: string, part: string, passed: ReadonlySet<string>): string {
    const generator = generators.get(name)
    if (generator === undefined) throw new Unresolved('InvalidSpec', `there is no generator ${name}`)
    if (!isPublic({ name, part }, generators)) {
      const why = isPublicPart(part) ? 'is made of something private' : 'is private'
      throw new Unresolved('PrivatePart', `${part} of generator ${name} ${why}, and is not published`)
    }
    if (!derivedFunctions.has(generator.function)) return madePart(name, part)
    if (part !== 'value') throw new Unresolved('InvalidSpec', `generator ${name} makes no ${part}`)
    if (passed.has(name)) throw new Unresolved('InvalidSpec', `generator ${name} is made of itself`)
    return once(name, () => derive(generator, new Set([...passed, name])))
  }

  function derive(generator: Generator, further: ReadonlySet<string>): string {
    const args = generator.arguments.map((argument) =>
      fillTemplate(argument, (reference) => {
        if (reference.part !== undefined) return partOf(reference.name, reference.part, further)
        const value = values.get(reference.name)
        return value === undefined ? undefined : textOf(value, further)
      }),
    )
    return deriveValue(generator.function, args, crypto)
  }

  function madePart(name: string, part: string): string {
    if ('reason' in made) throw new Unresolved(made.reason, `${part} of generator ${name}: ${made.message}`)
    const text = made.get(name)?.get(part)
    if (text === undefined) throw new Unresolved('InvalidSpec', `generator ${name} makes no ${part}`)
    // it may be kept from a Secret that somebody else has filled
    if (!holdsOnlyCertificates(text)) {
      const message = `${part} of generator ${name} is not made of certificates in PEM alone, and is not published`
      throw new Unresolved('PrivatePart', message)
    }
    return text
  }

  return (value) => textOf(value, new Set())
}

function readField(
  { type }: Pick<BoundValue, 'type'>,
  { kind, fieldPath }: Extract<ValueOrigin, { readonly kind: string }>,
  object: unknown,
): string {
  const path = parseFieldPath(fieldPath)
  if (path === undefined) throw new Unresolved('InvalidSpec', `fieldPath ${fieldPath} is not understood`)
  if (object === undefined) throw new Unresolved('SourceNotFound', `the ${kind} is not there`)
  const found = valueAt(object, path)
  // Cluster API fills in an empty host and port 0 where there is none yet
  if (found === undefined || found === null || found === '' || (found === 0 && type === 'port'))
    throw new Unresolved('FieldMissing', `${kind}.${fieldPath} is not set yet`)
  if (typeof found === 'string') return found
  if (typeof found === 'number' && Number.isSafeInteger(found)) return String(found)
  throw new Unresolved('ValueRefused', `${kind}.${fieldPath} must be text or a whole number`)
}

function nameOf(from: ValueOrigin): string {
  return 'kind' in from ? `${from.kind}.${from.fieldPath}` : `${from.part} of generator ${from.generator}`
}
