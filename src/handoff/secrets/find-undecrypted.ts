import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HandoffConfig } from '../../model/handoff-config.ts'
import { type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { isEncrypted, SOPS } from '../../model/sops.ts'

/**
 * Finds objects that are encrypted with SOPS where nothing decrypts them: Flux applies nothing of a unit that holds one
 * (kustomize-controller internal/controller, decryption), Argo CD would apply the encrypted text as if it were the
 * content.
 */
export function findUndecrypted(folders: readonly RenderedFolder[], handoff: HandoffConfig): readonly Diagnostic[] {
  if (handoff.tool === 'flux' && handoff.decryption !== undefined) return []
  return folders
    .flatMap(({ manifests }) => manifests)
    .filter(({ object }) => isEncrypted(object))
    .map((manifest) => problemOf(manifest, handoff.tool))
}

function problemOf(manifest: Manifest, tool: HandoffConfig['tool']): Diagnostic {
  const { kind, name, namespace = '', origin } = manifest
  return {
    code: 'SECRET_NOT_DECRYPTED',
    severity: tool === 'flux' ? 'error' : 'warning',
    message: `${kind} ${namespace === '' ? name : `${namespace}/${name}`} (${origin.template}) is encrypted with SOPS, and ${
      tool === 'flux'
        ? 'the fleet states no decryption: Flux would apply nothing of its unit'
        : 'Argo CD does not decrypt it: the encrypted text would be applied as the content'
    }`,
    ...placeIn(manifest, SOPS),
    hint:
      tool === 'flux'
        ? 'State spec.handoff.flux.decryption in stackmason.yaml.'
        : 'Write an ExternalSecret or a SealedSecret instead, or make the Secret outside of git; a plugin that decrypts can be named in templates/handoff/argocd.',
  }
}
