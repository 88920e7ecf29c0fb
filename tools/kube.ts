/**
 * Builds the servers that tests run against from their Go modules (`tools/kube`, `tools/kube/flux`), once, into a cache
 * outside of the tree; prints their paths. Tests never build: they take what is there. `.ci/run` calls this before the
 * tests.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, copyFromModule, hashOfInputs, testCache, versionIn } from './go-module.ts'

/** Paths of the servers. */
export interface KubeBinaries {
  readonly kubeApiserver: string
  readonly etcd: string
  readonly kubectl: string
  /** Not part of `KUBEBUILDER_ASSETS`. */
  readonly kubeControllerManager?: string
  readonly kustomizeController?: string
  /**
   * Folder of the custom resource definitions that the controller brings: Kustomization; sources come from another
   * controller.
   */
  readonly fluxCrds?: string
}

interface Module {
  /** With go.mod and go.sum. */
  readonly folder: string
  /** The module whose version names the cache's folder. */
  readonly main: string
  /** Package by binary. */
  readonly packages: Readonly<Record<string, string>>
  readonly flags: (version: string) => string
}

const here = dirname(fileURLToPath(import.meta.url))
const crdsName = 'crds'

const kubernetes: Module = {
  folder: join(here, 'kube'),
  main: 'k8s.io/kubernetes',
  packages: {
    etcd: 'go.etcd.io/etcd/server/v3',
    kubectl: 'k8s.io/kubernetes/cmd/kubectl',
    'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
    'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  },
  flags: (version) => {
    const [major = '', minor = ''] = version.slice(1).split('.')
    const values = { gitVersion: version, gitMajor: major, gitMinor: minor }
    return Object.entries(values)
      .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
      .join(' ')
  },
}
const flux: Module = {
  folder: join(here, 'kube/flux'),
  main: 'github.com/fluxcd/kustomize-controller',
  packages: { 'kustomize-controller': 'github.com/fluxcd/kustomize-controller' },
  flags: () => '',
}

/**
 * The servers that this machine has: those of `KUBEBUILDER_ASSETS`, else built ones; undefined without the three that
 * every test needs.
 */
export function kubeBinaries(): KubeBinaries | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS']
  const go = goVersion()
  const built = [kubernetes, flux].flatMap((module) => builtFolders(module, go))
  const folders = [...(assets === undefined ? [] : [assets]), ...built]
  const find = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  const [kubeApiserver, etcd, kubectl] = [find('kube-apiserver'), find('etcd'), find('kubectl')]
  if (kubeApiserver === undefined || etcd === undefined || kubectl === undefined) return undefined
  const kubeControllerManager = find('kube-controller-manager')
  const kustomizeController = find('kustomize-controller')
  const fluxCrds = find(crdsName)
  return {
    kubeApiserver,
    etcd,
    kubectl,
    ...(kubeControllerManager !== undefined && { kubeControllerManager }),
    ...(kustomizeController !== undefined && { kustomizeController }),
    ...(fluxCrds !== undefined && { fluxCrds }),
  }
}

/**
 * Builds what is missing. Takes a quarter of an hour on two cores the first time, and gigabytes below Go's own caches.
 */
function buildMissing(): void {
  const go = goVersion()
  if (go === undefined) throw new Error('Go is needed to build the servers; or name some by KUBEBUILDER_ASSETS')
  for (const module of [kubernetes, flux]) {
    const target = join(testCache(), `${keyOf(module)}-${go}`)
    for (const [name, path] of Object.entries(module.packages)) {
      bring(join(target, name), (partial) => {
        const started = performance.now()
        buildGo(module.folder, { path, to: partial, flags: module.flags(versionOf(module)) })
        process.stderr.write(`${name} built in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
      })
    }
  }
  bring(join(testCache(), `${keyOf(flux)}-${go}`, crdsName), (partial) =>
    copyFromModule(flux.main, { cwd: flux.folder, from: 'config/crd/bases', to: partial }),
  )
}

/** Folders that hold what was built from these sources: by the Go of this machine, or without Go by any. */
function builtFolders(module: Module, wanted: string | undefined): readonly string[] {
  const cache = testCache()
  if (!existsSync(cache)) return []
  const prefix = `${keyOf(module)}-`
  return readdirSync(cache)
    .filter((name) => (wanted === undefined ? name.startsWith(prefix) : name === `${prefix}${wanted}`))
    .sort()
    .map((name) => join(cache, name))
}

/** What is built depends on the versions in go.mod and on how it is built. */
function keyOf(module: Module): string {
  const version = versionOf(module)
  const hash = hashOfInputs([readFileSync(join(module.folder, 'go.mod'), 'utf8'), module.flags(version)])
  return `${basename(module.main)}-${version}-${hash}`
}

function versionOf({ folder, main }: Module): string {
  return versionIn(folder, main)
}

function goVersion(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOVERSION'], {
      cwd: kubernetes.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildMissing()
  process.stdout.write(`${JSON.stringify(kubeBinaries(), undefined, 2)}\n`)
}
