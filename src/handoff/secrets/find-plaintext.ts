import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { formatPointer, type PathStep, textAt } from '../../model/field.ts'
import type { Cluster, ValuesFile } from '../../model/fleet.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import { inputPath } from '../../model/input-path.ts'
import { type LocatedToken, type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import { oncePerManifest } from '../../model/once-per-manifest.ts'
import { pathOf } from '../../model/source.ts'
import { tokenPattern } from '../../model/token.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { isNamed } from '../binding/existing-secrets.ts'
import { isSecret } from '../binding/generator-places.ts'
import { fieldName } from './field-name.ts'
import { privateTexts } from './private-texts.ts'

/** Whose Secrets are looked at. */
export interface PlaintextInput {
  /** Absent: nobody applies the tree, as far as the fleet says. */
  readonly tool?: GitopsTool
  /** Tag of the release: what comes from there is not the user's. */
  readonly release: string
  /** The cluster that the folders belong to; absent for the folder of a stack. */
  readonly cluster?: Pick<Cluster, 'name' | 'namespace' | 'addons' | 'values' | 'patches' | 'existingSecrets'>
  /**
   * The folders stay as they are committed: what can be read there can be read already, and no input of this run
   * changes it.
   */
  readonly isKept?: boolean
}

/** Says on a Secret that what it holds may be read by everybody. */
const PLAINTEXT = 'stackmason.dev/plaintext'
/**
 * Where kubectl keeps the whole object, content and all; who encrypts a Secret that was read with kubectl overlooks it.
 */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** A shorter text of the fleet may stand in an entry by chance, so it must be all of it. */
const TELLING = 8
/** No API server takes more in one object, and patterns have an end to what they can hold. */
const LARGEST = 1_048_576
const encrypted = /^ENC\[AES256_GCM,data:[^,\]]*,iv:[^,\]]+,tag:[^,\]]+,type:[a-z]+\]$/
const publicText =
  /^(?:|\{\s*\}|\[\s*\]|true|false|(?:-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[^-]*-----END \1-----\s*)+)$/

/**
 * Finds what would stand readable in git: Secrets, and private keys and kubeconfigs in any other object. An error where
 * the content is the user's (own files, or text of values files and patches), a warning where it is part of a release
 * and can be read there anyway, or committed already. Values are never repeated. Rule: docs/decisions/0012.
 *
 * A Secret that exists already is not written, so only text that stands in the fleet's inputs is readable: in own files
 * and own charts. A chart of a release or of a repository, or one that an own chart depends on, may bring any Secret.
 */
export function findPlaintext(folders: readonly RenderedFolder[], input: PlaintextInput): readonly Diagnostic[] {
  const patches = (input.cluster?.patches ?? []).flatMap(({ mergePatch, jsonPatch = [] }) => [
    ...textsOf(mergePatch ?? null),
    ...jsonPatch.flatMap(({ value }) => textsOf(value ?? null)),
  ])
  const isExisting = (manifest: Manifest): boolean =>
    (input.cluster?.existingSecrets ?? []).some((entry) => isNamed(manifest, entry))
  return folders
    .flatMap(({ manifests }) => manifests)
    .filter((manifest) => !isDeclaredPublic(manifest))
    .flatMap((manifest) => {
      const isThere = isSecret(manifest) && isExisting(manifest)
      if (isThere && !isOfFleet(manifest, input)) return []
      const asSecret = isSecret(manifest) && input.isKept !== true
      const entries = asSecret ? plainEntries(manifest) : privateEntries(manifest)
      if (entries.length === 0) return []
      const found = (whose: Found['whose'], of: readonly PlainEntry[]): readonly Diagnostic[] => [
        asSecret
          ? secretProblem(manifest, { input, whose, entries: of, isThere })
          : privateProblem(manifest, { input, whose, entries: of }),
      ]
      if (input.isKept === true) return found('committed', entries)
      if (manifest.origin.from !== input.release) return found('own', entries)
      const files = input.cluster?.values.get(manifest.origin.unit) ?? []
      const textsIn = (some: readonly ValuesFile[]): readonly string[] => some.flatMap(({ values }) => textsOf(values))
      const given = entries.filter(({ texts }) => holdsAny(texts, [...textsIn(files), ...patches]))
      if (given.length === 0) return found('release', entries)
      const own = [...textsIn(files.filter((file) => isOwnFile(file, input))), ...patches]
      return found(given.some(({ texts }) => holdsAny(texts, own)) ? 'given' : 'shared', given)
    })
}

/** True for a values file that no other cluster has. */
function isOwnFile({ source }: ValuesFile, { cluster }: PlaintextInput): boolean {
  return cluster !== undefined && `/${pathOf(source)}`.includes(`/${inputPath(cluster)}/`)
}

