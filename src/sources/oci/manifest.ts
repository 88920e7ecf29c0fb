/** What a manifest says about a blob or another manifest. */
export interface OciDescriptor {
  readonly mediaType: string
  /** `sha256:<hex>`. */
  readonly digest: string
  readonly size: number
  readonly artifactType?: string
  readonly annotations: ReadonlyMap<string, string>
}

/** An image manifest of OCI or of Docker's schema 2. */
export interface OciManifest {
  readonly artifactType?: string
  readonly config: OciDescriptor
  readonly layers: readonly OciDescriptor[]
  readonly annotations: ReadonlyMap<string, string>
}

/** An index of OCI, or a manifest list of Docker. */
export interface OciIndex {
  readonly manifests: readonly OciDescriptor[]
}
