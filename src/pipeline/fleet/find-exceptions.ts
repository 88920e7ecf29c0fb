import { renderRules } from '../../check/render-rules.ts'
import type { RuleText } from '../../check/rule.ts'
import { rules } from '../../check/rules.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { baseName, dirName, joinPath, relativePath } from '../../codec/path.ts'
import type { Acknowledgement } from '../../model/acknowledgement.ts'
import type { CheckException, CheckExceptions } from '../../model/check-exception.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import { itemsAt } from '../../model/field.ts'
import type { Fleet, KindScope } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import { inputPath } from '../../model/input-path.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { RuleLevel, RuleLevels } from '../../model/rule-level.ts'
import { whyFixed } from '../../model/stopping-codes.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import {
  definedNames,
  isObjectFile,
  isPolicyFile,
  OWN_DEFINITIONS,
  POLICIES,
  readObjectTexts,
} from './read-check-inputs.ts'

/** Files of a cluster, beside each other. */
const [ADDONS_FILE, CLUSTER_FILE] = ['addons.yaml', 'cluster.yaml']

type ExceptionPorts = Pick<Ports, 'files' | 'packageFiles' | 'timeZones' | 'git'>

/** The settings of a fleet that take parts out of a check. */
interface CheckSettings extends Pick<
  Fleet,
  'ruleLevels' | 'ruleLevelPlaces' | 'acknowledged' | 'managementMinor' | 'schemaFolders' | 'apiVersions' | 'scopes'
> {
  readonly inputs: InputTexts
  /** Files of definitions, by absolute path. */
  readonly schemas: ReadonlyMap<string, string>
}

/** Texts of files by path relative to the fleet's folder. */
interface InputTexts {
  readonly policies: ReadonlyMap<string, string>
  /** addons.yaml beside clusters, and cluster.yaml. */
  readonly clusters: ReadonlyMap<string, string>
}

/** Inputs of a fleet as a commit has them, or as they lie on disk. */
export type InputState = { readonly revision: string } | 'disk'

const texts: ReadonlyMap<Code, RuleText> = new Map([...rules, ...renderRules].map((rule) => [rule.code, rule]))
const ranks: readonly RuleLevel[] = ['off', 'warning', 'error']

/** The rules that a fleet turns off or lowers; what cannot be lowered is not among them. */
export function standingExceptions(levels: RuleLevels): Pick<CheckExceptions, 'off' | 'lowered'> {
  const lower = [...levels].filter(([code, level]) => isLower(code, level, ownLevel(code)))
  const codesOf = (wanted: RuleLevel): readonly Code[] =>
    lower.flatMap(([code, level]) => (level === wanted ? [code] : [])).toSorted()
  return { off: codesOf('off'), lowered: codesOf('warning') }
}

/** The API versions that addons.yaml of clusters declare as served, by path relative to the fleet's folder. */
export type Declarations = readonly (readonly [path: string, apiVersions: readonly string[]])[]

/** The exceptions that a change adds, and what the exceptions of clusters come from. */
interface FoundExceptions {
  readonly added: readonly CheckException[]
  /** As they are after the change. */
  readonly declared: Declarations
}

/**
 * Finds exceptions that a change of stackmason.yaml or of the policies beside it adds. Where there was no fleet before
 * there are none; files that cannot be read have no exceptions.
 * @param file absolute path of stackmason.yaml
 */
export async function findExceptions(
  file: string,
  { before, after }: { readonly before: InputState; readonly after: InputState },
  ports: ExceptionPorts,
): Promise<FoundExceptions> {
  const old = await settingsAt(file, before, ports)
  const now = await settingsAt(file, after, ports)
  if (now === undefined) return { added: [], declared: [] }
  const declared = declarationsIn(now.inputs.clusters)
  if (old === undefined) return { added: [], declared }
  const added = [
    ...levelChanges(old, now),
    ...newAcknowledgements(old, now),
    ...policyChanges(old, now),
    ...settingChanges(old, now, dirName(file)),
    ...(await schemaChanges(old, now, dirName(file), ports)),
    ...declarationChanges(old, { ...now, declared }, baseName(file)),
  ]
  return { added, declared }
}

