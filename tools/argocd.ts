/**
 * Builds Argo CD's controllers and the kustomize of its release (`tools/argocd`) as one program, with its definitions and settings beside it, into the
 * cache that the servers of tests lie in; prints their folder. Tests never build: they take what is there. `.ci/run` calls this before the tests.
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
  symlinkSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What was built. */
export interface ArgocdFolders {
  /** The programs, each under its name. */
  readonly programs: string
  /** Custom resource definitions of Application, ApplicationSet and AppProject. */
  readonly crds: string
  /** The settings that every installation starts with: `argocd-cm` and others. */
  readonly config: string
}

const folder = fileURLToPath(new URL('argocd', import.meta.url))
const main = 'github.com/argoproj/argo-cd/v3'
/** By its name the program knows which one to be. */
const names = [
  'argocd-application-controller',
  'argocd-applicationset-controller',
  'argocd-repo-server',
  'kustomize',
  'redis',
]

/** The folders of what was built from these sources; undefined when nobody has. */
export function argocdFolders(): ArgocdFolders | undefined {
  const path = target()
  if (!existsSync(path)) return undefined
  return { programs: join(path, 'bin'), crds: join(path, 'crds'), config: join(path, 'config') }
}

function cacheFolder(): string {
  return process.env['STACKMASON_TEST_CACHE'] ?? join(homedir(), '.cache/stackmason-test')
}

/** Where it lies once it is built, for these sources. */
function target(): string {
  const texts = ['go.mod', 'go.sum', 'main.go'].map((name) => readFileSync(join(folder, name), 'utf8'))
  const version = texts[0]?.split(`${main} `)[1]?.split(/\s/)[0]
  if (version === undefined) throw new Error(`${folder}/go.mod names no version of ${main}`)
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)
  return join(cacheFolder(), `argo-cd-${version}-${hash}`)
}

function build(): string {
  const path = target()
  if (existsSync(path)) return path
  mkdirSync(cacheFolder(), { recursive: true })
  const partial = mkdtempSync(join(cacheFolder(), '.argo-cd-'))
  try {
    const bin = join(partial, 'bin')
    runGo(['build', '-trimpath', '-ldflags', '-s -w', '-o', join(bin, 'argocd'), '.'])
    for (const name of names) symlinkSync('argocd', join(bin, name))
    const module = runGo(['list', '-m', '-f', '{{.Dir}}', main]).trim()
    copyManifests(join(module, 'manifests/crds'), join(partial, 'crds'))
    copyManifests(join(module, 'manifests/base/config'), join(partial, 'config'))
    chmodSync(partial, 0o755)
    // whole or not at all; who comes later finds the same
    if (!existsSync(path)) renameSync(partial, path)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return path
}

function copyManifests(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  // Go keeps its modules read-only
  for (const name of ['.', ...readdirSync(to)]) chmodSync(join(to, name), 0o755)
  // no object of Kubernetes, only names them
  rmSync(join(to, 'kustomization.yaml'))
}

function runGo(args: readonly string[]): string {
  // flags of the machine would change what is built, or refuse the committed go.sum
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  return execFileSync('go', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${build()}\n`)
