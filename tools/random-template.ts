/**
 * Makes small random templates over the whole language and function table: arguments mostly of the right type,
 * sometimes not. Equal seeds give equal templates. Functions whose result is random, slow or of the hour are left out.
 */
import { chartFunctions } from '../src/render/functions/registry.ts'
import type { ParamType } from '../src/model/value.ts'
import { broad, excluded, hints, pools } from './template-words.ts'

interface Signature {
  readonly name: string
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
}

const lateBound: readonly Signature[] = [
  { name: 'include', params: ['string', 'any'] },
  { name: 'tpl', params: ['string', 'any'] },
  { name: 'required', params: ['string', 'any'] },
  { name: 'fail', params: ['string'] },
  { name: 'lookup', params: ['string', 'string', 'string', 'string'] },
]
const signatures: readonly Signature[] = [...chartFunctions.values(), ...lateBound].filter(
  ({ name }) => !excluded.has(name),
)

/** A source of templates. */
export interface TemplateSource {
  readonly next: () => string
}

/** @param seed any integer */
export function createTemplateSource(seed: number): TemplateSource {
  let state = seed >>> 0
  // mulberry32
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(random() * count)
  const chance = (part: number): boolean => random() < part
  function pick<Item>(items: readonly Item[]): Item {
    const item = items[below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  function argument(pool: string, depth: number): string {
    if (pool === 'fresh' || pool === 'time') return pick(pools[pool] ?? [])
    const right = pool === 'any' || chance(0.1) ? pick(broad) : pool
    if (depth > 0 && chance(0.25)) return `(${pipeline(depth - 1)})`
    return pick(pools[right] ?? pools['any'] ?? [])
  }

  function argumentsOf({ name, params, variadic }: Signature, depth: number): string[] {
    const more = variadic === undefined ? 0 : below(4)
    const given = params.length + more + (chance(0.03) ? pick([-1, 1]) : 0)
    const hint = hints.get(name)
    return Array.from({ length: Math.max(given, 0) }, (_, at) =>
      argument(
        hint?.[at] ?? (at >= params.length ? hint?.at(-1) : undefined) ?? params[at] ?? variadic ?? 'any',
        depth,
      ),
    )
  }

  function pipeline(depth: number): string {
    const signature = pick(signatures)
    const words = argumentsOf(signature, depth)
    const isPiped = words.length > 0 && chance(0.35)
    const last = isPiped ? words.pop() : undefined
    const call = [signature.name, ...words].join(' ')
    const head = last === undefined ? call : `${last} | ${call}`
    return chance(0.15)
      ? `${head} | ${pick(['quote', 'toYaml', 'default "d"', 'toString', 'len', 'trim', 'upper', 'toJson', 'not', 'b64enc', 'nindent 2', 'int', 'kindOf', 'typeOf', 'first', 'toRawJson', 'squote', 'empty', 'fromYaml', 'toPrettyJson', 'toYamlPretty', 'toToml', 'print', 'title', 'sortAlpha'])}`
      : head
  }

  function value(): string {
    return chance(0.5) ? `(${pipeline(1)})` : pick(pools[pick(broad)] ?? [])
  }

  function action(depth: number): string {
    const open = pick(['{{ ', '{{ ', '{{ ', '{{- ', '{{'])
    const close = pick([' }}', ' }}', ' }}', ' -}}', '}}'])
    const wrap = (text: string): string => `${open}${text}${close}`
    const body = (): string =>
      depth > 0 ? `\n ${action(depth - 1)}x\n` : pick(['x', '\n  y\n', '{{ . }}', ' {{- . | toJson }} '])
    switch (below(depth > 0 ? 18 : 9)) {
      case 9:
        return `${wrap(`if ${value()}`)}${body()}${wrap(chance(0.5) ? 'else' : `else if ${value()}`)}${body()}{{ end }}`
      case 10:
        return `${wrap(`with ${value()}`)}${body()}${wrap(chance(0.6) ? 'else' : `else with ${value()}`)}${body()}{{ end }}`
      case 11:
        return `${wrap(`range ${value()}`)}${pick(['{{ . }},', '{{ .name }}', '{{ break }}', '{{ if . }}{{ continue }}{{ end }}n', body()])}{{ else }}none{{ end }}`
      case 12:
        return `${wrap(`range $k, $v := ${argument(pick(['map', 'list', 'map', 'any', 'int']), 1)}`)}{{ $k }}={{ $v }};{{ end }}`
      case 13:
        return `{{ $x := ${value()} }}${wrap(`$x${pick(['', '', '.a', '.Values', ' | toYaml', '.b.c'])}`)}`
      case 14:
        return `{{ $x := 1 }}{{ ${pick(['if', 'with', 'range'])} ${value()} }}{{ $x = ${value()} }}{{ end }}{{ $x }}`
      case 15:
        return wrap(`template ${pick(['"t"', '"u"', '"none"', '"t"'])}${chance(0.7) ? ` ${value()}` : ''}`)
      case 16:
        return wrap(
          pick([
            '.Values.map.c.d.e',
            '.Values.list.x',
            '$.Values.s',
            '.Files.Lines',
            '.Capabilities.APIVersions.Has "v1"',
            '.Files.Get 1',
            '.Release.Name.x',
            '(.Files.Glob "*").AsConfig',
            '.Values.map.f.g',
            '.Chart.Home',
            '.Values.AsMap',
            '.Capabilities.KubeVersion.Minor',
            '(.Files.Glob "**").AsSecrets',
            '.Capabilities.HelmVersion.Version',
            '.Capabilities.KubeVersion.GitVersion',
            '$.Template.BasePath',
            '.Values.YAML',
            '.Values.Table "map"',
            '(index .Values.list 1).x',
            '(.Values.PathValue "map.b")',
            '.Capabilities.KubeVersion.String',
            '.Files.AsConfig',
          ]),
        )
      case 17:
        return wrap(`/* c */${chance(0.3) ? 'x' : ''}`)
      default:
        return wrap(pipeline(2))
    }
  }

  const prelude = '{{ define "t" }}[{{ . }}]{{ end }}{{ define "u" }}{{ .Values.s | upper }}{{ end }}'
  const variables = '{{ $text := "var" }}{{ $number := 4 }}{{ $list := list 1 "two" }}{{ $map := dict "a" 1 "n" nil }}'
  return {
    next: () =>
      `${prelude}${variables}${pick(['', '', 'k: ', '\n  '])}${action(2)}${chance(0.2) ? `\n${action(1)}` : ''}`,
  }
}