/** The declarations of some clusters, as {@link findExceptions} has them; `root` is the fleet's folder, absolute. */
export async function readDeclarations(
  root: string,
  clusters: readonly ObjectName[],
  ports: Pick<Ports, 'files'>,
): Promise<Declarations> {
  const found: Declarations[number][] = []
  for (const cluster of clusters) {
    const texts = await readObjectTexts(joinPath(root, inputPath(cluster)), root, ports, isClusterInput)
    found.push(...declarationsIn(texts))
  }
  return found
}

function declarationsIn(texts: ReadonlyMap<string, string>): Declarations {
  return [...texts].flatMap(([path, text]): Declarations => {
    const declared = baseName(path) === CLUSTER_FILE ? [] : declaredIn(text)
    return declared.length === 0 ? [] : [[path, declared]]
  })
}

function levelChanges(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const codes = [...new Set([...old.ruleLevels.keys(), ...now.ruleLevels.keys()])].toSorted()
  return codes.flatMap((code): readonly CheckException[] => {
    const [before, after] = [old, now].map(({ ruleLevels }) => ruleLevels.get(code) ?? ownLevel(code))
    if (before === undefined || after === undefined || !isLower(code, after, before)) return []
    const at = now.ruleLevelPlaces.get(code)
    const isNote = !old.ruleLevels.has(code) && texts.get(code)?.severity === 'note'
    return [{ kind: 'level', code, before: isNote ? 'note' : before, after, at }]
  })
}

/** The change of the tree with that of the inputs among its facts. */
export function withExceptions(change: TreeChange, exceptions: readonly CheckException[]): TreeChange {
  return exceptions.length === 0 ? change : { ...change, facts: { ...change.facts, exceptions } }
}

/** An entry is the same whatever its reason; one that holds longer than before is new. Errors have no such entry. */
function newAcknowledgements(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const held = new Map<string, string>()
  for (const entry of old.acknowledged) {
    const known = held.get(keyOf(entry))
    if (known === undefined || known < entry.until) held.set(keyOf(entry), entry.until)
  }
  return now.acknowledged.flatMap((entry): readonly CheckException[] => {
    if (whyFixed(entry.code) !== undefined) return []
    const earlier = held.get(keyOf(entry))
    if (earlier !== undefined && entry.until <= earlier) return []
    return [{ kind: 'acknowledgement', entry, earlier }]
  })
}

function keyOf({ code, cluster, release, addon, object }: Acknowledgement): string {
  return JSON.stringify([code, cluster, release, addon, object])
}

function policyChanges(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const [before, after] = [old.inputs.policies, now.inputs.policies]
  const moved = movedPolicies(before, after)
  const files = [...before.keys(), ...after.keys()].filter((file) => !moved.has(file))
  return [...new Set(files)].toSorted().flatMap((file): readonly CheckException[] => {
    const [text, other] = [before.get(file), after.get(file)]
    if (text === undefined) return isMoreThanPolicies(other ?? '') ? [{ kind: 'policy', file, change: 'added' }] : []
    if (other === undefined) return [{ kind: 'policy', file, change: 'removed' }]
    return other === text ? [] : [{ kind: 'policy', file, change: 'changed' }]
  })
}

