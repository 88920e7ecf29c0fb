import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { positionAt } from '../../src/model/source.ts'
import { explain } from '../../src/pipeline/commands/explain.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ports = createNodePorts()
const flux = [
  'handoff:',
  '  flux:',
  '    source:',
  '      kind: GitRepository',
  '      name: fleet',
  '      namespace: flux-system',
  '    interval: 10m',
  '    serviceAccountName: applier',
  '    shard: one',
  '    decryption: {provider: sops, secretName: keys}',
]
/** In place of a line: cluster.yaml does not say its namespace. */
const FOLDERS = 'folders'
const argocd = ['handoff:', '  argocd:', '    repoURL: https://git.example.com/fleet.git', '    path: rendered']

const kustomization = 'handoff/team-a/web/flux-kustomization-web.yaml'
const addons = 'handoff/team-a/web/flux-kustomization-web-addons.yaml'
const stack = 'handoff/platform/stacks/flux-kustomization-stack-docker-starter-1-34-v1.yaml'
const parent = 'handoff/team-a/application-team-a.web.handoff.yaml'
const unit = 'handoff/team-a/web/application-team-a.web.cluster.yaml'
const remote = 'handoff/team-a/web/application-team-a.web.addons.yaml'
const namespace = 'handoff/application-team-a.handoff.yaml'
const release = 'handoff/platform/application-platform.stack.docker-starter-1-34-v1.yaml'
const project = 'handoff/appproject-handoff.yaml'

