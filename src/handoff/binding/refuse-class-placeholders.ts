import type { Diagnostic } from '../../model/diagnostic.ts'
import { pathOfPointer } from '../../model/field.ts'
import { type LocatedToken, type Manifest, placeIn } from '../../model/manifest.ts'
import { rootTokens, type TokenSpec } from '../../model/token.ts'

/**
 * The problems with a cluster class that holds what its chart would have generated, one for each object. A class is
 * applied to the management cluster before any of its clusters is there, so no RuntimeValues object could say how to
 * make it, and a GitOps tool would apply the placeholder as if it were the secret.
 */
export function refuseClassPlaceholders(manifests: readonly Manifest[]): readonly Diagnostic[] {
  return manifests.flatMap((manifest) => {
    const [first] = manifest.deferred ?? []
    return first === undefined ? [] : [refusal(manifest, first)]
  })
}

function refusal(manifest: Manifest, { pointer: first, text, tokens }: LocatedToken): Diagnostic {
  const { kind, namespace, name, origin, object, deferred = [] } = manifest
  const [root = ''] = rootTokens(text, tokens)
  const places = deferred.map(({ pointer }) => pointer)
  return {
    code: 'SECRET_NOT_MADE',
    severity: 'error',
    message: `${kind} ${namespace === undefined ? name : `${namespace}/${name}`} of the cluster class (${origin.template}) holds ${sourceOf(tokens.get(root))} at ${places.join(', ')}: nothing makes Secrets for a class`,
    ...(tokens.originOf(root) ?? placeIn(manifest, ...pathOfPointer(object, first))),
    hint: 'Let the chart refer to a Secret that you make in the management cluster yourself, or move the object to an addon, whose Secrets are made for each cluster.',
  }
}

function sourceOf(spec: TokenSpec | undefined): string {
  return spec?.kind === 'generated' ? `what ${spec.generate.function} generates` : 'what is known only later'
}