/** Files that have another name, and say the same of the same API servers. */
function movedPolicies(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlySet<string> {
  const keyOf = (file: string, text: string): string => {
    const [, folder = ''] = file.split('/')
    return `${folder === 'management' || folder === 'workload' ? folder : ''}/${text}`
  }
  const places = new Map<string, string[]>()
  for (const [file, text] of after)
    if (!before.has(file)) places.set(keyOf(file, text), [...(places.get(keyOf(file, text)) ?? []), file])
  const moved = new Set<string>()
  for (const [file, text] of before) {
    const to = after.has(file) ? undefined : places.get(keyOf(file, text))?.shift()
    if (to !== undefined) moved.add(file).add(to)
  }
  return moved
}

/** Another policy or binding refuses more; a namespace or a parameter may have one refuse less. */
function isMoreThanPolicies(text: string): boolean {
  const kinds = Array.from(text.matchAll(/^[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?(\w+)/gm), ([, kind]) => kind)
  return kinds.some(
    (kind) => kind !== 'ValidatingAdmissionPolicy' && kind !== 'ValidatingAdmissionPolicyBinding' && kind !== undefined,
  )
}

/** Fields without which less can be judged; more of them is no exception. */
function settingChanges(old: CheckSettings, now: CheckSettings, root: string): readonly CheckException[] {
  const [minor, other = 'not set'] = [old.managementMinor, now.managementMinor]
  const ofMinor: readonly CheckException[] =
    minor === undefined || minor === other
      ? []
      : [{ kind: 'setting', field: 'spec.managementCluster.kubernetesVersion', before: minor, after: other }]
  const gone = old.schemaFolders.filter((folder) => !now.schemaFolders.includes(folder))
  const ofSchemas = gone.map((folder): CheckException => {
    const before = relativePath(root, folder)
    return { kind: 'setting', field: 'spec.check.schemas', before, after: 'without it' }
  })
  const fromCrds: readonly CheckException[] =
    old.apiVersions.fromCrds || !now.apiVersions.fromCrds
      ? []
      : [{ kind: 'setting', field: 'spec.apiVersionsFromCrds', before: 'false', after: 'true' }]
  return [...ofMinor, ...ofSchemas, ...fromCrds, ...scopeChanges(old, now)]
}

/** Changes of spec.scopes: the scope in an entry is not looked up, so nothing finds a wrong one. */
function scopeChanges(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const nameOf = ({ group, kind }: KindScope): string => (group === '' ? kind : `${kind}.${group}`)
  const wordOf = ({ namespaced }: KindScope): string => (namespaced ? 'namespaced' : 'cluster-scoped')
  const known = new Map(old.scopes.map((scope) => [nameOf(scope), wordOf(scope)]))
  return now.scopes.flatMap((scope): readonly CheckException[] => {
    const [name, after] = [nameOf(scope), wordOf(scope)]
    const before = known.get(name) ?? 'not set'
    return before === after ? [] : [{ kind: 'setting', field: `spec.scopes of ${name}`, before, after }]
  })
}

/** Of folders that both have; a definition that is new counts where it takes the place of another. */
async function schemaChanges(
  old: CheckSettings,
  now: CheckSettings,
  root: string,
  ports: Pick<Ports, 'packageFiles'>,
): Promise<readonly CheckException[]> {
  const kept = old.schemaFolders.filter((folder) => now.schemaFolders.includes(folder))
  const files = [...new Set([...old.schemas.keys(), ...now.schemas.keys()])].toSorted()
  const known = new Set([...old.schemas.values()].flatMap(definedNames))
  let own: ReadonlySet<string> | undefined
  const found: CheckException[] = []
  for (const path of files) {
    const [text, other] = [old.schemas.get(path), now.schemas.get(path)]
    if (text === other || definedNames(`${text ?? ''}\n---\n${other ?? ''}`).length === 0) continue
    const file = relativePath(root, path)
    if (text === undefined) {
      const names = definedNames(other ?? '')
      own ??= await ownDefinitions(ports)
      if (names.some((name) => known.has(name) || own?.has(name) === true))
        found.push({ kind: 'schema', file, change: 'added' })
    } else if (kept.some((folder) => path.startsWith(`${folder}/`)))
      found.push({ kind: 'schema', file, change: other === undefined ? 'removed' : 'changed' })
  }
  return found
}

async function ownDefinitions({ packageFiles }: Pick<Ports, 'packageFiles'>): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const name of await packageFiles.names(OWN_DEFINITIONS))
    for (const defined of definedNames(decodeUtf8(await packageFiles.read(`${OWN_DEFINITIONS}/${name}`))))
      names.add(defined)
  return names
}

/** API versions that are known because somebody says so; a cluster that is new may say so. */
function declarationChanges(
  old: CheckSettings,
  now: CheckSettings & Pick<FoundExceptions, 'declared'>,
  file: string,
): readonly CheckException[] {
  const places = new Map<string, string[]>()
  const add = (value: string, place: string): void => {
    places.set(value, [...(places.get(value) ?? []), place])
  }
  for (const value of now.apiVersions.declared) if (!old.apiVersions.declared.includes(value)) add(value, file)
  for (const [path, values] of now.declared) {
    const isNew = !old.inputs.clusters.has(`${dirName(path)}/${CLUSTER_FILE}`)
    if (isNew && now.inputs.clusters.has(`${dirName(path)}/${CLUSTER_FILE}`)) continue
    const before = declaredIn(old.inputs.clusters.get(path) ?? '')
    for (const value of values) if (!before.includes(value)) add(value, path)
  }
  return [...places].map(([apiVersion, files]): CheckException => ({ kind: 'declaration', apiVersion, files }))
}

