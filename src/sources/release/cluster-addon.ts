import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, fieldAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Release, Stage, StageCondition, StageHook } from '../../model/release.ts'
import { Dict } from '../../model/value.ts'
import { originPath } from './origin-path.ts'
import { openReleaseDocument, type ReleaseDocument } from './release-document.ts'

/** clusteraddon.yaml: the stages of each hook. */
export interface ClusterAddonConfig {
  readonly stages: Release['stages']
  readonly findings: readonly Diagnostic[]
}

/** The addons that stages may name. */
export interface KnownAddons {
  /** Addons of the release, in order. */
  readonly addons: readonly string[]
  /** Folders beside them that are no charts. */
  readonly foldersWithoutChart: readonly string[]
}

/** The file whose presence selects the multi-stage form. */
export const CLUSTER_ADDON = 'clusteraddon.yaml'
/** The runtime values template of the old form. */
export const ADDON_VALUES = 'cluster-addon-values.yaml'

const HOOKS: readonly StageHook[] = ['AfterControlPlaneInitialized', 'BeforeClusterUpgrade', 'AfterClusterUpgrade']
const RUNNING_HOOKS = HOOKS.slice(0, 2).join(' and ')
const API_VERSION = 'clusteraddonconfig.x-k8s.io/v1alpha1'
const STAGE_KEYS = ['name', 'action', 'waitForPreCondition', 'waitForPostCondition']
const OBJECT_KEYS = ['key', 'apiVersion', 'kind', 'name', 'namespace']

/**
 * Reads clusteraddon.yaml (cluster-stack-operator pkg/clusteraddon). What the operator passes over in silence is said:
 * hooks that never run, unknown fields, addons that no stage applies (findings); another action than apply and delete,
 * stages for addons that are not there (errors).
 * @throws StackmasonError RELEASE_METADATA_INVALID, with every problem
 */
export function parseClusterAddon(bytes: Uint8Array, name: string, known: KnownAddons): ClusterAddonConfig {
  const document = openReleaseDocument(bytes, name)
  document.checkKeys([], ['apiVersion', 'clusterAddonVersion', 'addonStages'])
  const apiVersion = document.optionalText(['apiVersion'])
  if (apiVersion !== '' && apiVersion !== API_VERSION) {
    document.addProblem(['apiVersion'], {
      message: `unknown apiVersion ${JSON.stringify(apiVersion)}`,
      hint: `Known: ${API_VERSION}.`,
    })
  }
  const stages: Partial<Record<StageHook, readonly Stage[]>> = {}
  for (const key of document.requiredMap(['addonStages'])?.keys() ?? []) {
    const hook = HOOKS.find((candidate) => candidate === key)
    if (hook !== undefined) stages[hook] = readStages(document, hook, known)
    if (hook === undefined || hook === 'AfterClusterUpgrade') document.findings.push(deadHook(document, key))
  }
  if (document.problems.length > 0) throw new StackmasonError(document.problems)
  const applied = new Set(
    stages.AfterControlPlaneInitialized?.filter(({ action }) => action === 'apply').map(({ addon }) => addon),
  )
  const unused = known.addons.filter((addon) => !applied.has(addon)).map((addon) => unusedAddon(document, addon))
  return { stages, findings: [...document.findings, ...unused] }
}

/** The finding for values of the old form beside stages. */
export function ignoredValues(folder: string): Diagnostic {
  return {
    code: 'RELEASE_FILE_IGNORED',
    severity: 'warning',
    message: `${ADDON_VALUES} is not read, because ${CLUSTER_ADDON} selects the multi-stage form`,
    file: originPath(folder, ADDON_VALUES),
    hint: "Move each addon's values to cluster-addon/<addon>/overwrite.yaml.",
  }
}

function readStages(document: ReleaseDocument, hook: StageHook, known: KnownAddons): readonly Stage[] {
  const list = fieldAt(document.value, 'addonStages', hook)
  if (list === null) return []
  if (!Array.isArray(list)) {
    document.addProblem(['addonStages', hook], { message: `addonStages.${hook} must be a list of stages` })
    return []
  }
  return list.flatMap((item, index) => {
    const path = ['addonStages', hook, index] as const
    if (item instanceof Dict) return [readStage(document, path, known)]
    document.addProblem(path, { message: 'a stage must be a map with name and action' })
    return []
  })
}

