import type { ChangePart, ChangeRisk, FoldedObject, UndoLimit } from '../../model/tree-change.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'

/** The effects of a change, in two or three words each; the most dangerous first. */
export const riskWords: Readonly<Record<ChangeRisk, string>> = {
  deletes: 'deletes',
  'leaves-behind': 'leaves behind',
  'lowers-guard': 'lowers guard',
  'may-delete': 'may delete',
  redirects: 'redirects',
  rewrites: 'rewrites',
  'changes-unit': 'changes unit',
  endangers: 'endangers',
  'scales-to-zero': 'scales to 0',
  exposes: 'exposes',
  'cuts-traffic': 'cuts traffic',
  'refuses-more': 'refuses more',
  'changes-scale': 'scales',
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
  'lowers guard': 'danger',
  'may delete': 'danger',
  'scales to 0': 'danger',
  endangers: 'danger',
  redirects: 'warning',
  rewrites: 'warning',
  exposes: 'warning',
  'cuts traffic': 'warning',
  'refuses more': 'warning',
  scales: 'notice',
  'changes unit': 'notice',
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
  'machines-are-gone': 'a revert makes new machines',
  'applied-is-gone': 'a revert does not bring back what it deletes',
  'fields-are-gone': 'a revert does not bring back values of lost fields',
}

/** The effects that a revert does not undo for this reason. */
export const undoneRisks: Readonly<Record<UndoLimit, readonly ChangeRisk[]>> = {
  'cluster-is-gone': ['deletes'],
  'kubernetes-version': ['rolls-nodes'],
  'content-is-gone': ['deletes'],
  'stored-version': ['changes-crd'],
  'machines-are-gone': ['deletes'],
  'applied-is-gone': ['deletes', 'may-delete', 'redirects'],
  'fields-are-gone': ['changes-crd'],
}

/** A part of the fleet, as a title. */
export function partTitle(part: ChangePart): string {
  switch (part.kind) {
    case 'cluster':
      return 'Cluster'
    case 'handoff':
      return 'units'
    case 'addon':
      return `${part.owner === 'cluster' ? 'own ' : ''}${part.addon === '' ? 'addons' : `addon ${part.addon}`}`
    case 'stack':
      if (part.before === undefined) return `release ${part.tag} in ${part.namespace}`
      return part.isBeside === true
        ? `release ${part.tag} in ${part.namespace}, compared with ${part.before}, which stays`
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
export function objectTitle({
  kind,
  namespace,
  name,
  was,
}: Pick<FoldedObject, 'kind' | 'namespace' | 'name' | 'was'>): string {
  if (name === KUSTOMIZATION_FILE) return name
  const title = `${shownKind(kind)} ${namespace === undefined ? '' : `${shownText(namespace)}/`}`
  return was === undefined ? title + shownText(name) : `${title}${shownText(was)} (now ${shownText(name)})`
}
