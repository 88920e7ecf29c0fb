import { describe, expect, test } from 'vitest'
import {
  formatImageReference,
  namesRegistry,
  parseImageReference,
  pulledReference,
} from '../../src/model/image-reference.ts'

const SHA = `sha256:${'0a'.repeat(32)}`

describe('image references', () => {
  test.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['nginx:1.27', 'docker.io/library/nginx:1.27'],
    ['bitnami/redis', 'docker.io/bitnami/redis:latest'],
    ['docker.io/nginx:1', 'docker.io/library/nginx:1'],
    ['index.docker.io/nginx:1', 'docker.io/library/nginx:1'],
    ['localhost/a:1', 'localhost/a:1'],
    ['registry:5000/a', 'registry:5000/a:latest'],
    ['registry:5000/a/b:c', 'registry:5000/a/b:c'],
    ['[::1]:5000/a:b', '[::1]:5000/a:b'],
    ['Registry/a:b', 'Registry/a:b'],
    ['gcr.io/a__b/c-d/e.f:V1_2-3.4', 'gcr.io/a__b/c-d/e.f:V1_2-3.4'],
    [`quay.io/a/b@${SHA}`, `quay.io/a/b@${SHA}`],
    [`quay.io/a/b:v1@${SHA}`, `quay.io/a/b:v1@${SHA}`],
  ])('%s is %s', (text, want) => {
    const reference = parseImageReference(text)
    expect(reference && formatImageReference(reference)).toBe(want)
    // what is written in full means the same
    expect(parseImageReference(want)).toEqual({ ...reference, ...(want.endsWith(':latest') && { tag: 'latest' }) })
  })

  test.each([
    '',
    ' nginx',
    'nginx:',
    'nginx@',
    'Nginx',
    'a/B',
    'a//b',
    'https://quay.io/a:b',
    'user:secret@host.example/x',
    'quay.io/a@sha256:0a',
    `quay.io/a@${SHA}0`,
    `quay.io/a@${SHA.toUpperCase()}`,
    'host:123456/a',
    'a b:c',
    'a:b c',
    '-a',
    'a-',
    'a___b',
    `a:${'x'.repeat(129)}`,
    `${'a/'.repeat(127)}ab`,
    `x:${'y'.repeat(100_000)}`,
    'a:\u001b[2J',
    '../a',
    '__proto__/',
  ])('%j is none', (text) => {
    expect(parseImageReference(text)).toBeUndefined()
  })

  test('is pulled by its digest', () => {
    const reference = parseImageReference(`quay.io/a/b:v1@${SHA}`)
    expect(reference && pulledReference(reference)).toBe(`quay.io/a/b@${SHA}`)
  })

  test('has a registry or not', () => {
    expect(['nginx', 'a/b', 'a.b/c', 'a:1/b', 'localhost/a'].map(namesRegistry)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
