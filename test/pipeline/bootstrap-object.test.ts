import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { handoffs } from '../../tools/fleets/example-fleet.ts'
import { type HandoffFleet, handoffFleet, type Tool } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

/** The file that `init` writes. */
function initial(tool: Tool): string {
  return readFileSync(join(import.meta.dirname, `../../templates/engine/${tool}/bootstrap/${tool}.yaml`), 'utf8')
}

interface Edited {
  readonly name: string
  readonly tool: Tool
  /** Replaced in the file that `init` writes. */
  readonly from?: string | RegExp
  readonly to?: string
  /** `spec.handoff` instead of that of the example. */
  readonly handoff?: string
  readonly publish?: string
}

async function warnings({ tool, from = '', to = '', handoff, publish }: Edited): Promise<readonly string[]> {
  const fleet: HandoffFleet = await handoffFleet(tool)
  fleet.write(`bootstrap/${tool}.yaml`, initial(tool).replace(from, to))
  if (handoff !== undefined) fleet.edit('stackmason.yaml', handoffs[tool], handoff)
  if (publish !== undefined) fleet.handTo(tool, publish)
  const { findings } = await fleet.render({ check: handoff === undefined })
  return findings.filter(({ code }) => code === 'HANDOFF_PATH_DIFFERS').map((finding) => told(finding, fleet.folder))
}

const flux = (source: string): string => `flux: {source: ${source}, path: ./rendered}`

test.each<Edited>([
  { name: 'as init writes it', tool: 'flux' },
  { name: 'as init writes it', tool: 'argocd' },
  { name: 'no reference', tool: 'flux', from: /  sourceRef:[^]*$/, to: '' },
  {
    name: 'a namespace that only one names',
    tool: 'flux',
    handoff: flux('{kind: GitRepository, name: fleet, namespace: flux-system}'),
  },
  {
    name: 'a second source, which the units name',
    tool: 'flux',
    from: /$/,
    to: '---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux-system}\n',
    handoff: flux('{kind: GitRepository, name: other}'),
  },
  { name: 'a branch that the fleet does not name', tool: 'flux', from: 'branch: main', to: 'branch: prod' },
  {
    name: 'pull requests, from whose branch another may be merged',
    tool: 'flux',
    from: 'branch: main',
    to: 'branch: prod',
    publish: 'publish: {base: main}',
  },
  {
    name: 'the branch',
    tool: 'flux',
    from: 'branch: main',
    to: 'branch: env/prod',
    publish: 'publish: {into: branch, branch: env/prod}',
  },
  {
    name: 'a commit',
    tool: 'flux',
    from: 'branch: main',
    to: 'branch: main\n    commit: abc',
    publish: 'publish: {into: branch, branch: env/prod}',
  },
  {
    name: 'another way to the repository',
    tool: 'flux',
    from: 'https://git.example.com/fleet.git',
    to: 'ssh://git@ssh.git.example.com:2222/Fleet',
    publish: 'publish: {into: branch, repository: "https://git.example.com/fleet.git"}',
  },
  { name: 'HEAD', tool: 'argocd', from: 'targetRevision: main', to: 'targetRevision: HEAD' },
  { name: 'the full name', tool: 'argocd', from: 'targetRevision: main', to: 'targetRevision: refs/heads/main' },
  { name: 'none', tool: 'argocd', from: '    targetRevision: main\n', to: '' },
])('the object that points $tool at the tree is told nothing: $name', async (edited) => {
  expect(await warnings(edited)).toEqual([])
})

test.each<Edited & { readonly want: string }>([
  {
    name: 'source',
    tool: 'flux',
    from: /\bname: fleet\b/g,
    to: 'name: web',
    want:
      '33:5 bootstrap/flux.yaml points Flux at GitRepository flux-system/web, but the units of this fleet are applied from GitRepository flux-system/fleet | ' +
      'Write `sourceRef: {kind: GitRepository, name: fleet}`',
  },
  {
    name: 'kind',
    tool: 'flux',
    handoff: flux('{kind: OCIRepository, name: fleet, namespace: flux-system}'),
    want: '33:5 bootstrap/flux.yaml points Flux at GitRepository flux-system/fleet, but the units of this fleet are applied from OCIRepository flux-system/fleet | Write `sourceRef: {kind: OCIRepository, name: fleet, namespace: flux-system}`',
  },
  {
    name: 'branch',
    tool: 'flux',
    publish: 'publish: {into: branch, branch: env/prod}',
    want: '15:13 bootstrap/flux.yaml points Flux at the branch "main", but spec.publish puts the tree on "env/prod" | Write `branch: env/prod`',
  },
  {
    name: 'repository',
    tool: 'flux',
    publish: 'publish: {into: branch, repository: "git@git.example.com:live.git"}',
    want: '13:8 bootstrap/flux.yaml points Flux at the repository "git.example.com/fleet", but spec.publish puts the tree into "git.example.com/live" | Write the address of that repository (if the one is a mirror of the other, acknowledge the warning)',
  },
  {
    name: 'revision',
    tool: 'argocd',
    from: 'targetRevision: main',
    to: 'targetRevision: prod',
    want: '18:21 bootstrap/argocd.yaml points Argo CD at the revision "prod", but spec.handoff.argocd.targetRevision is "main" | Write `targetRevision: main`',
  },
])('the object that points $tool at the tree names another $name', async ({ want, ...edited }) => {
  expect(await warnings(edited)).toEqual([
    `HANDOFF_PATH_DIFFERS bootstrap/${edited.tool}.yaml:${want}, and apply the file again when the tree is merged: \`kubectl apply -f bootstrap/${edited.tool}.yaml\`.`,
  ])
})

