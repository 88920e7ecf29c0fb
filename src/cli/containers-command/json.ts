import type { Report } from '../../report/report.ts'
import type { ContainersResult } from '../../pipeline/commands/containers.ts'

/** The images for programs (schemas/containers-report.json). */
export function containersReport({ fleet, images, kubernetesVersions, findings }: ContainersResult): Report {
  const content = {
    fleet,
    kubernetesVersions,
    images: images.map(({ image, reference, use, clusters, users }) => ({
      image,
      ...reference,
      use,
      clusters,
      users: users.map(({ use: usedAs, ...user }) => ({ use: usedAs, ...user })),
    })),
  }
  return { kind: 'ContainersReport', content, findings }
}
