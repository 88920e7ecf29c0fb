import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { Value } from '../../src/model/value.ts'
import { render, type RenderOptions, type RenderResult } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')
/** `spec.handoff` of each GitOps tool. */
export const engines = {
  flux: '    flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}\n',
  argocd: '    argocd: {repoURL: "https://git.example/fleet.git", targetRevision: main, path: rendered}\n',
} as const
/** The cluster of the fleet. */
export const cluster = 'clusters/team-a/web/cluster.yaml'
/** Its Cluster object in the tree. */
export const renderedCluster = 'rendered/clusters/team-a/web/cluster/cluster-web.yaml'

/** A fleet in a repository, and what is done to it. */
export interface Handed {
  readonly folder: string
  readonly render: (options?: Partial<RenderOptions>) => Promise<RenderResult>
  readonly edit: (path: string, from: string | RegExp, to: string) => Promise<void>
  readonly write: (path: string, text: string) => Promise<void>
  readonly remove: (path: string) => Promise<void>
  readonly commit: () => void
  readonly git: (...words: readonly string[]) => string
  readonly read: (path: string) => Promise<Value>
  readonly has: (path: string) => Promise<boolean>
  /** Class and version that the rendered Cluster asks for, and the release of the addons. */
  readonly state: () => Promise<readonly string[]>
  readonly steps: (result: RenderResult) => readonly string[]
}

/** The example fleet with an engine, rendered and committed. */
export async function handedFleet(engine: keyof typeof engines): Promise<Handed> {
  const folder = await tempFolder()
  const ports = createNodePorts()
  await cp(example, folder, { recursive: true })
  const edit: Handed['edit'] = async (path, from, to) => {
    const text = await readFile(join(folder, path), 'utf8')
    if (text.replace(from, to) === text) throw new Error(`${path} holds no ${String(from)}`)
    await writeFile(join(folder, path), text.replace(from, to))
  }
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
  const read = async (path: string): Promise<Value> => parseGoYaml(await readFile(join(folder, path), 'utf8'))
  const fleet: Handed = {
    folder,
    render: (options = {}) =>
      render(
        {
          start: folder,
          clusters: [],
          stacks: [],
          check: false,
          allowEmpty: false,
          overwriteEdited: false,
          ...options,
        },
        ports,
        () => undefined,
      ),
    edit,
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    },
    remove: (path) => rm(join(folder, path), { recursive: true }),
    commit: () => {
      git('add', '-A')
      git('commit', '--allow-empty', '-qm', 'a step')
    },
    git,
    read,
    has: async (path) => (await readFile(join(folder, path)).catch(() => undefined)) !== undefined,
    state: async () => {
      const object = await read(renderedCluster)
      const config = await readFile(
        join(folder, 'rendered/clusters/team-a/web/addons/01-dns-cache/configmap-dns-cache.yaml'),
        'utf8',
      )
      return [
        textAt(object, 'spec', 'topology', 'classRef', 'name'),
        textAt(object, 'spec', 'topology', 'version'),
        /mark: (\S+)/.exec(config)?.[1] ?? 'old',
      ]
    },
    steps: ({ steps = [] }) =>
      steps.map(({ due, then }) => [due.action, ...then.map(({ action }) => action)].join(' ')),
  }
  // another cluster of the stack that the tests upgrade
  await rm(join(folder, 'clusters/team-a/edge'), { recursive: true })
  await edit('stackmason.yaml', '../../rendered', 'rendered')
  await edit('stackmason.yaml', /^ {2}handoff:\n(?: {4}.*\n)+/m, `  handoff:\n${engines[engine]}`)
  git('init', '-q')
  await fleet.render()
  fleet.commit()
  return fleet
}

/** An options.yaml. */
export const options = (spec: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${spec}\n`
