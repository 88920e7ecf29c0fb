import type { ObjectName } from '../../model/object-name.ts'
import type { Manifest } from '../../model/manifest.ts'
import { dict } from '../../model/value.ts'

/** Asks the controller to migrate the objects of one definition in a workload cluster. */
export function storageMigration(
  { namespace, name: cluster }: ObjectName,
  definition: Pick<Manifest, 'name' | 'origin'>,
  version: string,
): Manifest {
  // no name of a cluster has a dot, so no two are alike
  const name = `${cluster}.${definition.name}`
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'StorageMigration',
    name,
    namespace,
    object: dict([
      ['apiVersion', 'stackmason.dev/v1alpha1'],
      ['kind', 'StorageMigration'],
      [
        'metadata',
        dict([
          ['name', name],
          ['namespace', namespace],
        ]),
      ],
      [
        'spec',
        dict([
          ['clusterRef', dict([['name', cluster]])],
          ['customResourceDefinitions', [definition.name]],
          ['storageVersion', version],
        ]),
      ],
    ]),
    origin: { from: definition.origin.from, unit: 'cluster', template: definition.origin.template },
  }
}
