import { compareBytes } from '../../codec/text/text-order.ts'
import { isSignedCall, signingGenerator } from '../../generate/certificates/certificate-call.ts'
import { formatReference, formatTemplate, type ValueReference } from '../../generate/value-template.ts'
import type { BoundValue, ExistingSecret, Generator, Placeholder, PlaceholderPart } from '../../model/binding.ts'
import { chartRootOf, runtimeKindOf } from '../../model/class-reference.ts'
import { restoreTokens } from '../../model/token-identity.ts'
import {
  GIVEN,
  requireLate,
  tokenPattern,
  type LateToken,
  type RuntimeAssumption,
  type TokenSpec,
  type TokenTable,
  type TokenType,
} from '../../model/token.ts'
import { generatorKey } from './generator-places.ts'
import { createNames, valueName } from './value-name.ts'

/** A text of an addon with its tokens. */
export interface UnitText {
  readonly unit: string
  readonly tokens: TokenTable
  /** Names what has to be computed for the text. */
  readonly place: string
}

/** Why a text cannot be made in the cluster either. */
export class NotMadeError extends Error {}

/** A text of a manifest, and the names that stand in it; what else looks like one is text of the chart. */
export type FilledText = Pick<Placeholder, 'text' | 'parts' | 'names'>

/** The values and generators of a cluster's texts, gathered while they are translated. */
export interface Recipes {
  /** The text with `${NAME}` for each token, for manifests. */
  readonly fill: (text: string, at: UnitText) => FilledText
  /** One `${NAME}` for the whole text, published without line breaks. */
  readonly fillEscaped: (text: string, at: UnitText) => FilledText
  /** The text as a template of the binding. @throws NotMadeError */
  readonly template: (text: string, at: UnitText) => string
  /** Notes that a field is published, used or not. */
  readonly needField: (path: string, type: TokenType) => void
  readonly values: () => readonly BoundValue[]
  readonly generators: () => readonly Generator[]
}

/** The facts that are known before the first text. */
export interface RecipesOptions {
  /** Names by {@link generatorKey}. */
  readonly generatorNames: ReadonlyMap<string, string>
  /** Secrets that are there already, by generator name. */
  readonly existing: ReadonlyMap<string, ExistingSecret>
  readonly assumptions: readonly RuntimeAssumption[]
}