function readStage(document: ReleaseDocument, path: readonly [string, string, number], known: KnownAddons): Stage {
  document.checkKeys(path, STAGE_KEYS)
  const addon = document.requiredText([...path, 'name'])
  const action = document.requiredText([...path, 'action'])
  if (addon !== '' && !known.addons.includes(addon)) addMissingAddon(document, [...path, 'name'], { addon, known })
  if (action !== '' && action !== 'apply' && action !== 'delete') {
    document.addProblem([...path, 'action'], {
      message: `unknown action ${JSON.stringify(action)}`,
      hint: 'Known: apply, delete. The cluster stack operator takes any other word for delete.',
    })
  }
  const preCondition = readCondition(document, [...path, 'waitForPreCondition'])
  const postCondition = readCondition(document, [...path, 'waitForPostCondition'])
  return {
    addon,
    action: action === 'delete' ? 'delete' : 'apply',
    ...(preCondition === undefined ? {} : { preCondition }),
    ...(postCondition === undefined ? {} : { postCondition }),
    at: document.spanOf([...path, 'name']),
  }
}

function addMissingAddon(
  document: ReleaseDocument,
  path: readonly (string | number)[],
  { addon, known }: { readonly addon: string; readonly known: KnownAddons },
): void {
  document.addProblem(path, {
    message: known.foldersWithoutChart.includes(addon)
      ? `the stage names the addon ${JSON.stringify(addon)}, whose folder has no Chart.yaml`
      : `the stage names the addon ${JSON.stringify(addon)}, which is not in the release`,
    hint: `Addons of the release: ${known.addons.join(', ') || 'none'}.`,
  })
}

function readCondition(document: ReleaseDocument, path: readonly (string | number)[]): StageCondition | undefined {
  const found = fieldAt(document.value, ...path)
  // the operator takes an empty condition for none
  if (found === undefined || found === null || (found instanceof Dict && found.size === 0)) return undefined
  if (document.requiredMap(path) === undefined) return undefined
  document.checkKeys(path, ['objects', 'conditions'])
  const conditions = document.requiredText([...path, 'conditions'])
  const list = fieldAt(document.value, ...path, 'objects') ?? null
  if (list !== null && !Array.isArray(list)) {
    document.addProblem([...path, 'objects'], { message: 'objects must be a list' })
  }
  const objects = (Array.isArray(list) ? list : []).map((_, index) => {
    const objectPath = [...path, 'objects', index]
    document.checkKeys(objectPath, OBJECT_KEYS)
    return {
      key: document.requiredText([...objectPath, 'key']),
      apiVersion: document.requiredText([...objectPath, 'apiVersion']),
      kind: document.requiredText([...objectPath, 'kind']),
      name: document.requiredText([...objectPath, 'name']),
      namespace: document.optionalText([...objectPath, 'namespace']),
    }
  })
  return { objects, conditions, at: document.spanOf([...path, 'conditions']) }
}

function deadHook(document: ReleaseDocument, key: string): Diagnostic {
  const list = fieldAt(document.value, 'addonStages', key)
  const count = Array.isArray(list) ? list.length : 0
  const nearest = nearestName(key, HOOKS.slice(0, 2))
  const what = key === 'AfterClusterUpgrade' ? `hook ${key} is never run` : `unknown hook ${JSON.stringify(key)}`
  return {
    code: 'RELEASE_UNKNOWN_HOOK',
    severity: 'warning',
    message: `${what}: its ${count} stage${count === 1 ? '' : 's'} will not be applied`,
    at: document.spanOf(['addonStages', key], 'key'),
    hint:
      nearest === undefined
        ? `Known hooks whose stages run: ${RUNNING_HOOKS}.`
        : `Did you mean ${nearest}? Known hooks whose stages run: ${RUNNING_HOOKS}.`,
  }
}

function unusedAddon(document: ReleaseDocument, addon: string): Diagnostic {
  const hook = 'AfterControlPlaneInitialized'
  const isListed = dictAt(document.value, 'addonStages')?.has(hook) === true
  return {
    code: 'RELEASE_UNUSED_ADDON',
    severity: 'warning',
    message: `no stage of ${hook} applies the addon "${addon}", so new clusters do not get it`,
    at: document.spanOf(isListed ? ['addonStages', hook] : ['addonStages'], 'key'),
    hint: `Add {name: ${addon}, action: apply} to ${hook}, or drop the addon from the release.`,
  }
}
