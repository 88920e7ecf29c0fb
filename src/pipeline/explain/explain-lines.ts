import { pathAtLine } from '../../codec/yaml/path-at-line.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { templatePlace } from '../../handoff/template-place.ts'
import { fieldAt, formatPointer, type PathStep } from '../../model/field.ts'
import type { Cluster, Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Source, Span } from '../../model/source.ts'
import type { Locator } from '../../render/explain/locator.ts'
import { spanOfPlace, type TemplatePlace } from '../../render/explain/template-places.ts'
import type { ShownScalar } from '../../render/explain/values-place.ts'
import { matchesTarget } from '../../render/stack/patch.ts'
import { CLUSTER_UNIT } from '../../render/stack/locate-in-cluster.ts'
import { type HandoffFleet, type HandoffSetting, handoffSetting } from './handoff-settings.ts'
import { type PlaceholderOrigin, placeholdersAt } from './placeholder-origins.ts'
import { type OwnWork, ownHead, ownWork } from './own-work.ts'
import { type NamedFleet, type NameOrigin, unitNameOrigin } from './unit-names.ts'

/** One line of a rendered file and what made it. */
export interface ExplainedLine {
  readonly line: number
  readonly text: string
  /** Templates, innermost first; empty for what comes from no template. */
  readonly templates: readonly TemplatePlace[]
  /** The entry of a values file that the line's scalar came from unchanged. */
  readonly values?: Span | undefined
  /**
   * The field or variable of the Cluster, or the default of its class's variable, that the values were made of; a value
   * of the running cluster that is supplied.
   */
  readonly cluster?: Span | undefined
  /** The entry of a fleet file that stands in the line. */
  readonly fleet?: Span
  /** Of an object of the GitOps tool: the field of stackmason.yaml that it was made with. */
  readonly setting?: HandoffSetting
  /** Of an object of the GitOps tool: what a name in the line is made of. */
  readonly named?: NameOrigin
  /** The work of stackmason itself on the line, or `fleet`: taken from the file of the fleet that the head names. */
  readonly by?: OwnWork | 'fleet'
  /** The values that the line waits for, which are known when the cluster runs, and their origins. */
  readonly placeholders: readonly PlaceholderOrigin[]
  readonly patches: readonly Span[]
}

/** The context for explaining a rendered file. */
export interface Explaining {
  readonly source: Source
  readonly manifest: Manifest
  /** The same object as it was rendered, before it was handed over. */
  readonly rendered: Manifest | undefined
  readonly cluster: Cluster | undefined
  /** True if its folder stays as it is committed. */
  readonly isKept: boolean
  /** Knows the objects of the file's cluster or class; undefined for what is not rendered. */
  readonly locator: Locator | undefined
  readonly line: number | undefined
  readonly fleet: HandoffFleet
  /** The parts of the fleet that units are named after. */
  readonly named: NamedFleet
}

/** Says of each line of a rendered file, or of one, what made it. */
export function explainLines(explaining: Explaining): readonly ExplainedLine[] {
  const { source, manifest, rendered, locator, line } = explaining
  const [document] = parsePositionedYaml(source).documents
  if (document === undefined) return []
  const patches = (explaining.cluster?.patches ?? []).filter((patch) => matchesTarget(manifest, patch.target))
  // a preview has filled what the line waits for
  const asked = rendered?.deferred === undefined ? manifest : { ...manifest, deferred: rendered.deferred }
  const given: Cluster['runtimeValues'] = explaining.cluster?.previewValues ?? new Map()
  const texts = source.text.split('\n')
  if (texts.at(-1) === '') texts.pop()
  const wanted = line === undefined ? texts.map((_, index) => index + 1) : [line]
  return wanted.map((number): ExplainedLine => {
    const text = texts[number - 1] ?? ''
    const none = { line: number, text, templates: [], placeholders: [], patches: [] }
    const head = ownHead(text, number)
    if (head !== undefined) return { ...none, by: head }
    const path = pathAtLine(document, number)
    if (explaining.rendered === undefined) {
      if (explaining.isKept) return { ...none, by: 'kept' }
      const setting = handoffSetting(manifest, path, explaining.fleet)
      if (setting !== undefined) return { ...none, setting }
      const named = unitNameOrigin(manifest, path, { file: source.name, fleet: explaining.named })
      return named === undefined ? { ...none, ...writtenBy(manifest, path) } : { ...none, named }
    }
    const origin = locator?.originOf(asked, path, readLine(text))
    const touching = patches.filter((patch) => touches(patch, path)).map((patch) => patch.at)
    const base = {
      ...none,
      patches: origin?.patch === undefined ? touching : [origin.patch],
      placeholders: placeholdersAt(explaining.rendered, path, { line: text, given }),
    }
    if (origin === undefined && fieldAt(explaining.rendered.object, ...path) !== undefined)
      return { ...base, by: 'fleet' }
    if (origin?.isWritten !== true) {
      const isExplained = base.patches.length > 0 || base.placeholders.length > 0
      return isExplained ? base : { ...base, by: ownWork(path, fieldAt(document.value, ...path)) }
    }
    const { templates, values, cluster } = origin
    const [place] = templates
    if (manifest.origin.unit === CLUSTER_UNIT && place !== undefined)
      return { ...base, by: 'fleet', fleet: spanOfPlace(place) }
    return {
      ...base,
      templates,
      values: values?.at,
      cluster,
    }
  })
}

/** The place in the fleet's own template of an object of the GitOps tool; of ours no file of the fleet has the line. */
function writtenBy(
  { origin: { template, source } }: Manifest,
  path: readonly PathStep[],
): Partial<Pick<ExplainedLine, 'templates' | 'by'>> {
  if (source === undefined) return { by: 'stackmason' }
  if (source.path === undefined) return { by: 'built-in-template' }
  return { templates: [{ template, source, offset: templatePlace(source, path) }] }
}

/** The scalar that a line shows, and its key. */
function readLine(line: string): ShownScalar {
  const [, key = '', text = ''] = /^\s*(?:- )*(?:["']?([^"':\s]+)["']?:(?:\s+|$))?(.*)$/.exec(line) ?? []
  const plain = /^(["'])(.*)\1$/.exec(text.trim())?.[2]
  return { key, texts: [plain ?? text.trim()] }
}

/** True if a patch names this entry, something above it, or something below it. */
function touches(patch: Patch, path: readonly PathStep[]): boolean {
  if (patch.mergePatch !== undefined) return fieldAt(patch.mergePatch, ...path) !== undefined
  const pointer = formatPointer(path)
  return (patch.jsonPatch ?? []).some(
    (operation) => pointer === operation.path || pointer.startsWith(`${operation.path}/`),
  )
}
