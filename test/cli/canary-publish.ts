import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PushResult } from '../../src/model/git-writer.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { makeRepository, type TestRepository } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { CANARY, type CanaryCase, type CanaryFleet, type Files } from './canary-fleet.ts'
import type { CliRunOptions } from './run-cli.ts'

const intoBranch: Files = {
  'stackmason.yaml': { replace: 'spec:\n', by: `spec:\n  publish: {into: branch} # token: ${CANARY}\n` },
}
const withUnits: Files = {
  'stackmason.yaml': {
    replace: 'spec:\n',
    by: `spec:
  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}
  publish: {into: branch, oci: {repository: registry.invalid/fleet, artifacts: units, signing: {keyFrom: KEY}}} # token: ${CANARY}
`,
  },
}
const words = ['publish', '--yes']

/** What a server says that repeats what it was sent. */
const SAID = `no access for user:${CANARY}, Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`

interface Published extends CanaryFleet {
  readonly repository: TestRepository
  readonly ports: Ports
}

/** The fleet is pushed to a repository, and a token for its forge is in a variable. */
function pushed(
  change: (fleet: Published) => Partial<CliRunOptions> | void = () => undefined,
): NonNullable<CanaryCase['prepare']> {
  return async (fleet) => {
    const repository = makeRepository(join(await tempFolder(), 'remote.git'))
    const { folder } = fleet
    folder.git('init', '--quiet', '--initial-branch=main')
    folder.git('remote', 'add', 'origin', repository.path)
    folder.git('config', 'user.name', 'Ada')
    folder.git('config', 'user.email', 'ada@example.org')
    folder.commit()
    folder.git('push', '--quiet', 'origin', 'main')
    const home = await tempFolder()
    const variables: Readonly<Record<string, string>> = { HOME: home, GITHUB_TOKEN: CANARY, FORGE_TOKEN: CANARY }
    const ports = { ...createNodePorts(), environment: { get: (name: string) => variables[name] } }
    return { ports, ...change({ ...fleet, repository, ports }) }
  }
}

/** Every push ends so. */
function pushing(result: PushResult): NonNullable<CanaryCase['prepare']> {
  return pushed(({ ports }) => ({
    ports: {
      ...ports,
      clock: { ...ports.clock, sleep: () => Promise.resolve() },
      gitWriter: { ...ports.gitWriter, push: (_access, pushes) => Promise.resolve(pushes.map(() => result)) },
    },
  }))
}

/** In a run of GitLab's CI on a merge request. */
function onMergeRequest({ ports }: Published, project: string): Partial<CliRunOptions> {
  const variables: Readonly<Record<string, string>> = {
    GITLAB_CI: 'true',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: project,
    CI_MERGE_REQUEST_PROJECT_ID: '1',
    CI_JOB_TOKEN: CANARY,
  }
  return {
    ports: { ...ports, environment: { get: (name) => variables[name] ?? ports.environment.get(name) } },
  }
}

