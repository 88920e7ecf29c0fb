import { fieldAt, itemsAt } from '../../model/field.ts'
import type { DeclaredApiVersions } from '../../model/fleet.ts'
import type { Value } from '../../model/value.ts'

/** The API versions that one file declares. */
export interface WrittenApiVersions {
  readonly apiVersions: readonly string[]
  /** Undefined: as the folder above says. */
  readonly apiVersionsFromCrds: boolean | undefined
}

/** Reads the API versions for charts from a stackmason.yaml or an addons.yaml. */
export function readApiVersions(document: Value): WrittenApiVersions {
  const fromCrds = fieldAt(document, 'spec', 'apiVersionsFromCrds')
  return {
    apiVersions: itemsAt(document, 'spec', 'apiVersions').filter((item) => typeof item === 'string'),
    apiVersionsFromCrds: typeof fromCrds === 'boolean' ? fromCrds : undefined,
  }
}

/**
 * Joins what folders declare to what stands above them: versions add up, the switch of the nearest one that has it
 * counts.
 */
export function joinApiVersions(
  above: DeclaredApiVersions,
  layers: readonly WrittenApiVersions[],
): DeclaredApiVersions {
  return {
    declared: [...new Set([...above.declared, ...layers.flatMap(({ apiVersions }) => apiVersions)])],
    fromCrds: layers.reduce((found, { apiVersionsFromCrds }) => apiVersionsFromCrds ?? found, above.fromCrds),
  }
}

/** Nothing is declared. */
export const noApiVersions: DeclaredApiVersions = { declared: [], fromCrds: false }