/** True if people write in the fleet what the object is made of. */
function isOfFleet({ origin }: Manifest, { release, cluster, isKept }: PlaintextInput): boolean {
  const isOfSubchart = origin.from !== origin.template && origin.template.includes('/charts/')
  if (isKept === true || origin.from === release || isOfSubchart) return false
  return cluster?.addons.some(({ name, remote }) => name === origin.unit && remote !== undefined) !== true
}

function isDeclaredPublic({ object }: Manifest): boolean {
  return textAt(object, 'metadata', 'annotations', PLAINTEXT) === 'public'
}

interface PlainEntry {
  readonly key: string
  readonly path: readonly PathStep[]
  /** The kind of content, if it does not follow from the object being a Secret. */
  readonly what?: string
  /** The text as it stands there, and what it encodes. */
  readonly texts: readonly string[]
}

/** The entries that hold readable text; what is generated or only known later is none. */
function plainEntries({ object, deferred = [] }: Manifest): readonly PlainEntry[] {
  const located = new Map(deferred.map((text) => [text.pointer, text]))
  const applied = textAt(object, 'metadata', 'annotations', LAST_APPLIED)
  const copied = /"(?:data|stringData)"/.test(applied)
    ? [{ key: `annotation ${LAST_APPLIED}`, path: ['metadata', 'annotations', LAST_APPLIED], texts: [applied] }]
    : []
  const entries: PlainEntry[] = []
  const visit = (value: Value, path: readonly PathStep[]): void => {
    if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]))
    else if (value instanceof Dict) for (const [key, item] of value) visit(item, [...path, key])
    else {
      const texts = readable(value, { isEncoded: path[0] === 'data', late: located.get(formatPointer(path)) })
      if (texts.length > 0) entries.push({ key: entryName(path), path, texts })
    }
  }
  // what no API server takes is written all the same, so not only entries of data and stringData are looked at
  const fields = [...object].filter(([field, value]) => !isHeader(field, value))
  for (const [field, value] of fields.toSorted(([a], [b]) => (a < b ? -1 : 1))) visit(value, [field])
  return [...entries, ...copied]
}

/** The fields that hold no content; also what SOPS notes beside it. */
function isHeader(field: string, value: Value): boolean {
  if (field === 'metadata' || field === 'sops') return true
  return ['apiVersion', 'kind', 'type', 'immutable'].includes(field) && !(value instanceof Dict || Array.isArray(value))
}

/** A scalar as it can be read, and as it is written; nothing if everybody may read it. */
function readable(
  value: Value,
  { isEncoded, late }: { readonly isEncoded: boolean; readonly late: LocatedToken | undefined },
): readonly string[] {
  const written = late === undefined ? scalarText(value) : withoutTokens(late)
  const bytes = isEncoded && late === undefined ? decodeBase64(written) : undefined
  const text = bytes === undefined ? written : decodeUtf8(bytes)
  if (written.length <= LARGEST && (publicText.test(text.trim()) || encrypted.test(written.trim()))) return []
  return text === written ? [text] : [text, written]
}

/** An entry of data and stringData goes by its key alone. */
function entryName(path: readonly PathStep[]): string {
  const [field, key] = path
  const isEntry = (field === 'data' || field === 'stringData') && typeof key === 'string'
  return fieldName(isEntry ? path.slice(1) : path)
}

/** Private keys and kubeconfigs in any field; schemas only speak of such things. */
const privateEntries = oncePerManifest(({ kind, object }): readonly PlainEntry[] => {
  if (kind === 'CustomResourceDefinition') return []
  return privateTexts(object).map(({ field, path, what, texts }) => ({ key: field, path, what, texts }))
})

/** The rest of a text without values that are not known yet. */
function withoutTokens({ text, tokens }: Pick<LocatedToken, 'text' | 'tokens'>): string {
  return text.replace(tokenPattern(), (token) => {
    const spec = tokens.get(token)
    return spec?.kind === 'derived' ? withoutTokens({ text: spec.input, tokens }) : ''
  })
}

