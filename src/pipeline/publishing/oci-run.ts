import type { Diagnostic } from '../../model/diagnostic.ts'
import type { RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import type { ArtifactConfig } from '../../model/publish-config.ts'
import type { NetworkContext } from '../../network/network-context.ts'
import { formatReference, type RepositoryName } from '../../network/registry/repository-name.ts'
import type { SigningKey } from '../../network/signature/signing-key.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { type ArtifactOrigin, formatRevision } from '../../publish/oci/artifact.ts'
import type { FleetCheckout } from './open-checkout.ts'
import { type ArtifactPushed, openSigningKey } from './oci-registry.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit } from './publish-problem.ts'

/** An artifact that was pushed, or would be. */
export interface PublishedArtifact {
  readonly kind: 'fleet' | 'cluster' | 'stack'
  /** `namespace/name` of the cluster or stack. */
  readonly of?: string
  /** `oci://host/path` */
  readonly repository: string
  /** Absent in a plan where the commit that it is to be of is not made yet. */
  readonly digest?: string
  readonly tags: readonly string[]
  /** `<branch>@sha1:<commit>`; absent as the digest is. */
  readonly revision?: string
  /** `current`: the registry has all of it. `planned`: it would be pushed. */
  readonly action: 'pushed' | 'tagged' | 'signed' | 'current' | 'planned'
}

/** The work of a run on artifacts. */
export interface ArtifactRun {
  readonly checkout: FleetCheckout
  readonly prepared: PreparedSource
  /** The ref that is rendered. */
  readonly sourceRef: string
  readonly config: ArtifactConfig
  /** Further tags that the artifacts of the branch get, such as a version. */
  readonly versionTags: readonly string[]
  readonly mode: 'act' | 'plan'
  /** True where the branch is one of a pull request: what nobody has merged is not signed, and no tag follows it. */
  readonly isProposed: boolean
  /** True if nothing but artifacts is published. */
  readonly isAlone: boolean
  readonly context: NetworkContext
  /** Notes that the registry has got one. */
  readonly note: () => void
}

/** The outcome for artifacts. */
export interface ArtifactEnd {
  readonly artifacts: readonly PublishedArtifact[]
  readonly findings: readonly Diagnostic[]
}

/** No artifacts, and nothing to say about them. */
export const NOTHING: ArtifactEnd = { artifacts: [], findings: [] }

/** The key to sign with; undefined where nothing is signed. @throws StackmasonError PUBLISH_KEY */
export async function signingKeyOf(run: ArtifactRun, ports: Ports): Promise<SigningKey | undefined> {
  return run.isProposed || run.mode === 'plan' ? undefined : openSigningKey(run.config, ports)
}

/** The origin in an artifact of a commit: the same in every run. */
export async function originOf(
  { remote, branch, commit }: { readonly remote: RemoteAccess; readonly branch: string; readonly commit: string },
  { gitWriter }: Ports,
): Promise<ArtifactOrigin> {
  return {
    source: shownUrl(remote.url),
    revision: formatRevision(branch, commit),
    created: await askingGit(remote.url, () => gitWriter.dateOf(remote.repository, commit)),
  }
}

/** The most that was done. */
export function actionOf({ isPushed, isTagged, isSigned }: ArtifactPushed): PublishedArtifact['action'] {
  if (isPushed) return 'pushed'
  if (isTagged) return 'tagged'
  return isSigned ? 'signed' : 'current'
}

/** Tags of versions that lead to other artifacts. */
export function tellTaken(registry: RepositoryName, { taken }: ArtifactPushed): readonly Diagnostic[] {
  return taken.map((tag) => ({
    code: 'PUBLISH_TAG_KEPT',
    severity: 'warning',
    message: `${formatReference(registry, tag)} is left as it is: it is another artifact`,
    hint: 'Give another version to other content.',
  }))
}

/** The finding as a warning, for a plan that can do without. */
export function asWarning(finding: Diagnostic): Diagnostic {
  return { ...finding, severity: 'warning' }
}
