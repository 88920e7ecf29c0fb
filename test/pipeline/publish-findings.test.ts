import { expect, it, onTestFinished } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { FindingsReport } from '../../src/model/forge.ts'
import type { OpenForge } from '../../src/pipeline/publishing/forge-session.ts'
import { createGiteaForge } from '../../src/network/forges/gitea/gitea-forge.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { portsWith, type PublishedFleet, publishFrom, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fakeForge } from './fake-forge.ts'

setGitIdentity()

const variables = {
  GITLAB_CI: 'true',
  CI_SERVER_URL: 'http://127.0.0.1',
  CI_JOB_URL: 'https://ci.example/12',
  CI_MERGE_REQUEST_IID: '7',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
}

/** A forge of which nothing is asked but to show findings. */
function listening(reports: FindingsReport[]): OpenForge {
  return (config, { ports }) => {
    const send = (): never => {
      throw new Error('nobody asks for this')
    }
    const forge = createGiteaForge({ config, ports, transport: { send }, authorization: send })
    const reportFindings = (report: FindingsReport): ReturnType<typeof forge.reportFindings> => {
      reports.push(report)
      return Promise.resolve({ as: 'status', outcome: 'created', leftOut: 0 })
    }
    return Promise.resolve({ ...forge, reportFindings })
  }
}

async function served(): Promise<{ readonly fleet: PublishedFleet; readonly publish: () => Promise<FindingsReport> }> {
  const fleet = await servePublishedFleet(await tempFolder(), {
    spec: ['publish: {forge: {kind: gitea, plainHttp: true}}'],
  })
  onTestFinished(() => fleet.server.close())
  let count = 0
  return {
    fleet,
    publish: async () => {
      const reports: FindingsReport[] = []
      const clone = await fleet.clone(`ci${String(++count)}`)
      clone.git('checkout', '--quiet', '--detach')
      const run = publishFrom(clone, { mode: 'auto', openForge: listening(reports) }, portsWith(variables))
      await run.catch((error: unknown) => {
        if (!(error instanceof StackmasonError)) throw error
      })
      const [report] = reports
      if (report === undefined || reports.length > 1) throw new Error(`${String(reports.length)} reports`)
      return report
    },
  }
}

it("shows what a check finds on an author's branch, at the commit that it has then", async () => {
  const { fleet, publish } = await served()
  fleet.author.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
  await fleet.push('feature')
  const first = await publish()
  expect(first).toMatchObject({
    form: 'check',
    commit: fleet.repository.git(['rev-parse', 'feature']),
    context: 'stackmason/lab',
    weight: 'publish',
    conclusion: 'failure',
    pullRequest: 7,
    url: 'https://ci.example/12',
    annotations: [{ path: lab.cluster, line: 8, title: 'CLASS_VARIABLE_UNKNOWN' }],
  })
  // nothing is to be rendered any more, and the findings are the same
  expect(await publish()).toEqual(first)
  fleet.author.git('pull', '--quiet', '--rebase', 'origin', 'feature')
  fleet.author.write(lab.cluster, labCluster())
  await fleet.push('feature')
  expect(await publish()).toMatchObject({ conclusion: 'success', title: 'Nothing found', annotations: [] })
})

it("shows why nothing of an author's branch can be rendered", async () => {
  const { fleet, publish } = await served()
  fleet.author.write(lab.values, 'message: [\n')
  const commit = await fleet.push('feature')
  expect(await publish()).toMatchObject({
    commit,
    conclusion: 'failure',
    title: 'Incomplete: 1 error',
    annotations: [{ path: lab.values, level: 'failure' }],
  })
})

