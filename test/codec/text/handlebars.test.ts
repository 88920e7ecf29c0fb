import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createHandlebars } from '../../../src/codec/text/handlebars.ts'
import { positionAt } from '../../../src/model/source.ts'
import { dict, goInt64 } from '../../../src/model/value.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'

const data = dict([
  ['name', 'web'],
  ['count', goInt64(3)],
  ['list', ['a', 'b']],
  ['map', dict([['k', '<v>']])],
  ['nothing', null],
])

describe('createHandlebars', () => {
  test.each([
    { name: 'a field', text: '{{name}}', want: 'web' },
    { name: 'nothing is escaped', text: '{{map.k}}', want: '<v>' },
    { name: 'null is false and prints nothing', text: '{{#if nothing}}x{{else}}y{{/if}}{{nothing}}', want: 'y' },
    { name: 'each', text: '{{#each list}}{{this}},{{/each}}', want: 'a,b,' },
    { name: 'each with names', text: '{{#each map as |v k|}}{{k}}={{v}}{{@first}}{{/each}}', want: 'k=<v>true' },
    { name: 'each of nothing', text: '{{#each nothing}}x{{else}}none{{/each}}', want: 'none' },
    {
      name: 'a partial',
      text: '{{#*inline "p"}}<{{a}}{{name}}>{{/inline}}{{> p a=1}}{{#> p a=2}}{{/p}}',
      want: '<1web><2web>',
    },
    { name: 'quote', text: '{{quote count}}', want: '"3"' },
    { name: 'json', text: '{{json map}}', want: '{"k":"<v>"}' },
    { name: 'yaml', text: '{{yaml list}}', want: '- a\n- b' },
    { name: 'default', text: '{{default "x" nothing}}', want: 'x' },
    { name: 'eq', text: '{{#if (eq name "web")}}y{{/if}}', want: 'y' },
  ])('$name', ({ text, want }) => {
    const render = createHandlebars()
    const template = { name: 'x.hbs', text }
    expect(render(template, { data, code: 'HANDOFF_TEMPLATE' })).toBe(want)
    expect(render(template, { data, code: 'HANDOFF_TEMPLATE' })).toBe(want)
  })

  test('what was compiled is told from other texts, and each error stands in its own file', async () => {
    const named = (name: string, text: string): string =>
      createHandlebars()({ name, text }, { data, code: 'HANDOFF_TEMPLATE' })
    for (const round of ['a', 'b'])
      for (let count = 0; count < 100; count++)
        expect(named(`${round}.hbs`, `{{name}} ${String(count)}`)).toBe(`web ${String(count)}`)
    for (const name of ['a.hbs', 'b.hbs']) {
      const [found] = await diagnosticsOf(Promise.resolve().then(() => named(name, '{{missing}}')))
      expect(found?.at?.source.name).toBe(name)
    }
    // a rendering that was stopped in a partial leaves nothing to the next
    const endless = '{{#*inline "p"}}{{> p}}{{/inline}}{{> p}}'
    for (let count = 0; count < 3; count++) expect(() => named('c.hbs', endless)).toThrow('100 deep')
    expect(named('d.hbs', '{{#*inline "p"}}x{{/inline}}{{> p}}')).toBe('x')
  })

  test.each([
    {
      name: 'a name that is not there',
      text: 'a\nb {{missing}}\n',
      want: 'HANDOFF_TEMPLATE 2:5 "missing" is not defined',
    },
    {
      name: 'a map as text',
      text: '{{map}}',
      want: 'HANDOFF_TEMPLATE 1:3 a map is printed as text',
    },
    {
      name: 'a block that is not closed',
      text: '{{#if name}}',
      want: 'HANDOFF_TEMPLATE 1:1 the block {{#if}} is not closed',
    },
    {
      name: 'a name that is not there, handed to a helper',
      text: 'a\nb: {{quote missing}}\n',
      want: 'HANDOFF_TEMPLATE 2:4 quote gets a name that is not there',
    },
    {
      name: 'a field that is not there, handed to a helper within another',
      text: '{{#if (eq (json map.missing) "x")}}{{/if}}',
      want: 'HANDOFF_TEMPLATE 1:11 json gets a name that is not there',
    },
    { name: 'a helper without a value', text: 'a: {{yaml}}', want: 'HANDOFF_TEMPLATE 1:4 yaml wants one value' },
    {
      name: 'printing to the terminal',
      text: 'a: {{log name}}',
      want: 'HANDOFF_TEMPLATE 1:4 there is no helper log here',
    },
    {
      name: 'partials that multiply',
      text: `{{#*inline "p0"}}x{{/inline}}${Array.from({ length: 40 }, (_, n) => `{{#*inline "p${n + 1}"}}{{> p${n}}}{{> p${n}}}{{/inline}}`).join('')}{{> p40}}`,
      want: 'HANDOFF_TEMPLATE 1:1 the template does not come to an end: more than 200000 rounds of each and calls of partials',
    },
    {
      name: 'rounds that multiply',
      text: `${'{{#each @root.list}}'.repeat(30)}x${'{{/each}}'.repeat(30)}`,
      want: 'HANDOFF_TEMPLATE 1:1 the template does not come to an end: more than 200000 rounds of each and calls of partials',
    },
    {
      name: 'text that multiplies',
      text: `{{#*inline "p0"}}${'x'.repeat(10_000)}{{/inline}}${Array.from({ length: 14 }, (_, n) => `{{#*inline "p${n + 1}"}}{{> p${n}}}{{> p${n}}}{{/inline}}`).join('')}{{> p14}}`,
      want: 'HANDOFF_TEMPLATE 1:1 the template makes more than 33554432 characters',
    },
    {
      name: 'a partial that calls itself',
      text: '{{#*inline "p"}}{{> p}}{{/inline}}{{> p}}',
      want: 'HANDOFF_TEMPLATE 1:1 partials call each other more than 100 deep',
    },
    { name: 'a prototype', text: '{{map.constructor}}', want: 'HANDOFF_TEMPLATE 1:3 "constructor" is not defined' },
  ])('$name is reported under the code that was asked for', async ({ text, want }) => {
    const template = { name: 'x.hbs', text }
    const render = (): string => createHandlebars()(template, { data, code: 'HANDOFF_TEMPLATE' })
    const found = (await diagnosticsOf(Promise.resolve().then(render))).map(({ code, message, at }) => {
      const { line, column } = positionAt(template, at?.start ?? 0)
      return `${code} ${String(line)}:${String(column)} ${message}`
    })
    expect(found).toEqual([want])
  })
})

/** Stands in every value, and as a key. */
const CANARY = 'hunter2Kanarienvogel'
const secrets = dict([
  ['name', CANARY],
  ['list', [CANARY, CANARY]],
  [
    'map',
    dict([
      ['k', CANARY],
      [CANARY, CANARY],
    ]),
  ],
  ['yes', true],
  ['count', goInt64(3)],
  ['empty', ''],
  ['nothing', null],
  ['infinite', Number.POSITIVE_INFINITY],
])

const ofText = 'is read of a text, which has no fields'
const ofList = 'is read of a list, whose items are [0], [1] and so on'
const tooDeep = 'blocks and parentheses nest more than 250 deep here'
const printed = 'a map is printed as text'

const leaking: readonly (readonly [template: string, want: string])[] = [
  ['{{list.first}}', `1:3 "first" ${ofList}`],
  ['{{list.constructor}}', `1:3 "constructor" ${ofList}`],
  ['{{name.first}}', `1:3 "first" ${ofText}`],
  ['{{name.length}}', `1:3 "length" ${ofText}`],
  ['{{empty.x}}', `1:3 "x" ${ofText}`],
  ['{{yes.x}}', '1:3 "x" is read of a boolean, which has no fields'],
  ['{{count.x}}', '1:3 "x" is read of a number, which has no fields'],
  ['{{nothing.x}}', '1:3 "x" is not defined, nor is what it is read of'],
  ['a\n{{@root.name.x}}', `2:3 "x" ${ofText}`],
  ['{{list.[0].x}}', `1:3 "x" ${ofText}`],
  ['{{map.q}}', '1:3 "q" is not defined'],
  ['{{#name}}{{x}}{{/name}}', `1:12 "x" ${ofText}`],
  ['{{#each list}}{{this.x}}{{/each}}', `1:17 "x" ${ofText}`],
  ['{{#each map}}{{x}}{{/each}}', `1:16 "x" ${ofText}`],
  ['{{#with name}}{{x}}{{/with}}', `1:17 "x" ${ofText}`],
  ['{{#*inline "p"}}{{x}}{{/inline}}{{> p list}}', `1:19 "x" ${ofList}`],
  ['{{#*inline "p"}}{{x.y}}{{/inline}}{{> p x=name}}', `1:19 "y" ${ofText}`],
  ['{{name "x"}}', '1:3 there is no helper "name"'],
  ['{{map.k "x"}}', '1:3 there is no helper "map.k"'],
  ['{{yaml (list.x)}}', '1:9 there is no helper "list.x"'],
  ['{{#if (name)}}{{/if}}', '1:8 there is no helper "name"'],
  ['{{"name" 1}}', '1:3 a literal is called as if it were a helper'],
  ['{{helperMissing name}}', '1:3 there is no helper "helperMissing"'],
  ['{{#if}}{{/if}}', '1:1 if wants one value'],
  ['{{default name}}', '1:1 default wants two values'],
  ['{{yaml list.x.y}}', '1:8 "y" is read of something that is not there: list.x.y'],
  ['{{> (lookup . "name")}}', '1:1 the partial that a value names here is not there'],
  ['x{{> (quote name)}}', '1:2 the partial that a value names here is not there'],
  ['{{> nope}}', '1:1 there is no partial "nope"'],
  ['{{* name}}', '1:1 there is no decorator but inline'],
  ['{{json infinite}}', '1:1 json cannot print this value'],
  ['{{yaml infinite}}', '1:1 yaml cannot print this value'],
  ['{{quote map}}', `1:1 ${printed}`],
  ['{{#*inline name}}{{/inline}}', `1:1 "name" is read of something that is not there`],
  ['{{a/../b}}', '1:3 "a/.." is not a path'],
  ['{{> a b c}}', '1:1 a partial takes one value at most'],
  ['{{(lookup . "name") 1}}', '1:3 the template does not parse: unexpected "("'],
  ['a\nb: {{quote name}\nc', '2:16 the template does not parse: unexpected "}"'],
  ['a: {{quote name\nb: c\n', '1:4 the template does not parse: `{{` is not closed'],
  ['{{#if}', '1:6 the template does not parse: unexpected "}"'],
  ['a\n{{/if}}', '2:1 the template does not parse: unexpected "{{/"'],
  ['{{}}', '1:3 the template does not parse: unexpected "}}"'],
  [`x: {{'a}}`, `1:6 the template does not parse: unexpected "'"`],
  [
    `${'{{name}}\n'.repeat(100)}{{name}\n${'{{name}}\n'.repeat(100)}`,
    '101:7 the template does not parse: unexpected "}"',
  ],
  [`${'\n'.repeat(60_000)}{{name}`, '60001:7 the template does not parse: unexpected "}"'],
  [`{{${'yaml ('.repeat(9000)}name${')'.repeat(9000)}}}`, `1:1 ${tooDeep}`],
  [`{{${'yaml ('.repeat(9000)}`, `1:1 ${tooDeep}`],
  [`\n${'{{#if name}}'.repeat(4000)}`, `2:3001 ${tooDeep}`],
  [`${'{{#if name}}'.repeat(250)}x${'{{/if}}'.repeat(250)}{{name.x}}`, `1:4754 "x" ${ofText}`],
  [`{{#if name}}${'{{else if name}}'.repeat(4000)}{{/if}}`, `1:3997 ${tooDeep}`],
  [`{{^name}}${'{{^name}}'.repeat(4000)}`, `1:2251 ${tooDeep}`],
  [`${"{{! ' }}{{quote '}} ('}}".repeat(10)}${'{{#if name}}'.repeat(4000)}`, `1:3241 ${tooDeep}`],
]

describe('no message of a template holds a value:', () => {
  const rows = leaking.map(([text, want]) => ({ name: text.slice(0, 60), text, want }))
  test.each(rows)('$name', async ({ text, want }) => {
    const template = { name: 'x.hbs', text }
    const render = (): string => createHandlebars()(template, { data: secrets, code: 'ADDON_TEMPLATE' })
    const error: unknown = await Promise.resolve()
      .then(render)
      .catch((thrown: unknown) => thrown)
    expect(inspect(error, { depth: 4, showHidden: true })).not.toContain(CANARY)
    const found = (await diagnosticsOf(Promise.resolve().then(render))).map(({ message, at }) => {
      const { line, column } = positionAt(template, at?.start ?? 0)
      return `${String(line)}:${String(column)} ${message}`
    })
    expect(found).toEqual([want])
  })
})