/** The kinds that a text declares; none where it cannot be read: rendering reports that. */
function declaredIn(text: string): readonly string[] {
  try {
    const document = parseGoYaml(text)
    return itemsAt(document, 'spec', 'apiVersions').filter((item) => typeof item === 'string')
  } catch (error) {
    if (error instanceof YamlError) return []
    throw error
  }
}

/** Findings of rendering that stop nothing are warnings. */
function ownLevel(code: Code): RuleLevel {
  const rule = texts.get(code)
  if (rule?.isOptIn === true) return 'off'
  return rule?.severity === 'error' ? 'error' : 'warning'
}

/** Of what stops rendering no level has an effect. */
function isLower(code: Code, level: RuleLevel, before: RuleLevel): boolean {
  return rankOf(level) < rankOf(before) && whyFixed(code) === undefined
}

function rankOf(level: RuleLevel): number {
  return ranks.indexOf(level)
}

/** Undefined where there is no fleet, or nobody can tell. */
async function settingsAt(file: string, state: InputState, ports: ExceptionPorts): Promise<CheckSettings | undefined> {
  const root = dirName(file)
  if (state === 'disk') {
    const policies = await readObjectTexts(joinPath(root, POLICIES), root, ports)
    const clusters = await readObjectTexts(joinPath(root, CLUSTERS), root, ports, isClusterInput)
    const schemasIn = (folder: string): Promise<ReadonlyMap<string, string>> => readObjectTexts(folder, '', ports)
    return settingsOf(file, { policies, clusters }, { ports, schemasIn })
  }
  const revision = state.revision === 'HEAD' ? undefined : state.revision
  const textsIn = async (
    folder: string,
    isAsked: (path: string) => boolean,
  ): Promise<ReadonlyMap<string, Uint8Array>> => ports.git.readCommitted(folder, isAsked, revision)
  try {
    const found = await textsIn(root, (path) => path === baseName(file) || isPolicyFile(path) || isClusterInput(path))
    const bytes = found.get(baseName(file))
    if (bytes === undefined) return undefined
    const decoded = new Map([...found].map(([path, text]) => [path, decodeUtf8(text)]))
    const schemasIn = async (folder: string): Promise<ReadonlyMap<string, string>> =>
      new Map(
        [...(await textsIn(folder, isObjectFile))].map(([path, text]) => [joinPath(folder, path), decodeUtf8(text)]),
      )
    const inputs = { policies: pick(decoded, isPolicyFile), clusters: pick(decoded, isClusterInput) }
    return await settingsOf(file, inputs, { ports: withFile(ports, file, bytes), schemasIn })
  } catch (error) {
    // whoever compares the trees tells of it
    if (error instanceof GitError) return undefined
    throw error
  }
}

function pick(all: ReadonlyMap<string, string>, isWanted: (path: string) => boolean): ReadonlyMap<string, string> {
  return new Map([...all].filter(([path]) => isWanted(path)))
}

function isClusterInput(path: string): boolean {
  return path.startsWith(`${CLUSTERS}/`) && [ADDONS_FILE, CLUSTER_FILE].includes(baseName(path))
}

/** A file that cannot be read has no exceptions, so that all that come after it are new. */
async function settingsOf(
  file: string,
  inputs: InputTexts,
  reading: {
    readonly ports: Pick<Ports, 'files' | 'packageFiles' | 'timeZones'>
    readonly schemasIn: (folder: string) => Promise<ReadonlyMap<string, string>>
  },
): Promise<CheckSettings> {
  try {
    const fleet = await readFleetFile(file, reading.ports)
    const schemas = new Map<string, string>()
    for (const folder of fleet.schemaFolders)
      for (const [path, text] of await reading.schemasIn(folder)) schemas.set(path, text)
    return { ...fleet, inputs, schemas }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return {
      ruleLevels: new Map(),
      ruleLevelPlaces: new Map(),
      acknowledged: [],
      schemaFolders: [],
      apiVersions: { declared: [], fromCrds: false },
      scopes: [],
      schemas: new Map(),
      inputs,
    }
  }
}

/** The ports, with another content of one file. */
function withFile(ports: ExceptionPorts, file: string, bytes: Uint8Array): ExceptionPorts {
  // one by one: some ports make a run count as one that does more than to read
  const { files, packageFiles, timeZones, git } = ports
  return {
    packageFiles,
    timeZones,
    git,
    files: { ...files, read: (path, from) => (path === file ? Promise.resolve(bytes) : files.read(path, from)) },
  }
}
