import type { Diagnostic } from '../../model/diagnostic.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import type { Crypto } from '../../model/ports.ts'
import { holdsParameter, type TokenTable } from '../../model/token.ts'
import { identifyTokens } from '../../model/token-identity.ts'
import { Dict, type Value } from '../../model/value.ts'
import { holdsToken } from '../engine/token-refused.ts'
import type { ChartObjects } from './chart-objects.ts'
import { locateTokens } from './locate-tokens.ts'
import { compileText, createWriter, NotParametricError, OtherTextError, type ParameterText } from './parameter-text.ts'
import { addLeaf, createNode, type LeafTree, matchParameters, replaceLeaves, walkPairs } from './parameter-values.ts'
import type { Samples } from './resolve-tokens.ts'

/** The texts of a manifest that depend on parameters. */
type Slots = LeafTree<ParameterText>

/** An assumption of a render about texts of parameters. */
interface TextAssumption {
  readonly text: ParameterText
  readonly other: ParameterText
}

/**
 * Notes of a render with parameters: it puts the values of one of the renders that it stands for in their place, and
 * notes where they stood.
 */
export interface ParameterNotes {
  /**
   * The manifests with the values.
   * @throws NotParametricError where parameters decide what becomes of a manifest
   */
  readonly settle: (read: ReadManifests, tokens: TokenTable) => ReadManifests
  /** Refuses a document whose head depends on parameters: what is rendered depends on it. @throws NotParametricError */
  readonly checkHead: (document: Value, tokens: TokenTable) => void
  /** Of the first manifests that were settled. */
  readonly slots: () => readonly (Slots | undefined)[]
  readonly assumptions: () => readonly TextAssumption[]
}

interface ReadManifests {
  readonly manifests: readonly Manifest[]
  readonly samples: Samples
}

/** Makes notes for a render with these values. */
export function createParameterNotes(values: readonly string[], crypto: Crypto): ParameterNotes {
  const write = createWriter(values, crypto)
  const assumptions = new Map<string, TextAssumption>()
  let first: readonly (Slots | undefined)[] | undefined
  let isNamed = false
  return {
    slots: () => first ?? [],
    assumptions: () => [...assumptions.values()],
    checkHead,
    settle({ manifests, samples }, tokens) {
      refuseInGenerators(tokens)
      for (const { text, other } of tokens.others) {
        const made = { text: compileText(text, tokens) ?? [text], other: [other] }
        assumptions.set(JSON.stringify(made), made)
      }
      for (const { object } of manifests) checkHead(object, tokens)
      const slots = manifests.map((manifest) => slotsOf(manifest, tokens))
      isNamed ||= slots.some((of) => of !== undefined && names(of).some((name) => name !== undefined))
      // whether further renders bring other objects is told by the names of all
      if (first !== undefined && isNamed) throw new NotParametricError('the name of an object')
      first ??= slots
      const settled = manifests.map((manifest, index) => fillManifest(manifest, slots[index], write))
      const found = settled.flatMap((manifest, index): readonly (readonly [Manifest, Manifest])[] => {
        const sample = samples.get(manifests[index] ?? manifest)
        return sample === undefined ? [] : [[manifest, sample]]
      })
      return { manifests: settled, samples: new Map(found) }
    },
  }
}

const deciding = /^(?:apiVersion|kind)$/i

/** Helm finds the fields of a head whatever their case. */
function checkHead(document: Value, tokens: TokenTable): void {
  if (!tokens.hasParameters) return
  const visit = (value: Value): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!(value instanceof Dict)) return
    for (const [key, child] of value) {
      const decides = deciding.test(key) || /^helm\.sh\//i.test(key)
      if (decides && typeof child === 'string' && holdsParameter(child, tokens))
        throw new NotParametricError('the head of a document')
      visit(child)
    }
  }
  visit(document)
}

/** Refuses parameters as arguments of generators: these are not written with the manifests. */
function refuseInGenerators(tokens: TokenTable): void {
  for (const spec of tokens.specs) {
    if (spec.kind !== 'generated') continue
    if (spec.generate.arguments.some((argument) => holdsParameter(argument, tokens)))
      throw new NotParametricError('the arguments of a generator')
  }
}

function slotsOf({ object }: Manifest, tokens: TokenTable): Slots | undefined {
  let slots: Slots | undefined
  for (const found of locateTokens(object)) {
    const text = compileText(found.text, tokens)
    if (text === undefined) continue
    if (found.isKey) throw new NotParametricError('a key')
    slots ??= createNode()
    addLeaf(slots, found.steps, text)
  }
  return slots
}

