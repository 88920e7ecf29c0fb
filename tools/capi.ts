/**
 * Builds Cluster API's managers (`tools/capi`), puts their definitions and webhooks together, into the cache that the
 * servers of tests lie in; prints their folder. Tests never build: they take what is there. `.ci/run` calls this before
 * the tests, after `tools/kube.ts`: kubectl holds the kustomize.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { bring, buildGo, hashOfInputs, moduleSource, testCache, versionIn } from './go-module.ts'
import { kubeBinaries } from './kube.ts'

/** One manager, as it was built. */
export interface CapiManager {
  readonly name: CapiManagerName
  readonly program: string
  /** JSON: its custom resource definitions and webhook configurations, as a list of objects. */
  readonly objects: string
}

/** The core with the topology controller, and the providers that the project releases with it. */
export type CapiManagerName = keyof typeof folders

const module = fileURLToPath(new URL('capi', import.meta.url))
const main = 'sigs.k8s.io/cluster-api'
/** Where the source of each lies in the module. */
const folders = {
  core: '',
  'kubeadm-bootstrap': 'bootstrap/kubeadm',
  'kubeadm-control-plane': 'controlplane/kubeadm',
} as const
/** Of all that is installed in a cluster, what a manager outside of it needs. */
const kinds = ['CustomResourceDefinition', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

/** What was built from these sources; undefined when nobody has. */
export function capiManagers(): readonly CapiManager[] | undefined {
  const folder = target()
  return existsSync(folder) ? managerNames().map((name) => managerIn(folder, name)) : undefined
}

function managerNames(): readonly CapiManagerName[] {
  return ['core', 'kubeadm-bootstrap', 'kubeadm-control-plane']
}

function managerIn(folder: string, name: CapiManagerName): CapiManager {
  return { name, program: join(folder, name), objects: join(folder, `${name}.json`) }
}

/** Where it lies once it is built, for these versions. */
function target(): string {
  const pinned = ['go.mod', 'go.sum'].map((name) => readFileSync(join(module, name), 'utf8'))
  const how = JSON.stringify([folders, kinds])
  return join(testCache(), `cluster-api-${versionIn(module, main)}-${hashOfInputs([...pinned, how])}`)
}

function build(partial: string): void {
  const kubectl = kubeBinaries()?.kubectl
  if (kubectl === undefined) throw new Error('kubectl puts the manifests together: build it first by tools/kube.ts')
  mkdirSync(partial)
  const flags = `-X ${main}/version.gitVersion=${versionIn(module, main)}`
  const source = moduleSource(main, module)
  for (const name of managerNames()) {
    const started = performance.now()
    const { program, objects } = managerIn(partial, name)
    const folder = folders[name]
    buildGo(module, { path: [main, folder].filter((part) => part !== '').join('/'), to: program, flags })
    const text = execFileSync(kubectl, ['kustomize', join(source, folder, 'config/default')], {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    })
    writeFileSync(objects, JSON.stringify(wantedObjects(text)))
    process.stderr.write(`${name} built in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
  }
}

function wantedObjects(text: string): readonly unknown[] {
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter(
      (object) =>
        typeof object === 'object' && object !== null && 'kind' in object && kinds.includes(String(object.kind)),
    )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${bring(target(), build)}\n`)