/** Starts the recipes of one cluster. */
export function createRecipes({ generatorNames, existing, assumptions }: RecipesOptions): Recipes {
  const values = new Map<string, BoundValue>()
  const generators = new Map<string, Generator>()
  const types = new Map<string, TokenType>()
  const uniqueValue = createNames()
  const uniqueGenerator = createNames()

  function fieldValue(path: string, type: TokenType, encode?: 'base64'): string {
    const name = uniqueValue(valueName(path, ...(encode === undefined ? [] : [encode])), `${path} ${encode ?? ''}`)
    const [root = '', ...steps] = path.split('.')
    const known = types.get(path)
    // a number that one template has put in quotes is a number all the same
    if (known === undefined || known === 'string') types.set(path, type)
    // addons that take the same for granted
    const made = new Map(
      assumptions.flatMap(({ path: of, assumption }) =>
        of === path ? [[JSON.stringify(assumption), assumption]] : [],
      ),
    )
    values.set(name, {
      name,
      from: { kind: runtimeKindOf(root), fieldPath: steps.join('.') },
      type: types.get(path) ?? type,
      ...(encode !== undefined && { encode }),
      assumptions: [...made.values()],
    })
    return name
  }

  function partValue(generator: string, part: string, encode?: 'escaped'): string {
    const thing = `${generator} ${part} ${encode ?? ''}`
    const wish = valueName(generator, part, ...(encode === undefined ? [] : [encode]))
    const name = uniqueValue(wish, thing)
    values.set(name, {
      name,
      from: { generator, part },
      type: 'string',
      ...(encode !== undefined && { encode }),
      assumptions: [],
    })
    return name
  }

  /** A generator of the chart. */
  function generatorOf(spec: Extract<TokenSpec, { kind: 'generated' }>, at: UnitText): string {
    const name = generatorNames.get(generatorKey(at.unit, spec.generate))
    if (name === undefined) throw new Error('a generator without a place')
    const there = existing.get(name)
    if (there !== undefined) {
      if (!there.keys.some(({ part }) => part === spec.part)) {
        throw new NotMadeError(
          `the existing Secret ${there.namespace}/${there.name} has no key for the ${spec.part} of ${spec.generate.function}`,
        )
      }
      const { function: made } = spec.generate
      generators.set(name, { name, function: made, arguments: [], existing: there })
      return name
    }
    if (generators.has(name)) return name
    const { function: made, arguments: args } = spec.generate
    if (args.some((argument) => argument === GIVEN || argument.startsWith(`${GIVEN} `)))
      throw new NotMadeError(`${made} needs text from the values, which is written nowhere`)
    // noted before its arguments, so that what comes first has the better name
    generators.set(name, { name, function: made, arguments: [] })
    const templates = args.map((argument) => template(restoreTokens(argument, at.tokens), at))
    if (isSignedCall(made)) requireSigner(made, templates[4] ?? '')
    generators.set(name, { name, function: made, arguments: templates })
    return name
  }

  /** Who signs needs its key, which only a generator has. @throws NotMadeError */
  function requireSigner(made: string, certificate: string): void {
    const signer = generators.get(signingGenerator(certificate) ?? '')
    if (signer === undefined)
      throw new NotMadeError(`${made} needs the key of an authority from the values, which is written nowhere`)
    const { existing: there, function: signing } = signer
    if (there === undefined || there.keys.some(({ part }) => part === 'key')) return
    throw new NotMadeError(
      `the existing Secret ${there.namespace}/${there.name} has no key for the key of ${signing}, which signs ${made}`,
    )
  }

  /** A pure function of other texts, as a generator that is made anew each time. */
  function computed(made: string, args: readonly string[], at: UnitText): string {
    const name = uniqueGenerator(`${at.place}_${made}`, JSON.stringify([made, ...args]))
    generators.set(name, { name, function: made, arguments: args })
    return name
  }

  function derivedOf(spec: Extract<TokenSpec, { kind: 'derived' }>, at: UnitText): string {
    const further = (spec.arguments ?? []).map((text) => formatTemplate([{ text }]))
    return computed(spec.function, [...further, template(spec.input, at)], at)
  }

  function template(text: string, at: UnitText): string {
    const reference = (spec: LateToken): ValueReference => {
      if (spec.kind === 'runtime') return { name: fieldValue(spec.path, spec.type) }
      if (spec.kind === 'generated') return { name: generatorOf(spec, at), part: spec.part }
      return { name: derivedOf(spec, at), part: 'value' }
    }
    return formatTemplate(splitTokens(text, at.tokens).map((part) => ('text' in part ? part : reference(part.spec))))
  }

  function placeholderName(spec: LateToken, at: UnitText): string {
    if (spec.kind === 'runtime') return fieldValue(spec.path, spec.type)
    if (spec.kind === 'generated') return partValue(generatorOf(spec, at), spec.part)
    const only = spec.input.length === 2 ? at.tokens.get(spec.input) : undefined
    return spec.function === 'b64enc' && only?.kind === 'runtime'
      ? fieldValue(only.path, only.type, 'base64')
      : partValue(derivedOf(spec, at), 'value')
  }

  function fill(text: string, at: UnitText): FilledText {
    return filledText(
      splitTokens(text, at.tokens).map((part) => ('text' in part ? part : { name: placeholderName(part.spec, at) })),
    )
  }

  function fillEscaped(text: string, at: UnitText): FilledText {
    return filledText([{ name: partValue(computed('text', [template(text, at)], at), 'value', 'escaped') }])
  }

  return {
    fill,
    fillEscaped,
    template,
    needField: (path, type) => {
      fieldValue(path, type)
    },
    values: () =>
      [...values.values()]
        .map((value) => ('fieldPath' in value.from ? { ...value, type: typeOf(value, types) } : value))
        .toSorted((a, b) => compareBytes(a.name, b.name)),
    generators: () => [...generators.values()].toSorted((a, b) => compareBytes(a.name, b.name)),
  }
}

function typeOf(value: BoundValue, types: ReadonlyMap<string, TokenType>): TokenType {
  if (!('fieldPath' in value.from)) return value.type
  return types.get(`${chartRootOf(value.from.kind)}.${value.from.fieldPath}`) ?? value.type
}

function filledText(parts: readonly PlaceholderPart[]): FilledText {
  return {
    text: parts.map((part) => ('text' in part ? part.text : formatReference(part))).join(''),
    parts,
    names: [...new Set(parts.flatMap((part) => ('name' in part ? [part.name] : [])))],
  }
}

/** A text in pieces: what stands for itself, and tokens. */
function splitTokens(
  text: string,
  tokens: TokenTable,
): readonly ({ readonly text: string } | { readonly spec: LateToken })[] {
  const parts: ({ readonly text: string } | { readonly spec: LateToken })[] = []
  let end = 0
  for (const match of text.matchAll(tokenPattern())) {
    const spec = tokens.get(match[0])
    if (spec === undefined) throw new Error('a token of another table')
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ spec: requireLate(spec) })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}
