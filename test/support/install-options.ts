import type { InstallOptions } from '../../src/model/install-options.ts'

/** Options of an installation that has nothing beside what it must have. */
export function installOptions(options: Partial<InstallOptions> = {}): InstallOptions {
  return {
    image: 'registry.example.com/stackmason:1.2.3',
    namespace: 'stackmason-system',
    replicas: 2,
    kinds: [],
    namespaces: [],
    shard: '',
    arguments: [],
    secrets: true,
    argoNamespace: '',
    sources: [],
    migrated: [],
    environment: [],
    pullSecrets: [],
    metricsSecret: '',
    leasesFirst: false,
    ...options,
  }
}
