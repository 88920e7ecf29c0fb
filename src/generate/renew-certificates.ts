import type { Generator } from '../model/binding.ts'
import { isSignedCall } from './certificates/certificate-call.ts'
import { argumentsOf, signerOf, within } from './make-generators.ts'
import { makeParts, type MakePorts, type Parts } from './make-parts.ts'

/** Certificates to be made anew, and all that is there. */
export interface RenewRequest {
  readonly generators: readonly Generator[]
  /** Names of those to renew: calls that another generator signs. */
  readonly due: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  /** Parts of all generators. */
  readonly parts: ReadonlyMap<string, Parts>
}

/**
 * Makes certificates anew, by who signed them and with the keys that they have: whoever trusts the authority trusts
 * them too, and no key changes.
 * @throws GenerateError naming the generator
 */
export async function renewCertificates(
  { generators, due, values, parts }: RenewRequest,
  ports: MakePorts,
): Promise<ReadonlyMap<string, Parts>> {
  const renewed = new Map<string, Parts>()
  for (const generator of generators) {
    const { name, function: called } = generator
    if (!due.has(name) || !isSignedCall(called)) continue
    const before = parts.get(name) ?? new Map<string, string>()
    const made = await within(name, () => {
      const args = argumentsOf(generator, { values, made: parts })
      const key = before.get('key')
      const call =
        key === undefined
          ? { function: called, arguments: args }
          : { function: WITH_KEY, arguments: [...args, `${key}\n`] }
      return makeParts({ ...call, signer: signerOf(generator, parts) }, ports)
    })
    renewed.set(name, new Map([...before, ...made]))
  }
  return renewed
}

const WITH_KEY = 'genSignedCertWithKey'
