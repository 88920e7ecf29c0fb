import { compareNatural, sortNaturally } from '../codec/text/text-order.ts'
import type { ImageOverview } from '../model/fleet-overview.ts'
import { parseObjectPath } from '../model/object-name.ts'
import type { ContainerImage } from './collect-images.ts'

/** Characters of a digest that tell one from another. */
const SHORT = 'sha256:'.length + 12

/** The images by name, with the versions of each: first those of which there are several. */
export function imageVersions(images: readonly ContainerImage[]): readonly ImageOverview[] {
  const byName = new Map<string, Map<string, readonly string[]>>()
  for (const { reference, clusters } of images) {
    const { registry, repository, tag, digest } = reference
    const name = `${registry}/${repository}`
    const short = digest?.slice(0, SHORT)
    const version = [tag, short].filter((part) => part !== undefined).join('@')
    const versions = byName.get(name) ?? new Map<string, readonly string[]>()
    byName.set(name, versions.set(version, [...(versions.get(version) ?? []), ...clusters]))
  }
  const all = sortNaturally([...byName.keys()], compareNatural).map((name): ImageOverview => ({
    name,
    versions: [...(byName.get(name) ?? [])].map(([version, clusters]) => ({
      version,
      clusters: clusters.map(parseObjectPath),
    })),
  }))
  return [...all.filter(({ versions }) => versions.length > 1), ...all.filter(({ versions }) => versions.length === 1)]
}
