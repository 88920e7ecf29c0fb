import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatGoJson } from '../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { type RenderResult } from '../../src/pipeline/commands/render.ts'
import type { GitopsTool } from '../../src/model/gitops-tool.ts'
import { kubeBinaries } from '../../tools/kube.ts'
import { fieldOf, parseObjects as parseJson, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'
import { realFleet, type RealShape } from '../../tools/fleets/real-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '')
  console.warn('SKIPPED: the handed-over trees of the real cluster stacks on an API server: no ../shared')

/**
 * Kubeadm kinds of both stacks are v1beta1, which only this folder serves; the other's definitions have the same names.
 */
const crds = ['cluster-api-1.9', 'openstack', 'flux', 'argo-cd'].map((name) => join(shared, 'crds', name))

interface Row extends RealShape {
  /** Objects of the management cluster. */
  readonly management: number
  /** Objects of each workload cluster. */
  readonly workload: number
  /** Files of both whose placeholders a GitOps tool fills in place. */
  readonly placeholders: number
  readonly units: number
}

/** One file of the tree that holds an object. */
interface ObjectFile {
  readonly path: string
  readonly text: string
  /** With the placeholders filled. */
  readonly filled: string
}

interface Tree {
  /** Of `rendered`. */
  readonly folder: string
  readonly result: RenderResult
  readonly files: readonly ObjectFile[]
}

/**
 * Fills placeholders as Flux would, with a value for each that the cluster's RuntimeValues publish; Argo CD's files
 * have none.
 */
function fillPlaceholders(text: string): string {
  if (text.includes('kustomize.toolkit.fluxcd.io/substitute: disabled')) return text
  return text.replaceAll('${QUOTE}', '"').replaceAll('${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}', 'api.example.com')
}

async function renderTree(folder: string, row: Row): Promise<Tree> {
  const fleet = realFleet(folder, shared, row)
  const result = await fleet.render()
  const isObject = (path: string): boolean => path.endsWith('.yaml') && !/(?:^|\/)kustomization\.yaml$/.test(path)
  const files = fleet
    .filesBelow('rendered')
    .filter(isObject)
    .map((path) => {
      const text = fleet.read(`rendered/${path}`)
      return { path, text, filled: fillPlaceholders(text) }
    })
  return { folder: fleet.path('rendered'), result, files }
}

/**
 * A folder with placeholders builds only with what its unit adds to it; without the replacement that asks for it, it
 * builds alone.
 */
async function dropReplacements(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/^replacements:\n(?:[ -].*\n)+/m, ''))
}

/** Reads as Go does: the YAML 1.1 of other readers takes `.`, a path in annotations of Argo CD, for a number. */
function parseObjects(text: string): readonly KubeObject[] {
  return text
    .split(/^---\n/m)
    .flatMap((document) => parseJson(formatGoJson(parseGoYaml(document, { integers: 'int' }))))
}

const isAddon = ({ path }: ObjectFile): boolean => /^clusters\/[^/]+\/[^/]+\/addons\//.test(path)

const isCrd = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition'

/** A server, and what it has taken: clusters of one stack differ in few objects, and it is asked once about each. */
interface Asked {
  readonly kube: Kube
  readonly taken: Set<string>
}

interface WorkloadAsked extends Asked {
  /** Of the tree that it was started for. */
  readonly definitions: readonly string[]
}

/** Refusals of all objects, which are not kept, but for definitions. */
async function dryRun({ kube, taken }: Asked, objects: readonly KubeObject[]): Promise<readonly string[]> {
  const namespaces = objects.map(({ metadata }) => metadata.namespace ?? 'default')
  await kube.createNamespaces([...new Set(namespaces)])
  const refused: string[] = []
  for (const object of [...objects.filter(isCrd), ...objects.filter((given) => !isCrd(given))]) {
    const text = JSON.stringify(object)
    if (taken.has(text)) continue
    const messages = refusals(await kube.apply([object], { dryRun: !isCrd(object) }))
    if (messages.length === 0) taken.add(text)
    refused.push(...messages)
  }
  return refused
}

function keyOf({ apiVersion, kind, metadata }: KubeObject): string {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' ')
}

/**
 * Without annotations and labels that are null, as a chart leaves them: kustomize leaves them out, and to the server
 * they are the same.
 */
function withoutNulls(object: KubeObject): KubeObject {
  const metadata = Object.entries(object.metadata).filter(([, value]) => value !== null)
  return { ...object, metadata: { ...Object.fromEntries(metadata), name: object.metadata.name } }
}

function definitionsIn({ files }: Tree): readonly string[] {
  const texts = files.filter(isAddon).map(({ text }) => text)
  return texts.flatMap((text) => parseObjects(text).filter(isCrd).map(keyOf)).sort()
}

function inOrder(objects: readonly KubeObject[]): readonly (readonly [key: string, object: KubeObject])[] {
  return objects
    .map((object) => [keyOf(object), withoutNulls(object)] as const)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
}

/**
 * All files of a folder but its kustomization.yaml, whatever that lists, and of the folders below that it does list.
 */
