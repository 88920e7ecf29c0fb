import type { PathStep } from '../model/field.ts'
import { type ImageReference, namesRegistry, parseImageReference } from '../model/image-reference.ts'
import type { Manifest } from '../model/manifest.ts'
import { Dict, type Value } from '../model/value.ts'
import type { FoundImage } from './found-image.ts'

/** Kinds that mention none, or nothing that may be shown. */
const skipped: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'Secret'])

/**
 * Names of fields, variables and options that hold an image: `image`, `sidecarImage`, `--init-image`, and those of
 * operators' bundles. Others only have it in them, like `IMAGE_PULL_TOKEN`.
 */
const NAMES_IMAGE = /image$|^RELATED_IMAGE_/i

/**
 * Finds images that an object mentions outside of its own pods: in fields of custom resources, in environment variables
 * and arguments of programs that start other pods, in configuration. A mention has a tag, a digest or a registry; where
 * nothing in its name says that it is an image, all that a whole reference has.
 */
export function findMentions({ kind, object }: Manifest): readonly FoundImage[] {
  if (skipped.has(kind)) return []
  const found: FoundImage[] = []
  const walk = (value: Value, path: readonly PathStep[]): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => walk(item, [...path, index]))
      return
    }
    if (!(value instanceof Dict)) return
    for (const [key, child] of value) {
      const at = [...path, key]
      if (typeof child === 'string') found.push(...fieldMentions(key, child, value, at))
      else if (Array.isArray(child) && (key === 'args' || key === 'command')) found.push(...argumentMentions(child, at))
      else if (Array.isArray(child) && /images$/i.test(key) && child.every((item) => typeof item === 'string'))
        found.push(...child.flatMap((item, index) => mention(item, [...at, index], named)))
      else {
        found.push(...splitMention(key, child, at))
        walk(child, at)
      }
    }
  }
  for (const [key, value] of object) {
    if (kind === 'ConfigMap' && key === 'data') found.push(...configMentions(value))
    else if (typeof value !== 'string') walk(value, [key])
  }
  return found
}

function mention(
  written: string,
  path: readonly PathStep[],
  accepts: (text: string) => ImageReference | undefined,
): readonly FoundImage[] {
  const reference = accepts(written)
  return reference === undefined ? [] : [{ reference, written, path }]
}

/** A text whose name says that it is an image. */
function named(text: string): ImageReference | undefined {
  const reference = parseImageReference(text)
  if (reference === undefined) return undefined
  return reference.tag !== undefined || reference.digest !== undefined || namesRegistry(text) ? reference : undefined
}

/** A text that can hardly be anything but an image: it has a registry with a domain, and a tag or digest. */
function whole(text: string): ImageReference | undefined {
  if (!namesRegistry(text) || !text.slice(0, text.indexOf('/')).includes('.')) return undefined
  const reference = parseImageReference(text)
  return reference?.tag === undefined && reference?.digest === undefined ? undefined : reference
}

/** A variable or option counts only with a tag or digest: `OPERATOR_IMAGE=quay.io/org/name` gets its tag elsewhere. */
function versioned(text: string): ImageReference | undefined {
  const reference = parseImageReference(text)
  return reference?.tag === undefined && reference?.digest === undefined ? undefined : reference
}

function fieldMentions(key: string, text: string, owner: Dict, path: readonly PathStep[]): readonly FoundImage[] {
  if (key !== 'value') return NAMES_IMAGE.test(key) ? mention(text, path, named) : []
  // an environment variable, or a parameter of the same form
  const name = owner.get('name')
  return mention(text, path, typeof name === 'string' && NAMES_IMAGE.test(name) ? versioned : whole)
}

/** `{registry, repository, tag, digest}`: the form of Helm's values, in custom resources too. */
function splitMention(key: string, value: Value, path: readonly PathStep[]): readonly FoundImage[] {
  if (!(value instanceof Dict) || !NAMES_IMAGE.test(key)) return []
  const text = (field: string): string => {
    const found = value.get(field)
    return typeof found === 'string' ? found : ''
  }
  const [registry, repository, tag, digest] = ['registry', 'repository', 'tag', 'digest'].map(text)
  if (repository === undefined || repository === '' || (tag === '' && digest === '')) return []
  const name = registry === undefined || registry === '' ? repository : `${registry}/${repository}`
  const written = `${name}${tag === '' ? '' : `:${String(tag)}`}${digest === '' ? '' : `@${String(digest)}`}`
  return mention(written, path, named)
}

/** `--image=X`, `--image X`, and whole references in any option. */
function argumentMentions(words: readonly Value[], path: readonly PathStep[]): readonly FoundImage[] {
  return words.flatMap((word, index) => {
    if (typeof word !== 'string') return []
    const at = [...path, index]
    const equals = word.startsWith('-') ? word.indexOf('=') : -1
    if (equals !== -1)
      return mention(word.slice(equals + 1), at, NAMES_IMAGE.test(word.slice(0, equals)) ? versioned : whole)
    const before = words[index - 1]
    const isValue =
      typeof before === 'string' && before.startsWith('-') && !before.includes('=') && NAMES_IMAGE.test(before)
    return mention(word, at, isValue ? versioned : whole)
  })
}

/** Between the words of configuration, whatever its format. */
const SEPARATOR = /[\s"'`,;=<>()[\]{}|\\]+/

/** Configuration as text: YAML, JSON, flags, a template. */
function configMentions(data: Value): readonly FoundImage[] {
  if (!(data instanceof Dict)) return []
  return [...data].flatMap(([key, text]) => {
    if (typeof text !== 'string') return []
    const path = ['data', key]
    if (!text.includes('\n') && NAMES_IMAGE.test(key)) return mention(text.trim(), path, versioned)
    // nothing else takes time for the dashboards that some charts bring by the megabyte
    if (!text.includes('/') && !text.includes('image')) return []
    let before = ''
    return text.split(SEPARATOR).flatMap((word) => {
      const name = before
      if (word !== ':') before = word
      if (!word.includes(':') && !word.includes('@')) return []
      // the end of a sentence
      return mention(word.endsWith('.') ? word.slice(0, -1) : word, path, /image:?$/i.test(name) ? versioned : whole)
    })
  })
}
