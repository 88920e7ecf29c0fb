import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type FindingsReport,
  type FailOn,
  type FindingsWeight,
  forgeAbilities,
  type NewPullRequest,
} from '../../../src/model/forge.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { openWorld, refuseProblems } from './forge-lab.ts'
import { forgeWorlds, type RunningWorld } from './forge-worlds.ts'

/** What is promised of every forge: the same steps, the same outcome, but for what the table of abilities says. */
describe.each(forgeWorlds)('$kind', ({ kind, start, isThere }) => {
  const abilities = forgeAbilities[kind]
  let world: RunningWorld

  beforeAll(async () => {
    if (isThere) world = await start()
  }, 120_000)
  afterAll(async () => {
    if (!isThere) return
    await world.server.close()
    refuseProblems(world.server.problems ?? [])
  })

  const wanted = (head: string, more: Partial<NewPullRequest> = {}): NewPullRequest => ({
    title: 'Update web to v2',
    body: 'One change.\n\n<!-- stackmason:publish v1alpha1 {} -->\nä 🦊\n',
    head,
    base: 'main',
    isDraft: false,
    ...more,
  })

  describe.skipIf(!isThere)('a pull request', { timeout: 60_000 }, () => {
    test('lives from its opening until a person merges it', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/life'
      const headCommit = await world.addBranch(head)
      expect(await forge.defaultBranch()).toBe('main')
      expect(await forge.openPullRequests(head)).toEqual([])
      expect(await forge.latestPullRequest(head)).toBeUndefined()

      const { pullRequest: made, outcome } = await forge.createPullRequest(wanted(head))
      const { number } = made
      expect(outcome).toBe('created')
      expect(made).toEqual({
        ...wanted(head),
        number: expect.any(Number),
        body: expect.stringContaining('ä 🦊'),
        url: expect.stringMatching(new RegExp(`^${world.url}/acme/fleet/.*/${number}$`)),
        headCommit,
        isFromFork: false,
        state: 'open',
        labels: [],
      })
      expect(await forge.openPullRequests('stackmason/l')).toEqual([made])
      expect(await forge.openPullRequests('other/')).toEqual([])
      expect(await forge.pullRequest(number)).toEqual(made)

      await forge.addLabels(number, ['upgrade', 'stackmason', 'upgrade'])
      await forge.addLabels(number, ['stackmason'])
      expect(await forge.addAssignees(number, ['alice', 'nobody-knows'])).toEqual(['nobody-knows'])
      const reviewers = { users: ['alice', 'nobody-knows'], teams: ['platform', 'no-such-team'] }
      expect(await forge.requestReviewers(number, reviewers)).toEqual(
        abilities.canAskTeams ? ['nobody-knows', 'no-such-team'] : ['nobody-knows', 'platform', 'no-such-team'],
      )
      expect((await forge.pullRequest(number))?.labels.toSorted()).toEqual(['stackmason', 'upgrade'])

      const changed = await forge.updatePullRequest(number, { title: 'Update web to v3', isDraft: true })
      expect(changed).toEqual({ ...made, title: 'Update web to v3', isDraft: true, labels: expect.anything() })
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit })).toBe('notAllowed')
      expect((await forge.updatePullRequest(number, { isDraft: false })).isDraft).toBe(false)
      expect((await forge.pullRequest(number))?.title).toBe('Update web to v3')
      expect((await forge.updatePullRequest(number, { body: 'Other.' })).body.trim()).toBe('Other.')

      calls.length = 0
      await forge.updatePullRequest(number, {
        title: 'Update web to v3',
        body: 'Other.\n',
        base: 'main',
        isDraft: false,
      })
      expect(calls.filter((call) => call.startsWith('*'))).toEqual([])

      await world.writeBody(number, 'Mine.')
      expect((await forge.pullRequest(number))?.body.trim()).toBe('Mine.')
      await world.merge(number)
      const merged = await forge.pullRequest(number)
      expect(merged?.state).toBe('merged')
      calls.length = 0
      expect(await forge.updatePullRequest(number, { body: 'Late.' })).toEqual(merged)
      await forge.closePullRequest(number)
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit })).toBe('notOpen')
      expect(calls.filter((call) => call.startsWith('*'))).toEqual([])
      expect(await forge.openPullRequests(head)).toEqual([])
      expect(await forge.latestPullRequest(head)).toEqual(merged)
    })

    test('into another branch is another one', async () => {
      const lost = { on: /^POST .*(?:pulls|merge_requests)$/, fault: 'lost', times: 1 } as const
      const { forge } = await openWorld(world)
      const head = 'stackmason/two-bases'
      await world.addBranch(head)
      await world.addBranch('stable')
      const other = await forge.createPullRequest({ ...wanted(head), base: 'stable' })
      const { forge: faulty } = await openWorld(world, { faults: [lost] })
      const { pullRequest } = await faulty.createPullRequest(wanted(head))
      expect([pullRequest.base, pullRequest.number === other.pullRequest.number]).toEqual(['main', false])
      expect((await forge.latestPullRequest(head))?.number).toBe(pullRequest.number)
      expect(await forge.latestPullRequest(head, ({ base }) => base === 'stable')).toEqual(other.pullRequest)
      expect(await forge.latestPullRequest(head, () => false)).toBeUndefined()
    })

    test('is closed when nothing is left, and opened anew', async () => {
      const { forge } = await openWorld(world)
      const head = 'stackmason/closed'
      await world.addBranch(head)
      const first = (await forge.createPullRequest(wanted(head))).pullRequest
      await forge.closePullRequest(first.number)
      expect((await forge.pullRequest(first.number))?.state).toBe('closed')
      await forge.closePullRequest(first.number)
      const second = await forge.createPullRequest(wanted(head))
      expect(second.outcome).toBe('created')
      expect((await forge.latestPullRequest(head))?.number).toBe(second.pullRequest.number)
    })

    test('of a repository that is being made is waited for', async () => {
      const body = new TextEncoder().encode('{"message":"Not Found"}')
      const on = /^GET [^?]*\/(?:pulls|merge_requests)\?/
      const faults = [{ on, fault: { status: 404, body }, times: 3 }]
      const { forge, calls, slept } = await openWorld(world, { faults })
      expect(await forge.openPullRequests('stackmason/not-there')).toEqual([])
      expect(calls.filter((call) => on.test(call))).toHaveLength(4)
      expect(slept).toHaveLength(3)
      const still = await openWorld(world, { faults: [{ ...faults[0]!, times: 100 }] })
      await expect(still.forge.openPullRequests('stackmason/not-there')).rejects.toThrow('cannot get the')
      expect(still.slept).toHaveLength(5)
    })

    test('is told apart by who ended it: a person, or the deletion of its branch', async () => {
      const { forge, calls } = await openWorld(world)
      const open = async (head: string): Promise<number> => {
        await world.addBranch(head)
        return (await forge.createPullRequest(wanted(head))).pullRequest.number
      }
      const [closed, deleted, both] = [
        await open('stackmason/end-closed'),
        await open('stackmason/end-deleted'),
        await open('stackmason/end-both'),
      ]
      // more events before the closing than a page has
      for (let turn = 0; turn < 6; turn++) await forge.updatePullRequest(deleted, { title: `turn ${turn}` })
      await world.close(closed)
      await world.close(both)
      await setTimeout(2100)
      await world.deleteBranch('stackmason/end-both')
      await world.deleteBranch('stackmason/end-deleted')
      const isClosed = async (number: number): Promise<boolean> => (await forge.pullRequest(number))?.state === 'closed'
      await expect.poll(() => isClosed(deleted), { timeout: 20_000, interval: 200 }).toBe(true)
      await expect.poll(() => forge.isClosedByDeletion(deleted), { timeout: 20_000, interval: 200 }).toBe(true)
      calls.length = 0
      expect(await forge.isClosedByDeletion(closed)).toBe(false)
      expect(await forge.isClosedByDeletion(both)).toBe(false)
      expect(calls.filter((call) => call.startsWith('*'))).toEqual([])
    })

    test('says why it is closed, where that is told, in one write', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/why'
      await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      calls.length = 0
      await forge.closePullRequest(number, 'Nothing is left.')
      expect(calls.filter((call) => call.startsWith('*'))).toHaveLength(1)
      expect(await forge.pullRequest(number)).toMatchObject({ state: 'closed', body: 'Nothing is left.' })
      expect(await forge.isClosedByDeletion(number)).toBe(false)
    })

    test('that is not there is none', async () => {
      const { forge } = await openWorld(world)
      expect(await forge.pullRequest(987_654)).toBeUndefined()
      await forge.closePullRequest(987_654)
      await expect(forge.updatePullRequest(987_654, { title: 'x' })).rejects.toThrow(
        `acme/fleet has no ${abilities.pullRequest} 987654`,
      )
    })

    test('is a draft from the start', async () => {
      const { forge } = await openWorld(world)
      const head = 'stackmason/draft'
      await world.addBranch(head)
      const { pullRequest } = await forge.createPullRequest(wanted(head, { isDraft: true }))
      expect(pullRequest).toMatchObject({ isDraft: true, title: 'Update web to v2' })
      const ready = await forge.updatePullRequest(pullRequest.number, { body: 'Ready.' })
      expect(ready).toMatchObject({ isDraft: true, title: 'Update web to v2' })
    })

    test('of a branch is there once, whoever asks twice', async () => {
      const { forge } = await openWorld(world)
      const head = 'stackmason/twice'
      await world.addBranch(head)
      const first = await forge.createPullRequest(wanted(head))
      const second = await forge.createPullRequest(wanted(head, { title: 'Another' }))
      expect(second).toEqual({ pullRequest: first.pullRequest, outcome: 'found' })
    })

    test('whose opening got no answer is found', async () => {
      const { forge, calls } = await openWorld(world, {
        faults: [{ on: /^POST .*(?:pulls|merge_requests)$/, fault: 'lost' }],
      })
      const head = 'stackmason/lost'
      await world.addBranch(head)
      const { outcome, pullRequest } = await forge.createPullRequest(wanted(head))
      expect({ outcome, head: pullRequest.head }).toEqual({ outcome: 'found', head })
      expect(calls.filter((call) => call.startsWith('*'))).toHaveLength(1)
      expect(await forge.openPullRequests(head)).toEqual([pullRequest])
    })

    test.each([
      { name: 'a gateway was gone for a moment', status: 502 },
      { name: 'the forge did not know the branch at first', status: 404 },
    ])('is opened though $name', async ({ status }) => {
      const gone = { on: /^POST .*(?:pulls|merge_requests)$/, fault: { status }, times: 2 }
      const { forge } = await openWorld(world, { faults: [gone] })
      const head = `stackmason/gateway-${status}`
      await world.addBranch(head)
      expect((await forge.createPullRequest(wanted(head))).outcome).toBe('created')
    })

    test.each(['merge', 'close'] as const)('that a person meant to %s while it was written stays so', async (deed) => {
      const head = `stackmason/meanwhile-${deed}`
      await world.addBranch(head)
      const { number } = (await (await openWorld(world)).forge.createPullRequest(wanted(head))).pullRequest
      const on = /^(?:PATCH|PUT) /
      const { forge } = await openWorld(world, { faults: [{ on, fault: () => world[deed](number) }] })
      const changed = await forge.updatePullRequest(number, { title: 'Late', body: 'Late.' })
      expect(changed.state).toBe(deed === 'merge' ? 'merged' : 'closed')
      const other = await openWorld(world, {
        faults: [{ on, fault: () => world.merge(number).catch(() => undefined) }],
      })
      await other.forge.closePullRequest(number)
    })

    test('of a fork is never ours, whatever its branch is called', async () => {
      const head = 'stackmason/fork'
      await world.openFromFork(head)
      const { forge } = await openWorld(world)
      expect(await forge.openPullRequests(head)).toEqual([])
      expect(await forge.latestPullRequest(head)).toBeUndefined()
      await world.addBranch(head)
      const { outcome, pullRequest } = await forge.createPullRequest(wanted(head))
      expect(outcome).toBe('created')
      expect(await forge.openPullRequests(head)).toEqual([pullRequest])
    })

    test('is found on later pages, too', async () => {
      const { forge, calls } = await openWorld(world)
      for (let number = 1; number <= 7; number++) {
        await world.addBranch(`many/${number}`)
        await forge.createPullRequest(wanted(`many/${number}`))
      }
      calls.length = 0
      const found = await forge.openPullRequests('many/')
      expect(found.map(({ head }) => head)).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `many/${number}`))
      expect(calls.length).toBeGreaterThan(1)
      expect((await forge.latestPullRequest('many/1'))?.head).toBe('many/1')
    })

    test('with a text that is too long is not sent', async () => {
      const { forge, calls } = await openWorld(world)
      const long = wanted('stackmason/long', { body: 'ä'.repeat(abilities.hardMaxBody + 1) })
      await expect(forge.createPullRequest(long)).rejects.toMatchObject({ diagnostics: [{ code: 'PUBLISH_TOO_LONG' }] })
      await expect(forge.updatePullRequest(1, { title: 'x'.repeat(300) })).rejects.toMatchObject({
        diagnostics: [{ code: 'PUBLISH_TOO_LONG' }],
      })
      expect(calls).toEqual([])
    })

    test('of no branch is an error', async () => {
      const { forge } = await openWorld(world)
      const codes = await codesOf(() => forge.createPullRequest(wanted('stackmason/no-branch')))
      expect(codes).toEqual([kind === 'gitea' ? 'FETCH_NOT_FOUND' : 'PUBLISH_REFUSED'])
    })
  })

  describe.skipIf(!isThere)('merging by itself', { timeout: 60_000 }, () => {
    test('waits for what is required, and for one commit alone', async () => {
      const { forge } = await openWorld(world)
      const head = 'stackmason/auto'
      const headCommit = await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit })).toBe('nothingToWaitFor')
      expect((await forge.pullRequest(number))?.state).toBe('open')
      await world.requireStatus('ci/render')
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit: '0'.repeat(40) })).toBe('outdated')
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit })).toBe('enabled')
      expect(await forge.enableAutoMerge(number, { method: 'merge', headCommit })).toBe('enabled')
      expect((await forge.pullRequest(number))?.state).toBe('open')
      await world.setStatus(headCommit, 'ci/render', 'success')
      await expect.poll(async () => (await forge.pullRequest(number))?.state, { timeout: 20_000 }).toBe('merged')
    })
  })

  describe.skipIf(!isThere)('findings', { timeout: 60_000 }, () => {
    test('are reported once, and anew when they change', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/findings'
      const commit = await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      const annotations = Array.from({ length: 120 }, (_, index) => ({
        level: 'failure' as const,
        path: 'clusters/team-a/web/cluster.yaml',
        line: index + 1,
        title: 'CHECK_SCHEMA',
        message: 'not of the schema',
      }))
      const report = {
        form: 'check' as const,
        commit,
        context: 'stackmason/check',
        conclusion: 'failure' as const,
        title: '120 errors',
        summary: '120 errors in `clusters/team-a/web`',
        annotations,
        url: 'https://example.org/report',
        pullRequest: number,
      }
      const as = abilities.canCheckRuns ? 'checkRun' : 'status'
      const leftOut = abilities.canCheckRuns ? 0 : 120
      expect(await forge.statusOf(commit, report.context)).toBe('missing')
      expect(await forge.reportFindings(report)).toEqual({ as, outcome: 'created', leftOut })
      expect(await forge.statusOf(commit, report.context)).toBe('failure')
      calls.length = 0
      expect(await forge.reportFindings(report)).toEqual({ as, outcome: 'unchanged', leftOut })
      expect(calls.filter((call) => call.startsWith('*'))).toEqual([])
      const fine = {
        ...report,
        conclusion: 'success' as const,
        title: 'No findings',
        summary: 'None.',
        annotations: [],
      }
      expect(await forge.reportFindings(fine)).toEqual({ as, outcome: 'updated', leftOut: 0 })
      expect(await forge.statusOf(commit, report.context)).toBe('success')
    })

    test.each([
      { name: 'null', status: 200, body: 'null' },
      { name: 'an object', status: 200, body: '{}' },
      { name: 'no content', status: 204, body: '' },
    ])('are asked about pull requests, of which $name tells nothing', async ({ status, body }) => {
      const headers = new Map([['content-type', 'application/json']])
      const fault = { status, headers, body: new TextEncoder().encode(body) }
      const { forge } = await openWorld(world, { faults: [{ on: /GET .*(?:pulls|merge_requests)\?/, fault }] })
      await expect(forge.openPullRequests('')).rejects.toMatchObject({ diagnostics: [{ code: 'FETCH_INVALID' }] })
    })

    test('that go by less leave what goes by more, and replace their own', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/yielding'
      const commit = await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      const of = (conclusion: 'success' | 'failure', weight: FindingsWeight, failOn?: FailOn): FindingsReport => ({
        form: 'check',
        commit,
        context: 'stackmason/check',
        weight,
        ...(failOn !== undefined && { failOn }),
        conclusion,
        title: conclusion,
        summary: `It was a ${conclusion}.`,
        annotations: [],
        pullRequest: number,
      })
      const state = async (): Promise<string> => forge.statusOf(commit, 'stackmason/check')
      const steps = [
        ['failure', 'publish', 'created', 'failure'],
        ['success', 'publish', 'updated', 'success'],
        ['failure', 'alone', 'updated', 'failure'],
        ['success', 'publish', 'unchanged', 'failure'],
        ['success', 'alone', 'updated', 'success'],
        ['failure', 'publish', 'unchanged', 'success'],
        ['success', 'compared', 'updated', 'success'],
        ['success', 'alone', 'unchanged', 'success'],
        ['failure', 'alone', 'updated', 'failure'],
        ['failure', 'compared', 'updated', 'failure'],
        ['failure', 'alone', 'unchanged', 'failure'],
        ['success', 'alone', 'unchanged', 'failure'],
        ['success', 'compared', 'updated', 'success'],
        // the less strict leave what the stricter have failed
        ['failure', 'compared', 'updated', 'failure', 'error'],
        ['success', 'compared', 'unchanged', 'failure', 'never'],
        ['failure', 'compared', 'updated', 'failure', 'warning'],
        ['success', 'compared', 'unchanged', 'failure', 'error'],
        ['failure', 'alone', 'unchanged', 'failure', 'never'],
        ['success', 'compared', 'updated', 'success', 'warning'],
        ['success', 'compared', 'unchanged', 'success', 'never'],
        ['failure', 'alone', 'updated', 'failure', 'warning'],
        ['success', 'compared', 'unchanged', 'failure', 'error'],
        ['success', 'publish', 'unchanged', 'failure'],
        ['success', 'compared', 'updated', 'success', 'warning'],
        ['failure', 'compared', 'updated', 'failure', 'never'],
        ['success', 'compared', 'updated', 'success', 'never'],
        ['failure', 'alone', 'updated', 'failure', 'error'],
      ] as const
      for (const [conclusion, weight, outcome, is, failOn] of steps) {
        calls.length = 0
        const { outcome: done } = await forge.reportFindings(of(conclusion, weight, failOn))
        expect(done, `${weight} ${conclusion} ${failOn ?? ''}`).toBe(outcome)
        expect(await state()).toBe(is)
        expect(calls.some((call) => call.startsWith('*'))).toBe(outcome !== 'unchanged')
      }
    })

    test('that there are none of make no comment', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/no-findings'
      const commit = await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      calls.length = 0
      await forge.reportFindings({
        form: 'check' as const,
        commit,
        context: 'stackmason/check',
        conclusion: 'success',
        title: 'No findings',
        summary: 'None.',
        annotations: [],
        pullRequest: number,
      })
      expect(calls.filter((call) => call.startsWith('*'))).toHaveLength(1)
      expect(calls.filter((call) => /\* .*(?:comments|notes)/.test(call))).toEqual([])
    })
  })

  describe.skipIf(!isThere)('a comment', { timeout: 60_000 }, () => {
    test('is kept as one, among many', async () => {
      const { forge, calls } = await openWorld(world)
      const head = 'stackmason/comment'
      await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      for (let other = 1; other <= 6; other++)
        await forge.upsertComment(number, { marker: `<!-- other:${other} -->`, body: 'Hm.' })
      const marker = '<!-- stackmason:test -->'
      expect(await forge.upsertComment(number, { marker, body: 'One\n' })).toBe('created')
      calls.length = 0
      expect(await forge.upsertComment(number, { marker, body: 'One\n' })).toBe('unchanged')
      expect(calls.filter((call) => call.startsWith('*'))).toEqual([])
      expect(await forge.upsertComment(number, { marker, body: 'Two' })).toBe('updated')
      expect(await forge.upsertComment(number, { marker, body: 'Two' })).toBe('unchanged')
    })

    test('of somebody else that begins with our marker is left to him', async () => {
      const forbidden = { on: /^(?:PATCH|PUT) .*(?:comments|notes)/, fault: { status: 403 }, times: 1 }
      const { forge } = await openWorld(world, { faults: [forbidden] })
      const head = 'stackmason/copied-marker'
      await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      const marker = '<!-- stackmason:test -->'
      expect(await forge.upsertComment(number, { marker, body: 'His' })).toBe('created')
      expect(await forge.upsertComment(number, { marker, body: 'Ours' })).toBe('created')
      expect(await forge.upsertComment(number, { marker, body: 'Ours' })).toBe('unchanged')
    })

    test('whose writing got no answer is there once', async () => {
      const fault = { on: /^POST .*(?:comments|notes)$/, fault: 'lost' } as const
      const { forge, calls } = await openWorld(world, { faults: [fault] })
      const head = 'stackmason/lost-comment'
      await world.addBranch(head)
      const { number } = (await forge.createPullRequest(wanted(head))).pullRequest
      calls.length = 0
      const comment = { marker: '<!-- stackmason:test -->', body: 'One' }
      expect(await forge.upsertComment(number, comment)).toBe('created')
      expect(await forge.upsertComment(number, comment)).toBe('unchanged')
      expect(calls.filter((call) => call.startsWith('*'))).toHaveLength(1)
    })
  })

  describe.skipIf(!isThere)('a status', { timeout: 60_000 }, () => {
    test('is the newest of its name', async () => {
      const { forge } = await openWorld(world)
      const commit = await world.addBranch('stackmason/status')
      for (let other = 1; other <= 6; other++) await world.setStatus(commit, `other/${other}`, 'failure')
      expect(await forge.statusOf(commit, 'kustomization/fleet')).toBe('missing')
      for (const state of ['pending', 'failure', 'success'] as const) {
        await world.setStatus(commit, 'kustomization/fleet', state)
        expect(await forge.statusOf(commit, 'kustomization/fleet')).toBe(state)
        const all = await forge.statusesOf(commit)
        expect(all.toSorted((a, b) => (a.context < b.context ? -1 : 1))).toEqual([
          { context: 'kustomization/fleet', state },
          ...[1, 2, 3, 4, 5, 6].map((other) => ({ context: `other/${other}`, state: 'failure' })),
        ])
      }
    })
  })

  describe.skipIf(!isThere)('a token', { timeout: 60_000 }, () => {
    test('that is wrong is told apart from one that may not, and neither is shown', async () => {
      const head = 'stackmason/token'
      await world.addBranch(head)
      const errors = []
      for (const token of ['wrong_hunter2_wrong', '', world.readToken]) {
        const { forge } = await openWorld(world, { token })
        const error = await forge.createPullRequest(wanted(head)).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(StackmasonError)
        if (!(error instanceof StackmasonError)) return
        const text = JSON.stringify(error.diagnostics) + String(error.stack) + String(error.cause)
        expect(token !== '' && text.includes(token)).toBe(false)
        errors.push(error.diagnostics.map(({ code, hint }) => ({ code, hint })))
      }
      const needed = abilities.permissions.writePullRequests
      expect(errors).toEqual([
        [
          {
            code: 'FETCH_UNAUTHORIZED',
            hint: `The token is wrong or expired${kind === 'gitlab' ? ', or that of a job, which may not use merge requests' : ''}. It needs ${needed}.`,
          },
        ],
        [
          {
            code: 'FETCH_UNAUTHORIZED',
            hint: `No token was found for ${new URL(world.url).host}; docs/30-forges.md says which variables are looked at. It needs ${needed}.`,
          },
        ],
        [{ code: 'PUBLISH_PERMISSION', hint: `It needs ${needed}.` }],
      ])
    })
  })
})

async function codesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const error = await work().catch((thrown: unknown) => thrown)
  return error instanceof StackmasonError ? error.diagnostics.map(({ code }) => code) : [String(error)]
}
