import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { KubeObject } from '../../../tools/servers/kube-client.ts'
import { gitTestEnvironment } from '../../../tools/servers/git-server.ts'

/** What a build gives: objects, or the reason why there are none. */
export type Build = { readonly objects: readonly KubeObject[] } | { readonly failure: string }

/** Builds folders of trees, each with patches only once. */
export type BuildFolder = (folder: string, patches?: readonly unknown[]) => Build

/**
 * Makes a builder that calls the real kustomize. Patches go into the kustomization.yaml of a copy, as Argo CD and Flux
 * put them there.
 * @param program path of kustomize
 * @param temp where copies may lie
 */
export function createKustomize(program: string, temp: string): BuildFolder {
  const known = new Map<string, Build>()
  return (folder, patches = []) => {
    if (!existsSync(folder)) return { failure: 'no such folder' }
    const key = `${folder}\n${JSON.stringify(patches)}`
    const build = known.get(key) ?? run(program, patches.length === 0 ? folder : patched(folder, { patches, temp }))
    known.set(key, build)
    return build
  }
}

function patched(
  folder: string,
  { patches, temp }: { readonly patches: readonly unknown[]; readonly temp: string },
): string {
  const copy = mkdtempSync(join(temp, 'patched-'))
  cpSync(folder, copy, { recursive: true })
  const file = join(copy, 'kustomization.yaml')
  const kustomization: { readonly patches?: readonly unknown[] } = parse(readFileSync(file, 'utf8'))
  writeFileSync(file, stringify({ ...kustomization, patches: [...(kustomization.patches ?? []), ...patches] }))
  return copy
}

function run(program: string, folder: string): Build {
  const { status, stdout, stderr } = spawnSync(program, ['build', folder], { encoding: 'utf8', maxBuffer: 1e8 })
  if (status !== 0) return { failure: stderr }
  return { objects: parseAllDocuments(stdout).map((document): KubeObject => document.toJS()) }
}

/** Writes the folder `rendered` of a commit to disk, below `target`. */
export function checkOut(repository: string, revision: string, target: string): void {
  mkdirSync(target, { recursive: true })
  const archive = execFileSync('git', ['archive', revision, 'rendered'], {
    cwd: repository,
    env: gitTestEnvironment,
    maxBuffer: 1e8,
  })
  execFileSync('tar', ['-x', '-C', target], { input: archive })
}
