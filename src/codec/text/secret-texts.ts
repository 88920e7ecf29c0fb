import { memoizeText } from './memoize-text.ts'
import {
  isNameOfSecret,
  namesEntry,
  namesSecretBeside,
  namesVariable,
  pointsToSecret,
} from '../../model/sensitive-name.ts'
import { isShownField } from '../../model/shown-fields.ts'
import { decodeBase64 } from '../bytes/base64.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import { collectAssigned } from './assigned-values.ts'
import { readFlow } from './flow-style.ts'
import { collectJsonWebKeys, isPrivateMember, mayHoldJsonWebKey } from './json-web-keys.ts'
import { collectKnownSecrets, mayHoldKnownSecret } from './known-secrets.ts'
import { collectPrivateKeys } from './private-key-lines.ts'
import { collectFromBlocks } from './secret-blocks.ts'
import { collectFromShell, mayHoldShellSecret } from './shell-secrets.ts'
import { collectFromFormats, mayHoldSecretLine, namesValueBeside } from './secret-lines.ts'
import { asksForSecret, collectFromCommand, collectSecretWords, mayBeCommand } from './secret-words.ts'

/** Lines without any of these hold no name of a secret: a superset of what `isNameOfSecret` looks for. */
const MAY_NAME_SECRET =
  /pass|pw|psk|[-_.]pat(?![a-z])|secret|token|credential|key|dockerc|kubeconfig|auth|cert|cookie|dsn|connection|jwt|bearer|netrc|npmrc|id_(?:rsa|dsa|ecdsa|ed)/i
/** Texts without any of these hold nothing that is looked for: most inputs end here. */
const WORTH_A_LOOK = new RegExp(String.raw`${MAY_NAME_SECRET.source}|(?:^|\s|["',[])-[upHb]`, 'i')
/** Keys of the halves of a pair of a name and a value. */
const HALVES: ReadonlySet<string> = new Set(['name', 'key', 'path', 'value'])
/** Shorter texts hold no secret with what tells it. */
const SHORTEST = 6
const KEY = /^(\s*(?:[-?]\s+)*)["']?([A-Za-z0-9_./-]{1,200})["']?\s*:(?:\s+|$)/
const IN_FLOW =
  /[{,]\s*["']?([A-Za-z0-9_./-]{1,200})["']?\s*:\s*("(?:[^"\\]|\\.){0,1000}"|'[^']{0,1000}'|[^,}\]\s]{1,1000})/g
const NAMED_PAIR =
  /["']?(?:name|key)["']?\s*:\s*["']?([A-Za-z0-9_.-]{1,200})["']?\s*,\s*["']?value["']?\s*:\s*("(?:[^"\\]|\\.){0,1000}"|'[^']{0,1000}'|[^,}\]]{1,1000})/g
const PAIR_NAMED =
  /["']?value["']?\s*:\s*("(?:[^"\\]|\\.){0,1000}"|'[^']{0,1000}'|[^,}\]]{1,1000})\s*,\s*["']?(?:name|key)["']?\s*:\s*["']?([A-Za-z0-9_.-]{1,200})/g
const VARIABLE =
  /\b(?:token|username|password)["']?\s{0,10}:\s{0,10}["']?([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,10})(?=["',}\s]|$)/g
