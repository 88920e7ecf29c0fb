import { renderRules } from '../../check/render-rules.ts'
import type { RuleText } from '../../check/rule.ts'
import { rules } from '../../check/rules.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, relativePath } from '../../codec/path.ts'
import type { Acknowledgement } from '../../model/acknowledgement.ts'
import type { CheckException, CheckExceptions } from '../../model/check-exception.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Fleet } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import type { RuleLevel, RuleLevels } from '../../model/rule-level.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { isPolicyFile, readPolicyTexts } from './read-check-inputs.ts'

type ExceptionPorts = Pick<Ports, 'files' | 'packageFiles' | 'git'>

/** What of a fleet decides what a check leaves out. */
interface CheckSettings extends Pick<
  Fleet,
  'ruleLevels' | 'ruleLevelPlaces' | 'acknowledged' | 'managementMinor' | 'schemaFolders'
> {
  /** Texts by path relative to the fleet's folder. */
  readonly policies: ReadonlyMap<string, string>
}

/** Inputs of a fleet as a commit has them, or as they lie on disk. */
export type InputState = { readonly revision: string } | 'disk'

const texts: ReadonlyMap<Code, RuleText> = new Map([...rules, ...renderRules].map((rule) => [rule.code, rule]))
const ranks: readonly RuleLevel[] = ['off', 'warning', 'error']

/** The rules that a fleet turns off or lowers. */
export function standingExceptions(levels: RuleLevels): Pick<CheckExceptions, 'off' | 'lowered'> {
  const lower = [...levels].filter(([code, level]) => rankOf(level) < rankOf(ownLevel(code)))
  const codesOf = (wanted: RuleLevel): readonly Code[] =>
    lower.flatMap(([code, level]) => (level === wanted ? [code] : [])).toSorted()
  return { off: codesOf('off'), lowered: codesOf('warning') }
}

/**
 * What a change of stackmason.yaml or of the policies beside it keeps from being said. Where there was no fleet before,
 * nothing is; what cannot be read has no exceptions.
 * @param file absolute path of stackmason.yaml
 */
export async function findExceptions(
  file: string,
  { before, after }: { readonly before: InputState; readonly after: InputState },
  ports: ExceptionPorts,
): Promise<readonly CheckException[]> {
  const old = await settingsAt(file, before, ports)
  const now = await settingsAt(file, after, ports)
  if (old === undefined || now === undefined) return []
  return [
    ...levelChanges(old, now),
    ...newAcknowledgements(old, now),
    ...policyChanges(old, now),
    ...settingChanges(old, now, dirName(file)),
  ]
}

function levelChanges(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const codes = [...new Set([...old.ruleLevels.keys(), ...now.ruleLevels.keys()])].toSorted()
  return codes.flatMap((code): readonly CheckException[] => {
    const [before, after] = [old, now].map(({ ruleLevels }) => ruleLevels.get(code) ?? ownLevel(code))
    if (before === undefined || after === undefined || rankOf(after) >= rankOf(before)) return []
    const at = now.ruleLevelPlaces.get(code)
    return [{ kind: 'level', code, before, after, ...(at !== undefined && { at }) }]
  })
}

/** The change of the tree with that of the inputs among its facts. */
export function withExceptions(change: TreeChange, exceptions: readonly CheckException[]): TreeChange {
  return exceptions.length === 0 ? change : { ...change, facts: { ...change.facts, exceptions } }
}

/** An entry is the same whatever its reason; one that holds longer than before is new. */
function newAcknowledgements(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const held = new Map<string, string>()
  for (const entry of old.acknowledged) {
    const known = held.get(keyOf(entry))
    if (known === undefined || known < entry.until) held.set(keyOf(entry), entry.until)
  }
  return now.acknowledged.flatMap((entry): readonly CheckException[] => {
    const earlier = held.get(keyOf(entry))
    if (earlier !== undefined && entry.until <= earlier) return []
    return [{ kind: 'acknowledgement', entry, ...(earlier !== undefined && { earlier }) }]
  })
}

function keyOf({ code, cluster, release, addon, object }: Acknowledgement): string {
  return JSON.stringify([code, cluster, release, addon, object])
}

function policyChanges(old: CheckSettings, now: CheckSettings): readonly CheckException[] {
  const files = new Set([...old.policies.keys(), ...now.policies.keys()])
  return [...files].toSorted().flatMap((file): readonly CheckException[] => {
    const [text, other] = [old.policies.get(file), now.policies.get(file)]
    if (text === undefined) return isMoreThanPolicies(other ?? '') ? [{ kind: 'policy', file, change: 'added' }] : []
    if (other === undefined) return [{ kind: 'policy', file, change: 'removed' }]
    return other === text ? [] : [{ kind: 'policy', file, change: 'changed' }]
  })
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
  return [...ofMinor, ...ofSchemas]
}

/** Findings of rendering that stop nothing are warnings. */
function ownLevel(code: Code): RuleLevel {
  const rule = texts.get(code)
  if (rule?.isOptIn === true) return 'off'
  return rule?.severity === 'error' ? 'error' : 'warning'
}

function rankOf(level: RuleLevel): number {
  return ranks.indexOf(level)
}

/** Undefined where there is no fleet, or nobody can tell. */
async function settingsAt(file: string, state: InputState, ports: ExceptionPorts): Promise<CheckSettings | undefined> {
  const root = dirName(file)
  if (state === 'disk') return settingsOf(file, await readPolicyTexts(root, ports), ports)
  const { revision } = state
  const isAsked = (path: string): boolean => path === baseName(file) || isPolicyFile(path)
  try {
    const found = await ports.git.readCommitted(root, isAsked, revision === 'HEAD' ? undefined : revision)
    const bytes = found.get(baseName(file))
    if (bytes === undefined) return undefined
    const policies = new Map(
      [...found].flatMap(([path, text]) => (isPolicyFile(path) ? [[path, decodeUtf8(text)]] : [])),
    )
    return await settingsOf(file, policies, withFile(ports, file, bytes))
  } catch (error) {
    // whoever compares the trees tells of it
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** A file that cannot be read has no exceptions, so that all that come after it are new. */
async function settingsOf(
  file: string,
  policies: ReadonlyMap<string, string>,
  ports: Pick<Ports, 'files' | 'packageFiles'>,
): Promise<CheckSettings> {
  try {
    return { ...(await readFleetFile(file, ports)), policies }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { ruleLevels: new Map(), ruleLevelPlaces: new Map(), acknowledged: [], schemaFolders: [], policies }
  }
}

/** The ports, with another content of one file. */
function withFile(ports: ExceptionPorts, file: string, bytes: Uint8Array): ExceptionPorts {
  const { files } = ports
  return {
    ...ports,
    files: { ...files, read: (path, from) => (path === file ? Promise.resolve(bytes) : files.read(path, from)) },
  }
}