const labels = { flux: 'Flux', argocd: 'Argo CD' } as const
const other = { flux: 'argocd', argocd: 'flux' } as const
const way = (tool: Tool): string =>
  'Make sure that none of its objects applies the tree any longer (docs/19-life-of-a-cluster.md, "Another GitOps tool", step 2 says what to check before you delete them), ' +
  `and remove the file: \`git rm bootstrap/${tool}.yaml\`.`

test.each<{ readonly tool: Tool; readonly place: string }>([
  { tool: 'flux', place: '29:9' },
  { tool: 'argocd', place: '19:11' },
])('the object that pointed $tool at the tree is told when the tool has changed', async ({ tool, place }) => {
  const fleet = await handoffFleet(tool)
  fleet.write(`bootstrap/${tool}.yaml`, initial(tool))
  fleet.write(`bootstrap/${other[tool]}.yaml`, 'kind: Secret\n')
  const left = async (): Promise<readonly string[]> => {
    const { findings } = await fleet.render()
    return findings.filter(({ code }) => code === 'HANDOFF_TOOL_LEFT').map((finding) => told(finding, fleet.folder))
  }
  const warning = (now: string): string =>
    `HANDOFF_TOOL_LEFT bootstrap/${tool}.yaml:${place} bootstrap/${tool}.yaml points ${labels[tool]} at the tree, which is handed over to ${now}: ` +
    `applied again, it would bring ${labels[tool]} back | ${way(tool)}`
  expect(await left()).toEqual([])
  fleet.handTo(other[tool], `retiredTool: ${tool}`)
  expect(await left()).toEqual([warning(labels[other[tool]])])
  fleet.commit()
  fleet.handTo(other[tool])
  expect(await left()).toEqual([warning(labels[other[tool]])])
  fleet.commit()
  fleet.handTo(undefined, `retiredTool: ${other[tool]}`)
  expect(await left()).toEqual([warning('no tool')])
  fleet.remove(`bootstrap/${tool}.yaml`)
  expect(await left()).toEqual([])
})

test.each<{ readonly name: string; readonly path: string; readonly address?: string; readonly publish?: string }>([
  { name: 'another path', path: 'deploy/handoff' },
  { name: 'another path that ends alike', path: 'other/rendered/handoff' },
  { name: 'another repository', path: 'rendered/handoff', address: 'https://git.example.com/shop.git' },
  {
    name: 'the path of the tree in a repository that is neither this nor that',
    path: 'env/handoff',
    address: 'https://git.example.com/shop.git',
    publish: 'publish: {into: branch, repository: "https://git.example.com/live.git", path: env}',
  },
])('an Application is not told as left where it is about $name', async (given) => {
  expect(await leftOf(given)).toEqual([])
})

test.each<{ readonly name: string; readonly path: string; readonly address?: string; readonly publish?: string }>([
  { name: 'this repository', path: './rendered/handoff/', address: 'git@git.example.com:fleet' },
  { name: 'a repository that it does not name', path: 'rendered/handoff', address: '' },
  {
    name: 'the published tree',
    path: 'env/handoff',
    address: 'https://git.example.com/live.git',
    publish: 'publish: {into: branch, repository: "https://git.example.com/live.git", path: env}',
  },
])('an Application is told as left where it is about $name', async (given) => {
  expect(await leftOf(given)).toEqual(['HANDOFF_TOOL_LEFT'])
})

async function leftOf(given: {
  readonly path: string
  readonly address?: string
  readonly publish?: string
}): Promise<readonly string[]> {
  const { path, address = 'https://git.example.com/fleet.git', publish } = given
  const fleet = await handoffFleet('flux')
  fleet.write('bootstrap/flux.yaml', initial('flux'))
  fleet.write(
    'bootstrap/argocd.yaml',
    initial('argocd')
      .replace('path: rendered/handoff', `path: ${path}`)
      .replace('https://git.example.com/fleet.git', address),
  )
  if (publish !== undefined) fleet.handTo('flux', publish)
  const { findings } = await fleet.render()
  return findings.map(({ code }) => code).filter((code) => code === 'HANDOFF_TOOL_LEFT')
}

test('the repository of the units of Argo CD is compared with the one that the tree is published to', async () => {
  const publish = (repository: string): Edited => ({
    name: '',
    tool: 'argocd',
    from: 'https://git.example.com/fleet.git',
    to: 'git@git.example:fleet.git',
    publish: `publish: {into: branch, repository: "${repository}"}`,
  })
  expect(await warnings(publish('https://git.example/fleet'))).toEqual([])
  expect(await warnings(publish('https://git.example/live'))).toEqual([
    'HANDOFF_PATH_DIFFERS stackmason.yaml:13:23 spec.handoff.argocd.repoURL is "git.example/fleet", but spec.publish.repository puts the tree into "git.example/live" | Write the address of that repository as Argo CD reaches it; if the one is a mirror of the other, acknowledge the warning.',
    'HANDOFF_PATH_DIFFERS bootstrap/argocd.yaml:17:14 bootstrap/argocd.yaml points Argo CD at the repository "git.example/fleet", but spec.publish puts the tree into "git.example/live" | Write the address of that repository (if the one is a mirror of the other, acknowledge the warning), and apply the file again when the tree is merged: `kubectl apply -f bootstrap/argocd.yaml`.',
  ])
})
