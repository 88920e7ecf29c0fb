import type { ChangePart, ChangeRisk, FoldedObject, UndoLimit } from '../../model/tree-change.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'

/** What a change does, in two or three words; the most dangerous first. */
export const riskWords: Readonly<Record<ChangeRisk, string>> = {
  deletes: 'deletes',
  'leaves-behind': 'leaves behind',
  replaces: 'replaces',
  'rolls-nodes': 'rolls nodes',
  'restarts-pods': 'restarts pods',
  'changes-crd': 'changes CRD',
  'widens-rights': 'widens rights',
  'moves-unit': 'moves unit',
  suspends: 'suspends',
  'metadata-only': 'metadata only',
}

/** How loud a word is shown. */
export type Weight = 'danger' | 'warning' | 'notice'

/** The words of effects that must not be overlooked. */
export const wordWeights: Readonly<Record<string, Weight>> = {
  deletes: 'danger',
  replaces: 'danger',
  'skips a minor': 'danger',
  'goes back': 'danger',
  'breaks CRD': 'danger',
  suspends: 'warning',
  'moves unit': 'warning',
  'rolls nodes': 'warning',
  'changes CRD': 'notice',
  'widens rights': 'warning',
  'restarts pods': 'notice',
  'leaves behind': 'notice',
}

/** Why a revert does not undo it, as the end of a sentence. */
export const undoWords: Readonly<Record<UndoLimit, string>> = {
  'cluster-is-gone': 'a revert makes an empty cluster',
  'kubernetes-version': 'a revert does not lower the version',
  'content-is-gone': 'a revert does not bring back what was in it',
  'stored-version': 'a revert may not read what was stored meanwhile',
}

/** A part of the fleet, as a title. */
export function partTitle(part: ChangePart): string {
  switch (part.kind) {
    case 'cluster':
      return 'Cluster'
    case 'handoff':
      return 'units'
    case 'addon':
      return part.owner === 'cluster' ? `own addon ${part.addon}` : `addon ${part.addon}`
    case 'stack':
      return part.before === undefined
        ? `release ${part.tag} in ${part.namespace}`
        : `release ${part.before} -> ${part.tag} in ${part.namespace}`
  }
}

/** Variables of folded changes: see `diff/cluster-variables.ts`. */
const VARIABLE = /<(?:cluster|namespace|endpoint|release|hash)>/g

/** A name with variables in it, unless no API server would take it. */
export function shownText(text: string): string {
  const checked = shownName(text.replaceAll(VARIABLE, 'x'))
  return checked.startsWith('<') ? checked : text
}

/** The object that is folded: kind, namespace and name. */
export function objectTitle({ kind, namespace, name }: Pick<FoldedObject, 'kind' | 'namespace' | 'name'>): string {
  if (name === KUSTOMIZATION_FILE) return name
  return `${shownKind(kind)} ${namespace === undefined ? '' : `${shownText(namespace)}/`}${shownText(name)}`
}
