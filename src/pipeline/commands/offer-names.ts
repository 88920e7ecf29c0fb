import { StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { type NamedKind, readFleetNames } from '../../sources/fleet/fleet-names.ts'

/** Which names a shell asks for. */
export interface NameRequest {
  readonly kind: NamedKind
  /** Where to look for the fleet. */
  readonly start: string
  /** The part of the name that has been typed. */
  readonly typed: string
}

/** A name that no shell or terminal takes for anything else. */
const PLAIN = /^[A-Za-z0-9][\w./-]{0,252}$/

/**
 * The names of the fleet around `start` that begin with what was typed; of clusters and stacks those without namespace
 * where nothing else begins so. Reads files of the fleet only. Whatever is wrong with them, fewer names are offered.
 */
export async function offerNames(
  { kind, start, typed }: NameRequest,
  ports: Pick<Ports, 'files' | 'timeZones'>,
): Promise<readonly string[]> {
  try {
    const names = await readFleetNames(kind, await findFleet(start, ports), ports)
    const plain = names.filter((name) => PLAIN.test(name))
    const offered = plain.filter((name) => name.startsWith(typed))
    if (offered.length > 0 || kind === 'releases' || kind === 'sources') return offered
    return [...new Set(plain.map((name) => name.slice(name.indexOf('/') + 1)))].filter((name) => name.startsWith(typed))
  } catch (error) {
    if (error instanceof StackmasonError || error instanceof FileError) return []
    throw error
  }
}
