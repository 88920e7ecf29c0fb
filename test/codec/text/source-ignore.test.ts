import { expect, test } from 'vitest'
import { readIgnorePatterns } from '../../../src/codec/text/source-ignore.ts'

/** The pattern that decides about a file, and which way. */
function decisionOn(text: string, path: string): string {
  const pattern = readIgnorePatterns(text).findLast(({ matches }) => matches(path.split('/')))
  if (pattern === undefined) return 'none'
  return `${pattern.isIncluding ? 'keeps' : 'hides'}: ${text.slice(pattern.start, pattern.end)}`
}

// each as go-git's gitignore decides, which Flux reads the file with
test.each([
  ['# a\n\n  \n', 'a', 'none'],
  ['kustomization.yaml\n', 'rendered/handoff/kustomization.yaml', 'hides: kustomization.yaml'],
  ['handoff\n', 'rendered/handoff/kustomization.yaml', 'hides: handoff'],
  ['handoff/\n', 'rendered/handoff/kustomization.yaml', 'hides: handoff/'],
  ['kustomization.yaml/\n', 'rendered/handoff/kustomization.yaml', 'none'],
  ['/handoff\n', 'rendered/handoff/a.yaml', 'none'],
  [
    '/rendered/handoff/kustomization.yaml\n',
    'rendered/handoff/kustomization.yaml',
    'hides: /rendered/handoff/kustomization.yaml',
  ],
  ['rendered/*/kustomization.yaml\n', 'rendered/handoff/kustomization.yaml', 'hides: rendered/*/kustomization.yaml'],
  ['rendered/*/kustomization.yaml\n', 'rendered/clusters/team/kustomization.yaml', 'none'],
  ['**/kustomization.yaml\n', 'rendered/clusters/team/kustomization.yaml', 'hides: **/kustomization.yaml'],
  ['rendered/**/web\n', 'rendered/clusters/team/web/a.yaml', 'hides: rendered/**/web'],
  ['rendered/**/wep\n', 'rendered/clusters/team/web/a.yaml', 'none'],
  ['rendered/**\n', 'rendered/a.yaml', 'hides: rendered/**'],
  ['**\n', 'a.yaml', 'hides: **'],
  ['a**b/c\n', 'axb/c', 'none'],
  ['a**b\n', 'axb/c', 'hides: a**b'],
  ['[a\n', '[a', 'none'],
  ['*.yaml   \n', 'a.yaml', 'hides: *.yaml   '],
  ['a.yaml\r\n', 'a.yaml', 'hides: a.yaml'],
  ['/*\n!/rendered\n', 'rendered/a/b.yaml', 'keeps: !/rendered'],
  ['/*\n!/rendered\n/rendered/a\n', 'rendered/a/b.yaml', 'hides: /rendered/a'],
  ['!/rendered\n/*\n', 'rendered/a/b.yaml', 'hides: /*'],
])('%j and %s: %s', (text, path, wanted) => {
  expect(decisionOn(text, path)).toBe(wanted)
})
