import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { fileOf, type Manifest } from '../model/manifest.ts'
import type { Crypto } from '../model/ports.ts'
import { sha256 } from './sha256.ts'

/** A manifest and the name of its file within the folder. */
export interface ManifestFile {
  readonly fileName: string
  readonly manifest: Manifest
}

/** Longer stems are cut: Windows allows 260 units for a whole path. */
const MAX_STEM = 120
const HASH_DIGITS = 12

/**
 * Names the file of each manifest of one folder: `<kind>-<name>.yaml`, all lower case; where objects of one folder
 * share kind and name, each of them gets what tells them apart: `<kind>-<name>@<namespace>+<group>.yaml`. A
 * Kustomization of Flux is `flux-kustomization-<name>.yaml`. In names `:` is written `_`, and any other character that
 * some file system or letter case could confuse as `~` and two hex digits per byte; stems above 120 characters are cut
 * and end in `~~` and a hash. Different objects never get one name, on no file system.
 * @throws StackmasonError WRITE_PATH_CONFLICT when two manifests are the same object
 */
export function layoutFolder(folder: string, manifests: readonly Manifest[], crypto: Crypto): readonly ManifestFile[] {
  const groups = new Map<string, Set<string>>()
  const namespaces = new Map<string, Set<string>>()
  for (const manifest of manifests) {
    const base = baseOf(manifest)
    const group = groupOf(manifest)
    addTo(groups, base, group)
    addTo(namespaces, `${base}+${group}`, manifest.namespace ?? '')
  }
  const taken = new Map<string, Manifest>()
  const problems: Diagnostic[] = []
  const named = manifests.map((manifest) => {
    const base = baseOf(manifest)
    const group = groupOf(manifest)
    const isSharedAcrossNamespaces = (namespaces.get(`${base}+${group}`)?.size ?? 0) > 1
    const isSharedAcrossGroups = (groups.get(base)?.size ?? 0) > 1
    const suffix =
      (isSharedAcrossNamespaces && manifest.namespace !== undefined ? `@${escapeName(manifest.namespace)}` : '') +
      (isSharedAcrossGroups && group !== '' ? `+${group}` : '')
    const fileName = `${cutStem(base + suffix, crypto)}.yaml`
    const other = taken.get(fileName)
    if (other !== undefined) problems.push(conflict(folder, fileName, [other, manifest]))
    taken.set(fileName, manifest)
    return { fileName, manifest }
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  return named
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

/** Kinds hold no dash, so the first dash ends the kind. */
function baseOf(manifest: Manifest): string {
  return `${escapeKind(manifest.kind.toLowerCase())}-${escapeName(manifest.name)}`
}

/** Flux's Kustomizations must not look like the kustomization.yaml beside them; a kind `Flux` makes room for them. */
function escapeKind(kind: string): string {
  if (kind === 'kustomization') return 'flux-kustomization'
  return kind === 'flux' ? '~66lux' : escapeName(kind)
}

function groupOf(manifest: Manifest): string {
  const slash = manifest.apiVersion.indexOf('/')
  return slash === -1 ? '' : escapeName(manifest.apiVersion.slice(0, slash))
}

function escapeName(name: string): string {
  return name.replaceAll(/[^a-z0-9.-]/gu, (character) =>
    character === ':'
      ? '_'
      : Array.from(encodeUtf8(character), (byte) => `~${byte.toString(16).padStart(2, '0')}`).join(''),
  )
}

function cutStem(stem: string, crypto: Crypto): string {
  if (stem.length <= MAX_STEM) return stem
  return `${stem.slice(0, MAX_STEM - HASH_DIGITS - 2)}~~${sha256(stem, crypto).slice(0, HASH_DIGITS)}`
}

function conflict(folder: string, fileName: string, [a, b]: readonly [Manifest, Manifest]): Diagnostic {
  const where = a.namespace === undefined ? '' : ` in namespace ${a.namespace}`
  return {
    code: 'WRITE_PATH_CONFLICT',
    severity: 'error',
    message: `${a.kind} "${a.name}"${where} is rendered twice into ${folder}: by ${describe(a)} and by ${describe(b)}`,
    file: `${folder}/${fileName}`,
  }
}

/** The file that an object comes from, so that both can be opened. */
function describe({ origin }: Manifest): string {
  return `${fileOf(origin)} of ${origin.unit}`
}
