import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { CheckoutFacts, RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { pushAuthorization } from './push-authorization.ts'
import { askingGit } from './publish-problem.ts'

/** Milliseconds for one operation of git over the network. */
const TIMEOUT = 300_000

/** The fleet in somebody's checkout, and where its repository comes from. */
export interface FleetCheckout {
  /** As it stands there: what is published may be newer. */
  readonly fleet: Fleet
  /** stackmason.yaml, from the root of the repository. */
  readonly file: string
  /** The output folder, from the root of the repository. */
  readonly output: string
  readonly facts: CheckoutFacts
  readonly remote: RemoteAccess
}

/**
 * Finds the fleet, its repository and the remote that it comes from.
 * @throws StackmasonError CONFIG_*, PUBLISH_NO_REMOTE, PUBLISH_OUTSIDE, FETCH_CREDENTIALS
 */
export async function openCheckout(
  { start, fleet: named }: { readonly start: string; readonly fleet?: string },
  ports: Ports,
): Promise<FleetCheckout> {
  const file = await ports.files.realPath(await findFleet(named ?? start, ports))
  const fleet = await readFleetFile(file, ports)
  const facts = await askingGit(file, () => ports.gitWriter.describe(fleet.root))
  const url = facts?.remotes.get('origin')
  if (facts === undefined || url === undefined) {
    throw new StackmasonError({
      code: 'PUBLISH_NO_REMOTE',
      severity: 'error',
      message:
        facts === undefined
          ? 'the fleet is in no git repository'
          : 'the repository of the fleet has no remote "origin", and what a remote has is published',
      file,
      hint: 'Clone the repository from its forge, or add the remote: `git remote add origin URL`.',
    })
  }
  const output = joinPath(fleet.root, fleet.output)
  for (const path of [file, output]) {
    if (isInside(facts.root, path) && path !== facts.root) continue
    throw new StackmasonError({
      code: 'PUBLISH_OUTSIDE',
      severity: 'error',
      message: 'this lies outside of the repository of the fleet, or is all of it, so no commit of it holds it',
      file: path,
      hint: 'Set spec.output.path to a folder inside the repository.',
    })
  }
  const authorization = await pushAuthorization(url, fleet.publish, ports)
  return {
    fleet,
    file: relativePath(facts.root, file),
    output: relativePath(facts.root, output),
    facts,
    remote: {
      repository: facts.root,
      remote: 'origin',
      url,
      timeout: TIMEOUT,
      ...(authorization !== undefined && { authorization }),
    },
  }
}

/** Another repository, reached from the one of the fleet. */
export async function accessTo(url: string, checkout: FleetCheckout, ports: Ports): Promise<RemoteAccess> {
  const authorization = await pushAuthorization(url, checkout.fleet.publish, ports)
  const { repository, timeout } = checkout.remote
  return { repository, remote: url, url, timeout, ...(authorization !== undefined && { authorization }) }
}
