import { expect, test } from 'vitest'
import type { FieldChange, FoldedChange, TreeChange } from '../../../src/model/tree-change.ts'
import { formatDiffHtml } from '../../../src/report/html/format-diff-html.ts'
import { dict } from '../../../src/model/value.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const facts: TreeChange['facts'] = {
  clusters: { added: [], removed: [], changed: 1, unchanged: 0 },
  kubernetes: [],
  steps: [],
  addons: [],
  images: [],
  releases: [],
  variables: [],
  definitions: [],
  unread: [],
}
const { crypto } = createNodePorts()
const clusters = ['one', 'two'].map((name) => ({ namespace: 'team', name }))

function group(addon: string, fields: readonly FieldChange[], more: Partial<FoldedChange> = {}): FoldedChange {
  const object = { change: 'changed', apiVersion: 'v1', kind: 'ConfigMap', name: 'a', risks: [], undo: [] } as const
  return {
    part: { kind: 'addon', addon, owner: 'release' },
    clusters,
    objects: [{ ...object, fields, members: [] }],
    ...more,
  }
}

function page(groups: readonly FoldedChange[], more: Partial<TreeChange['facts']> = {}): string {
  const change = { facts: { ...facts, ...more }, changes: [], groups }
  return formatDiffHtml({ before: 'a', after: 'b', change }, { version: '1.2.3', crypto, mask: (text) => text })
}

/** What stands between two texts of the page, in one line. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  return text
    .slice(start, text.indexOf(to, start) + to.length)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/> +(?=<)|(?<=<[^>]*) +(?=>)/g, (run) => run.trim())
    .replaceAll(/<p class="object"> | <\/p>/g, (tag) => tag.trim())
}

test('a change is shown once, with the odd ones out and its fields', () => {
  const fields: readonly FieldChange[] = [
    { path: ['spec', 'replicas'], before: 2, after: 3 },
    { path: ['data', 'text'], before: 'one\ntwo', after: 'one\nthree' },
    { path: ['data', 'new'], after: '<b>' },
    { path: ['spec', 'list'], before: ['a'], after: ['b'], isReordered: true },
  ]
  const [one, two] = clusters
  const others = { unchanged: [{ namespace: 'team', name: 'three' }], different: [] }
  const text = page([group('cni', fields, { clusters: [one!, two!], others })])
  expect(between(text, '<details', '</details>')).toBe(
    [
      '<details class="entry" data-entry data-clusters="0-1" open>',
      '<summary><h3>addon cni: team/{one,two}</h3><span class="meta">1 object</span></summary>',
      '<div class="body"><p class="names"><b>Not</b> team/three: unchanged there</p>',
      '<ul class="objects"><li><p class="object"><span class="sign" aria-hidden="true">~</span>ConfigMap a</p><ul class="fields">',
      '<li><code class="path">spec.replicas</code><del class="mono">2</del> &rarr; <ins class="mono">3</ins></li>',
      '<li><code class="path">data.text</code><pre class="lines"><span>  one</span><del>- two</del><ins>+ three</ins></pre></li>',
      '<li><code class="path">data.new</code><ins class="mono">&lt;b&gt;</ins></li>',
      '<li><code class="path">spec.list</code><span class="meta">in another order</span></li>',
      '</ul></li></ul></div></details>',
    ].join(''),
  )
})

test('the same change gives the same page, which allows its own style and script alone', () => {
  const text = page([group('cni', [{ path: ['a'], before: 'x', after: 'y' }])])
  expect(page([group('cni', [{ path: ['a'], before: 'x', after: 'y' }])])).toBe(text)
  const hashes = ['style', 'script'].map((tag) => {
    const [, content = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text) ?? []
    return `'sha256-${Buffer.from(crypto.hash('sha256', new TextEncoder().encode(content))).toString('base64')}'`
  })
  expect(/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]).toBe(
    `default-src 'none'; style-src ${hashes[0]!}; script-src ${hashes[1]!}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  )
  expect(text).not.toMatch(/ (?:src|style|on\w+)=|url\(|@import|https?:/)
})

test('nothing of names and values is markup', () => {
  const nasty = '</script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="a'
  const text = page([group(nasty, [{ path: [nasty], before: nasty, after: 'b' }])], {
    unread: [{ path: nasty, change: 'added', reason: nasty }],
  })
  expect(text.match(/<script/g)).toHaveLength(1)
  expect(text).not.toContain('<img')
  expect(text).not.toContain('" onload')
})

test('what is too much is counted', () => {
  const many = (count: number): readonly FieldChange[] =>
    Array.from({ length: count }, (_, index) => ({ path: ['data', String(index)], after: 'x'.repeat(700) }))
  const text = page([group('cni', many(70))])
  expect(text.match(/<ins/g)).toHaveLength(60)
  expect(text).toContain('<p class="more">&hellip; and 10 more fields</p>')
  expect(text).toContain(`${'x'.repeat(600)}… (100 more characters)`)
  const groups = Array.from({ length: 2003 }, (_, index) => group(String(index), many(20)))
  const whole = page(groups)
  expect(whole.match(/<details/g)).toHaveLength(2000)
  expect(whole.match(/<ins/g)).toHaveLength(20_000)
  expect(whole).toContain('&hellip; and 3 more changes: <code>stackmason diff --all</code> shows everything.')
  expect(whole.match(/&hellip; and 1 object:/g)).toHaveLength(1000)
})

test('no difference is said', () => {
  expect(between(page([]), '<p class="sum">', '</p>')).toBe('<p class="sum">No differences</p>')
})

test('objects that are not shown take no room of those that are', () => {
  const many = Array.from({ length: 2100 }, (_, index) => ({
    change: 'added' as const,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `n${String(index)}`,
    fields: [],
    risks: [],
    undo: [],
    content: dict([['kind', 'ConfigMap']]),
    members: [],
  }))
  const text = page([
    group('big', [], { objects: many }),
    group('cni', [{ path: ['spec', 'replicas'], before: 2, after: 3 }]),
  ])
  expect(text.match(/ConfigMap n\d+/g)).toHaveLength(200)
  expect(text).toContain('&hellip; and 1900 more objects')
  expect(text).toContain('spec.replicas')
})