/** Faults of publishing. */
export const publishCases: Readonly<Record<string, CanaryCase>> = {
  'a fleet that has no remote': { code: 'PUBLISH_NO_REMOTE', words, files: intoBranch },
  'a fleet that the remote does not have': {
    code: 'PUBLISH_OUTSIDE',
    words,
    files: intoBranch,
    prepare: pushed(({ folder, repository }) => {
      repository.commit({ 'README.md': CANARY })
      folder.git('fetch', '--quiet', 'origin')
      folder.git('update-ref', 'refs/heads/main', 'refs/remotes/origin/main')
    }),
  },
  'a commit that is not pushed': {
    code: 'PUBLISH_NOT_PUSHED',
    words,
    files: intoBranch,
    prepare: pushed(({ folder }) => {
      folder.commit(CANARY)
    }),
  },
  'a branch that the remote does not have': {
    code: 'PUBLISH_BRANCH_MISSING',
    words: [...words, '--branch', 'gone'],
    files: intoBranch,
    prepare: pushed(),
  },
  'a commit with a file of git': {
    code: 'PUBLISH_CHECKOUT',
    words,
    files: intoBranch,
    prepare: pushed(({ repository: { git } }) => {
      const tree = git(['mktree'], `100644 blob ${git(['hash-object', '-w', '--stdin'], CANARY)}\tgit~1\n`)
      git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-p', 'main', '-m', CANARY])])
    }),
  },
  'a commit of nobody': {
    code: 'PUBLISH_IDENTITY',
    words,
    files: intoBranch,
    prepare: pushed(({ folder }) => {
      folder.git('config', 'user.name', ' ')
    }),
  },
  'a signature without a key': {
    code: 'PUBLISH_SIGNATURE',
    words,
    files: intoBranch,
    prepare: pushed(({ folder }) => {
      folder.git('config', 'commit.gpgSign', 'true')
      folder.git('config', 'gpg.format', 'ssh')
      folder.git('config', 'user.signingKey', folder.path('gone'))
    }),
  },
  'a branch on which others are faster': {
    code: 'PUBLISH_OUTDATED',
    words,
    files: intoBranch,
    prepare: pushing({ status: 'outdated', message: SAID }),
    // 25 tries
    isLong: true,
  },
  'a protected branch': {
    code: 'PUBLISH_PROTECTED',
    words,
    files: intoBranch,
    prepare: pushed(({ repository }) => {
      const hook = join(repository.path, 'hooks/pre-receive')
      mkdirSync(join(hook, '..'), { recursive: true })
      writeFileSync(hook, `#!/bin/sh\necho 'GH006: Protected branch, ${SAID}' >&2\nexit 1\n`, { mode: 0o755 })
    }),
  },
  'a push without permission': {
    code: 'PUBLISH_PERMISSION',
    words,
    files: intoBranch,
    prepare: pushing({ status: 'not-permitted', message: SAID }),
  },
  'a push that is refused': {
    code: 'PUBLISH_REFUSED',
    words,
    files: intoBranch,
    prepare: pushing({ status: 'refused', message: SAID }),
  },
  'a pull request from a fork': {
    code: 'PUBLISH_FORK',
    words,
    files: intoBranch,
    prepare: pushed((fleet) => {
      fleet.repository.git(['update-ref', 'refs/merge-requests/7/head', 'refs/heads/main'])
      return onMergeRequest(fleet, '2')
    }),
  },
  'a pull request on a forge that nobody knows': { code: 'PUBLISH_NO_FORGE', words, prepare: pushed() },
  'a cluster in no wave': {
    code: 'PUBLISH_WAVE_CLUSTERS',
    words,
    files: {
      'stackmason.yaml': {
        replace: 'spec:\n',
        by: `spec:\n  rollouts: [{waves: [{name: one, clusters: {matchLabels: {stage: ${CANARY}}}}]}]\n`,
      },
    },
    prepare: pushed(),
  },
  'waves that cannot change cluster.yaml': {
    code: 'PUBLISH_WAVES_UNUSED',
    words,
    files: {
      'stackmason.yaml': {
        replace: 'spec:\n',
        by: `spec:\n  publish: {into: branch}\n  rollouts: [{waves: [{name: one, clusters: {}, hold: ${CANARY}}]}]\n`,
      },
    },
    prepare: pushed(),
  },
  'a hold where there are no pull requests': {
    code: 'PUBLISH_HOLD_UNUSED',
    words,
    files: {
      'stackmason.yaml': { replace: 'spec:\n', by: `spec:\n  publish: {into: branch}\n` },
      'clusters/team-a/web/options.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {hold: ${CANARY}}\n`,
    },
    prepare: pushed(),
  },
  'statuses on a forge that nobody knows': {
    code: 'PUBLISH_STATUS_UNKNOWN',
    words,
    files: {
      'stackmason.yaml': {
        replace: 'spec:\n',
        by: `spec:\n  publish: {into: branch, statuses: {addons: ["${CANARY}"], class: ["${CANARY}"]}}\n`,
      },
    },
    prepare: pushed(),
  },
  'a template of a commit that fails': {
    code: 'PUBLISH_TEMPLATE',
    words,
    files: { 'templates/publish/commit.hbs': `{{nothing}} ${CANARY}\n` },
    prepare: pushed(),
  },
  'a branch of a pull request that somebody changed': {
    code: 'PUBLISH_BRANCH_CHANGED',
    words,
    prepare: pushed(({ repository: { git } }) => {
      const tree = git(['rev-parse', 'main^{tree}'])
      const commit = git(['commit-tree', tree, '-p', 'main', '-m', `${CANARY}\n\nStackmason-Tree: ${CANARY}\n`])
      git(['update-ref', 'refs/heads/stackmason/fleet/main', commit])
    }),
  },
  'a key that signs nothing': {
    code: 'PUBLISH_KEY',
    words,
    files: withUnits,
    prepare: pushed(({ ports }) => {
      const key = `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----\n`
      return {
        ports: { ...ports, environment: { get: (name) => (name === 'KEY' ? key : ports.environment.get(name)) } },
      }
    }),
  },
  'a tree that pins nothing': {
    code: 'PUBLISH_NOT_PINNED',
    words: [...words, '--oci'],
    files: {
      ...withUnits,
      'rendered/clusters/team-a/web/cluster/configmap-a.yaml': `# Generated by stackmason. ${CANARY}\na: ${CANARY}\n`,
    },
    prepare: pushed(),
  },
  'a tree with a file of somebody else': {
    code: 'OUTPUT_FOREIGN',
    words: [...words, '--oci'],
    files: { ...withUnits, 'rendered/clusters/team-a/web/cluster/configmap-a.yaml': `a: ${CANARY}\n` },
    prepare: pushed(),
  },
  'a branch that goes round in circles': {
    code: 'PUBLISH_LOOPS',
    words,
    files: intoBranch,
    prepare: pushed((fleet) => {
      const { git } = fleet.repository
      const tree = git(['rev-parse', 'main^{tree}'])
      let commit = git(['commit-tree', tree, '-p', 'main', '-m', 'Of an author'])
      for (let round = 0; round < 3; round++)
        commit = git(['commit-tree', tree, '-p', commit, '-m', `${CANARY}\n\nStackmason-Tree: ${tree}\n`])
      git(['update-ref', 'refs/heads/feature', commit])
      return onMergeRequest(fleet, '1')
    }),
  },
}