it('shows what a check finds on a pull request of its own, in its text and at its commit', async () => {
  const fleet = await servePublishedFleet(await tempFolder(), {
    spec: ['publish: {forge: {kind: gitea, plainHttp: true}}'],
  })
  onTestFinished(() => fleet.server.close())
  fleet.author.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
  await fleet.push()
  const head = 'stackmason/lab/main'
  const headCommit = (): string => fleet.repository.git(['rev-parse', head])
  const fake = fakeForge(headCommit)
  const reports: FindingsReport[] = []
  const reportFindings = (report: FindingsReport): ReturnType<typeof fake.forge.reportFindings> => {
    reports.push(report)
    return Promise.resolve({ as: 'status', outcome: 'created', leftOut: 0 })
  }
  const clone = await fleet.clone('ci')
  const openForge = (): ReturnType<OpenForge> => Promise.resolve({ ...fake.forge, reportFindings })
  const result = await publishFrom(clone, { openForge })
  // it is published: what a check finds is for those who merge it
  expect(result).toMatchObject({ status: 'published', findings: [] })
  expect(fake.pullRequests[0]?.body).toContain(
    String.raw`**[CLASS\_VARIABLE\_UNKNOWN](https://stackmason.dev/docs/06-errors.html#class_variable_unknown)**`,
  )
  expect(reports).toMatchObject([
    {
      commit: headCommit(),
      context: 'stackmason/lab',
      weight: 'publish',
      conclusion: 'failure',
      pullRequest: 1,
      annotations: [{ path: lab.cluster, line: 8 }],
    },
  ])
  expect(await publishFrom(clone, { openForge })).toMatchObject({ status: 'unchanged' })
  expect(reports).toEqual([reports[0], reports[0]])
  await publishFrom(clone, { openForge, mode: 'plan' })
  expect(reports).toHaveLength(2)
})

/** A fleet of two clusters with a pull request each, and what is told of those, one a line. */
async function grouped(): Promise<{
  readonly author: PublishedFleet['author']
  readonly push: () => Promise<string>
  readonly verdicts: () => Promise<readonly string[]>
}> {
  const fleet = await servePublishedFleet(await tempFolder(), {
    spec: ['publish: {forge: {kind: gitea, plainHttp: true}, pullRequest: {grouping: cluster}}'],
  })
  onTestFinished(() => fleet.server.close())
  const { author, repository, push } = fleet
  const fake = fakeForge((head) => repository.git(['rev-parse', head]))
  const clone = await fleet.clone('ci')
  return {
    author,
    push,
    verdicts: async () => {
      const reports: FindingsReport[] = []
      const reportFindings = (report: FindingsReport): ReturnType<typeof fake.forge.reportFindings> => {
        reports.push(report)
        return Promise.resolve({ as: 'status', outcome: 'created', leftOut: 0 })
      }
      await publishFrom(clone, { openForge: () => Promise.resolve({ ...fake.forge, reportFindings }) })
      return reports.map(({ pullRequest, conclusion, title, annotations }) => {
        const head = fake.pullRequests.find(({ number }) => number === pullRequest)?.head ?? ''
        const codes = annotations.map(({ title: code, path }) => ` ${code} ${path}`)
        return `${head.replace(/.*--/, '')} ${conclusion}: ${title}${codes.join('')}`
      })
    },
  }
}

const two = 'clusters/team/two/cluster.yaml'
const clusterTwo = labCluster().replace('name: one', 'name: two')
const settings = (name = 'settings'): string =>
  `---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: team}}\n`

it('fails the pull request of a cluster that brings an object of its neighbour, too', async () => {
  const { author, push, verdicts } = await grouped()
  author.write(two, clusterTwo + settings())
  author.write('clusters/team/three/cluster.yaml', labCluster().replace('name: one', 'name: three'))
  await author.render()
  await push()
  author.write(lab.cluster, labCluster() + settings())
  await push()
  // the finding stands in the file of the neighbour, which nothing changes
  expect(await verdicts()).toEqual([`cluster.team.one failure: 1 error OBJECT_OWNED_TWICE ${two}`])
  // beside another one, whose change has nothing to do with it
  author.write('clusters/team/three/values/web.yaml', 'message: three\n')
  await push()
  expect(await verdicts()).toEqual([
    `cluster.team.one failure: 1 error OBJECT_OWNED_TWICE ${two}`,
    'cluster.team.three success: Nothing found',
  ])
})

it('fails the pull request of a cluster that takes from its neighbour what that needs, and no later one', async () => {
  const { author, push, verdicts } = await grouped()
  const set = `---
apiVersion: addons.cluster.x-k8s.io/v1beta1
kind: ClusterResourceSet
metadata: {name: set, namespace: team}
spec: {clusterSelector: {matchLabels: {a: b}}, resources: [{kind: ConfigMap, name: settings-1}]}
`
  author.write(lab.cluster, labCluster() + set)
  author.write(two, clusterTwo + settings('settings-1'))
  await author.render()
  await push()
  author.write(two, clusterTwo + settings('settings-2'))
  await push()
  const missing = `CLUSTER_PART_MISSING ${lab.cluster}`
  expect(await verdicts()).toEqual([`cluster.team.two failure: 1 error ${missing}`])
  await author.render()
  await push()
  author.write('clusters/team/two/values/web.yaml', 'message: two\n')
  await push()
  expect(await verdicts()).toEqual(['cluster.team.two success: Nothing found'])
})