/** Words of schemas: what stands there describes a secret. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  '$ref additionalProperties allOf anyOf default deprecated description enum format items maxLength minLength nullable oneOf pattern properties required title type'.split(
    ' ',
  ),
)
/** A key that only names a secret, also in a map of secrets. */
const NAMES_SECRET = /^existing|secret[-_]?(?:name|ref|key-?ref)s?$|^name(?:space)?$/i
/** `kind: Secret`, on a line of its own or in a map in flow style. */
const OF_SECRET = /(?:^[ \t]*(?:-[ \t]+)?|[{,][ \t]*)["']?kind["']?[ \t]*:[ \t]*["']?Secret\b/m
/** A line of a RuntimeValues, and the fields of it that hold more than what a Secret is made of. */
const BINDING = /^kind:[ \t]*RuntimeValues\s*$/m
const OF_BINDING: ReadonlySet<string> = new Set(['arguments', 'template', 'value'])
/** The lines of a CustomResourceDefinition that say so. */
const DEFINITION = /^kind:[ \t]*["']?CustomResourceDefinition\b/m
const OF_EXTENSIONS = /^apiVersion:[ \t]*["']?apiextensions\.k8s\.io\//m
const FLOW_DATA = /[{,]\s*["']?(?:data|stringData)["']?\s*:\s*(?=\{)/
const LONGEST_JSON = 1 << 24
const LONGEST_USER_INFO = 2000
/** Lines that are remembered: more than differ in a fleet whose clusters are alike. */
const MOST_LINES = 1 << 15

/** The name of an entry of a ConfigMap or Secret. */
const PLAIN_NAME = /^["']?[A-Za-z][A-Za-z0-9._-]{0,62}["']?$/

/** A path that is none of the whole machine. */
const RELATIVE = /^["']?[\w.-]/

/** A name under `key`, of an entry, a label or a taint; what stands beside it tells. */
const NAME_UNDER_KEY = /^["']?[A-Za-z][A-Za-z0-9._/-]{0,316}["']?$/
/** The name of a variable of a shell, and the sign before a default of it. */
const VARIABLE_NAME = /(?<=\$\{)[A-Za-z_]\w{0,100}(?::?[-=])?/g
/** A key whose value stands in the lines below. */
const KEY_ALONE = /^[A-Za-z][A-Za-z_.-]{0,100}:$/
/** Fields beside the `key` of a toleration, a taint or an expression of a selector. */
const BESIDE_LABEL: ReadonlySet<string> = new Set(['operator', 'effect'])
const LABEL_IN_FLOW = /[{,]\s*["']?(?:operator|effect)["']?\s*:/
/** Fields of a volume that is made of a Secret, below `secret`, beside the names that it has. */
const OF_VOLUME: ReadonlySet<string> = new Set(['items', 'path', 'mode', 'defaultMode', 'optional'])

/** Takes one text that must not be shown. */
type Add = (secret: string) => void

/** Facts about a line, wherever it stands. */
interface LineFacts {
  readonly line: string
  /** False if there is nothing in it that is looked for. */
  readonly isWorthALook: boolean
  /** False if it means nothing for the lines around it either, unless one before it says so. */
  readonly mayMatter: boolean
  /** Where its text begins; -1 for an empty one. */
  readonly depth: number
  readonly indent: number
  readonly key: string | undefined
  readonly rest: string
  /** True if a secret stands below the key, or beside it. */
  readonly isNamed: boolean
  /** An item of a list. */
  readonly word: string | undefined
  /** True if the next item is a secret. */
  readonly isFlag: boolean
  /** True if it may hold an anchor or an alias, or goes on in the next. */
  readonly mayHoldMarks: boolean
  /** True when what stands on it by itself was added. */
  isCollected: boolean
}

/** Gives the facts about lines. */
type FactsOf = (line: string) => LineFacts

/** Lines that were looked at: the files of many clusters consist of the same ones. For texts with one `add`. */
export class KnownLines {
  readonly #facts = new Map<string, LineFacts>()

  /** The facts about a line. */
  readonly factsOf: FactsOf = (line) => {
    const known = this.#facts.get(line)
    if (known !== undefined) return known
    if (this.#facts.size === MOST_LINES) this.#facts.clear()
    const facts = factsOf(line)
    this.#facts.set(line, facts)
    return facts
  }

  /** Forgets all of them. */
  clear(): void {
    this.#facts.clear()
  }
}

/**
 * Finds in a text (YAML, JSON, TOML, command words, or what is broken in any of them) the values that must not be
 * shown: those under names of secrets, in `data` of Secrets, beside a sensitive `name`, in addresses before the host,
 * and private keys; also what they encode.
 */
export function collectSecretTexts(text: string, addText: Add, lines?: KnownLines): void {
  const names = namesOfVariables(text)
  const add: Add = (secret) => {
    if (!names.has(secret)) addText(secret)
  }
  // what is no secret here may be one in another text
  const facts = names.size === 0 && lines !== undefined ? lines.factsOf : factsOf
  const decoded = decodedText(text)
  const addRaw = createAddRaw(add)
  if (decoded !== undefined) collectFromLines(decoded, addRaw)
  // an action of a template begins like JSON
  const mayBeJson = /^\s*(?:\[|\{(?!\{))/.test(text) && text.length <= LONGEST_JSON
  if (mayBeJson && collectFromJson(text, add)) return
  if (!text.split('\n').some((line) => facts(line).isWorthALook)) return
  collectFromDocuments(text, { add: addRaw, facts })
}

/** Names of variables that a fleet gives for credentials. */
function namesOfVariables(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (let at = text.indexOf('credentialsFrom'); at !== -1; at = text.indexOf('credentialsFrom', at + 1))
    for (const [, name = ''] of text.slice(at, at + 300).matchAll(VARIABLE)) if (namesVariable(name)) names.add(name)
  return names
}

/** Decodes one word of base64, if it holds a text. */
function decodedText(text: string): string | undefined {
  const word = text.trim()
  if (word.length < 12 || word.length > LONGEST_JSON || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(word)) return undefined
  const bytes = decodeBase64(word)
  const decoded = bytes === undefined ? '' : decodeUtf8(bytes)
  return decoded === '' || /[^\t\n\r\x20-\uD7FF]/.test(decoded) ? undefined : decoded
}

function factsOf(line: string): LineFacts {
  const match = KEY.exec(line)
  const depth = line.search(/\S/)
  const [, item] = line.startsWith('-', depth) ? (/^\s*-\s+(.*)$/.exec(line) ?? []) : []
  const word = item === undefined ? undefined : unquoted(withoutComment(item))
  const key = match?.[2]
  const isWorthIt = isWorthALook(line)
  const isNamed = key !== undefined && isNameOfSecret(key) && !namesEntry(key, unquoted(line.slice(match?.[0].length)))
  const isFlag = word !== undefined && (asksForSecret(word) || /^(?:-[uU]|--(?:proxy-)?user)$/.test(word))
  const mayHoldMarks = line.includes('&') || line.endsWith('\\') || /:\s{1,20}\*/.test(line)
  return {
    line,
    isWorthALook: isWorthIt,
    mayMatter:
      isWorthIt ||
      isNamed ||
      isFlag ||
      mayHoldMarks ||
      (key !== undefined && HALVES.has(key)) ||
      line.includes('@') ||
      mayBeCommand(line),
    depth,
    indent: match?.[1]?.length ?? depth,
    key,
    rest: match === null ? line.trim().replace(/^(?:-\s+)+/, '') : line.slice(match[0].length),
    isNamed,
    word,
    isFlag,
    mayHoldMarks,
    isCollected: false,
  }
}

function isWorthALook(text: string): boolean {
  return (
    WORTH_A_LOOK.test(text) ||
    mayHoldSecretLine(text) ||
    holdsUserInfo(text) ||
    mayHoldKnownSecret(text) ||
    mayHoldJsonWebKey(text) ||
    mayHoldShellSecret(text)
  )
}

/**
 * True if `://…@` or `user:password@` is in the text. Goes back from each `@` at most to the one before: from each
 * colon forward would be quadratic.
 */
function holdsUserInfo(text: string): boolean {
  let before = -1
  for (let at = text.indexOf('@'); at !== -1; before = at, at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > before + 1 && !/[\s/]/.test(text.charAt(start - 1))) {
      start--
      if (text.charAt(start) === ':' && start < at - 1) return true
    }
    if (text.startsWith('://', start - 3)) return true
  }
  return false
}

function collectFromJson(text: string, add: Add, about: 'secret' | 'anything' = 'anything'): boolean {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return false
  }
  const addRaw = createAddRaw(add)
  const seen = new Set<string>()
  const means = memoizeText(isNameOfSecret)
  const names = memoizeText(namesSecretBeside)
  const values: unknown[] = [value]
  const secrecies: Secrecy[] = [about === 'secret' ? 'data' : 'none']
  const fields: string[] = ['']
  while (values.length > 0) {
    const found = values.pop()
    const secret = secrecies.pop() ?? 'none'
    const field = fields.pop() ?? ''
    const isSecret = secret !== 'none'
    if (typeof found === 'string') {
      if (!isSecret && (found.length < SHORTEST || seen.has(found))) continue
      const isJson = /^\s*[{[]/.test(found)
      if (isSecret && !(isJson && collectFromJson(found, add, 'secret'))) addRaw(found)
      if (seen.has(found)) continue
      seen.add(found)
      // an object inside of an annotation
      if (isJson) collectFromJson(found, add)
      else collectFromLines(found, addRaw)
    } else if (typeof found === 'number') {
      if (isSecret) add(String(found))
    } else if (Array.isArray(found)) {
      if (found.some((item) => typeof item === 'string'))
        collectSecretWords(
          found.map((item: unknown) => (typeof item === 'string' ? item : '')),
          (word) => {
            add(word)
          },
        )
      for (const child of found) {
        values.push(child)
        secrecies.push(secret)
        fields.push(field)
      }
    } else if (typeof found === 'object' && found !== null) {
      const map = found as Readonly<Record<string, unknown>>
      const isSchema = !isSecret && isDefinition(map)
      const keys = Object.keys(map).filter((key) => !(isSchema && key === 'spec'))
      const named = keys.some((key) => {
        if (key !== 'name' && key !== 'key' && key !== 'path') return false
        const name = map[key]
        return typeof name === 'string' && (key === 'path' ? pointsToSecret(`path: ${name}`) : names(name))
      })
      const isKindSecret = map['kind'] === 'Secret'
      for (const key of keys) {
        const isData = secret === 'data' || (isKindSecret && (key === 'data' || key === 'stringData'))
        const isOwn = means(key) && !isEntryOf(map, key)
        const isBelow =
          (isSecret && !isKnownBelow(field, key)) ||
          isOwn ||
          (named && key === 'value') ||
          isPrivateMember(map['kty'], key)
        fields.push(key)
        values.push(map[key])
        secrecies.push(isData ? 'data' : isBelow ? 'below' : 'none')
      }
    }
  }
  return true
}

/** True for the `key` of an entry of a volume, of a file, of a label or a taint. */
function isEntryOf(map: Readonly<Record<string, unknown>>, name: string): boolean {
  const [value, path] = [map[name], map['path']]
  if (name !== 'key' || typeof value !== 'string') return false
  const isEntry = PLAIN_NAME.test(value) && typeof path === 'string' && RELATIVE.test(path)
  const isLabel = NAME_UNDER_KEY.test(value) && Object.keys(map).some((key) => BESIDE_LABEL.has(key))
  return namesEntry(name, value) || isEntry || isLabel
}

/**
 * `data`: in the data of a Secret, where every entry is one; `below`: under the name of one, where some keys say what
 * it is.
 */
type Secrecy = 'none' | 'below' | 'data'

/** True if a key below the name of a secret describes or names it. */
function isWordBeside(key: string): boolean {
  return SCHEMA_WORDS.has(key) || NAMES_SECRET.test(key)
}

/** The same in a field, where the API of its kind may say that the key names no secret. */
function isKnownBelow(field: string | undefined, key: string): boolean {
  return isWordBeside(key) || (field !== undefined && isShownField({ field }, key))
}

/** The state after the lines before, for those that follow. */
interface LineState {
  /** Everything indented deeper is secret. */
  below:
    | {
        readonly indent: number
        readonly style: 'block' | 'flow' | 'text'
        readonly isData: boolean
        readonly field?: string
        /** It may be the Secret that a volume is made of. */
        readonly isVolume: boolean
      }
    | undefined
  /** The two halves of `name: …`, `value: …` that were met in this map. */
  pair: { readonly indent: number; isSensitive?: boolean; value?: string }
  /** The item of a list before, if the one behind it is a secret: `- --token`. */
  flag: string | undefined
  /** The indentation of a field such as `configMapKeyRef`, while lines stand below it. */
  refersAt: number | undefined
  /** The value of `key`, until the next lines tell whether it is an entry of a volume, with a `path` beside it. */
  held: { readonly indent: number; readonly rest: string } | undefined
  /** The value of the line before goes on behind its backslash, and is a secret. */
  isContinued: boolean
  /** Values of anchors of YAML, and of those that names of secrets refer to. */
  readonly anchors: Map<string, string>
  readonly aliases: Set<string>
}

function collectFromLines(text: string, add: Add): void {
  if (isWorthALook(text)) collectFromDocuments(text, { add, facts: factsOf })
}

interface LinesContext {
  readonly add: Add
  readonly facts: FactsOf
}

function collectFromDocuments(text: string, { add, facts }: LinesContext): void {
  for (const whole of text.split(/^---(?=\s|$)/m)) {
    const document = DEFINITION.test(whole) && OF_EXTENSIONS.test(whole) ? withoutSpec(whole) : whole
    const isSecret = OF_SECRET.test(document)
    const isBinding = BINDING.test(document)
    const state: LineState = {
      below: undefined,
      pair: { indent: -1 },
      flag: undefined,
      refersAt: undefined,
      held: undefined,
      isContinued: false,
      anchors: new Map(),
      aliases: new Set(),
    }
    for (const line of document.split(/\r?\n/)) {
      const known = facts(line)
      if (state.refersAt !== undefined && known.depth !== -1 && known.depth <= state.refersAt)
        state.refersAt = undefined
      if (state.held !== undefined) judgeHeld(known, state, add)
      if (
        !known.mayMatter &&
        !isSecret &&
        state.below === undefined &&
        !state.isContinued &&
        state.flag === undefined
      ) {
        if (known.key !== undefined) leavePair(known, state)
        continue
      }
      if (known.mayHoldMarks || state.isContinued) noteMarks(line, state, add)
      collectFromLine(known, { state, isSecret, isBinding, add })
    }
    if (state.held !== undefined) add(state.held.rest)
    for (const alias of state.aliases) add(state.anchors.get(alias) ?? '')
    collectPrivateKeys(document, add)
    collectJsonWebKeys(document, add)
    collectFromShell(document, add)
    collectFromBlocks(document, add)
  }
}

/**
 * A definition of a kind without its schemas, which describe secrets and hold none; comments and defaults in flow style
 * stay.
 */
function withoutSpec(definition: string): string {
  const start = definition.search(/^spec:/m)
  if (start === -1) return definition
  const comments = definition
    .slice(start)
    .split('\n')
    .map((line) => (/[{,]\s{0,10}["']?default\b/.test(line) ? line : (/(?:^|\s)#(.*)$/.exec(line)?.[1] ?? '')))
  return definition.slice(0, start) + comments.join('\n')
}

/** A CustomResourceDefinition: its spec describes secrets and holds none. */
function isDefinition({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return (
    kind === 'CustomResourceDefinition' &&
    typeof apiVersion === 'string' &&
    apiVersion.startsWith('apiextensions.k8s.io/')
  )
}

/** Notes what later lines need to know: anchors, and a value that goes on in the next. */
function noteMarks(line: string, state: LineState, add: Add): void {
  if (line.includes('&')) {
    const [, anchor, value = ''] = /[:-]\s{1,20}&([\w-]{1,100})\s{1,20}(\S.*)$/.exec(line) ?? []
    if (anchor !== undefined) state.anchors.set(anchor, value)
  }
  if (/:\s{1,20}\*/.test(line)) {
    const [, key = '', alias] =
      /^\s*(?:-\s+)*["']?([\w.-]{1,200})["']?\s{0,20}:\s{1,20}\*([\w-]{1,100})\s*$/.exec(line) ?? []
    if (alias !== undefined && isNameOfSecret(key)) state.aliases.add(alias)
  }
  const isOpen = line.endsWith('\\')
  if (state.isContinued) add((isOpen ? line.slice(0, -1) : line).trim())
  const [, name] = isOpen ? (/^\s{0,100}([\w.-]{1,200})\s{0,20}[=:]/.exec(line) ?? []) : []
  state.isContinued = isOpen && (state.isContinued || (name !== undefined && isNameOfSecret(name)))
}

interface LineContext {
  readonly state: LineState
  readonly isSecret: boolean
  readonly isBinding: boolean
  readonly add: Add
}

function collectFromLine(facts: LineFacts, { state, isSecret, isBinding, add }: LineContext): void {
  const { line, depth, indent, key, rest } = facts
  if (depth === -1) return
  collectFromItem(facts, state, add)
  if (state.below !== undefined) {
    const { style } = state.below
    if (depth > state.below.indent || (depth === state.below.indent && line.startsWith('-', depth))) {
      if (isBinding && key !== undefined && !OF_BINDING.has(key)) return
      if (style === 'flow') collectFromFlow(line, add)
      else if (style === 'block' && line.startsWith('#', depth)) collectFromComment(line, add)
      else if (state.below.isVolume && key !== undefined && OF_VOLUME.has(key)) return
      else if (state.below.isVolume && key === 'key' && PLAIN_NAME.test(rest)) state.held = { indent, rest }
      else if (key === undefined || state.below.isData || !isKnownBelow(state.below.field, key)) add(rest)
      // `word: more` may be a text of two words
      if (style === 'text') add(line)
      return
    }
    state.below = undefined
  }
  if (!facts.isCollected) collectInline(line, add)
  facts.isCollected = true
  const data = isSecret ? FLOW_DATA.exec(line) : null
  if (data !== null) collectFromFlow(line.slice(data.index + data[0].length), add)
  if (key === undefined) return
  const isData = isSecret && /^(?:data|stringData)$/.test(key)
  if (rest === '' && key.endsWith('KeyRef')) state.refersAt = indent
  else if (key === 'key' && facts.isNamed && NAME_UNDER_KEY.test(rest)) {
    if (state.refersAt !== undefined && indent > state.refersAt) return
    state.held = { indent, rest }
    return
  }
  if (facts.isNamed || isData) {
    if (/^(?:|[|>][-+0-9]*|[&!]\S+)\s*(?:#.*)?$/.test(rest))
      state.below = {
        indent,
        style: /^[|>]/.test(rest) ? 'text' : 'block',
        isData,
        field: key,
        isVolume: key === 'secret' && rest === '',
      }
    else add(rest)
    if (isOpenFlow(rest)) state.below = { indent, style: 'flow', isData, isVolume: false }
    return
  }
  leavePair(facts, state)
  if (key === 'value') {
    if (state.pair.isSensitive !== true) state.pair.value = rest
    else if (/^[|>][-+0-9]*\s*$|^$/.test(rest))
      state.below = { indent, style: rest === '' ? 'block' : 'text', isData, isVolume: false }
    else add(rest)
  } else if (key === 'name' || key === 'key' || key === 'path') {
    if (!(key === 'path' ? pointsToSecret(line) : namesSecretBeside(unquoted(rest)))) return
    state.pair.isSensitive = true
    if (state.pair.value !== undefined) add(state.pair.value)
  }
}

/** A comment among secrets: a value that was put out of use is one word, and what people explain is more. */
function collectFromComment(line: string, add: Add): void {
  const text = line.trim().replace(/^#+\s*/, '')
  const value = KEY.exec(text)?.[0].length ?? 0
  if (!/\s/.test(text.slice(value).trim())) add(text.slice(value))
  collectInline(line, add)
}

/** An entry of a volume has a relative path beside it, and perhaps a mode between the two; a label has an operator. */
function judgeHeld({ key, indent, rest, depth }: LineFacts, state: LineState, add: Add): void {
  if (state.held === undefined || depth === -1) return
  const isBeside = indent === state.held.indent && indent === depth
  if (isBeside && key === 'mode') return
  const isEntry = isBeside && key === 'path' && RELATIVE.test(rest) && PLAIN_NAME.test(state.held.rest)
  const isLabel = isBeside && key !== undefined && BESIDE_LABEL.has(key)
  if (!isEntry && !isLabel) add(state.held.rest)
  state.held = undefined
}

function leavePair({ depth, indent }: LineFacts, state: LineState): void {
  if (depth < state.pair.indent || indent > depth || indent !== state.pair.indent) state.pair = { indent }
}

/** An item of a list behind one that is a flag. */
function collectFromItem({ word, isFlag }: LineFacts, state: LineState, add: Add): void {
  if (word !== undefined && state.flag !== undefined)
    collectSecretWords([state.flag, word], (secret) => {
      add(secret)
    })
  state.flag = isFlag ? word : undefined
}

function collectInline(line: string, add: Add): void {
  if (mayBeCommand(line)) collectFromCommand(line, add)
  collectKnownSecrets(line, add)
  collectFromFormats(line, add)
  if (MAY_NAME_SECRET.test(line)) collectNamed(line, add)
  collectUserInfo(line, add)
}

/** Collects the text on the line under, or beside, the name of a secret. */
function collectNamed(line: string, add: Add): void {
  if (/[{,]/.test(line)) {
    const isEntry = (name: string, value: string): boolean =>
      namesEntry(name, value) || isLabelInFlow(name, value, line)
    const entries = new Set<string>()
    for (const [, name = '', value = ''] of line.matchAll(IN_FLOW))
      if (isEntry(name, unquoted(value))) entries.add(unquoted(value))
    for (const part of readFlow(line, { means: isNameOfSecret }))
      if (part.kind === 'value' && part.isMeant && !entries.has(unquoted(part.text))) add(part.text)
    const isPatch = pointsToSecret(line)
    for (const [, name = '', value = ''] of line.matchAll(IN_FLOW))
      if ((isNameOfSecret(name) && !isEntry(name, unquoted(value))) || (isPatch && name === 'value')) add(value)
    for (const [, name = '', value = ''] of line.matchAll(NAMED_PAIR)) if (namesSecretBeside(name)) add(value)
    for (const [, value = '', name = ''] of line.matchAll(PAIR_NAMED)) if (namesSecretBeside(name)) add(value)
  }
  const isAttribute = namesValueBeside(line)
  collectAssigned(line, {
    means: (name) => isNameOfSecret(name) && !(isAttribute && /^key$/i.test(name)),
    add: (secret) => {
      if (!namesEntry('key', unquoted(secret))) add(secret)
    },
  })
}

/** True for the `key` of a toleration, a taint or an expression that stands on one line. */
function isLabelInFlow(name: string, value: string, line: string): boolean {
  return name === 'key' && NAME_UNDER_KEY.test(value) && LABEL_IN_FLOW.test(line)
}

/**
 * `user:password@host`, with a scheme or without; behind `//` also what stands there without a colon, a token mostly.
 */
function collectUserInfo(line: string, add: Add): void {
  let from = 0
  for (let at = line.indexOf('@'); at !== -1; from = at + 1, at = line.indexOf('@', from)) {
    const before = line.slice(Math.max(from, at - LONGEST_USER_INFO), at)
    const [info = ''] = /[^\s"'/]*$/.exec(before) ?? []
    const colon = info.indexOf(':')
    if (info === '' || /^(?:sha\d|\s|$)/.test(line.slice(at + 1, at + 5))) continue
    if (colon !== -1) add(info.slice(colon + 1))
    else if (info.length >= 8 && before.endsWith(`//${info}`)) add(info)
  }
}

function withoutComment(text: string): string {
  const at = text.search(/\s#/)
  return at === -1 ? text : text.slice(0, at).trimEnd()
}

function unquoted(text: string): string {
  return text.trim().replaceAll(/^["']|["'],?$/g, '')
}

/** True if a collection in flow style goes on in the next line. */
function isOpenFlow(text: string): boolean {
  if (!/^[{[](?!\{)/.test(text)) return false
  let depth = 0
  for (const part of readFlow(text, { means: isNameOfSecret }))
    if (part.kind === 'sign') depth += /^[{[]$/.test(part.text) ? 1 : /^[}\]]$/.test(part.text) ? -1 : 0
  return depth > 0
}

/** The values of collections in flow style that all are secret; keys are not. */
function collectFromFlow(text: string, add: Add): void {
  for (const { kind, text: value } of readFlow(text, { means: isNameOfSecret, isMeant: true }))
    if (kind === 'value') add(value)
}

/** The text that double quotes with escapes stand for; undefined for any other. */
function readQuoted(raw: string): string | undefined {
  const text = raw.trim()
  if (!text.startsWith('"') || !text.includes('\\')) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'string' ? read : undefined
  } catch {
    return undefined
  }
}

/** A login, and what stands behind its colon. */
const LOGIN = /^["']?[A-Za-z_][\w.@+-]{1,99}:([^\s:"']{6,200})["']?$/
/** A port, a version, an address, a digest in hex of a known length, or a stand-in for a value. */
const NO_PASSWORD = /^(?:\d{1,5}(?:\/.*)?|v?\d+\.\d.*|\/.*|[0-9a-f]{32,128}|\$[A-Za-z_({].*|\{\{.*|<<.*)$/
/** Words in small letters, as names, tags and levels are. */
const WORDS = /^[A-Za-z]?[a-z]+(?:[-_./][A-Za-z]?[a-z]+)*$|^[A-Z]+(?:[-_./][A-Z]+)*$/

/** Takes the passwords of `user:password`, one or several: they may stand elsewhere without the user. */
function addPasswords(value: string, add: Add): void {
  if (!value.includes(':')) return
  for (const word of value.split(/[\s,;]+/)) {
    const [, password] = LOGIN.exec(word) ?? []
    if (password !== undefined && /[a-z]/i.test(password) && !NO_PASSWORD.test(password) && !WORDS.test(password))
      add(password)
  }
}

/**
 * Makes what takes values as they stand in a text: with quotes, comments, marks of YAML, or collections in flow style;
 * also what they encode. Each is looked at once: what is found in several ways, and encodes more that is, would take
 * twice the time for each level.
 */
function createAddRaw(add: Add): Add {
  const seen = new Set<string>()
  const look = (text: string): void => {
    if (seen.has(text) || !isWorthALook(text)) return
    seen.add(text)
    collectFromLines(text, addOnce)
  }
  const added = new Set<string>()
  const addOnce: Add = (raw) => {
    if (added.has(raw)) return
    added.add(raw)
    addRaw(raw, { add, addOnce, look })
  }
  return addOnce
}

interface RawContext {
  readonly add: Add
  /** Takes a part of the value. */
  readonly addOnce: Add
  /** Looks through a text that the value encodes. */
  readonly look: (text: string) => void
}

function addRaw(raw: string, { add, addOnce, look }: RawContext): void {
  const read = readQuoted(raw)
  if (read !== undefined) look(read)
  // an action that is never closed would be looked for from each place anew
  const ends = raw.includes('}}') ? /\{\{.*?\}\}|\r?\n|\\n/ : /\r?\n|\\n/
  for (const piece of raw.split(ends)) {
    const text = piece.trim().replace(/,$/, '')
    if (text === '') continue
    if (/^[{[]/.test(text)) {
      collectFromFlow(text, addOnce)
      continue
    }
    for (const shape of new Set([text, withoutComment(text), text.replace(/^[*&!]+/, '')])) {
      const plain = unquoted(shape)
      // in a file that a Secret holds
      if (KEY_ALONE.test(plain)) continue
      add(plain)
      addPasswords(plain, add)
      const encoded = /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(plain) ? decodeBase64(plain) : undefined
      const decoded = encoded === undefined ? '' : decodeUtf8(encoded)
      if (decoded !== '' && !/[^\t\n\r\x20-\uD7FF]/.test(decoded)) {
        decoded.split(/\r?\n/).forEach((line) => {
          if (!KEY_ALONE.test(line.trim())) add(line.trim())
          addPasswords(line, add)
        })
        look(decoded)
      }
      // the password of an address, or of a connection string
      if (isWorthALook(plain))
        collectInline(plain, (part) => {
          add(unquoted(part))
        })
    }
    // what a variable is called is no secret, and its default may be one
    const named = text.replaceAll(VARIABLE_NAME, '')
    if (/\s:|:\s|[[{,]/.test(named)) for (const part of named.split(/\s*:\s+|\s+:\s*|[[\]{},]/)) add(unquoted(part))
  }
}