/** Those in its name and its namespace. */
function names({ children }: Slots): readonly (ParameterText | undefined)[] {
  const metadata = children.get('metadata')?.children
  return [metadata?.get('name')?.leaf, metadata?.get('namespace')?.leaf]
}

function fillManifest(manifest: Manifest, slots: Slots | undefined, write: (text: ParameterText) => string): Manifest {
  if (slots === undefined) return manifest
  const [name, namespace] = names(slots)
  return {
    ...manifest,
    ...(name !== undefined && { name: write(name) }),
    ...(namespace !== undefined && { namespace: write(namespace) }),
    object: replaceLeaves(manifest.object, slots, write),
  }
}

/** A chart rendered once for all values that differ in plain words only, and that no template decides on. */
export interface ParametricChart {
  /** The objects of the chart for these values; undefined where it has to be rendered for them. */
  readonly fill: (values: Dict) => ChartObjects | undefined
}

/** A render without parameters. */
export interface PlainRender {
  readonly values: Dict
  readonly objects: ChartObjects
  /** How much of the nearest limit its templates used, from 0 to 1. */
  readonly share: number
}

/** A render of the same with parameters. */
export interface ParametricRender {
  readonly pattern: Dict
  readonly tokens: TokenTable
  /** With the values of the plain one in their place. */
  readonly objects: ChartObjects
  readonly notes: ParameterNotes
}

/** Facts about values that hold whatever the templates do. */
export interface ParametricOptions {
  readonly crypto: Crypto
  /** True if the chart's schemas allow the values. */
  readonly isAllowed: (values: Dict) => boolean
}

/**
 * Makes a parametric chart of a plain render and one with parameters that gave the same; undefined where it did not.
 */
export function createParametricChart(
  plain: PlainRender,
  { pattern, tokens, objects, notes }: ParametricRender,
  { crypto, isAllowed }: ParametricOptions,
): ParametricChart | undefined {
  const own = matchParameters(pattern, plain.values, tokens)
  const slots = notes.slots()
  const base = plain.objects
  if (own === undefined || !isSame(base, objects) || base.manifests.length !== slots.length) return undefined
  if (base.findings.some((finding) => speaksOf(finding, own))) return undefined
  const assumptions = notes.assumptions()
  return {
    fill(values) {
      const texts = matchParameters(pattern, values, tokens)
      if (texts === undefined) return undefined
      if (texts.every((text, index) => text === own[index])) return base
      // lengths count against limits: a text of others may be longer, and what is made of it twice as much
      const growth = Math.max(1, ...texts.map((text, index) => text.length / (own[index]?.length ?? 1)))
      if (plain.share * growth * 2 >= 1 || !isAllowed(values)) return undefined
      const write = createWriter(texts, crypto)
      try {
        if (assumptions.some(({ text, other }) => write(text) === write(other))) return undefined
        return {
          ...base,
          manifests: base.manifests.map((manifest, index) => fillManifest(manifest, slots[index], write)),
        }
      } catch (error) {
        if (error instanceof OtherTextError) return undefined
        throw error
      }
    },
  }
}

/** True if a finding shows a value, or is about a part of an object: others have their own. */
function speaksOf(
  { on, beside, message, hint = '', file = '', trace = [] }: Diagnostic,
  texts: readonly string[],
): boolean {
  const shown = [message, hint, file, ...trace.map(({ what }) => what)]
  return on !== undefined || beside !== undefined || texts.some((text) => shown.some((part) => part.includes(text)))
}

function isSame(a: ChartObjects, b: ChartObjects): boolean {
  return (
    a.manifests.length === b.manifests.length &&
    a.manifests.every((manifest, index) => isSameManifest(manifest, b.manifests[index])) &&
    isSameData(a.findings, b.findings) &&
    isSameData(a.assumptions, b.assumptions) &&
    isSameData(a.apiQueries, b.apiQueries)
  )
}

function isSameManifest(a: Manifest, b: Manifest | undefined): boolean {
  if (b === undefined) return false
  const { object, deferred = [], ...head } = a
  const { object: otherObject, deferred: otherDeferred = [], ...otherHead } = b
  return (
    isSameData(head, otherHead) &&
    walkPairs(object, otherObject, (one, other) => one === other && !holdsToken(one)) &&
    isSameData(deferred.map(describeDeferred), otherDeferred.map(describeDeferred))
  )
}

/** Tokens of other tables have other numbers. */
function describeDeferred({ pointer, text, tokens, written, isInteger }: LocatedToken): readonly unknown[] {
  return [pointer, identifyTokens(text, tokens), written, isInteger ?? false]
}

function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const entries = Object.entries(a)
  const others = new Map(Object.entries(b))
  return (
    Array.isArray(a) === Array.isArray(b) &&
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isSameData(value, others.get(key)))
  )
}
