import type { Generator } from '../model/binding.ts'
import { isSignedCall, signingGenerator } from './certificates/certificate-call.ts'
import { derivedFunctions } from './derived-values.ts'
import { GenerateError } from './generate-error.ts'
import { makeParts, type MakePorts, type Parts } from './make-parts.ts'
import { fillTemplate, referencesOf } from './value-template.ts'
import type { KeyPair } from './certificates/x509.ts'

/** The generators to make, and the values that exist. */
export interface MakeRequest {
  readonly generators: readonly Generator[]
  /** Values of fields, by their names. */
  readonly values: ReadonlyMap<string, string>
  /** The parts that were made before, or that an existing Secret holds, by the generator's name. */
  readonly kept: ReadonlyMap<string, Parts>
}

/**
 * Makes the parts of all generators: what was kept stays, what is derived is computed anew, the rest is made.
 * @throws GenerateError naming the generator, for one that needs itself, something that is not there, or a Secret that
 * was not read
 */
export async function makeGenerators(
  { generators, values, kept }: MakeRequest,
  ports: MakePorts,
): Promise<ReadonlyMap<string, Parts>> {
  const made = new Map<string, Parts>()
  let length = 0
  for (const generator of inOrder(generators)) {
    const { name, function: called, existing } = generator
    const there = derivedFunctions.has(called) ? undefined : kept.get(name)
    const parts = there ?? (await within(name, makeOne))
    made.set(name, parts)
    const own = [...parts.values()].reduce((sum, part) => sum + part.length, 0)
    length += own
    if (length > MOST_TOGETHER)
      throw new GenerateError(`what generators make is longer than ${String(MOST_TOGETHER)} characters together`)
    // a hash of a password is meant to take long, a million random characters do, and others wait
    if (there === undefined && (slowFunctions.has(called) || own > LONG)) await ports.clock.sleep?.(0)

    function makeOne(): Promise<Parts> {
      if (existing !== undefined)
        throw new GenerateError(`Secret ${existing.namespace}/${existing.name} was not read, which has its parts`)
      const filled = argumentsOf(generator, { values, made })
      return makeParts({ function: called, arguments: filled, signer: signerOf(generator, made) }, ports)
    }
  }
  return made
}

/** The most characters of one object: some parts are made for others alone. */
const MOST_TOGETHER = 8_000_000

/** Characters that take longer than a request. */
const LONG = 100_000

const slowFunctions: ReadonlySet<string> = new Set(['bcrypt', 'htpasswd'])

/** The arguments of a generator. @throws GenerateError for a reference to nothing */
export function argumentsOf(
  { arguments: args }: Generator,
  { values, made }: { readonly values: ReadonlyMap<string, string>; readonly made: ReadonlyMap<string, Parts> },
): readonly string[] {
  return args.map((argument) =>
    fillTemplate(argument, (reference) =>
      reference.part === undefined ? values.get(reference.name) : made.get(reference.name)?.get(reference.part),
    ),
  )
}

/** Does something for a generator, and names it where that fails. @throws GenerateError */
export async function within<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    throw new GenerateError(`generator ${name}: ${error.message}`, { cause: error })
  }
}

/** Each after those that its arguments name. */
function inOrder(generators: readonly Generator[]): readonly Generator[] {
  const byName = new Map(generators.map((generator) => [generator.name, generator]))
  const ordered = new Set<Generator>()
  const visit = (generator: Generator, above: ReadonlySet<string>): void => {
    if (ordered.has(generator)) return
    if (above.has(generator.name)) throw new GenerateError(`generator ${generator.name} is made of itself`)
    const path = new Set([...above, generator.name])
    for (const { name, part } of generator.arguments.flatMap(referencesOf)) {
      const needed = part === undefined ? undefined : byName.get(name)
      if (needed !== undefined) visit(needed, path)
    }
    ordered.add(generator)
  }
  for (const generator of generators) visit(generator, new Set())
  return [...ordered]
}

/** Who signs a call that has to be signed. @throws GenerateError where its certificate or key is not there */
export function signerOf(
  { function: called, arguments: args }: Generator,
  made: ReadonlyMap<string, Parts>,
): KeyPair | undefined {
  if (!isSignedCall(called)) return undefined
  const name = signingGenerator(args[4] ?? '')
  const parts = name === undefined ? undefined : made.get(name)
  const [cert, key] = [parts?.get('cert'), parts?.get('key')]
  if (cert === undefined || key === undefined) throw new GenerateError('who signs has no certificate or no key')
  return { cert: `${cert}\n`, key: `${key}\n` }
}
