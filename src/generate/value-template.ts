import { GenerateError } from './generate-error.ts'

/**
 * The grammar of text that is filled in when values are there: `${NAME}` is a value, `${<generator>.<part>}` part of
 * what a generator made, `$$` is a `$`. All else is the text itself; any other `$` is refused, because it may be a
 * reference that somebody mistyped. Nothing else writes or reads it.
 */

/** A reference in braces: a value, or with `part` a part that the generator of that name made. */
export interface ValueReference {
  readonly name: string
  readonly part?: string
}

/** A piece of a template: text that stands for itself, or a reference. */
export type TemplatePiece = { readonly text: string } | ValueReference

/** Writes a template. */
export function formatTemplate(pieces: readonly TemplatePiece[]): string {
  return pieces
    .map((piece) => ('text' in piece ? piece.text.replaceAll('$', () => '$$') : formatReference(piece)))
    .join('')
}

/** Writes a reference, as it stands in templates; `${NAME}` also marks where a value belongs in a manifest. */
export function formatReference({ name, part }: ValueReference): string {
  return part === undefined ? `\${${name}}` : `\${${name}.${part}}`
}

const special = /\$(?:\$|\{([A-Za-z_][A-Za-z0-9_-]*)(?:\.([A-Za-z0-9_-]+))?\})?/g

/**
 * Reads a template; neighbouring text is one piece.
 * @throws GenerateError for a `$` that is neither doubled nor a reference, telling its place only
 */
export function parseTemplate(template: string): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let text = ''
  let end = 0
  const take = (): void => {
    if (text !== '') pieces.push({ text })
    text = ''
  }
  for (const { 0: found, 1: name, 2: part, index } of template.matchAll(special)) {
    text += template.slice(end, index)
    end = index + found.length
    if (found === '$$') text += '$'
    else if (name === undefined)
      throw new GenerateError(`character ${String(index + 1)} is a $ that is neither $$ nor the start of a reference`)
    else {
      take()
      pieces.push(part === undefined ? { name } : { name, part })
    }
  }
  text += template.slice(end)
  take()
  return pieces
}

/** The references of a template, in their order. @throws GenerateError as {@link parseTemplate} */
export function referencesOf(template: string): readonly ValueReference[] {
  return parseTemplate(template).flatMap((piece) => ('text' in piece ? [] : [piece]))
}

function resolved(reference: ValueReference, resolve: (reference: ValueReference) => string | undefined): string {
  const text = resolve(reference)
  if (text === undefined) throw new GenerateError(`there is nothing for ${formatReference(reference)}`)
  return text
}

/** A Secret, and a ConfigMap, hold no more. */
const MOST_CHARACTERS = 1_000_000

/**
 * Fills a template in; what is filled in is text, whatever it looks like.
 * @throws GenerateError for a reference of which `resolve` knows nothing, for a text longer than 1,000,000 characters,
 * or as {@link parseTemplate}
 */
export function fillTemplate(template: string, resolve: (reference: ValueReference) => string | undefined): string {
  let length = 0
  const texts = parseTemplate(template).map((piece) => {
    const text = 'text' in piece ? piece.text : resolved(piece, resolve)
    length += text.length
    if (length > MOST_CHARACTERS)
      throw new GenerateError(`a text is longer than ${String(MOST_CHARACTERS)} characters when it is filled in`)
    return text
  })
  return texts.join('')
}
