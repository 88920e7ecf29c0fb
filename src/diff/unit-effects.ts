import { formatGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { ChangeRisk, EffectReason, FieldChange, TreeObject } from '../model/tree-change.ts'
import { type Dict, GoInt, type Value } from '../model/value.ts'
import { groupKindOf, groupOf } from './object-kind.ts'
import { changedListFields } from './own-pairings.ts'

/** The effects of a change of one field of a GitOps tool's unit, or of its source. */
interface FieldRow {
  readonly field: string
  /** For what it becomes, or what it was; none: nothing to tell. */
  readonly risk: ChangeRisk | ((before: Value, after: Value) => ChangeRisk | undefined)
}

/** True for a switch that is on: a text is what is left where a variable was put in. */
export const isOn = (value: Value): boolean => value === true || value === 'true'
const textOf = (value: Value): string => (typeof value === 'string' ? value : '')

const switchedOn =
  (risk: ChangeRisk, otherwise?: ChangeRisk) =>
  (before: Value, after: Value): ChangeRisk | undefined =>
    isOn(after) ? risk : isOn(before) ? otherwise : undefined

const all = (risk: ChangeRisk, fields: readonly string[]): readonly FieldRow[] =>
  fields.map((field) => ({ field, risk }))

/** From the API of Flux 2.7: kustomize-controller. */
const kustomization: readonly FieldRow[] = [
  ...all('redirects', ['path', 'sourceRef', 'kubeConfig', 'targetNamespace']),
  ...all('rewrites', ['patches', 'images', 'components', 'commonMetadata', 'namePrefix', 'nameSuffix', 'postBuild']),
  ...all('changes-unit', [
    'dependsOn',
    'wait',
    'healthChecks',
    'healthCheckExprs',
    'decryption',
    'ignoreMissingComponents',
  ]),
  { field: 'prune', risk: switchedOn('may-delete', 'changes-unit') },
  { field: 'force', risk: switchedOn('may-delete') },
  {
    field: 'deletionPolicy',
    risk: (_, after) => (textOf(after) === 'Orphan' ? 'changes-unit' : 'may-delete'),
  },
]

/** The same of helm-controller. */
const helmRelease: readonly FieldRow[] = [
  ...all('redirects', ['chart', 'chartRef', 'kubeConfig', 'targetNamespace', 'releaseName', 'storageNamespace']),
  ...all('rewrites', ['values', 'valuesFrom', 'postRenderers', 'commonMetadata']),
  ...all('changes-unit', ['dependsOn', 'driftDetection', 'install', 'upgrade', 'rollback', 'uninstall']),
]

/** The same of source-controller. */
const source: readonly FieldRow[] = [
  ...all('redirects', ['url', 'ref', 'endpoint', 'bucketName', 'prefix', 'chart', 'version', 'sourceRef', 'include']),
  ...all('changes-unit', ['secretRef', 'proxySecretRef', 'certSecretRef', 'ignore', 'sparseCheckout', 'layerSelector']),
  { field: 'verify', risk: 'lowers-guard' },
  { field: 'insecure', risk: switchedOn('lowers-guard') },
]

const rewriting = ['kustomize', 'helm', 'directory', 'plugin']
/** From the API of Argo CD 3. Below `spec` of an Application, and of the template of an ApplicationSet. */
const application: readonly FieldRow[] = [
  ...all('redirects', ['destination', 'project']),
  ...['source', 'sourceHydrator.drySource'].flatMap((place) => [
    ...all(
      'redirects',
      ['repoURL', 'path', 'targetRevision', 'chart', 'ref'].map((field) => `${place}.${field}`),
    ),
    ...all(
      'rewrites',
      rewriting.map((field) => `${place}.${field}`),
    ),
  ]),
  ...all('redirects', ['sources']),
  ...all('changes-unit', ['ignoreDifferences', 'sourceHydrator.syncSource', 'syncPolicy.managedNamespaceMetadata']),
  { field: 'syncPolicy.automated.prune', risk: switchedOn('may-delete', 'changes-unit') },
  { field: 'syncPolicy.automated.allowEmpty', risk: switchedOn('may-delete') },
  { field: 'syncPolicy.automated.selfHeal', risk: (_, after) => (isOn(after) ? undefined : 'changes-unit') },
  { field: 'syncPolicy.syncOptions', risk: (_, after) => (replaces(after) ? 'may-delete' : 'changes-unit') },
]

const applicationSet: readonly FieldRow[] = [
  ...application.map((row) => ({ ...row, field: `template.spec.${row.field}` })),
  ...all('redirects', ['generators', 'templatePatch']),
  {
    field: 'syncPolicy.preserveResourcesOnDeletion',
    risk: (before) => (isOn(before) ? 'may-delete' : 'changes-unit'),
  },
  ...all('changes-unit', ['syncPolicy.applicationsSync', 'strategy', 'ignoreApplicationDifferences']),
]

const rows: ReadonlyMap<string, readonly FieldRow[]> = new Map([
  ['kustomize.toolkit.fluxcd.io/Kustomization', kustomization],
  ['helm.toolkit.fluxcd.io/HelmRelease', helmRelease],
  ['argoproj.io/Application', application],
  ['argoproj.io/ApplicationSet', applicationSet],
])

/** Options of Argo CD by which an object is deleted and made again. */
function replaces(options: Value): boolean {
  return itemsAt(options).some((option) => /^(?:Replace|Force)=true$/.test(textOf(option)))
}

/** The effects of the change of a unit, of its source, or of a list of kustomize on applied objects. */
export function unitEffects(
  { before, after }: { readonly before: TreeObject; readonly after: TreeObject },
  fields: readonly FieldChange[],
): readonly EffectReason[] {
  const own = groupOf(after) === 'source.toolkit.fluxcd.io' ? source : (rows.get(groupKindOf(after)) ?? [])
  return own.flatMap(({ field, risk }): readonly EffectReason[] => {
    const path = ['spec', ...field.split('.')]
    // a unit of another release has another name and path, which is no change
    if (!fields.some((change) => overlaps(change, path))) return []
    const [old, now] = [fieldAt(before.object, ...path) ?? null, fieldAt(after.object, ...path) ?? null]
    if (formatGoJson(old) === formatGoJson(now)) return []
    const found = typeof risk === 'string' ? risk : risk(old, now)
    return found === undefined ? [] : [{ risk: found, text: describeValues(path.slice(1).join('.'), old, now) }]
  })
}

/** True if a unit of the GitOps tool deletes what leaves its part of the tree. */
export function prunes({ object }: TreeObject): boolean {
  return (
    isOn(fieldAt(object, 'spec', 'prune') ?? null) ||
    [['spec'], ['spec', 'template', 'spec']].some((path) =>
      isOn(fieldAt(object, ...path, 'syncPolicy', 'automated', 'prune') ?? null),
    )
  )
}

/** True if what a unit applied is deleted with it. */
export function deletesContent(unit: TreeObject): boolean {
  const { object } = unit
  switch (groupKindOf(unit)) {
    case 'kustomize.toolkit.fluxcd.io/Kustomization': {
      const policy = textAt(object, 'spec', 'deletionPolicy')
      return policy === 'Delete' || policy === 'WaitForTermination' || (policy !== 'Orphan' && prunes(unit))
    }
    case 'helm.toolkit.fluxcd.io/HelmRelease':
      return true
    case 'argoproj.io/Application':
      return itemsAt(object, 'metadata', 'finalizers').some((name) =>
        textOf(name).startsWith('resources-finalizer.argocd'),
      )
    case 'argoproj.io/ApplicationSet':
      return !isOn(fieldAt(object, 'spec', 'syncPolicy', 'preserveResourcesOnDeletion') ?? null)
    default:
      return false
  }
}

/** The effects of a list of kustomize on the objects of its folder that it did not have before. */
export function listEffects(
  { apiVersion, object }: TreeObject,
  before: TreeObject | undefined,
): readonly EffectReason[] {
  if (!apiVersion.startsWith('kustomize.config.k8s.io/')) return []
  const outside = (list: Dict | undefined): readonly string[] =>
    list === undefined ? [] : itemsAt(list, 'resources').map(textOf)
  const [had, has] = [outside(before?.object), outside(object)]
  const redirected = [
    ...has.filter((name) => !had.includes(name)).map((name) => `lists ${name}`),
    ...had.filter((name) => !has.includes(name)).map((name) => `no longer lists ${name}`),
  ].map((text): EffectReason => ({ risk: 'redirects', text }))
  const rewriting = changedListFields(before?.object, object)
    .filter((name) => !['apiVersion', 'kind', 'metadata', 'resources', 'sortOptions', 'buildMetadata'].includes(name))
    .map((name): EffectReason => ({ risk: 'rewrites', text: name }))
  return [...redirected, ...rewriting]
}

function overlaps({ path }: FieldChange, own: readonly string[]): boolean {
  return own.every((step, index) => index >= path.length || path[index] === step)
}

/** Words of an API stand for themselves; everything else may be long, or a secret. */
export function describeValues(field: string, before: Value, after: Value): string {
  const word = (value: Value): string | undefined => {
    if (value === null) return 'unset'
    if (typeof value === 'boolean') return String(value)
    if (value instanceof GoInt) return String(value.value)
    if (Array.isArray(value) && value.length > 0 && value.length <= 3) {
      const words = value.map(word)
      return value.every((item) => typeof item === 'string') && !words.includes(undefined) ? words.join('+') : undefined
    }
    return typeof value === 'string' && /^[A-Z][A-Za-z]{2,30}$/.test(value) ? value : undefined
  }
  const [old, now] = [word(before), word(after)]
  if (old !== undefined && now !== undefined) return `${field} ${old} -> ${now}`
  if (now === 'unset') return `${field} gone`
  return old === 'unset' ? `${field} new` : field
}

/** Marks on an object that tell a GitOps tool how to treat it. */
const marks: readonly {
  readonly annotation: string
  readonly value: RegExp
  readonly added: ChangeRisk
  readonly removed?: ChangeRisk
}[] = [
  {
    annotation: 'kustomize.toolkit.fluxcd.io/prune',
    value: /^disabled$/i,
    added: 'changes-unit',
    removed: 'lowers-guard',
  },
  {
    annotation: 'kustomize.toolkit.fluxcd.io/reconcile',
    value: /^disabled$/i,
    added: 'suspends',
    removed: 'lowers-guard',
  },
  { annotation: 'kustomize.toolkit.fluxcd.io/force', value: /^enabled$/i, added: 'may-delete' },
  { annotation: 'kustomize.toolkit.fluxcd.io/ssa', value: /./, added: 'changes-unit', removed: 'changes-unit' },
  {
    annotation: 'argocd.argoproj.io/sync-options',
    value: /(?:^|,)\s*(?:Prune|Delete)=(?:false|confirm)\s*(?:,|$)/,
    added: 'changes-unit',
    removed: 'lowers-guard',
  },
  {
    annotation: 'argocd.argoproj.io/sync-options',
    value: /(?:^|,)\s*(?:Replace|Force)=true\s*(?:,|$)/,
    added: 'may-delete',
  },
  { annotation: 'argocd.argoproj.io/skip-reconcile', value: /^true$/i, added: 'suspends' },
  { annotation: 'argocd.argoproj.io/hook', value: /./, added: 'changes-unit', removed: 'changes-unit' },
  {
    annotation: 'helm.sh/resource-policy',
    value: /(?:^|,)\s*keep\s*(?:,|$)/,
    added: 'changes-unit',
    removed: 'lowers-guard',
  },
]

/** The effects of a change of marks. */
export function markEffects(before: Dict, after: Dict): readonly EffectReason[] {
  return marks.flatMap(({ annotation, value, added, removed }): readonly EffectReason[] => {
    const [old, now] = [before, after].map((object) =>
      value.test(textAt(object, 'metadata', 'annotations', annotation)),
    )
    const risk = old === now ? undefined : now === true ? added : removed
    return risk === undefined ? [] : [{ risk, text: `${annotation} ${now === true ? 'set' : 'gone'}` }]
  })
}
