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

  test.each([
    {
      name: 'a name that is not there',
      text: 'a\nb {{missing}}\n',
      want: 'HANDOFF_TEMPLATE 2:5 "missing" not defined',
    },
    {
      name: 'a map as text',
      text: '{{map}}',
      want: 'HANDOFF_TEMPLATE 1:1 a map is printed as text; name a field of it, or use the helper yaml or json',
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
      want: 'HANDOFF_TEMPLATE 1:1 Maximum call stack size exceeded',
    },
    { name: 'a prototype', text: '{{map.constructor}}', want: 'HANDOFF_TEMPLATE 1:3 "constructor" not defined' },
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
