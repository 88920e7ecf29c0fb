/** How the controller is installed. */
export interface InstallOptions {
  /** With a tag or a digest. */
  readonly image: string
  readonly namespace: string
  readonly replicas: number
  /** Kinds that it works on; none: all. */
  readonly kinds: readonly string[]
  /** Namespaces that it works in, and has rights in; none: all. */
  readonly namespaces: readonly string[]
  /** Names the lease and all objects; empty: none. */
  readonly shard: string
  /** Further options of `controller run`. */
  readonly arguments: readonly string[]
  /** False: it may not even read Secrets, so none are made, and no workload cluster is migrated. */
  readonly secrets: boolean
  /** Where Argo CD is told of clusters; empty: nowhere. */
  readonly argoNamespace: string
  /** Further resources that values are read from, as `<plural>.<group>`. */
  readonly sources: readonly string[]
  /** Resources whose objects may be migrated, as `<plural>.<group>`. */
  readonly migrated: readonly string[]
  /** Variables of its environment, such as HTTPS_PROXY. */
  readonly environment: readonly (readonly [name: string, value: string])[]
  /** Secrets with credentials for the registry of the image. */
  readonly pullSecrets: readonly string[]
  /** Secret with `tls.crt` and `tls.key` for metrics; empty: plain HTTP. */
  readonly metricsSecret: string
  /** True: the API server serves requests for its lease first, with other leases. */
  readonly leasesFirst: boolean
}