async function filesOf(tree: Tree, folder: string): Promise<readonly ObjectFile[]> {
  const own = tree.files.filter(({ path }) => dirname(path) === folder)
  const text = await readFile(join(tree.folder, folder, 'kustomization.yaml'), 'utf8')
  const folders = /^resources:\n((?:- .*\n)*)/m
    .exec(text)?.[1]
    ?.split('\n')
    .map((line) => line.slice(2))
    .filter((name) => name !== '' && !name.endsWith('.yaml'))
  const inside = await Promise.all((folders ?? []).map((name) => filesOf(tree, join(folder, name))))
  return [...own, ...inside.flat()]
}

/** The folders that the tool's objects lead to, and those that the documentation says to apply. */
function unitFolders(tree: Tree, tool: GitopsTool): readonly string[] {
  const paths = tree.files
    .filter(({ path }) => path.startsWith('handoff/'))
    .flatMap(({ text }) => parseObjects(text))
    .flatMap((object) =>
      ['spec.path', 'spec.source.path', 'spec.template.spec.source.path'].map((path) => fieldOf(object, path)),
    )
    .filter((path) => typeof path === 'string')
    .map((path) => relative('rendered', path))
  return [...new Set(paths), 'handoff', ...(tool === 'argocd' ? ['handoff/argocd.health'] : [])].sort()
}

const { kubectl = '' } = kubeBinaries() ?? {}
const docker = { provider: 'docker', kubernetes: '1.30.10' }
const openstack = { provider: 'openstack', kubernetes: '1.32.5' }

describe.runIf(shared !== '' && hasKube())('the tree of a real stack that is handed over', () => {
  let management: Asked
  /** One of each provider: the definitions of another stack would hide that one's own are missing. */
  const workloads = new Map<string, WorkloadAsked>()
  const start = async (): Promise<Asked> => ({ kube: await startKube(), taken: new Set() })

  beforeAll(async () => {
    management = await start()
    await management.kube.installCrds([...crds, 'templates/crds'])
  }, 240_000)
  afterAll(async () => {
    await Promise.all([management, ...workloads.values()].map(({ kube }) => kube.close()))
  })

  describe.each<Row>([
    { ...docker, tool: 'flux', management: 14, workload: 25, placeholders: 0, units: 6 },
    { ...docker, tool: 'argocd', management: 21, workload: 25, placeholders: 0, units: 10 },
    { ...openstack, tool: 'flux', management: 16, workload: 51, placeholders: 18, units: 6 },
    { ...openstack, tool: 'argocd', management: 23, workload: 51, placeholders: 0, units: 10 },
  ])('$provider/scs to $tool', (row) => {
    const folder = tempFolderForFile()
    let tree: Tree
    let workload: WorkloadAsked

    beforeAll(async () => {
      tree = await renderTree(folder, row)
      workload = workloads.get(row.provider) ?? { ...(await start()), definitions: definitionsIn(tree) }
      workloads.set(row.provider, workload)
    }, 240_000)

    test('a management cluster refuses none of its objects', async () => {
      const objects = tree.files.filter((file) => !isAddon(file)).flatMap(({ filled }) => parseObjects(filled))
      expect(await dryRun(management, objects)).toEqual([])
      expect(objects.length).toBe(row.management)
    })

    test('its addons bring the definitions that they bring for the other tool', () => {
      expect(definitionsIn(tree)).toEqual(workload.definitions)
    })

    test.each(['one', 'two'])('workload cluster %s refuses none of its objects', async (name) => {
      const files = tree.files.filter(({ path }) => path.startsWith(`clusters/team/${name}/addons/`))
      expect(files.filter(({ filled }) => /\$\{(?:QUOTE|CLUSTER_)/.test(filled))).toEqual([])
      expect(files.filter(({ text, filled }) => text !== filled).length).toBe(row.placeholders / 2)
      const objects = files.flatMap(({ filled }) => parseObjects(filled))
      expect(await dryRun(workload, objects)).toEqual([])
      expect(objects.length).toBe(row.workload)
      // the server does look: an open placeholder is no label
      const open = files.flatMap(({ text }) => parseObjects(text))
      expect(refusals(await workload.kube.apply(open, { dryRun: true })).length).toBe(row.placeholders / 2)
    })

    test('kustomize gives of each unit the objects of its folder, and of all units every object once', async () => {
      const built: KubeObject[] = []
      const folders = unitFolders(tree, row.tool)
      for (const path of folders) {
        await dropReplacements(join(tree.folder, path, 'kustomization.yaml'))
        const text = execFileSync(kubectl, ['kustomize', join(tree.folder, path)], { encoding: 'utf8' })
        const objects = parseObjects(text)
        const files = await filesOf(tree, path)
        expect(inOrder(objects)).toEqual(inOrder(files.flatMap((file) => parseObjects(file.text))))
        built.push(...objects)
      }
      expect(built.length).toBe(tree.result.objects)
      expect(inOrder(built)).toEqual(inOrder(tree.files.flatMap(({ text }) => parseObjects(text))))
      expect(folders.length).toBe(row.units)
    })
  })
})
