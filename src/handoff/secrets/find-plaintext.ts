import { decodeBase64 } from '../../codec/base64.ts'
import { decodeUtf8 } from '../../codec/utf8.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { HandoffConfig } from '../../model/handoff-config.ts'
import type { LocatedToken, Manifest, RenderedFolder } from '../../model/manifest.ts'
import { tokenPattern } from '../../model/token.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { isNamed } from '../binding/existing-secrets.ts'
import { isSecret } from '../binding/generator-places.ts'

/** Whose Secrets are looked at. */
export interface PlaintextInput {
  readonly engine: HandoffConfig['engine']
  /** Tag of the release: what comes from there is not the user's. */
  readonly release: string
  /** The cluster that the folders belong to; absent for the folder of a stack. */
  readonly cluster?: Pick<Cluster, 'name' | 'namespace' | 'values' | 'patches' | 'existingSecrets'>
}

/** Says on a Secret that what it holds may be read by everybody. */
const PLAINTEXT = 'stackmason.dev/plaintext'
/** A shorter text of the fleet may stand in an entry by chance, so it must be all of it. */
const TELLING = 8
const encrypted = /^ENC\[AES256_GCM,data:[^,\]]*,iv:[^,\]]+,tag:[^,\]]+,type:[a-z]+\]$/
const publicText =
  /^(?:|\{\s*\}|\[\s*\]|true|false|(?:-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[^-]*-----END \1-----\s*)+)$/

/**
 * Finds Secrets that would stand readable in git: an error where the content is the user's (own files, or text of values files and patches), a warning
 * where it is part of a release and can be read there anyway. Values are never repeated. Rule: docs/decisions/0012.
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
    .filter((manifest) => isSecret(manifest) && !isExisting(manifest) && !isDeclaredPublic(manifest))
    .flatMap((manifest) => {
      const entries = plainEntries(manifest)
      if (entries.length === 0) return []
      if (manifest.origin.from !== input.release)
        return [problemOf(manifest, { input, whose: 'own', keys: entries.map(({ key }) => key) })]
      const values = (input.cluster?.values.get(manifest.origin.unit) ?? []).flatMap((file) => textsOf(file.values))
      const given = entries.filter(({ texts }) => holdsAny(texts, [...values, ...patches]))
      const whose = given.length > 0 ? 'given' : 'release'
      return [problemOf(manifest, { input, whose, keys: (given.length > 0 ? given : entries).map(({ key }) => key) })]
    })
}

function isDeclaredPublic({ object }: Manifest): boolean {
  return textAt(object, 'metadata', 'annotations', PLAINTEXT) === 'public'
}

interface PlainEntry {
  readonly key: string
  /** The text as it stands there, and what it encodes. */
  readonly texts: readonly string[]
}

/** The entries that hold readable text; what is generated or only known later is none. */
function plainEntries({ object, deferred = [] }: Manifest): readonly PlainEntry[] {
  const located = new Map(deferred.map((text) => [text.pointer, text]))
  return (['data', 'stringData'] as const).flatMap((field) =>
    [...(dictAt(object, field) ?? [])].flatMap(([key, value]): readonly PlainEntry[] => {
      const late = located.get(`/${field}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      const written = late === undefined ? scalarText(value) : withoutTokens(late)
      const bytes = field === 'data' && late === undefined ? decodeBase64(written) : undefined
      const text = bytes === undefined ? written : decodeUtf8(bytes)
      if (publicText.test(text.trim()) || encrypted.test(written.trim())) return []
      return [{ key, texts: text === written ? [text] : [text, written] }]
    }),
  )
}

/** What is left of a text without what is not known yet. */
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
  readonly whose: 'own' | 'given' | 'release'
  readonly keys: readonly string[]
}

function problemOf(manifest: Manifest, { input, whose, keys }: Found): Diagnostic {
  const { name, namespace = '', origin } = manifest
  const { cluster, engine, release } = input
  const isAddon = cluster !== undefined && origin.unit !== 'cluster'
  const owner = whose === 'release' || cluster === undefined ? release : `cluster ${cluster.namespace}/${cluster.name}`
  const place = isAddon ? `addon ${origin.unit}, ${origin.template}` : origin.template
  const what = { own: 'plaintext', given: 'plaintext of values or patches', release: 'plaintext of the release' }[whose]
  const list = [...new Set(keys)].join(', ')
  const isOwnFile = origin.from === origin.template
  const ways = [
    isAddon
      ? "Make the Secret outside of git and name it under spec.existingSecrets of addons.yaml, or in the chart's values if it has one for that"
      : 'Make the Secret outside of git',
    'write an ExternalSecret instead',
    ...(isOwnFile && engine === 'flux' ? ['encrypt it with SOPS (spec.handoff.flux.decryption)'] : []),
  ]
  return {
    code: 'SECRET_IN_PLAINTEXT',
    severity: whose === 'release' ? 'warning' : 'error',
    message: `Secret ${namespace === '' ? name : `${namespace}/${name}`} of ${owner} (${place}) holds ${what}: ${list}`,
    file: origin.template,
    hint: `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1) ?? ''}; if everybody may read it, annotate it ${PLAINTEXT}: public.`,
  }
}
