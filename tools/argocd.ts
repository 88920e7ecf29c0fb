/**
 * Builds Argo CD's controllers and the kustomize of its release (`tools/argocd`) as one program, with its definitions
 * and settings beside it, into the cache that the servers of tests lie in; prints their folder. Tests never build: they
 * take what is there. `.ci/run` calls this before the tests.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, buildGo, copyFromModule, hashOfInputs, sourcesOf, testCache, versionIn } from './go-module.ts'

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

/** Where it lies once it is built, for these sources. */
function target(): string {
  return join(testCache(), `argo-cd-${versionIn(folder, main)}-${hashOfInputs(sourcesOf(folder))}`)
}

function build(partial: string): void {
  const bin = join(partial, 'bin')
  buildGo(folder, { path: '.', to: join(bin, 'argocd') })
  for (const name of names) symlinkSync('argocd', join(bin, name))
  copyManifests('manifests/crds', join(partial, 'crds'))
  copyManifests('manifests/base/config', join(partial, 'config'))
}

function copyManifests(from: string, to: string): void {
  copyFromModule(main, { cwd: folder, from, to })
  // no object of Kubernetes, only names them
  rmSync(join(to, 'kustomization.yaml'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${bring(target(), build)}\n`)
