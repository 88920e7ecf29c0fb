import { describe, expect, test } from 'vitest'
import { MaskTexts } from '../../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../../src/codec/text/secret-texts.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const found: readonly { name: string; text: string; want: readonly string[] }[] = [
  { name: 'a key', text: 'password: hunter2', want: ['hunter2'] },
  {
    name: 'a reference to a secret is none',
    text: 'existingSecret: web-tls\nsecretName: web\ntokenPath: /x',
    want: [],
  },
  { name: 'a pair', text: '- name: DB_PASSWORD\n  value: hunter2', want: ['hunter2'] },
  { name: 'a pair the other way round', text: '- value: hunter2\n  name: DB_PASSWORD', want: ['hunter2'] },
  { name: 'a pair in flow', text: 'env: [{name: API_TOKEN, value: hunter2}]', want: ['hunter2'] },
  { name: 'other pairs', text: '- name: DB_PASSWORD\n- name: LEVEL\n  value: debug', want: [] },
  { name: 'a Secret', text: `kind: Secret\ndata:\n  x: ${base64('hunter2')}`, want: [base64('hunter2'), 'hunter2'] },
  { name: 'a ConfigMap', text: 'kind: ConfigMap\ndata:\n  x: hunter2\n# key', want: [] },
  { name: 'JSON', text: '{"kind":"Secret","data":{"x":"aHVudGVyMg=="}}', want: ['aHVudGVyMg==', 'hunter2'] },
  {
    name: 'an object in an annotation',
    text: JSON.stringify({ a: JSON.stringify({ kind: 'Secret', stringData: { x: 'hunter2' } }) }),
    want: ['hunter2'],
  },
  { name: 'a schema', text: '{"properties":{"password":{"type":"string","title":"The word"}}}', want: [] },
  { name: 'an assignment', text: 'a.password=hunter2,b=1', want: ['hunter2'] },
  { name: 'an address', text: 'x: https://me:hunter2@host', want: ['hunter2'] },
  { name: 'an image', text: 'x: host/name:v1.2.3@sha256:00', want: [] },
  { name: 'an alias', text: 'password: *hunter2', want: ['*hunter2', 'hunter2'] },
  { name: 'a template', text: 'password: {{ .Values.x }}', want: [] },
]

describe('secret texts of', () => {
  test.each(found)('$name', ({ text, want }) => {
    const seen = new Set<string>()
    collectSecretTexts(text, (secret) => seen.add(secret))
    expect([...seen].filter((secret) => secret !== '').sort()).toEqual([...want].sort())
  })
})

const masked: readonly { secret: string; text: string; strict?: string; telling: string }[] = [
  { secret: 'hunter2', text: 'a hunter2 b HUNTER2x', telling: 'a ******** b ********x' },
  { secret: 'hunter2 x', text: 'a "hunter2 x"', telling: 'a "********"' },
  { secret: 'hunter2/+', text: 'a=hunter2%2F%2B&b', telling: 'a=********&b' },
  { secret: 'hunt"er2', text: String.raw`"hunt\"er2"`, telling: '"********"' },
  { secret: 'hunter22', text: `(${base64('u:hunter22')})`, telling: '(********)' },
  { secret: 'hunter22', text: `(${base64('uu:hunter22:x')})`, telling: '(********)' },
  {
    secret: 'word',
    text: 'a word, words, a/word, word.x',
    strict: 'a ********, words, a/word, word.x',
    telling: 'a word, words, a/word, word.x',
  },
  { secret: 'true', text: 'true', telling: 'true' },
  { secret: 'a', text: 'a', telling: 'a' },
  { secret: `${'x1'.repeat(40)}`, text: `cut ${'x1'.repeat(20)}…`, telling: 'cut ********…' },
]

describe('masking', () => {
  test.each(masked)('$secret in $text', ({ secret, text, telling, strict = telling }) => {
    const masks = new MaskTexts()
    masks.add(secret)
    expect([masks.mask(text, 'strict'), masks.mask(text, 'telling')]).toEqual([strict, telling])
  })
})