function scalarText(value: Value): string {
  if (value instanceof GoInt) return String(value.value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The lines of every text and number in a value: charts indent them. */
function textsOf(value: Value): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item))
  if (value instanceof Dict) return [...value].flatMap(([, item]) => textsOf(item))
  if (typeof value === 'boolean') return []
  return scalarText(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function holdsAny(texts: readonly string[], given: readonly string[]): boolean {
  return texts.some((text) =>
    given.some(
      (line) =>
        text.trim() === line ||
        (line.length >= TELLING && (text.includes(line) || text.includes(JSON.stringify(line).slice(1, -1)))),
    ),
  )
}

interface Found {
  readonly input: PlaintextInput
  /** `shared`: it stands in values files of several clusters, and is one mistake. */
  readonly whose: 'own' | 'given' | 'shared' | 'release' | 'committed'
  readonly entries: readonly PlainEntry[]
}

function secretProblem(
  manifest: Manifest,
  { input, whose, entries, isThere }: Found & { readonly isThere: boolean },
): Diagnostic {
  const { origin } = manifest
  const isAddon = isOfAddon(manifest, input)
  const isOfInputs = whose === 'given' || whose === 'shared'
  const what = whose === 'own' ? 'plaintext' : `plaintext of ${isOfInputs ? 'values or patches' : 'the release'}`
  const isFile = origin.from === origin.template
  const ways = [
    isThere
      ? `addons.yaml says that the Secret exists already, so take the text out of ${isFile ? 'the file' : 'the chart'}`
      : isAddon
        ? "Make the Secret outside of git and name it under spec.existingSecrets of addons.yaml, or in the chart's values if it has one for that"
        : 'Make the Secret outside of git',
    'write an ExternalSecret instead',
    ...(isFile && input.tool === 'flux' ? ['encrypt it with SOPS (spec.handoff.flux.decryption)'] : []),
  ]
  return problemOf(manifest, {
    input,
    whose,
    first: entries[0]?.path ?? [],
    holds: `${what}: ${[...new Set(entries.map(({ key }) => key))].join(', ')}`,
    hint: `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1) ?? ''}; ${letThrough(manifest, { input, whose })}`,
  })
}

function privateProblem(manifest: Manifest, { input, whose, entries }: Found): Diagnostic {
  const by = {
    own: '',
    given: ' of values or patches',
    shared: ' of values',
    release: ' of the release',
    committed: '',
  }[whose]
  const things = [...new Set(entries.map(({ what = '' }) => what))].map((thing) => {
    const fields = entries.filter(({ what }) => what === thing).map(({ key }) => key)
    return `${thing}${by}: ${[...new Set(fields)].join(', ')}`
  })
  const hint =
    whose === 'committed'
      ? `It stands in git already, so replace it where it is used; remove freeze to take it out of the tree. ${capital(letThrough(manifest, { input, whose }))}`
      : `Put it into a Secret that is made outside of git, or an ExternalSecret, and refer to that; ${letThrough(manifest, { input, whose })}`
  return problemOf(manifest, { input, whose, first: entries[0]?.path ?? [], holds: things.join('; '), hint })
}

/** The way for text that is no secret: an object of a chart or a class gets the annotation by a patch. */
function letThrough(manifest: Manifest, { input, whose }: Pick<Found, 'input' | 'whose'>): string {
  const { kind, name, origin } = manifest
  if (!isOfAddon(manifest, input) || origin.from === origin.template)
    return `if everybody may read it, annotate it ${PLAINTEXT}: public.`
  // what a release ships, or shared values have, is the same for all of its clusters
  const folder =
    whose === 'release' || whose === 'shared' || input.cluster === undefined ? CLUSTERS : inputPath(input.cluster)
  const target = `{kind: ${kind}, name: ${JSON.stringify(name)}, addon: ${origin.unit}}`
  const patch = `{apiVersion: stackmason.dev/v1alpha1, kind: Patch, spec: {target: ${target}, mergePatch: {metadata: {annotations: {${PLAINTEXT}: public}}}}}`
  return `if everybody may read it, write ${folder}/patches/public-${origin.unit}.yaml: ${patch}`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function isOfAddon({ origin }: Manifest, { cluster, isKept }: PlaintextInput): boolean {
  return cluster !== undefined && origin.unit !== 'cluster' && isKept !== true
}

interface Problem extends Pick<Found, 'input' | 'whose'> {
  /** Where the first of the texts stands. */
  readonly first: readonly PathStep[]
  readonly holds: string
  readonly hint: string
}

function problemOf(manifest: Manifest, { input, whose, first, holds, hint }: Problem): Diagnostic {
  const { kind, name, namespace = '', origin } = manifest
  const { cluster, release } = input
  const owner = whose === 'release' || cluster === undefined ? release : `cluster ${objectPath(cluster)}`
  const of = whose === 'shared' ? '' : ` of ${owner}`
  const place = isOfAddon(manifest, input) ? `addon ${origin.unit}, ${origin.template}` : origin.template
  return {
    code: 'SECRET_IN_PLAINTEXT',
    severity: whose === 'release' || whose === 'committed' ? 'warning' : 'error',
    message: `${kind} ${namespace === '' ? name : `${namespace}/${name}`}${of} (${place}) holds ${holds}`,
    ...placeIn(manifest, ...first),
    hint,
    ...(isOfAddon(manifest, input) && { about: { addon: origin.unit } }),
  }
}
