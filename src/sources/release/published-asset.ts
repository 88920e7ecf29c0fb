import type { ReleaseAsset } from '../../model/release-source.ts'

/** Far above any real asset (scs: 300 KB), far below what would hurt. No download has more: the cache relies on it. */
export const MAX_ASSET_BYTES: number = 128 * 1024 * 1024

/**
 * True if a server's name for an asset is a plain file name: nothing that leads to another folder, host or file when it
 * becomes part of an address.
 */
export function isAssetName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._+-]{0,254}$/.test(name)
}

/** The requirements of `fetch` for an asset's bytes: a digest determines them, a size is better than nothing. */
export function demandsOf(
  asset: ReleaseAsset,
  published: ReleaseAsset = asset,
): { readonly digest: string } | { readonly size: number } | undefined {
  const digest = asset.digest ?? published.digest
  if (digest !== undefined) return { digest }
  return published.size === undefined ? undefined : { size: published.size }
}
