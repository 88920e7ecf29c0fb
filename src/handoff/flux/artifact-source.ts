import type { ArtifactUnit } from '../../model/artifact-unit.ts'
import { artifactName } from '../../model/artifact-unit.ts'
import type { Manifest } from '../../model/manifest.ts'
import { dict } from '../../model/value.ts'
import { createHandoffTemplates, type HandoffTemplates } from '../handoff-template.ts'

/** An artifact of a unit, as Flux is to get it. */
export interface PinnedArtifact {
  readonly unit: ArtifactUnit
  /** `oci://host/path` */
  readonly url: string
  readonly digest: string
  /** The artifact's annotations: they are the pin's, too. */
  readonly origin: { readonly source: string; readonly revision: string; readonly created: string }
  /** A duration of Go. */
  readonly interval: string
  readonly isPlainHttp: boolean
  readonly shard?: string | undefined
  readonly secretName?: string | undefined
  readonly verifySecretName?: string | undefined
}

const TEMPLATE = 'flux/ocirepository.yaml.hbs'

/**
 * Makes a writer of OCIRepositories, each of which pins an artifact by its digest.
 * The writer throws StackmasonError HANDOFF_TEMPLATE.
 */
export function createArtifactSources(templates: HandoffTemplates): (artifact: PinnedArtifact) => Manifest {
  const render = createHandoffTemplates(templates)
  return ({ unit, url, digest, origin, interval, isPlainHttp, shard, secretName, verifySecretName }) => {
    const { source, revision, created } = origin
    const data = dict([
      ['name', artifactName(unit)],
      ['namespace', unit.namespace],
      ['kind', unit.kind],
      ['url', url],
      ['digest', digest],
      [
        'origin',
        dict([
          ['source', source],
          ['revision', revision],
          ['created', created],
        ]),
      ],
      ['interval', interval],
      ['shard', shard ?? null],
      ['secretName', secretName ?? null],
      ['verifySecretName', verifySecretName ?? null],
      ['insecure', isPlainHttp],
    ])
    return render(TEMPLATE, data, [
      [['apiVersion'], 'source.toolkit.fluxcd.io/v1'],
      [['kind'], 'OCIRepository'],
      [['metadata', 'name'], artifactName(unit)],
      [['metadata', 'namespace'], unit.namespace],
      [['metadata', 'annotations', 'org.opencontainers.image.created'], created],
      [['metadata', 'annotations', 'org.opencontainers.image.revision'], revision],
      [['metadata', 'annotations', 'org.opencontainers.image.source'], source],
      [['spec', 'url'], url],
      [['spec', 'ref', 'digest'], digest],
      // beside a digest they count for nothing, and mislead who reads them
      [['spec', 'ref', 'tag'], undefined],
      [['spec', 'ref', 'semver'], undefined],
      [
        ['spec', 'verify', 'provider'],
        (found) => (verifySecretName !== undefined && found === undefined ? 'must be set' : undefined),
      ],
      [['spec', 'layerSelector'], undefined],
    ])
  }
}
