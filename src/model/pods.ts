import { dictAt, itemsAt, type PathStep } from './field.ts'
import type { Manifest } from './manifest.ts'
import type { Dict } from './value.ts'

/** The pod of an object: what runs in the cluster when it is applied. */
export interface PodOf {
  readonly spec: Dict
  /** Of `spec` in the object. */
  readonly path: readonly PathStep[]
}

const TEMPLATE = ['spec', 'template', 'spec'] as const

const paths: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['/Pod', ['spec']],
  ['/ReplicationController', TEMPLATE],
  ['apps/Deployment', TEMPLATE],
  ['apps/StatefulSet', TEMPLATE],
  ['apps/DaemonSet', TEMPLATE],
  ['apps/ReplicaSet', TEMPLATE],
  ['batch/Job', TEMPLATE],
  ['batch/CronJob', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
])

/** The pod that an object runs; undefined for one that runs none. */
export function podOf({ object, ...type }: Manifest): PodOf | undefined {
  const path = podPathOf(type)
  const spec = path && dictAt(object, ...path)
  return spec === undefined || path === undefined ? undefined : { spec, path }
}

/** The place of the spec of the pod in objects of a kind; undefined for kinds that run none. */
export function podPathOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): readonly string[] | undefined {
  return paths.get(`${apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))}/${kind}`)
}

/** The containers of a pod, those that run first included. */
export function containersOf({ spec, path }: PodOf): readonly PodOf[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    itemsAt(spec, list).flatMap((_, index) => {
      const container = dictAt(spec, list, index)
      return container === undefined ? [] : [{ spec: container, path: [...path, list, index] }]
    }),
  )
}
