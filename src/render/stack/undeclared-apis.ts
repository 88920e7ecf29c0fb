import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { fileOf, type Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import { describeManifest } from './patch.ts'

/** How many objects a message names. */
const MAX_NAMED = 3

/** More questions than this are not told apart. */
const MAX_TOLD_APART = 8

/** Versions that no Kubernetes since 1.25 serves; charts go on asking for them on behalf of older ones. */
const GONE: ReadonlySet<string> = new Set([
  'extensions/v1beta1',
  'policy/v1beta1',
  'batch/v1beta1',
  'networking.k8s.io/v1beta1',
])

/** A trial render of a chart, with API versions that it missed. */
export interface ApiTrial {
  /** API versions that the chart asked for in vain, in order of the questions. */
  readonly missed: readonly string[]
  readonly chart: string
  /** Renders with some of them added. @throws StackmasonError as every render */
  readonly render: (added: readonly string[]) => readonly Manifest[]
  /** Where an object is written that it renders to with some of them; undefined when that cannot be told. */
  readonly locate: (added: readonly string[], manifest: Manifest) => { readonly at: Span } | undefined
}

/**
 * Says which objects a chart leaves out because an API version is not declared: those of that very API. A chart that
 * only asks, or that writes other objects differently, is none of it: most such questions are for clusters of other
 * kinds.
 */
export function findSkipped(manifests: readonly Manifest[], given: ApiTrial): readonly Diagnostic[] {
  const trial = withoutGone(given)
  if (trial.missed.length === 0) return []
  const there = new Set(manifests.map(identityOf))
  const addedWith = (versions: readonly string[]): readonly Manifest[] =>
    (attempt(trial, versions) ?? []).filter(
      (manifest) => !there.has(identityOf(manifest)) && trial.missed.some((version) => isOf(manifest, version)),
    )
  const skipped = addedWith(trial.missed)
  const [first] = skipped
  if (first === undefined) return []
  const needed = reduce(trial.missed, (versions) => addedWith(versions).length >= skipped.length)
  const named = skipped.slice(0, MAX_NAMED).map(describeManifest).join(', ')
  const rest = skipped.length > MAX_NAMED ? ` and ${String(skipped.length - MAX_NAMED)} more` : ''
  return [
    {
      code: 'API_VERSION_UNDECLARED',
      severity: 'warning',
      message: `chart ${trial.chart} leaves out ${named}${rest}: it looked for ${looked(needed)} not declared`,
      ...(trial.locate(trial.missed, first) ?? { file: fileOf(first.origin) }),
      hint: `${declaring(needed)}; else switch the objects off in the values of the addon.`,
    },
  ]
}

/**
 * Gives the problems of a chart that failed, with what would help where declaring the API versions that it missed does.
 */
export function withMissedApis(problems: readonly Diagnostic[], given: ApiTrial): readonly Diagnostic[] {
  const trial = withoutGone(given)
  const succeeds = (versions: readonly string[]): boolean => attempt(trial, versions) !== undefined
  if (trial.missed.length === 0 || !succeeds(trial.missed)) return problems
  const needed = reduce(trial.missed, succeeds)
  const hint = `The chart looked for ${looked(needed)} not declared. ${declaring(needed)}.`
  return problems.map((problem) => (problem.severity === 'error' ? { ...problem, hint } : problem))
}

function withoutGone(trial: ApiTrial): ApiTrial {
  const isServed = (version: string): boolean => !GONE.has(version.split('/').slice(0, 2).join('/'))
  return { ...trial, missed: trial.missed.filter(isServed) }
}

/** Leaves what is enough. */
function reduce(versions: readonly string[], isEnough: (versions: readonly string[]) => boolean): readonly string[] {
  if (versions.length > MAX_TOLD_APART) return versions
  return versions.reduce<readonly string[]>((kept, version) => {
    const without = kept.filter((other) => other !== version)
    return isEnough(without) ? without : kept
  }, versions)
}

function looked(versions: readonly string[]): string {
  return `the API version${versions.length === 1 ? '' : 's'} ${versions.map(shownApi).join(', ')}, which ${versions.length === 1 ? 'is' : 'are'}`
}

/** `group/version` or `group/version/Kind`; a chart may ask for any text. */
function shownApi(version: string): string {
  const [, apiVersion = version, kind] = /^(.*)\/([A-Z][^/]*)$/.exec(version) ?? []
  return kind === undefined ? shownApiVersion(apiVersion) : `${shownApiVersion(apiVersion)}/${shownKind(kind)}`
}

function declaring(versions: readonly string[]): string {
  const it = versions.length === 1 ? 'it' : 'them'
  return `If the cluster serves ${it}, add ${it} to spec.apiVersions of addons.yaml or stackmason.yaml`
}

/** Undefined when the chart fails with them too. */
function attempt({ render }: ApiTrial, versions: readonly string[]): readonly Manifest[] | undefined {
  try {
    return render(versions)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

function isOf({ apiVersion, kind }: Manifest, asked: string): boolean {
  return asked === apiVersion || asked === `${apiVersion}/${kind}`
}

function identityOf({ apiVersion, kind, namespace = '', name }: Manifest): string {
  return [apiVersion, kind, namespace, name].join('\n')
}