/** Lines below `spec:` of stackmason.yaml, so that those of `given` begin at line 7. */
const rows: readonly {
  readonly name: string
  readonly given: readonly string[]
  readonly lines: readonly (readonly [file: string, text: string, want: string])[]
}[] = [
  {
    name: 'Flux',
    given: flux,
    lines: [
      [kustomization, '  interval: 10m', 'spec.handoff.flux.interval 13:17'],
      [kustomization, '  retryInterval: 2m', 'default spec.handoff.flux.retryInterval 8:5'],
      [kustomization, '  timeout: 30s', 'default spec.handoff.flux.timeout 8:5'],
      [kustomization, '  path: ./rendered/clusters/team-a/web/cluster', 'default spec.handoff.flux.path 8:5'],
      [kustomization, '  sourceRef:', 'spec.handoff.flux.source 9:7'],
      [kustomization, '    kind: GitRepository', 'spec.handoff.flux.source.kind 10:15'],
      [kustomization, '    name: fleet', 'spec.handoff.flux.source.name 11:15'],
      [kustomization, '    namespace: flux-system', 'spec.handoff.flux.source.namespace 12:20'],
      [kustomization, '  serviceAccountName: applier', 'spec.handoff.flux.serviceAccountName 14:27'],
      [kustomization, '    sharding.fluxcd.io/key: one', 'spec.handoff.flux.shard 15:14'],
      [kustomization, '    provider: sops', 'spec.handoff.flux.decryption.provider 16:30'],
      [kustomization, '      name: keys', 'spec.handoff.flux.decryption.secretName 16:48'],
      [kustomization, '  prune: true', 'built-in-template'],
      [kustomization, '  name: web', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [kustomization, '  namespace: team-a', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      [addons, '  name: web-addons', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [stack, '  name: stack-docker-starter-1-34-v1', 'release stacks/starter.yaml 4:9'],
      [stack, '  namespace: platform', 'namespace stacks/starter.yaml 5:14'],
    ],
  },
  {
    name: 'Flux, where folders say the namespaces',
    given: [...flux, FOLDERS],
    lines: [
      [kustomization, '  name: web', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [kustomization, '  namespace: team-a', 'folder clusters/team-a/web/cluster.yaml 4:9'],
    ],
  },
  {
    name: 'Flux, of Namespaces',
    given: ['handoff:', '  createNamespaces: true', ...flux.slice(1)],
    lines: [
      ['handoff/team-a/namespace-team-a.yaml', '  name: team-a', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      ['handoff/platform/namespace-platform.yaml', '  name: platform', 'namespace stacks/starter.yaml 5:14'],
    ],
  },
  {
    name: 'the output folder, which says where the tree is',
    given: [...flux, 'output: {path: tree}'],
    lines: [[kustomization, '  path: ./tree/clusters/team-a/web/cluster', 'spec.output.path 17:18']],
  },
  {
    name: 'Argo CD',
    given: argocd,
    lines: [
      [unit, '  namespace: argocd', 'default spec.handoff.argocd.namespace 8:5'],
      [unit, '    repoURL: https://git.example.com/fleet.git', 'spec.handoff.argocd.repoURL 9:16'],
      [unit, '    targetRevision: HEAD', 'default spec.handoff.argocd.targetRevision 8:5'],
      [unit, '    path: rendered/clusters/team-a/web/cluster', 'spec.handoff.argocd.path 10:13'],
      [unit, '  name: team-a.web.cluster', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [unit, '    stackmason.dev/cluster-name: web', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [unit, '    stackmason.dev/namespace: team-a', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      [unit, '    namespace: team-a', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      [unit, '  project: team-a.management', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      [remote, '    name: team-a.web', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [parent, '  name: team-a.web.handoff', 'cluster clusters/team-a/web/cluster.yaml 4:9'],
      [parent, '    namespace: argocd', 'default spec.handoff.argocd.namespace 8:5'],
      [namespace, '  name: team-a.handoff', 'namespace clusters/team-a/web/cluster.yaml 5:14'],
      [release, '  name: platform.stack.docker-starter-1-34-v1', 'release stacks/starter.yaml 4:9'],
      [release, '  project: platform.management', 'namespace stacks/starter.yaml 5:14'],
      [
        'handoff/appproject-team-a.workload.yaml',
        '  name: team-a.workload',
        'namespace clusters/team-a/web/cluster.yaml 5:14',
      ],
      [parent, '  project: handoff', 'default spec.handoff.argocd.project 8:5'],
      [project, '  name: handoff', 'default spec.handoff.argocd.project 8:5'],
      [project, '  - https://git.example.com/fleet.git', 'spec.handoff.argocd.repoURL 9:16'],
    ],
  },
]

test.each(rows)('lines of the GitOps tool name the field that they come from: $name', async ({ given, lines }) => {
  const fleet = await handedOver(given.filter((line) => line !== FOLDERS))
  if (given.includes(FOLDERS)) {
    fleet.edit('clusters/team-a/web/cluster.yaml', '  namespace: team-a\n', '')
    await fleet.render()
  }
  const output = given.some((line) => line.includes('tree')) ? 'tree' : 'rendered'
  const found: (readonly [string, string, string])[] = []
  for (const [file, text] of lines) {
    const path = `${output}/${file}`
    const line = fleet.read(path).split('\n').indexOf(text) + 1
    const { lines: explained } = await explain({ start: fleet.folder, file: fleet.path(path), line }, ports)
    for (const { text: shown, setting, named, by } of explained)
      found.push([
        file,
        shown,
        setting === undefined ? (named === undefined ? String(by) : origin(named)) : described(setting),
      ])
  }
  expect(found).toEqual(lines)
})

test.each([
  ['interval: 10m', 'from spec.handoff.flux.interval, set in stackmason.yaml:13:17'],
  ['name: web', 'from the name of the cluster, set in clusters/team-a/web/cluster.yaml:4:9'],
  ['timeout: 30s', 'default of spec.handoff.flux.timeout; set it below stackmason.yaml:8:5'],
])('explain says so of %s', async (text, want) => {
  const fleet = await handedOver(flux)
  const line = fleet.read(`rendered/${kustomization}`).split('\n').indexOf(`  ${text}`) + 1
  const { stdout } = await runCli(['explain', `rendered/${kustomization}:${String(line)}`], { cwd: fleet.folder })
  expect(stdout.split('\n').slice(2)).toEqual([`${String(line).padStart(4)} |   ${text}`, `     ${want}`, ''])
})

test('a line of a template of the fleet has its place there', async () => {
  const fleet = await handedOver(flux)
  const path = 'templates/handoff/flux/kustomization.yaml.hbs'
  const text = readFileSync(join(packageFolder, path), 'utf8')
  fleet.write(path, text.replace('  labels:\n', '  labels:\n    cost-centre: "42"\n'))
  await fleet.render()
  const at = (part: string): string => {
    const lines = fleet.read(path).split('\n')
    const line = lines.findIndex((one) => one.includes(part))
    return `${path}:${String(line + 1)}:${String((lines[line]?.search(/\S/) ?? 0) + 1)}`
  }
  const file = `rendered/${kustomization}`
  const rows = async (shown: string): Promise<readonly string[]> => {
    const line = fleet.read(file).split('\n').indexOf(shown) + 1
    const { stdout } = await runCli(['explain', `${file}:${String(line)}`], { cwd: fleet.folder })
    return stdout.split('\n')
  }
  const [head, , , cost] = await rows('    cost-centre: "42"')
  expect(head).toBe(`Kustomization team-a/web, from handoff, handoff, ${path}`)
  expect(cost).toBe(`     written by ${at('cost-centre')}`)
  expect((await rows('  prune: true'))[3]).toBe(`     written by ${at('prune:')}`)
  expect((await rows('  interval: 10m'))[3]).toBe('     from spec.handoff.flux.interval, set in stackmason.yaml:13:17')
  const line = fleet.read(file).split('\n').indexOf('    cost-centre: "42"') + 1
  const { stdout } = await runCli(['explain', `${file}:${String(line)}`, '-o', 'json'], { cwd: fleet.folder })
  expect(JSON.parse(stdout)).toMatchObject({
    template: path,
    lines: [{ templates: [{ template: path, file: path, line: Number(at('cost-centre').split(':')[1]), column: 5 }] }],
  })
})

async function handedOver(given: readonly string[]): Promise<FleetFolder> {
  const fleet = new FleetFolder(await tempFolder())
  await runCli(['init'], { cwd: fleet.folder })
  const head = 'apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata:\n  name: fleet\n# all that is set\nspec:\n'
  const sources = '  sources: [{name: starter, providerDirectory: {path: providers/docker/starter, version: v1}}]\n'
  fleet.write('stackmason.yaml', `${head}${given.map((line) => `  ${line}\n`).join('')}${sources}`)
  await fleet.render()
  return fleet
}

function origin({ of, at }: NonNullable<Awaited<ReturnType<typeof explain>>['lines'][0]['named']>): string {
  const { line, column } = positionAt(at.source, at.start)
  return `${of} ${at.source.name} ${String(line)}:${String(column)}`
}

function described({
  field,
  at,
  isDefault,
}: NonNullable<Awaited<ReturnType<typeof explain>>['lines'][0]['setting']>): string {
  const { line, column } = positionAt(at.source, at.start)
  return `${isDefault === true ? 'default ' : ''}${field} ${String(line)}:${String(column)}`
}
