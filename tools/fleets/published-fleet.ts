import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports } from '../../src/model/ports.ts'
import type { PublishOptions, PublishResult } from '../../src/pipeline/commands/publish-run.ts'
import { publish } from '../../src/pipeline/commands/publish.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  gitShell,
  gitTestEnvironment,
  type GitServer,
  type GitServerOptions,
  makeRepository,
  startGitServer,
  type TestRepository,
} from '../servers/git-server.ts'
import { FleetFolder } from './fleet-folder.ts'
import { labFleet } from './lab-fleet.ts'

/** A fleet in a repository on a git server, and what publishes it. */
export interface PublishedFleet {
  readonly root: string
  readonly server: GitServer
  readonly repository: TestRepository
  readonly url: string
  /** A clone of somebody who edits and pushes; no program runs there. */
  readonly author: FleetFolder
  /** Makes one more clone, with options of `git clone`. */
  readonly clone: (name: string, options?: readonly string[]) => Promise<FleetFolder>
  /** Commits what the author changed, and pushes it to a branch. */
  readonly push: (branch?: string) => Promise<string>
}

const CLONE = 'git clone --quiet --no-hardlinks "$1" "$2" && exec git -C "$2" config remote.origin.url "$3"'

/** Serves a small fleet below a folder; nothing of it is rendered yet. */
export async function servePublishedFleet(
  root: string,
  {
    spec = [],
    path = 'platform/fleet.git',
    ...options
  }: GitServerOptions & { readonly spec?: readonly string[]; readonly path?: string } = {},
): Promise<PublishedFleet> {
  mkdirSync(root, { recursive: true })
  const repository = makeRepository(join(root, path))
  repository.git(['config', 'uploadpack.allowFilter', 'true'])
  const server = await startGitServer(root, { acceptsPushes: true, ...options })
  const url = `${server.url}/${path}`
  const author = labFleet(join(root, 'author'), spec)
  author.git('init', '--quiet', '--initial-branch=main')
  author.git('remote', 'add', 'origin', repository.path)
  const push = async (branch = 'main'): Promise<string> => {
    const commit = author.commit('Change the fleet')
    await runGit(author.folder, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`])
    return commit
  }
  await push()
  const clone = async (name: string, words: readonly string[] = []): Promise<FleetFolder> => {
    if (words.length > 0) await runGit(root, ['clone', '--quiet', ...words, url, name])
    // the same from the disk, with a third of the processes
    else gitShell.run(CLONE, [repository.path, name, url], root)
    return new FleetFolder(join(root, name))
  }
  return { root, server, repository, url, author, clone, push }
}

/** Runs git without blocking this process, which may be the server. @throws Error when it fails */
export async function runGit(cwd: string, words: readonly string[]): Promise<void> {
  const child = spawn('git', words, { cwd, env: gitTestEnvironment, stdio: ['ignore', 'ignore', 'inherit'] })
  const status = await new Promise((resolve) => {
    child.once('close', resolve)
  })
  if (status !== 0) throw new Error(`git ${words.join(' ')} ended with ${String(status)}`)
}

/** Ports whose program sees these variables, and nothing of the machine's. */
export function portsWith(variables: Readonly<Record<string, string>> = {}): Ports {
  const all: Readonly<Record<string, string>> = {
    STACKMASON_CACHE: join(tmpdir(), 'stackmason-test-cache'),
    ...variables,
  }
  return { ...createNodePorts(), environment: { get: (name) => all[name] } }
}

/** Publishes from a clone. */
export async function publishFrom(
  { folder }: FleetFolder,
  options: Partial<PublishOptions> = {},
  ports: Ports = portsWith(),
): Promise<PublishResult> {
  const all = {
    start: folder,
    isUpdated: false,
    mode: 'act' as const,
    allowEmpty: false,
    mask: (text: string) => text,
    ...options,
  }
  return publish(all, ports, () => undefined)
}

/** Content that nothing leads to may stay in a clone; refs are compared by what they say, and no lock of one stays. */
const ELSEWHERE = /^\.git\/(?:objects\/|refs\/(?!.*\.lock$))/

/** All that belongs to whoever works in a clone: its files and those of git, refs, their past, stash, as digests. */
export function stateOfClone(clone: FleetFolder): Readonly<Record<string, string>> {
  const digest = (path: string): string =>
    createHash('sha256')
      .update(readFileSync(clone.path(path)))
      .digest('hex')
  const files = readdirSync(clone.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(clone.folder.length + 1))
    .filter((path) => !ELSEWHERE.test(path))
  return {
    ...Object.fromEntries(files.sort().map((path) => [path, digest(path)])),
    refs: clone.git('for-each-ref', '--format=%(objectname) %(refname)'),
    worktrees: clone.git('worktree', 'list', '--porcelain'),
    stash: clone.git('stash', 'list'),
  }
}
