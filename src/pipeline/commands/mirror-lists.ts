import { formatGoYamlV3 } from '../../codec/go-yaml/go-yaml-format.ts'
import { type ImageReference, pulledReference } from '../../model/image-reference.ts'
import { dict, GoInt, type Value } from '../../model/value.ts'
import type { ContainersResult } from './containers.ts'

/** The source of `skopeo sync --src yaml`: by registry and repository the tags, or digests where a pod names one. */
export function skopeoList({ images }: ContainersResult): string {
  const registries = new Map<string, Map<string, Set<string>>>()
  for (const { reference } of images) {
    const { registry, repository, tag = 'latest', digest = tag } = reference
    const repositories = registries.get(registry) ?? new Map<string, Set<string>>()
    registries.set(registry, repositories)
    repositories.set(repository, (repositories.get(repository) ?? new Set()).add(digest))
  }
  const entries = [...registries].map(([registry, repositories]) => {
    const tags = [...repositories].map(([name, some]): readonly [string, Value] => [name, [...some]])
    return [registry, dict([['images', dict(tags)]])] as const
  })
  return formatGoYamlV3(dict(entries))
}

/** The configuration of regsync: each image, to the registry that `$MIRROR` names, under the name of its own one. */
export function regsyncConfig({ images }: ContainersResult): string {
  const references = [...new Map(images.map(({ reference }) => [pulledReference(reference), reference])).values()]
  const sync = references.map((reference) =>
    dict([
      ['source', pulledReference(reference)],
      ['target', `{{env "MIRROR"}}/${targetOf(reference, references)}`],
      ['type', 'image'],
    ]),
  )
  return formatGoYamlV3(
    dict([
      ['version', new GoInt(1n)],
      ['sync', sync],
    ]),
  )
}

/** By its tag, so that people find it, unless another image has the same one. */
function targetOf(reference: ImageReference, all: readonly ImageReference[]): string {
  const { digest: _, ...tagged } = reference
  const name = pulledReference(tagged)
  const isAlone = all.filter(({ digest: __, ...other }) => pulledReference(other) === name).length === 1
  return reference.tag !== undefined && isAlone ? name : pulledReference(reference)
}
