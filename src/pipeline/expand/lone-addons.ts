import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { TranslatedHooks } from '../../handoff/hooks/translate-hooks.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Unit } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import type { Crypto } from '../../model/ports.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import type { PlainAddon } from '../../render/stack/render-cluster.ts'

/**
 * An addon of a cluster that takes part in nothing but its own folder, and in the rest by the names of its objects
 * alone: with other values and the same objects, all other files of the cluster, and what is said of it, stay the same.
 */
export interface LoneAddon {
  /** Its folder. */
  readonly path: string
  /** Hash of what its objects are, without what they hold. */
  readonly objects: string
  /** Hashes of its renders. */
  readonly charts: readonly string[]
}

/** What decides whether an addon is one. */
export interface LoneContext {
  readonly cluster: Pick<Cluster, 'existingSecrets'>
  readonly crypto: Crypto
  readonly translate: ((manifests: readonly Manifest[]) => TranslatedHooks) | undefined
}

/**
 * The addon by itself; undefined where the binding, the definitions or the units of its cluster may depend on what its
 * objects hold.
 */
export function loneAddon({ folder, charts }: PlainAddon, context: LoneContext): LoneAddon | undefined {
  const { path, manifests } = folder
  if (manifests.length === 0 || !manifests.every((manifest) => isLone(manifest, context))) return undefined
  // a hook may get another name, or be left out
  const translated = context.translate?.(manifests)
  if (translated !== undefined && !isSame(translated.manifests, manifests)) return undefined
  const names = manifests.map(({ apiVersion, kind, namespace = '', name }) => [apiVersion, kind, namespace, name])
  const hash = context.crypto.hash('sha256', encodeUtf8(JSON.stringify(names)))
  return { path, objects: formatHex(hash), charts }
}

/** What was made of a cluster. */
export interface MadeCluster {
  /** As they are written. */
  readonly folders: readonly RenderedFolder[]
  readonly units: readonly Unit[]
  readonly findings: readonly Diagnostic[]
}

/** The addons of a cluster that are alone in what was made of it, by name. */
export function loneAddons(
  plain: ReadonlyMap<string, PlainAddon>,
  { folders, units, findings }: MadeCluster,
  context: LoneContext,
): ReadonlyMap<string, LoneAddon> {
  // objects that move between units, or go with one, are told by what was committed
  if (units.some(({ orphans, mayDelete }) => orphans !== undefined || mayDelete !== undefined)) return new Map()
  const told = new Set(findings.map(({ about }) => about?.addon))
  const byPath = new Map(folders.map((folder) => [folder.path, folder]))
  return new Map(
    [...plain].flatMap(([name, addon]) => {
      const written = byPath.get(addon.folder.path)
      const isWhole = written?.manifests.length === addon.folder.manifests.length && isPlainFolder(written)
      const lone = isWhole && !told.has(name) ? loneAddon(addon, context) : undefined
      return lone === undefined ? [] : [[name, lone]]
    }),
  )
}

function isLone({ deferred, kind, apiVersion, ...manifest }: Manifest, { cluster }: LoneContext): boolean {
  if (deferred !== undefined || isResourceDefinition({ kind, apiVersion, ...manifest })) return false
  return kind !== 'Secret' || cluster.existingSecrets.length === 0
}

function isSame(some: readonly Manifest[], others: readonly Manifest[]): boolean {
  return some.length === others.length && some.every((manifest, index) => manifest === others[index])
}

/** True if its kustomization.yaml lists its files, and says nothing else. */
function isPlainFolder({ includes, kustomization, committed }: RenderedFolder): boolean {
  return includes === undefined && kustomization === undefined && committed === undefined
}
