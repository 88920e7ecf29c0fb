import { formatGoYaml } from '../../codec/go-yaml/go-yaml-format.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import { tokenPattern } from '../../model/token.ts'
import { Dict, dict, type Value } from '../../model/value.ts'

/** Name of the variable that holds a double quote; every Kustomization with placeholders sets it. */
export const QUOTE_VARIABLE = 'QUOTE'

const QUOTE = `\${${QUOTE_VARIABLE}}`
const PLACEHOLDER = /\$\{[A-Z_][A-Z0-9_]*\}/y

/** True if Flux has to fill something in. */
export function hasPlaceholders(manifest: Manifest): boolean {
  return manifest.deferred?.some((located) => piecesOf(located) !== undefined) ?? false
}

/** The names of the values that its placeholders wait for, each once, in their order. */
export function placeholderNames(manifest: Manifest): readonly string[] {
  const pieces = (manifest.deferred ?? []).flatMap((located) => piecesOf(located) ?? [])
  return [...new Set(pieces.flatMap(({ text, isPlaceholder }) => (isPlaceholder ? [text.slice(2, -1)] : [])))].toSorted(
    compareBytes,
  )
}

/**
 * Rewrites an object with placeholders so that Flux's substitution changes the placeholders and nothing else. It works
 * on the object's YAML text as sigs.k8s.io/yaml prints it (fluxcd/pkg, kustomize/kustomize_varsub.go), so every other
 * `$` is doubled (envsubst takes one away), and text that would be printed bare gets its quotes from a variable: a host
 * that looks like a number stays text. A placeholder for an integer stays bare.
 */
export function protectPlaceholders(manifest: Manifest): Manifest {
  const located = new Map((manifest.deferred ?? []).map((text) => [text.pointer, text]))
  const textAt = (text: string, pointer: string): string => {
    const found = located.get(pointer)
    const pieces = found === undefined ? undefined : piecesOf(found)
    return found === undefined || pieces === undefined ? escapeDollars(text) : filledText(found, pieces)
  }
  return {
    ...manifest,
    object: copyWith(manifest.object, textAt),
    ...(manifest.deferred !== undefined && {
      deferred: manifest.deferred.map((text) => ({ ...text, written: textAt(text.written, text.pointer) })),
    }),
  }
}

/** A text in parts: what stands there as it is, and placeholders. */
interface Piece {
  readonly text: string
  readonly isPlaceholder: boolean
}

/** The parts of a text, or undefined when no placeholder is in it. */
function piecesOf({ text, written }: LocatedToken): readonly Piece[] | undefined {
  const pieces: Piece[] = []
  let at = 0
  for (const [index, literal] of text.split(tokenPattern()).entries()) {
    if (index > 0) {
      PLACEHOLDER.lastIndex = at
      const placeholder = PLACEHOLDER.exec(written)?.[0]
      if (placeholder === undefined) return undefined
      pieces.push({ text: placeholder, isPlaceholder: true })
      at += placeholder.length
    }
    if (!written.startsWith(literal, at)) return undefined
    pieces.push({ text: literal, isPlaceholder: false })
    at += literal.length
  }
  return at === written.length ? pieces : undefined
}

function filledText(located: LocatedToken, pieces: readonly Piece[]): string {
  const bare = join(pieces, escapeDollars)
  if (located.isInteger === true || !isPrintedBare(bare)) return bare
  return `${QUOTE}${join(pieces, (text) => escapeDollars(text.replaceAll(/["\\]/g, String.raw`\$&`)))}${QUOTE}`
}

function join(pieces: readonly Piece[], escape: (text: string) => string): string {
  return pieces.map(({ text, isPlaceholder }) => (isPlaceholder ? text : escape(text))).join('')
}

function escapeDollars(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/**
 * True if the text stands without quotes in YAML, where what is filled in could turn it into a number or a boolean, or
 * break it.
 */
function isPrintedBare(text: string): boolean {
  return !/^k: ["'|>]/.test(formatGoYaml(dict([['k', text]])))
}

/** Keys are part of the text too, and never hold placeholders. */
function copyWith(object: Dict, textAt: (text: string, pointer: string) => string): Dict {
  const copyDict = (from: Dict, pointer: string): Dict =>
    dict(
      [...from].map(([key, child]) => [
        escapeDollars(key),
        copyOf(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      ]),
    )
  const copyOf = (value: Value, pointer: string): Value => {
    if (typeof value === 'string') return textAt(value, pointer)
    if (Array.isArray(value)) return value.map((item, index) => copyOf(item, `${pointer}/${String(index)}`))
    return value instanceof Dict ? copyDict(value, pointer) : value
  }
  return copyDict(object, '')
}
