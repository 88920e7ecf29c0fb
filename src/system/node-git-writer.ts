import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckoutFacts, GitWriter } from '../model/git-writer.ts'
import type { Process } from '../model/ports.ts'
import { readBranchCommits, readBranches } from './node-git-branches.ts'
import { makeCommits } from './node-git-commit.ts'
import { readFacts, type RepositoryFacts } from './node-git-facts.ts'
import { refusePrograms } from './node-git-programs.ts'
import { addPublishTree, clearLeftovers, removeRefs, runName } from './node-git-publish-tree.ts'
import { completeCommit, fetchRefs, listRemote } from './node-git-remote.ts'
import { readBranchLine } from './node-git-line.ts'
import { mergeTrees } from './node-git-merge.ts'
import { pushBranches } from './node-git-push.ts'
import { findRepository } from './node-git-repository.ts'
import { planTrees } from './node-git-tree.ts'
import { createRunGit, decode, type RunGit, type WriterGit, writerGit } from './node-git-run.ts'

/** A whole id: another name may stand for another commit later. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** {@link GitWriter} through the git program on PATH. */
export function createNodeGitWriter(process: Process): GitWriter {
  const run = createRunGit()
  const name = runName(process.identity(), randomBytes(6).toString('hex'))
  const refs = `refs/stackmason/${name}`
  const at = (repository: string): WriterGit => writerGit(run, repository)
  // until the run ends
  const known = new Map<string, Promise<RepositoryFacts>>()
  const factsOf = (repository: string): Promise<RepositoryFacts> => {
    const facts = known.get(repository) ?? readFacts(at(repository))
    known.set(repository, facts)
    return facts
  }
  // what was found in commits, which never change; what was not may come with a fetch
  const found = new Map<string, string>()
  let fetched = 0
  return {
    describe: (folder) => describe(run, folder),
    clear: async (repository) => clearLeftovers(at(repository), await factsOf(repository), process),
    listRemote: async (access) => {
      refusePrograms(access, await factsOf(access.repository))
      return listRemote(at(access.repository), access)
    },
    fetch: async (access, names, history) => {
      fetched++
      const place = `${refs}/${String(fetched)}`
      const facts = await factsOf(access.repository)
      refusePrograms(access, facts)
      const { isShallow, config } = facts
      return fetchRefs(at(access.repository), access, { names, history, refs: place, isShallow, config })
    },
    complete: async (access, commit, past) => {
      const facts = await factsOf(access.repository)
      refusePrograms(access, facts)
      return completeCommit(at(access.repository), access, { commit, ...past, config: facts.config })
    },
    addTree: async (repository, commit) => {
      const facts = await factsOf(repository)
      return addPublishTree(at(repository), { name, commit, facts, gitAt: at })
    },
    treeOf: async (repository, commit, folder) => {
      const place = [repository, commit, folder].join('\0')
      const known = found.get(place)
      if (known !== undefined) return known
      const { out, status } = await at(repository)(
        ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}:${folder}`],
        { accepts: [1, 128] },
      )
      if (status !== 0) return undefined
      const id = decode(out).trim()
      if (COMMIT.test(commit)) found.set(place, id)
      return id
    },
    planTrees: (repository, changes) => planTrees(at(repository), changes),
    commit: async (repository, commits) => {
      const { config } = await factsOf(repository)
      return inScratch((scratch) => makeCommits(at(repository), commits, { scratch, config }))
    },
    commitsBetween: (repository, range) => readBranchCommits(at(repository), range),
    commitsOfBranches: (repository, range) => readBranches(at(repository), range),
    branchLine: (repository, line) => readBranchLine(at(repository), line),
    lastChange: async (repository, to, folder) => {
      const place = folder === '' ? ':(top)' : `:(top,literal)${folder}`
      const words = ['log', '--first-parent', '--max-count=1', '--no-show-signature', '--format=%H', to, '--', place]
      return decode((await at(repository)(words)).out).trim() || undefined
    },
    dateOf: async (repository, commit) => {
      const words = ['log', '--max-count=1', '--no-show-signature', '--format=%ct', commit, '--']
      const seconds = Number(decode((await at(repository)(words)).out).trim())
      return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
    },
    mergeBase: async (repository, a, b) => {
      // 128: one of them is not here
      const { out, status } = await at(repository)(['merge-base', a, b], { accepts: [1, 128] })
      return status === 0 ? decode(out).trim() : undefined
    },
    mergedTrees: (repository, into, commits) => mergeTrees(at(repository), into, commits),
    push: async (access, pushes) => {
      const facts = await factsOf(access.repository)
      refusePrograms(access, facts)
      return pushBranches(at(access.repository), access, { pushes, config: facts.config })
    },
    release: async (repository) => {
      known.delete(repository)
      found.clear()
      await removeRefs(at(repository), `${refs}/`)
    },
  }
}

async function describe(run: RunGit, folder: string): Promise<CheckoutFacts | undefined> {
  const root = findRepository(folder)
  if (root === undefined) return undefined
  const git = writerGit(run, root)
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { accepts: [1, 128] })
  const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { accepts: [1] })
  const remotes = new Map<string, string>()
  // a remote may have several URLs, of which the first is fetched from; one without any has no such line
  for (const line of decode((await git(['remote', '--verbose'])).out).split('\n')) {
    const [, name, url] = /^([^\t]+)\t(.*) \(fetch\)/.exec(line) ?? []
    if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, withoutUser(url))
  }
  return {
    root,
    commit: head.status === 0 ? decode(head.out).trim() : undefined,
    branch: branch.status === 0 ? decode(branch.out).trim() : undefined,
    remotes,
  }
}

/** The URL without the credentials that people, and GitLab's runners, put into it. */
function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
}

/** Gives work a folder of its own, which is gone afterwards. */
async function inScratch<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'stackmason-index-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
