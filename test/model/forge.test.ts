import { expect, test } from 'vitest'
import { forgeAbilities, forgeKinds, measureText, type TextUnit } from '../../src/model/forge.ts'

test.each<{ text: string; characters: number }>([
  { text: '', characters: 0 },
  { text: 'abc', characters: 3 },
  { text: 'äöü', characters: 3 },
  { text: '→', characters: 1 },
  { text: '🦊', characters: 1 },
  { text: '\ud800', characters: 1 },
  { text: 'a🦊\udc00b', characters: 4 },
])('$text is as long as a forge takes it to be', ({ text, characters }) => {
  const measure = (unit: TextUnit): number => measureText(text, unit)
  expect(measure('characters')).toBe(characters)
  expect(measure('bytes')).toBe(Buffer.byteLength(text))
})

test.each(forgeKinds)('the table of %s is of one piece', (kind) => {
  const forge = forgeAbilities[kind]
  expect(forge.kind).toBe(kind)
  expect(forge.maxBody).toBeLessThanOrEqual(forge.hardMaxBody)
  expect(forge.annotationsPerCall > 0).toBe(forge.canCheckRuns)
  expect(forge.maxAnnotations % Math.max(forge.annotationsPerCall, 1)).toBe(0)
  expect(forge.branchesPerPush).toBe({ github: 50, gitea: 50, gitlab: 3 }[kind])
})
