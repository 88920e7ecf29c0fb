import type { PathStep } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'

/** Characters by which a text is another one than people read. */
export const hiddenCharacters: Rule = unitRule(
  {
    code: 'CHARACTER_HIDDEN',
    severity: 'warning',
    explanation: [
      'Characters without a width make two names look alike, and those that turn the direction of text show a command or an address in another order than it has. YAML writes them as they are, so that a review of the tree overlooks them; `diff` shows them by number.',
      'Looked at are the texts and keys of all objects, each object is said once. Characters without a width are no finding in texts of several lines and in descriptions, nor where they join letters of a script that needs them.',
    ],
  },
  ({ isKept, folders }) => (isKept ? [] : folders.flatMap(({ manifests }) => manifests.flatMap(hiddenIn))),
)

const TURNING = /[\u202A-\u202E\u2066-\u2069]/
const UNSEEN = /[\u200B\u200E\u200F\u2060\uFEFF]|(?<![^\0-\x7F])[\u200C\u200D]|[\u200C\u200D](?![^\0-\x7F])/

interface Found {
  readonly character: string
  readonly isTurning: boolean
  readonly path: readonly PathStep[]
  readonly isKey: boolean
}

/** Objects that were looked at: clusters have many in common. */
const known = new WeakMap<Dict, Found | null>()

function hiddenIn(manifest: Manifest): readonly RuleFinding[] {
  const { object } = manifest
  const before = known.get(object)
  const found = before === undefined ? (firstHidden(object, []) ?? null) : before
  known.set(object, found)
  if (found === null) return []
  const { character, isTurning, path, isKey } = found
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase()}`
  const where = `${isKey ? 'a key of ' : ''}${path.length === 0 ? 'the object' : fieldText(path)}`
  const what = isTurning ? 'a character that turns the direction of text' : 'a character that nobody sees'
  return [
    {
      message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${where} holds ${what} (${code})`,
      ...placeIn(manifest, ...path),
      hint: 'Remove the character: in the values of the chart, or with a patch.',
    },
  ]
}

function firstHidden(value: Value, path: readonly PathStep[]): Found | undefined {
  if (typeof value === 'string') return hiddenCharacter(value, path, { isKey: false })
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = firstHidden(item, [...path, index])
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!(value instanceof Dict)) return undefined
  for (const [key, child] of value) {
    const found = hiddenCharacter(key, path, { isKey: true }) ?? firstHidden(child, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

function hiddenCharacter(
  text: string,
  path: readonly PathStep[],
  { isKey }: { readonly isKey: boolean },
): Found | undefined {
  const turning = TURNING.exec(text)?.[0]
  const isProse = text.includes('\n') || (!isKey && path.at(-1) === 'description')
  const character = turning ?? (isProse ? undefined : UNSEEN.exec(text)?.[0])
  return character === undefined ? undefined : { character, isTurning: turning !== undefined, path, isKey }
}
