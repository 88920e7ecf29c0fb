import { ComponentScope, ComponentType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums'
import { Bom, Component, HashDictionary, Property, PropertyRepository } from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import { formatImageReference, type ImageReference } from '../model/image-reference.ts'

/** A container image of a bill of materials. */
export interface BilledImage {
  readonly reference: ImageReference
  readonly use: 'run' | 'mentioned'
  /** `namespace/name`. */
  readonly clusters: readonly string[]
  /** Properties that say who uses it, by name; each may be there several times. */
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** The fleet that a bill of materials describes. */
export interface BilledFleet {
  readonly name: string
  /** Of this program. */
  readonly version: string
  /** `namespace/name`. */
  readonly clusters: readonly string[]
  readonly images: readonly BilledImage[]
}

const hashes: ReadonlyMap<string, HashAlgorithm> = new Map([
  ['sha256', HashAlgorithm['SHA-256']],
  ['sha384', HashAlgorithm['SHA-384']],
  ['sha512', HashAlgorithm['SHA-512']],
])

/**
 * A bill of materials as JSON of CycloneDX 1.6: the images, the clusters that depend on them, the fleet of these. It
 * has no time and no serial number, so that equal fleets have equal bills.
 */
export function formatCycloneDx({ name, version, clusters, images }: BilledFleet): string {
  // each component has a name of its own for others: the library would make up a random one
  const fleet = new Component(ComponentType.Application, name, { bomRef: `fleet:${name}` })
  const bom = new Bom()
  bom.metadata.component = fleet
  bom.metadata.tools.components.add(
    new Component(ComponentType.Application, 'stackmason', { bomRef: 'tool:stackmason', version }),
  )
  const byCluster = new Map(
    clusters.map((path) => [path, new Component(ComponentType.Platform, path, { bomRef: `cluster:${path}` })]),
  )
  for (const cluster of byCluster.values()) {
    bom.components.add(cluster)
    fleet.dependencies.add(cluster.bomRef)
  }
  for (const image of images) {
    const component = componentOf(image)
    bom.components.add(component)
    const users = image.clusters.flatMap((path) => byCluster.get(path) ?? [])
    for (const user of users.length === 0 ? [fleet] : users) user.dependencies.add(component.bomRef)
  }
  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6))
  return `${serializer.serialize(bom, { space: 2 })}\n`
}

function componentOf({ reference, use, facts }: BilledImage): Component {
  const { registry, repository, tag, digest } = reference
  const [algorithm = '', content = ''] = digest?.split(':') ?? []
  const known = hashes.get(algorithm)
  return new Component(ComponentType.Container, `${registry}/${repository}`, {
    bomRef: `image:${formatImageReference(reference)}`,
    version: tag ?? digest ?? 'latest',
    purl: packageUrl(reference),
    scope: use === 'run' ? ComponentScope.Required : ComponentScope.Optional,
    hashes: new HashDictionary(known === undefined ? [] : [[known, content]]),
    properties: new PropertyRepository([
      new Property('stackmason:use', use),
      ...facts.map(([fact, value]) => new Property(`stackmason:${fact}`, value)),
    ]),
  })
}

/** The package URL of type oci: https://github.com/package-url/purl-spec/blob/main/types-doc/oci-definition.md. */
function packageUrl({ registry, repository, tag, digest }: ImageReference): string {
  const name = repository.slice(repository.lastIndexOf('/') + 1)
  const version = digest === undefined ? '' : `@${encodeURIComponent(digest)}`
  const known = tag ?? (digest === undefined ? 'latest' : undefined)
  const qualifiers = [
    `repository_url=${encodeURIComponent(`${registry}/${repository}`)}`,
    ...(known === undefined ? [] : [`tag=${encodeURIComponent(known)}`]),
  ]
  return `pkg:oci/${encodeURIComponent(name)}${version}?${qualifiers.join('&')}`
}
