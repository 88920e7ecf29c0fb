import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { type PublishedFleet, publishFrom, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { formatBlock } from '../../src/report/pull-request/body-block.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type FakeForge, fakeForge } from './fake-forge.ts'

setGitIdentity()

const head = 'stackmason/lab/main'

interface Place extends FakeForge {
  readonly fleet: PublishedFleet
  readonly clone: FleetFolder
  readonly run: (mode?: 'act' | 'plan') => ReturnType<typeof publishFrom>
}

async function place(pullRequest = ''): Promise<Place> {
  const spec = [`publish: {forge: {kind: gitea, plainHttp: true}${pullRequest}}`]
  const fleet = await servePublishedFleet(await tempFolder(), { spec })
  onTestFinished(() => fleet.server.close())
  const clone = await fleet.clone('ci')
  const fake = fakeForge(() => fleet.repository.git(['rev-parse', head]))
  return {
    ...fake,
    fleet,
    clone,
    run: (mode = 'act') => publishFrom(clone, { mode, openForge: () => Promise.resolve(fake.forge) }),
  }
}

describe('the pull request of a fleet', () => {
  it('is opened, left alone, updated around what people wrote, and closed', async () => {
    const { fleet, writes, pullRequests, edit, run } = await place(
      ', pullRequest: {labels: [bot], reviewers: [ada, nobody], teams: [platform], autoMerge: squash}',
    )
    const planned = await run('plan')
    expect(planned).toMatchObject({ status: 'planned', pullRequest: { action: 'create' } })
    expect(writes).toEqual([])
    const opened = await run()
    expect(opened).toMatchObject({ status: 'published', pullRequest: { action: 'create', number: 1 } })
    expect(opened.findings.map(({ code }) => code)).toEqual(['PUBLISH_PEOPLE', 'PUBLISH_AUTO_MERGE'])
    expect(writes.splice(0)).toEqual([
      `create ${head} into main`,
      'label 1: bot',
      'ask 1: ada, nobody, platform',
      'merge 1 by squash',
      'update 1: body',
    ])
    expect(pullRequests[0]?.body).not.toContain('unfinished')
    expect(await run()).toMatchObject({ status: 'unchanged', pullRequest: { action: 'leave', number: 1 } })
    edit({ title: 'A title of somebody', body: `Please look.\n\n${pullRequests[0]!.body}\n\nThanks!` })
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(writes).toEqual([])
    fleet.author.write(lab.values, 'message: two\n')
    fleet.author.write(
      'clusters/team/two/cluster.yaml',
      fleet.author.read(lab.cluster).replace('name: one', 'name: two'),
    )
    await fleet.push()
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'update', number: 1 } })
    expect(writes.splice(0)).toEqual(['update 1: body, title', 'merge 1 by squash'])
    expect(pullRequests[0]!.body).toMatch(/^Please look\.\n\n<!-- [^]* -->\n\nThanks!$/)
    // somebody renders by hand, and pushes to the base
    fleet.author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    await fleet.author.render()
    fleet.author.remove('rendered/.stackmason')
    await fleet.push()
    expect(await run()).toMatchObject({ status: 'published', files: [], pullRequest: { action: 'close', number: 1 } })
    expect(writes.splice(0)).toEqual(['close 1'])
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(writes).toEqual([])
  })

  it('is none that somebody else has opened from its branch into another one', async () => {
    const { fleet, writes, pullRequests, edit, run } = await place()
    fleet.repository.git(['branch', 'stable', 'main'])
    const text = { title: 'Mine', body: 'Try it.', head, base: 'stable' }
    const theirs = { ...text, number: 1, url: '', headCommit: '', isFromFork: false, isDraft: false, labels: [] }
    pullRequests.push({ ...theirs, state: 'closed' })
    expect(await run()).toMatchObject({ pullRequest: { action: 'create', number: 2 } })
    edit({ state: 'open' })
    expect(await run()).toMatchObject({ status: 'unchanged', pullRequest: { action: 'leave', number: 2 } })
    // ours, with a base that somebody has given it
    edit({ base: 'elsewhere' }, 2)
    expect(await run()).toMatchObject({ pullRequest: { action: 'update', number: 2 } })
    edit({ state: 'closed' }, 2)
    expect(await run()).toMatchObject({ pullRequest: { action: 'leave', number: 2, state: 'closed' } })
    edit({ state: 'open' }, 2)
    expect(writes.splice(0)).toEqual([`create ${head} into main`, 'update 2: base'])
    fleet.author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    await fleet.author.render()
    fleet.author.remove('rendered/.stackmason')
    await fleet.push()
    const over = await run()
    expect(over).toMatchObject({ pullRequest: { action: 'close', number: 2 } })
    expect(over.findings).toMatchObject([
      {
        code: 'PUBLISH_BRANCH_KEPT',
        message: `branch ${head} is not deleted, although nothing is left to propose on it: somebody has opened pull request 1 from it into stable`,
      },
    ])
    expect(writes.splice(0)).toEqual(['close 2'])
    expect(pullRequests[0]).toMatchObject({ ...text, state: 'open' })
    edit({ state: 'closed' })
    expect(await run()).toMatchObject({ findings: [] })
    expect(writes).toEqual([])
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)', 'refs/heads/stackmason'])).toBe('')
  })

  it('is refused where its branch is that of one of ours into a base of another name', async () => {
    const { fleet, writes, pullRequests, edit, run } = await place(', base: env-prod')
    fleet.repository.git(['branch', 'env-prod', 'main'])
    const other = {
      head: 'stackmason/lab/env-prod',
      base: 'env/prod',
      body: formatBlock('', { group: 'fleet', fingerprint: 'a' }),
    }
    const theirs = { ...other, number: 1, url: '', headCommit: '', isFromFork: false, isDraft: false, labels: [] }
    pullRequests.push({ ...theirs, title: 'One', state: 'open' })
    await expect(run()).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'WRITE_OTHER_FLEET',
          message:
            'branch stackmason/lab/env-prod is that of pull request 1 into env/prod, and would be that of one into env-prod, too: the names of these bases differ in / and - only',
        },
      ],
    })
    expect(writes).toEqual([])
    expect(fleet.repository.git(['for-each-ref', 'refs/heads/stackmason'])).toBe('')
    edit({ state: 'closed' })
    expect(await run('plan')).toMatchObject({ pullRequest: { action: 'create' } })
  })

  it('is refused where git cannot make its branch beside another', async () => {
    const { fleet, writes, run } = await place()
    fleet.repository.git(['branch', 'stackmason', 'main'])
    const result = await run()
    expect(result).toMatchObject({ status: 'refused', attempts: 1, proposals: [{ status: 'refused', head }] })
    expect(result.findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'PUBLISH_REFUSED',
        message: `branch ${head} cannot be made: there is a branch stackmason, and git cannot have both`,
      },
    ])
    expect(writes).toEqual([])
  })

  it('says how its branch gets past a rule that protects it', async () => {
    const { fleet, run } = await place()
    const hook = join(fleet.repository.path, 'hooks/pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "error: GH006: Protected branch update failed" >&2\nexit 1\n', { mode: 0o755 })
    expect((await run()).findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'PUBLISH_PROTECTED',
        hint: 'Allow this user to push to branches with that beginning, or set spec.publish.branchPrefix to one that is not protected.',
      },
    ])
  })

  it('says what the check no longer says since the tree was last published', async () => {
    const { fleet, pullRequests, run } = await place()
    const { author } = fleet
    const saidFor = async (message: string): Promise<readonly string[]> => {
      author.write(lab.values, `message: ${message}\n`)
      await fleet.push()
      await run()
      const body = pullRequests.at(-1)?.body.replaceAll('\\', '') ?? ''
      return Array.from(body.matchAll(/\| (check: [^|]*) \|/g), ([, text = '']) => text)
    }
    const merge = (): void => {
      fleet.repository.git(['update-ref', 'refs/heads/main', head])
      author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    }
    // nothing was published before
    expect(await saidFor('one')).toEqual([])
    merge()
    expect(await saidFor('two')).toEqual([])
    // the entry comes first, on its own: it changes nothing that is rendered
    author.write('stackmason.yaml', `${author.read('stackmason.yaml')}  check: {rules: {CLUSTER_DELETED: off}}\n`)
    await fleet.push()
    expect(await saidFor('three')).toEqual(['check: CLUSTER_DELETED is off (was error)'])
    merge()
    expect(await saidFor('four')).toEqual([])
  })

  it('gets by the next run what belongs to it when one was killed before, or did not reach the forge', async () => {
    const { forge, writes, clone, run } = await place(', pullRequest: {labels: [bot], autoMerge: squash}')
    const failing = (addLabels: () => Promise<never>): ReturnType<typeof publishFrom> =>
      publishFrom(clone, { openForge: () => Promise.resolve({ ...forge, addLabels }) })
    await expect(failing(() => Promise.reject(new Error('killed')))).rejects.toThrow('killed')
    const [code, severity] = ['FETCH_FAILED', 'error'] as const
    const away = new StackmasonError({ code, severity, message: 'nobody answers' })
    const { status, findings, pullRequest } = await failing(() => Promise.reject(away))
    expect([status, pullRequest?.action]).toEqual(['published', 'update'])
    expect(findings.map((finding) => finding.code)).toEqual(['PUBLISH_AUTO_MERGE', code])
    writes.splice(0)
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'update', number: 1 } })
    expect(writes.splice(0)).toEqual(['label 1: bot', 'merge 1 by squash', 'update 1: body'])
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(writes).toEqual([])
  })

  it('is opened by the next run when one was killed after its push', async () => {
    const { forge, fleet, writes, clone, run } = await place()
    const failing = { ...forge, createPullRequest: () => Promise.reject(new Error('killed')) }
    await expect(publishFrom(clone, { openForge: () => Promise.resolve(failing) })).rejects.toThrow('killed')
    const commit = fleet.repository.git(['rev-parse', head])
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'create', number: 1 } })
    expect(fleet.repository.git(['rev-parse', head])).toBe(commit)
    expect(writes).toEqual([`create ${head} into main`])
  })

  it('stays closed when somebody closed it, until something else is proposed', async () => {
    const { fleet, writes, edit, run } = await place()
    await run()
    edit({ state: 'closed' })
    writes.splice(0)
    expect(await run()).toMatchObject({
      status: 'unchanged',
      pullRequest: { action: 'leave', number: 1, state: 'closed' },
    })
    fleet.author.write(lab.values, 'message: two\n')
    fleet.author.write(
      'clusters/team/two/cluster.yaml',
      fleet.author.read(lab.cluster).replace('name: one', 'name: two'),
    )
    await fleet.push()
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'create', number: 2 } })
    expect(writes).toEqual([`create ${head} into main`])
  })

  it('is opened again when what we closed is to be proposed again', async () => {
    const { fleet, writes, run } = await place()
    await run()
    fleet.author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    await fleet.author.render()
    await fleet.push()
    expect(await run()).toMatchObject({ pullRequest: { action: 'close', number: 1 } })
    fleet.author.git('revert', '--no-edit', 'HEAD')
    fleet.author.git('push', '--quiet', 'origin', 'HEAD:main')
    writes.splice(0)
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'create', number: 2 } })
    expect(writes).toEqual([`create ${head} into main`])
  })

  it('is opened again when its branch was deleted, and not when somebody closed it before', async () => {
    const { fleet, writes, deleted, edit, run } = await place()
    await run()
    edit({ state: 'closed' })
    fleet.repository.git(['branch', '--delete', '--force', head])
    writes.splice(0)
    expect(await run()).toMatchObject({ status: 'unchanged', pullRequest: { action: 'leave', state: 'closed' } })
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
    deleted.add(1)
    expect(await run('plan')).toMatchObject({ status: 'planned', pullRequest: { action: 'create' } })
    expect(await run()).toMatchObject({ status: 'published', pullRequest: { action: 'create', number: 2 } })
    expect(writes).toEqual([`create ${head} into main`])
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)'])).toContain(`refs/heads/${head}`)
  })

  it('is another one where somebody merges it while its branch moves', async () => {
    const { forge, fleet, clone, edit, writes, run } = await place()
    const { git } = fleet.repository
    await run()
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    writes.splice(0)
    let times = 0
    const merging: typeof forge = {
      ...forge,
      openPullRequests: async (prefix) => {
        const found = await forge.openPullRequests(prefix)
        if (++times > 1) return found
        const tree = git(['merge-tree', '--write-tree', '--no-messages', 'main', head])
        git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-p', 'main', '-p', head, '-m', 'Merge'])])
        edit({ state: 'merged' })
        return found
      },
    }
    const result = await publishFrom(clone, { openForge: () => Promise.resolve(merging) })
    expect(result).toMatchObject({ status: 'published', attempts: 2, pullRequest: { action: 'create', number: 2 } })
    expect(git(['rev-list', '--count', `main..${head}`])).toBe('1')
    // it was open when the run looked
    expect(writes).toEqual(['update 1: body, title', `create ${head} into main`])
  })

  it('that somebody else has opened and merged before it could be opened is none that is missing', async () => {
    const { forge, fleet, clone, writes, run } = await place()
    const { git } = fleet.repository
    const failing = { ...forge, createPullRequest: () => Promise.reject(new Error('killed')) }
    await expect(publishFrom(clone, { openForge: () => Promise.resolve(failing) })).rejects.toThrow('killed')
    const refused = new StackmasonError({ code: 'PUBLISH_REFUSED', severity: 'error', message: 'no such branch' })
    const late: typeof forge = {
      ...forge,
      createPullRequest: () => {
        git(['update-ref', 'refs/heads/main', head])
        git(['update-ref', '-d', `refs/heads/${head}`])
        return Promise.reject(refused)
      },
    }
    const result = await publishFrom(clone, { openForge: () => Promise.resolve(late) })
    expect(result).toMatchObject({ status: 'unchanged', attempts: 2 })
    fleet.author.git('pull', '--quiet', '--rebase', fleet.repository.path, 'main')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const denying = { ...forge, createPullRequest: () => Promise.reject(refused) }
    const denied = await publishFrom(clone, { openForge: () => Promise.resolve(denying) })
    expect(denied).toMatchObject({ status: 'refused', proposals: [{ status: 'refused' }] })
    expect(denied.findings.map(({ code, message }) => [code, message])).toEqual([['PUBLISH_REFUSED', 'no such branch']])
    expect(await run()).toMatchObject({ pullRequest: { action: 'create' } })
    expect(writes).toEqual([`create ${head} into main`])
  })

  it.each([
    { how: 'pushed to its branch', parent: head, reword: () => 'Mine' },
    {
      how: 'reworded our commit on it',
      parent: `${head}^`,
      reword: (message: string) => message.replace(/^.*/, 'Words of mine'),
    },
  ])('is left to whoever has $how', async ({ parent, reword }) => {
    const { fleet, writes, run } = await place()
    await run()
    writes.splice(0)
    const { git } = fleet.repository
    const message = reword(git(['log', '-1', '--format=%B', head]))
    const mine = git(['commit-tree', `${head}^{tree}`, '-p', parent, '-m', message])
    git(['update-ref', `refs/heads/${head}`, mine])
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const result = await run()
    expect(result).toMatchObject({ status: 'unchanged', pullRequest: { action: 'leave', number: 1 } })
    expect(result.findings.map(({ code }) => code)).toEqual(['PUBLISH_BRANCH_CHANGED'])
    expect(git(['rev-parse', head])).toBe(mine)
    expect(writes).toEqual([])
  })

  it('has the templates of the fleet', async () => {
    const { fleet, pullRequests, run } = await place()
    fleet.author.write('templates/publish/pull-request.hbs', 'Ours: {{summary}}\n')
    fleet.author.write('templates/publish/commit.hbs', 'Rendered by us\n')
    await fleet.push()
    const planned = (await run('plan')).proposals.map((proposal) => proposal.text)
    const { proposals } = await run()
    expect(proposals.map((proposal) => proposal.text)).toEqual([undefined])
    expect(planned).toEqual([
      { title: pullRequests[0]!.title, body: pullRequests[0]!.body, commitMessage: 'Rendered by us\n' },
    ])
    expect(pullRequests[0]!.body).toContain('Ours: ')
    expect(fleet.repository.git(['log', '-1', '--format=%s', head])).toBe('Rendered by us')
    fleet.author.write('templates/publish/commit.hbs', '{{nothing}}\n')
    await fleet.push()
    const error = await run().catch((thrown: unknown) => thrown)
    expect(error instanceof StackmasonError ? error.diagnostics.map(({ code }) => code) : error).toEqual([
      'PUBLISH_TEMPLATE',
    ])
    fleet.author.remove('templates/publish/commit.hbs')
    symlinkSync('/etc/hostname', fleet.author.path('templates/publish/commit.hbs'))
    await fleet.push()
    const outside = await run().catch((thrown: unknown) => thrown)
    expect(outside instanceof StackmasonError ? outside.diagnostics.map(({ code }) => code) : outside).toEqual([
      'FILE_OUTSIDE',
    ])
  })
})
