import { joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTERS, HANDOFF, STACKS } from '../../model/tree-path.ts'
import type { OciManifest } from '../../network/registry/manifest.ts'
import type { RegistryManifest } from '../../network/registry/registry.ts'
import { formatName, formatReference } from '../../network/registry/repository-name.ts'
import { annotations, makeArtifact, packArtifact, type PackedFiles, typesFor } from '../../publish/oci/artifact.ts'
import { branchTag, commitTag } from '../../publish/oci/artifact-tags.ts'
import { openArtifactRegistry, pushArtifact } from './oci-registry.ts'
import { actionOf, type ArtifactEnd, type ArtifactRun, NOTHING, originOf, signingKeyOf, tellTaken } from './oci-run.ts'
import { askingGit } from './publish-problem.ts'
import { findForeign, refuseForeign } from './refuse-foreign.ts'

/**
 * Brings the registry to one artifact of the tree as a commit of the branch has it, at the path where the handoff says
 * that it is, and the tag that follows the branch. Where that has the same content nothing is written.
 * @throws StackmasonError OUTPUT_FOREIGN, PUBLISH_KEY, FETCH_*, GIT_FAILED
 */
export async function followTree(run: ArtifactRun, commit: string, ports: Ports): Promise<ArtifactEnd> {
  const { checkout, prepared, config, mode, context, versionTags } = run
  const { fleet, remote } = checkout
  const folder = joinPath(prepared.tree.folder, prepared.path)
  const found = await askingGit(remote.url, () => ports.git.readCommitted(folder, isTreeFile, commit))
  if (found.size === 0) return NOTHING
  const content = Array.from(found, ([path, bytes]) => ({ path, bytes }))
  refuseForeign(findForeign(content), joinPath(checkout.facts.root, prepared.path))
  const prefix = fleet.handoff?.path ?? fleet.output
  const files = content.map(({ path, bytes }) => ({ path: joinPath(prefix, path), bytes }))
  const packed = packArtifact(files, typesFor(fleet.handoff?.tool), ports.crypto)
  const origin = await originOf({ remote: prepared.remote, branch: prepared.branch, commit }, ports)
  const registry = await openArtifactRegistry(config, '', context)
  const movingTag = config.tags.includes('branch') ? branchTag(prepared.branch) : undefined
  const followed = movingTag === undefined ? undefined : await registry.getManifest(movingTag)
  const standing = followed !== undefined && holds(followed.manifest, packed) ? followed : undefined
  const newer =
    followed === undefined || standing !== undefined ? undefined : await findNewer(run, { followed, commit }, ports)
  if (newer !== undefined && movingTag !== undefined)
    return { artifacts: [], findings: [tellNewer(formatReference(registry, movingTag), { newer, commit })] }
  const made = makeArtifact(packed, origin, ports.crypto)
  const artifact =
    standing === undefined
      ? made
      : { ...made, mediaType: standing.mediaType, manifest: { bytes: standing.bytes, digest: standing.digest } }
  const { digest } = artifact.manifest
  const fixedTag = config.tags.includes('commit') && standing === undefined ? commitTag(commit) : undefined
  const about = {
    kind: 'fleet' as const,
    repository: `oci://${formatName(registry)}`,
    digest,
    tags: [fixedTag, ...versionTags, movingTag].filter((tag) => tag !== undefined),
    revision: standing?.manifest.annotations.get(annotations.revision) ?? origin.revision,
  }
  if (mode === 'plan') {
    const isThere =
      standing !== undefined || (movingTag === undefined && (await registry.findDigest(digest)) === digest)
    return { artifacts: [{ ...about, action: isThere ? 'current' : 'planned' }], findings: [] }
  }
  const key = await signingKeyOf(run, ports)
  const push = { registry, digest, make: () => Promise.resolve(artifact), fixedTag, versionTags, movingTag, key }
  const pushed = await pushArtifact(push, ports)
  if (pushed.isPushed) run.note()
  return { artifacts: [{ ...about, action: actionOf(pushed) }], findings: tellTaken(registry, pushed) }
}

/** Plans the artifact of a commit that is not made yet, so that nobody can know its digest. */
export function planTree({ config, prepared, versionTags }: ArtifactRun): ArtifactEnd {
  const tags = [...versionTags, ...(config.tags.includes('branch') ? [branchTag(prepared.branch)] : [])]
  return {
    artifacts: [{ kind: 'fleet', repository: `oci://${formatName(config)}`, tags, action: 'planned' }],
    findings: [],
  }
}

/** Not the pins, which are of artifacts beside this one, nor what others keep beside the tree. */
function isTreeFile(path: string): boolean {
  return [CLUSTERS, STACKS, HANDOFF].some((folder) => path.startsWith(`${folder}/`))
}

/** True if an artifact has this content, whichever commit it says that it is of. */
function holds({ config, layers: [layer, ...more] }: OciManifest, { types, ...packed }: PackedFiles): boolean {
  return (
    more.length === 0 &&
    config.mediaType === types.config &&
    config.digest === packed.config.digest &&
    layer?.mediaType === types.layer &&
    layer.digest === packed.layer.digest
  )
}

/** The commit that a tag is of, where it comes after the one that is published: a slow run must not take it back. */
async function findNewer(
  { checkout: { remote } }: ArtifactRun,
  { followed, commit }: { readonly followed: RegistryManifest; readonly commit: string },
  { gitWriter }: Ports,
): Promise<string | undefined> {
  const revision = followed.manifest.annotations.get(annotations.revision) ?? ''
  const published = /@sha(?:1|256):([0-9a-f]{40}|[0-9a-f]{64})$/.exec(revision)?.[1]
  if (published === undefined || published === commit) return undefined
  return (await gitWriter.mergeBase(remote.repository, commit, published)) === commit ? published : undefined
}

function tellNewer(shown: string, { newer, commit }: { readonly newer: string; readonly commit: string }): Diagnostic {
  return {
    code: 'PUBLISH_TAG_KEPT',
    severity: 'warning',
    message: `${shown} is left as it is: it is of commit ${newer.slice(0, 12)}, which comes after ${commit.slice(0, 12)}`,
    hint: 'Nothing needs to be done; let CI run one job of publishing at a time.',
  }
}
