import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { KubeObject } from '../../../tools/servers/kube-client.ts'
import { gitTestEnvironment } from '../../../tools/servers/git-server.ts'

/** What a build gives: objects, or the reason why there are none. */
export type Build = { readonly objects: readonly KubeObject[] } | { readonly failure: string }

/** Builds folders of trees, each content with patches only once. */
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
    const key = `${contentOf(folder)}\n${JSON.stringify(patches)}`
    const build = known.get(key) ?? run(program, patches.length === 0 ? folder : patched(folder, { patches, temp }))
    // what it says of a failure tells where the folder lies
    if ('objects' in build) known.set(key, build)
    return build
  }
}

/** A digest of all that a build of a folder can read: most folders are the same in many commits. */
function contentOf(folder: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .map((found) => ({ found, path: join(found.parentPath, found.name) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    if (!entry.found.isFile()) continue
    const bytes = readFileSync(entry.path)
    // it may name what lies elsewhere
    if (entry.found.name === 'kustomization.yaml' && bytes.includes('..')) return folder
    hash.update(`${entry.path.slice(folder.length)}\0${String(bytes.length)}\0`).update(bytes)
  }
  return hash.digest('hex')
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
  // it ends before it could run out of memory
  const env = { ...process.env, GOGC: 'off' }
  const { status, stdout, stderr } = spawnSync(program, ['build', folder], { encoding: 'utf8', maxBuffer: 1e8, env })
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
