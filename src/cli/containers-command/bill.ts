import { formatCycloneDx } from '../../report/format-cyclonedx.ts'
import type { ContainersOutcome } from './outcome.ts'

type User = ContainersOutcome['images'][number]['users'][number]

/** The images as a bill of materials. */
export function containersBill({ fleet, version, clusters, images }: ContainersOutcome): string {
  return formatCycloneDx({
    name: fleet,
    version,
    clusters,
    images: images.map(({ reference, use, clusters: of, users }) => ({
      reference,
      use,
      clusters: of,
      facts: [
        ...distinct(users.flatMap(({ addon }) => addon ?? [])).map((addon) => ['addon', addon] as const),
        ...distinct(users.flatMap(({ release }) => release ?? [])).map((release) => ['release', release] as const),
        ...distinct(users.map(objectOf)).map((object) => ['object', object] as const),
      ],
    })),
  })
}

function objectOf({ kind, namespace, name }: User): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
