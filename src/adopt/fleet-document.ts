import { dict, type Dict, goInt64 } from '../model/value.ts'
import type { AdoptedStack } from './adopt-stacks.ts'

/** Where the operator takes releases from. */
export type OperatorSource =
  | { readonly kind: 'oci'; readonly repository: string }
  | { readonly kind: 'github'; readonly owner: string; readonly repository: string }
  | { readonly kind: 'directory'; readonly path: string }
  /** Nobody said it; a placeholder stands in its place. */
  | { readonly kind: 'unknown' }

/** Stands for a source that nobody named; the domain never resolves. */
const PLACEHOLDER = 'registry.invalid/replace-me/cluster-stacks'

/** The name of a fleet, its source, and the version that renders it. */
export interface NewFleet {
  readonly name: string
  readonly source: OperatorSource
  readonly version: string
}

/**
 * The stackmason.yaml of an adopted fleet: one source, as the operator has one; rendered as the operator's Helm 3 does;
 * node images left to what made them.
 */
export function fleetDocument({ name, source, version }: NewFleet, stacks: readonly AdoptedStack[]): Dict {
  const images = new Map(stacks.map(({ provider, stack }) => [`${provider}-${stack}`, { provider, stack }]))
  const spec = dict([
    ['sources', [dict([['name', 'releases'], sourceEntry(source)])]],
    ['helmVersion', goInt64(3)],
    ['requiredVersion', `~${version}`],
  ])
  if (images.size > 0)
    spec.set(
      'nodeImages',
      [...images.values()].map(({ provider, stack }) =>
        dict([
          ['provider', provider],
          ['stack', stack],
          ['use', 'none'],
        ]),
      ),
    )
  return dict([
    ['apiVersion', 'stackmason.dev/v1alpha1'],
    ['kind', 'Fleet'],
    ['metadata', dict([['name', name]])],
    ['spec', spec],
  ])
}

function sourceEntry(source: OperatorSource): readonly [string, Dict] {
  switch (source.kind) {
    case 'oci':
      return ['oci', dict([['repository', source.repository]])]
    case 'github':
      return [
        'github',
        dict([
          ['owner', source.owner],
          ['repository', source.repository],
        ]),
      ]
    case 'directory':
      return ['directory', dict([['path', source.path]])]
    case 'unknown':
      return ['oci', dict([['repository', PLACEHOLDER]])]
  }
}
