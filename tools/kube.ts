/**
 * Builds the servers that tests run against from their Go modules (`tools/kube`, `tools/kube/flux`), once, into a cache outside of the tree;
 * prints their paths. Tests never build: they take what is there. `.ci/run` calls this before the tests.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths of the servers. */
export interface KubeBinaries {
  readonly kubeApiserver: string
  readonly etcd: string
  readonly kubectl: string
  /** Not part of `KUBEBUILDER_ASSETS`. */
  readonly kubeControllerManager?: string
  readonly kustomizeController?: string
  /** Folder of the custom resource definitions that the controller brings: Kustomization; sources come from another controller. */
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

/** The servers that this machine has: those of `KUBEBUILDER_ASSETS`, else built ones; undefined without the three that every test needs. */
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

/** Builds what is missing. Takes a quarter of an hour on two cores the first time, and gigabytes below Go's own caches. */
function buildMissing(): void {
  const go = goVersion()
  if (go === undefined) throw new Error('Go is needed to build the servers; or name some by KUBEBUILDER_ASSETS')
  for (const module of [kubernetes, flux]) {
    const target = join(cacheFolder(), `${keyOf(module)}-${go}`)
    const missing = Object.entries(module.packages).filter(([name]) => !existsSync(join(target, name)))
    for (const [name, path] of missing) {
      const started = performance.now()
      bring(target, name, (partial) => buildPackage(module, { path, partial }))
      process.stderr.write(`${name} built in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    }
  }
  const fluxFolder = join(cacheFolder(), `${keyOf(flux)}-${go}`)
  if (!existsSync(join(fluxFolder, crdsName))) bring(fluxFolder, crdsName, copyFluxCrds)
}

/** Puts into place what `make` makes, whole or not at all; of two processes the later one wins, with the same bytes. */
function bring(target: string, name: string, make: (partial: string) => void): void {
  mkdirSync(target, { recursive: true })
  const folder = mkdtempSync(join(target, '.bring-'))
  try {
    make(join(folder, name))
    // a folder cannot replace one that is not empty
    if (!existsSync(join(target, name)) || name !== crdsName) renameSync(join(folder, name), join(target, name))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function buildPackage(module: Module, { path, partial }: { readonly path: string; readonly partial: string }): void {
  const flags = `-s -w ${module.flags(versionOf(module))}`.trim()
  runGo(['build', '-trimpath', '-ldflags', flags, '-o', partial, path], module.folder)
}

function copyFluxCrds(partial: string): void {
  const folder = runGo(['list', '-m', '-f', '{{.Dir}}', flux.main], flux.folder).trim()
  cpSync(join(folder, 'config/crd/bases'), partial, { recursive: true })
  // Go keeps its modules read-only
  for (const name of ['.', ...readdirSync(partial)]) chmodSync(join(partial, name), 0o755)
}

function runGo(args: readonly string[], cwd: string): string {
  // flags of the machine would change what is built, or refuse the committed go.sum
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  return execFileSync('go', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function cacheFolder(): string {
  return process.env['STACKMASON_TEST_CACHE'] ?? join(homedir(), '.cache/stackmason-test')
}

/** Folders that hold what was built from these sources: by the Go of this machine, or without Go by any. */
function builtFolders(module: Module, wanted: string | undefined): readonly string[] {
  const cache = cacheFolder()
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
  const inputs = [readFileSync(join(module.folder, 'go.mod'), 'utf8'), module.flags(version)]
  const hash = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 12)
  return `${basename(module.main)}-${version}-${hash}`
}

function versionOf({ folder, main }: Module): string {
  const line = readFileSync(join(folder, 'go.mod'), 'utf8')
    .split('\n')
    .find((text) => text.trim().startsWith(`${main} v`))
  const version = line?.trim().split(' ')[1]
  if (version === undefined) throw new Error(`${folder}/go.mod names no version of ${main}`)
  return version
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
