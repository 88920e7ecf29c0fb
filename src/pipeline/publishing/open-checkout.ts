import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, isInside, joinPath, relativePath, resolvePath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { CheckoutFacts, RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { pushAuthorization } from './push-authorization.ts'
import { askingGit } from './publish-problem.ts'

/** As many commits as rendering looks back, and the one before them: a shallow clone gets them of each branch. */
export const HISTORY = 201

/** Milliseconds for one operation of git over the network. */
const TIMEOUT = 300_000

/** The fleet in somebody's checkout, and where its repository comes from. */
export interface FleetCheckout {
  /** As the commit has it that is checked out: what is published may be newer. */
  readonly fleet: Fleet
  /** True if stackmason.yaml on disk says something else. */
  readonly isEdited: boolean
  /** stackmason.yaml, from the root of the repository. */
  readonly file: string
  /** The output folder, from the root of the repository. */
  readonly output: string
  readonly facts: CheckoutFacts
  readonly remote: RemoteAccess
}

/** Where a fleet is looked for. */
export interface CheckoutPlace {
  readonly start: string
  readonly fleet?: string | undefined
  /** A revision whose settings count; default: the commit that is checked out. */
  readonly at?: string
}

/**
 * Finds the fleet, its repository and the remote that it comes from.
 * @throws StackmasonError CONFIG_*, FILE_OUTSIDE, PUBLISH_NO_REMOTE, PUBLISH_OUTSIDE, FETCH_CREDENTIALS
 */
export async function openCheckout({ start, fleet: named, at }: CheckoutPlace, ports: Ports): Promise<FleetCheckout> {
  const found = await findFleet(named ?? start, ports)
  // refuses one that leads out of the repository, where it is known for a link
  if ((await ports.files.stat(found))?.type === 'link') await readFleetFile(found, ports)
  const file = await ports.files.realPath(found)
  const facts = await askingGit(file, () => ports.gitWriter.describe(dirName(file)))
  const revision = facts && (at === undefined ? facts : { ...facts, commit: at })
  const committed = revision && (await readCommittedFile(file, revision, ports))
  const fleet = await readFleetFile(file, committed === undefined ? ports : { ...ports, files: committed.files })
  const given = facts?.remotes.get('origin')
  if (facts === undefined || given === undefined) throw new StackmasonError({ ...noRemote(facts), file })
  const url = isLocalPath(given) ? resolvePath(facts.root, given) : given
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
    isEdited: committed?.isEdited === true,
    file: relativePath(facts.root, file),
    output: relativePath(facts.root, output),
    facts,
    remote: {
      repository: facts.root,
      remote: 'origin',
      url,
      timeout: TIMEOUT,
      ...authorization,
    },
  }
}

/** True if git takes the URL of a remote for a path on this machine: no colon, or a slash before it (git's connect.c). */
function isLocalPath(url: string): boolean {
  return !/^[^/]*:/.test(url)
}

/**
 * Files in which one is as the commit has it that is checked out, and whether that differs from the disk in more than
 * line endings; undefined where the commit does not have it.
 */
async function readCommittedFile(
  file: string,
  { root, commit }: CheckoutFacts,
  { files, git, gitWriter }: Ports,
): Promise<{ readonly files: Ports['files']; readonly isEdited: boolean } | undefined> {
  if (commit === undefined || !isInside(root, file)) return undefined
  const bytes = await askingGit(file, async () => {
    const id = await gitWriter.treeOf(root, commit, relativePath(root, file))
    return id === undefined ? undefined : (await git.readBlobs(root, [id])).get(id)
  })
  if (bytes === undefined) return undefined
  const lines = (text: Uint8Array): string => decodeUtf8(text).replaceAll('\r\n', '\n')
  return {
    files: { ...files, read: (path) => (path === file ? Promise.resolve(bytes) : files.read(path)) },
    isEdited: lines(await files.read(file)) !== lines(bytes),
  }
}

/** Another repository, reached from the one of the fleet. */
export async function accessTo(url: string, checkout: FleetCheckout, ports: Ports): Promise<RemoteAccess> {
  const authorization = await pushAuthorization(url, checkout.fleet.publish, ports)
  const { repository, timeout } = checkout.remote
  return { repository, remote: url, url, timeout, ...authorization }
}

/** Publishing knows the forge's repository as `origin` alone, as a clone does. */
function noRemote(facts: Pick<CheckoutFacts, 'remotes'> | undefined): Diagnostic {
  const [code, severity] = ['PUBLISH_NO_REMOTE', 'error'] as const
  const adding = 'Clone the repository from its forge, or add the remote: `git remote add origin URL`.'
  if (facts === undefined) return { code, severity, message: 'the fleet is in no git repository', hint: adding }
  const others = [...facts.remotes.keys()].toSorted(compareBytes)
  const lacking = 'the repository of the fleet has no remote "origin"'
  if (others.length === 0)
    return { code, severity, message: `${lacking}, and what a remote has is published`, hint: adding }
  return {
    code,
    severity,
    message: `${lacking}, whose branches are published; its remotes are ${others.join(', ')}`,
    hint: 'Add the one to publish to under that name, too: `git remote add origin URL`; `git remote -v` lists the URLs.',
  }
}
