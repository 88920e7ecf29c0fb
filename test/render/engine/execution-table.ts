/** A template, executed with the sample data, and what it gives: text, or the error in Go's words. */
export interface ExecutionRow {
  readonly input: string
  readonly want?: string
  readonly wantError?: string
}

/**
 * By subject. Checked against Go 1.25's text/template with missingkey=zero, and include, tpl and required as Helm 4.1.4
 * has them.
 */
export const executionRows: Readonly<Record<string, readonly ExecutionRow[]>> = {
  text: [
    { input: '', want: '' },
    { input: 'plain', want: 'plain' },
    { input: '{', want: '{' },
    { input: '{ {', want: '{ {' },
    { input: '}}', want: '}}' },
    { input: 'a}}b', want: 'a}}b' },
    { input: '{{""}}', want: '' },
    { input: 'a\n{{- 1 -}}\nb', want: 'a1b' },
    { input: 'a {{- 1}} b', want: 'a1 b' },
    { input: 'a {{1 -}} b', want: 'a 1b' },
    { input: 'a \t\r\n{{- 1 -}} \t\r\n b', want: 'a1b' },
    { input: '{{- 1}}', want: '1' },
    { input: '{{1 -}}', want: '1' },
    { input: 'a{{-1}}', want: 'a-1' },
    { input: 'a {{- -1 -}} b', want: 'a-1b' },
    { input: '{{/* c */}}', want: '' },
    { input: 'a{{/* c */}}b', want: 'ab' },
    { input: 'a {{- /* c */ -}} b', want: 'ab' },
    { input: 'a {{- /* c */}} b', want: 'a b' },
    { input: 'a {{/* c */ -}} b', want: 'a b' },
    { input: '{{/* a\nb */}}x', want: 'x' },
    { input: '{{ "a" -}}   {{- "b" }}', want: 'ab' },
    { input: '{{ "{{" }}', want: '{{' },
    { input: '{{ `{{}}` }}', want: '{{}}' },
    { input: '{{`a\r\nb`}}', want: 'a\nb' },
    { input: 'x{{\n1\n}}y', want: 'x1y' },
    { input: 'x{{\r\n\t1\r\n}}y', want: 'x1y' },
    { input: '{{ "a" }}{{/* x */}}{{ "b" }}', want: 'ab' },
    { input: 'é{{ "€" }}😀', want: 'é€😀' },
  ],
  literals: [
    { input: '{{1}}', want: '1' },
    { input: '{{-1}}', want: '-1' },
    { input: '{{+1}}', want: '1' },
    { input: '{{ -0 }}', want: '0' },
    { input: '{{0}}', want: '0' },
    { input: '{{007}}', want: '7' },
    { input: '{{0755}}', want: '493' },
    { input: '{{0o17}}', want: '15' },
    { input: '{{0x1F}}', want: '31' },
    { input: '{{0XaB}}', want: '171' },
    { input: '{{0b101}}', want: '5' },
    { input: '{{0B11}}', want: '3' },
    { input: '{{1_000}}', want: '1000' },
    { input: '{{0x_1f}}', want: '31' },
    { input: '{{0_7}}', want: '7' },
    { input: '{{1.5}}', want: '1.5' },
    { input: '{{.5}}', want: '0.5' },
    { input: '{{5.}}', want: '5' },
    { input: '{{1e3}}', want: '1000' },
    { input: '{{1E3}}', want: '1000' },
    { input: '{{1e-3}}', want: '0.001' },
    { input: '{{1e+3}}', want: '1000' },
    { input: '{{1e6}}', want: '1e+06' },
    { input: '{{1e21}}', want: '1e+21' },
    { input: '{{1000000}}', want: '1000000' },
    { input: '{{1_000.5}}', want: '1000.5' },
    { input: '{{0x1p4}}', want: '16' },
    { input: '{{0x1.8p1}}', want: '3' },
    { input: '{{0x.8p1}}', want: '1' },
    { input: '{{-0x1p-2}}', want: '-0.25' },
    { input: '{{1.0}}', want: '1' },
    { input: '{{-1.5}}', want: '-1.5' },
    { input: '{{9223372036854775807}}', want: '9223372036854775807' },
    { input: '{{-9223372036854775808}}', want: '-9223372036854775808' },
    {
      input: '{{9223372036854775808}}',
      wantError: 'template: t:1:2: executing "t" at <9223372036854775808>: 9223372036854775808 overflows int',
    },
    {
      input: '{{18446744073709551615}}',
      wantError: 'template: t:1:2: executing "t" at <18446744073709551615>: 18446744073709551615 overflows int',
    },
    {
      input: '{{anyf 18446744073709551615}}',
      wantError: 'template: t:1:7: executing "t" at <18446744073709551615>: 18446744073709551615 overflows int',
    },
    { input: '{{anyf 1}}', want: 'int|1' },
    { input: '{{anyf 1.0}}', want: 'float64|1' },
    { input: '{{anyf 1e2}}', want: 'float64|100' },
    { input: "{{anyf 'a'}}", want: 'int|97' },
    { input: "{{'a'}}", want: '97' },
    { input: "{{'\\n'}}", want: '10' },
    { input: "{{'\\''}}", want: '39' },
    { input: "{{'\\x41'}}", want: '65' },
    { input: "{{'\\u00e9'}}", want: '233' },
    { input: "{{'\\U0001F600'}}", want: '128512' },
    { input: "{{'é'}}", want: '233' },
    { input: "{{'\\101'}}", want: '65' },
    { input: "{{'\\xff'}}", want: '255' },
    { input: '{{anyf true}}', want: 'bool|true' },
    { input: '{{true}}', want: 'true' },
    { input: '{{false}}', want: 'false' },
    { input: '{{"a"}}', want: 'a' },
    { input: '{{"a\\n\\t\\\\\\"\\a\\b\\f\\v\\r"}}', want: 'a\n\t\\"\u0007\b\f\u000b\r' },
    { input: '{{"\\x41\\101\\u00e9\\U0001F600"}}', want: 'AAé😀' },
    { input: '{{"\\xc3\\xa9"}}', want: 'é' },
    { input: '{{printf "%q" "\\xff\\xfe"}}', want: '"\\xff\\xfe"' },
    { input: '{{"\\xffx" | len}}', want: '2' },
    { input: '{{`raw \\n "x"`}}', want: 'raw \\n "x"' },
    { input: '{{anyf `x`}}', want: 'string|x' },
    { input: '{{fl 1}}', want: '1.5' },
    { input: '{{fl 1.5}}', want: '2' },
    { input: '{{fl 0x10}}', want: '16.5' },
    { input: "{{fl 'a'}}", want: '97.5' },
    { input: '{{num 1.0}}', want: '2' },
    { input: '{{num 1e2}}', want: '101' },
    { input: "{{num 'a'}}", want: '98' },
    { input: '{{num64 5}}', want: '6' },
    {
      input: '{{num 18446744073709551615}}',
      wantError:
        'template: t:1:6: executing "t" at <18446744073709551615>: expected integer; found 18446744073709551615',
    },
    { input: '{{fl 18446744073709551615}}', want: '1.8446744073709552e+19' },
    { input: '{{num 1.5}}', wantError: 'template: t:1:6: executing "t" at <1.5>: expected integer; found 1.5' },
    { input: '{{num "a"}}', wantError: 'template: t:1:6: executing "t" at <"a">: expected integer; found "a"' },
    { input: '{{num true}}', wantError: 'template: t:1:6: executing "t" at <true>: expected integer; found true' },
    { input: '{{str 1}}', wantError: 'template: t:1:6: executing "t" at <1>: expected string; found 1' },
    { input: '{{str true}}', wantError: 'template: t:1:6: executing "t" at <true>: expected string; found true' },
    { input: '{{str "a"}}', want: 'str:a' },
    { input: '{{yes true}}', want: 'true' },
    { input: '{{yes 1}}', wantError: 'template: t:1:6: executing "t" at <1>: expected bool; found 1' },
    { input: '{{yes "x"}}', wantError: 'template: t:1:6: executing "t" at <"x">: expected bool; found "x"' },
    { input: '{{fl "x"}}', wantError: 'template: t:1:5: executing "t" at <"x">: expected float; found "x"' },
    {
      input: '{{listf 1}}',
      wantError: 'template: t:1:8: executing "t" at <1>: can\'t handle 1 for arg of type []interface {}',
    },
    {
      input: '{{mapf "x"}}',
      wantError: 'template: t:1:7: executing "t" at <"x">: can\'t handle "x" for arg of type map[string]interface {}',
    },
    {
      input: '{{strs true}}',
      wantError: 'template: t:1:7: executing "t" at <true>: can\'t handle true for arg of type []string',
    },
    {
      input: '{{bytesf "x"}}',
      wantError: 'template: t:1:9: executing "t" at <"x">: can\'t handle "x" for arg of type []uint8',
    },
    { input: '{{listf nil}}', want: '0' },
    { input: '{{mapf nil}}', want: '0' },
    { input: '{{strs nil}}', want: '0' },
    { input: '{{bytesf nil}}', want: '0' },
    { input: '{{str nil}}', wantError: 'template: t:1:6: executing "t" at <nil>: cannot assign nil to string' },
    { input: '{{num nil}}', wantError: 'template: t:1:6: executing "t" at <nil>: cannot assign nil to int' },
    { input: '{{fl nil}}', wantError: 'template: t:1:5: executing "t" at <nil>: cannot assign nil to float64' },
    { input: '{{yes nil}}', wantError: 'template: t:1:6: executing "t" at <nil>: cannot assign nil to bool' },
    { input: '{{anyf nil}}', want: '<nil>|<nil>' },
  ],
  fields: [
    { input: '{{.s}}', want: 'abc' },
    { input: '{{.f}}', want: '1.5' },
    { input: '{{.i3}}', want: '3' },
    { input: '{{.big}}', want: '1.234567e+06' },
    { input: '{{.t}}', want: 'true' },
    { input: '{{.nul}}', want: '<no value>' },
    { input: '{{.missing}}', want: '<no value>' },
    { input: '{{.l}}', want: '[a b c]' },
    { input: '{{.m}}', want: 'map[a:A b:B c:<nil>]' },
    { input: '{{.mixed}}', want: '[1 two <nil> true map[k:v] [1]]' },
    { input: '{{.em}}', want: 'map[]' },
    { input: '{{.el}}', want: '[]' },
    { input: '{{.int}}', want: '7' },
    { input: '{{.u8}}', want: '200' },
    { input: '{{.bytes}}', want: '[104 105]' },
    { input: '{{.strs}}', want: '[p q]' },
    { input: '{{.sm}}', want: 'map[k:v]' },
    { input: '{{.deep.x.y.z}}', want: 'deep' },
    { input: '{{.deep.x.missing}}', want: '<no value>' },
    {
      input: '{{.deep.missing.z}}',
      wantError: 'template: t:1:7: executing "t" at <.deep.missing.z>: nil pointer evaluating interface {}.z',
    },
    {
      input: '{{.missing.a}}',
      wantError: 'template: t:1:10: executing "t" at <.missing.a>: nil pointer evaluating interface {}.a',
    },
    {
      input: '{{.missing.a.b}}',
      wantError: 'template: t:1:10: executing "t" at <.missing.a.b>: nil pointer evaluating interface {}.a',
    },
    { input: '{{(.missing).a}}', want: '<no value>' },
    { input: '{{(.missing).a.b.c}}', want: '<no value>' },
    { input: '{{(.deep).x.y.z}}', want: 'deep' },
    { input: '{{(.deep.x).y.z}}', want: 'deep' },
    { input: '{{(.deep.missing).z}}', want: '<no value>' },
    {
      input: '{{.s.x}}',
      wantError: 'template: t:1:4: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{(.s).x}}',
      wantError: 'template: t:1:3: executing "t" at <.s>: can\'t evaluate field x in type string',
    },
    {
      input: '{{.f.x}}',
      wantError: 'template: t:1:4: executing "t" at <.f.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.l.x}}',
      wantError: 'template: t:1:4: executing "t" at <.l.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.t.x}}',
      wantError: 'template: t:1:4: executing "t" at <.t.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.int.x}}',
      wantError: 'template: t:1:6: executing "t" at <.int.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.nul.x}}',
      wantError: 'template: t:1:6: executing "t" at <.nul.x>: nil pointer evaluating interface {}.x',
    },
    { input: '{{(.nul).x}}', want: '<no value>' },
    { input: '{{.sm.k}}', want: 'v' },
    { input: '{{.sm.zz}}', want: '' },
    {
      input: '{{.sm.k.x}}',
      wantError: 'template: t:1:5: executing "t" at <.sm.k.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{.strs.x}}',
      wantError: 'template: t:1:7: executing "t" at <.strs.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.bytes.x}}',
      wantError: 'template: t:1:8: executing "t" at <.bytes.x>: can\'t evaluate field x in type interface {}',
    },
    { input: '{{$.s}}', want: 'abc' },
    { input: '{{$.deep.x.y.z}}', want: 'deep' },
    {
      input: '{{$.missing.x}}',
      wantError: 'template: t:1:3: executing "t" at <$.missing.x>: nil pointer evaluating interface {}.x',
    },
    {
      input: '{{$.s.x.y}}',
      wantError: 'template: t:1:3: executing "t" at <$.s.x.y>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{.deep.x.y.z.q}}',
      wantError: 'template: t:1:7: executing "t" at <.deep.x.y.z.q>: can\'t evaluate field q in type interface {}',
    },
    { input: '{{.s 1}}', wantError: 'template: t:1:2: executing "t" at <.s>: s is not a method but has arguments' },
    { input: '{{.s | .f}}', wantError: 'template: t:1:7: executing "t" at <.f>: f is not a method but has arguments' },
    { input: '{{1 | .s}}', wantError: 'template: t:1:6: executing "t" at <.s>: s is not a method but has arguments' },
    {
      input: '{{.missing 1}}',
      wantError: 'template: t:1:2: executing "t" at <.missing>: missing is not a method but has arguments',
    },
    { input: '{{(.m).a 1}}', wantError: 'template: t:1:3: executing "t" at <.m>: a is not a method but has arguments' },
    { input: '{{$.s 1}}', wantError: 'template: t:1:3: executing "t" at <$.s>: s is not a method but has arguments' },
    { input: '{{$ 1}}', wantError: 'template: t:1:2: executing "t" at <$>: can\'t give argument to non-function $' },
    { input: '{{. 1}}', wantError: 'template: t:1:2: executing "t" at <.>: can\'t give argument to non-function .' },
    {
      input: '{{"a" "b"}}',
      wantError: 'template: t:1:2: executing "t" at <"a">: can\'t give argument to non-function "a"',
    },
    { input: '{{1 2}}', wantError: 'template: t:1:2: executing "t" at <1>: can\'t give argument to non-function 1' },
    {
      input: '{{true 1}}',
      wantError: 'template: t:1:2: executing "t" at <true>: can\'t give argument to non-function true',
    },
    { input: '{{nil}}', wantError: 'template: t:1:2: executing "t" at <nil>: nil is not a command' },
    {
      input: '{{nil 1}}',
      wantError: 'template: t:1:2: executing "t" at <nil>: can\'t give argument to non-function nil',
    },
    {
      input: '{{(1) 2}}',
      wantError: 'template: t:1:2: executing "t" at <(1) 2>: can\'t give argument to non-function 1',
    },
    {
      input: '{{("a") "b" | str}}',
      wantError: 'template: t:1:2: executing "t" at <("a") "b" | str>: can\'t give argument to non-function "a"',
    },
    {
      input: '{{1 | (2)}}',
      wantError: 'template: t:1:2: executing "t" at <1>: can\'t give argument to non-function 2',
    },
    { input: '{{.vals.k}}', want: 'v' },
    { input: '{{.vals.n.o}}', want: 'p' },
    { input: '{{.vals.AsMap}}', want: 'map[k:v n:map[o:p]]' },
    { input: '{{.vals.AsMap.k}}', want: 'v' },
    { input: '{{.vals.Count 2}}', want: '4' },
    {
      input: '{{.vals.Count}}',
      wantError: 'template: t:1:7: executing "t" at <.vals.Count>: wrong number of args for Count: want 1 got 0',
    },
    { input: '{{2 | .vals.Count}}', want: '4' },
    {
      input: '{{.vals.AsMap 1}}',
      wantError: 'template: t:1:7: executing "t" at <.vals.AsMap>: wrong number of args for AsMap: want 0 got 1',
    },
    { input: '{{.vals.zz}}', want: '<no value>' },
    {
      input: '{{.vals.zz.y}}',
      wantError: 'template: t:1:7: executing "t" at <.vals.zz.y>: nil pointer evaluating interface {}.y',
    },
    { input: '{{.vals.n.AsMap}}', want: '<no value>' },
    {
      input: '{{.vals.k.AsMap}}',
      wantError: 'template: t:1:7: executing "t" at <.vals.k.AsMap>: can\'t evaluate field AsMap in type interface {}',
    },
    { input: '{{(mkd "a" 1).a}}', want: '1' },
    { input: '{{(mkd "a" 1).b}}', want: '<no value>' },
    {
      input: '{{(mkd "a" 1).b.c}}',
      wantError: 'template: t:1:11: executing "t" at <1>: nil pointer evaluating interface {}.c',
    },
    {
      input: '{{zero.x}}',
      wantError: 'template: t:1:2: executing "t" at <zero>: can\'t evaluate field x in type string',
    },
    {
      input: '{{nilf.x}}',
      wantError: 'template: t:1:2: executing "t" at <nilf>: nil pointer evaluating interface {}.x',
    },
    { input: '{{(nilf).x}}', want: '<no value>' },
    {
      input: '{{nilf.x.y}}',
      wantError: 'template: t:1:2: executing "t" at <nilf>: nil pointer evaluating interface {}.x',
    },
    { input: '{{mkd.x}}', want: '<no value>' },
    { input: '{{.Values.image.tag}}', want: '1.0' },
    {
      input: '{{.Values.image.tag.x}}',
      wantError:
        'template: t:1:9: executing "t" at <.Values.image.tag.x>: can\'t evaluate field x in type interface {}',
    },
    { input: '{{ . | len }}{{ $ | len }}', want: '3434' },
  ],
  objects: [
    { input: '{{.caps.Name}}', want: 'caps' },
    { input: '{{.caps.KubeVersion}}', want: 'v1.35.0' },
    { input: '{{.caps.KubeVersion.Version}}', want: 'v1.35.0' },
    {
      input: '{{.caps.KubeVersion.Foo}}',
      wantError:
        'template: t:1:7: executing "t" at <.caps.KubeVersion.Foo>: can\'t evaluate field Foo in type main.KubeVersion',
    },
    {
      input: '{{.caps.Foo}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Foo>: can\'t evaluate field Foo in type interface {}',
    },
    {
      input: '{{(.caps).Foo}}',
      wantError: 'template: t:1:3: executing "t" at <.caps>: can\'t evaluate field Foo in type *main.Caps',
    },
    { input: '{{.caps.APIVersions.Has "v1"}}', want: 'true' },
    { input: '{{.caps.APIVersions.Has "v2"}}', want: 'false' },
    { input: '{{"v1" | .caps.APIVersions.Has}}', want: 'true' },
    { input: '{{.caps.Has "yes"}}', want: 'true' },
    {
      input: '{{.caps.Has}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Has>: wrong number of args for Has: want 1 got 0',
    },
    { input: '{{.caps.Has 1}}', wantError: 'template: t:1:12: executing "t" at <1>: expected string; found 1' },
    {
      input: '{{.caps.Has "a" "b"}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Has>: wrong number of args for Has: want 1 got 2',
    },
    {
      input: '{{.caps.Has .f}}',
      wantError: 'template: t:1:12: executing "t" at <.f>: wrong type for value; expected string; got float64',
    },
    {
      input: '{{.caps.Has .missing}}',
      wantError:
        'template: t:1:12: executing "t" at <.missing>: wrong type for value; expected string; got interface {}',
    },
    {
      input: '{{.missing | .caps.Has}}',
      wantError: 'template: t:1:18: executing "t" at <.caps.Has>: invalid value; expected string',
    },
    { input: '{{.caps.Twice 4}}', want: '8' },
    { input: '{{.caps.Twice 4.0}}', want: '8' },
    {
      input: '{{.caps.Twice .i3}}',
      wantError: 'template: t:1:14: executing "t" at <.i3>: wrong type for value; expected int; got float64',
    },
    { input: '{{.caps.Twice .int}}', want: '14' },
    { input: '{{.caps.Join "-" "a" "b"}}', want: 'a-b' },
    { input: '{{.caps.Join "-"}}', want: '' },
    {
      input: '{{.caps.Join}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Join>: wrong number of args for Join: want at least 1 got 0',
    },
    { input: '{{"x" | .caps.Join "-" "a"}}', want: 'a-x' },
    {
      input: '{{1 | .caps.Join "-" "a"}}',
      wantError: 'template: t:1:21: executing "t" at <"a">: wrong type for value; expected string; got int',
    },
    {
      input: '{{.caps.Fail "x"}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Fail>: error calling Fail: caps failed: x',
    },
    {
      input: '{{"y" | .caps.Fail}}',
      wantError: 'template: t:1:13: executing "t" at <.caps.Fail>: error calling Fail: caps failed: y',
    },
    { input: '{{.caps.Hello}}', want: 'hello' },
    {
      input: '{{.caps.Hello.x}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Hello.x>: can\'t evaluate field x in type string',
    },
    { input: '{{.caps.Map.k}}', want: 'v' },
    { input: '{{.caps.Map.zz}}', want: '<no value>' },
    {
      input: '{{.caps.Map.zz.y}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Map.zz.y>: nil pointer evaluating interface {}.y',
    },
    {
      input: '{{.caps.Name 1}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Name>: Name has arguments but cannot be invoked as function',
    },
    {
      input: '{{.caps.Name.x}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Name.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{$c := .caps}}{{$c.Name}}{{$c.Has "yes"}}{{$c.Foo}}',
      wantError: 'template: t:1:46: executing "t" at <$c.Foo>: can\'t evaluate field Foo in type *main.Caps',
    },
    {
      input: '{{with .caps}}{{.Name}}{{.Foo}}{{end}}',
      wantError: 'template: t:1:25: executing "t" at <.Foo>: can\'t evaluate field Foo in type *main.Caps',
    },
    { input: '{{range .caps.APIVersions}}{{.}};{{end}}', want: 'v1;apps/v1;' },
    { input: '{{len .caps.APIVersions}}', want: '2' },
    { input: '{{index .caps.APIVersions 1}}', want: 'apps/v1' },
    { input: '{{(.caps.KubeVersion).Major}}', want: '1' },
    { input: '{{if .caps}}y{{end}}', want: 'y' },
    { input: '{{if .caps.KubeVersion}}y{{end}}', want: 'y' },
    {
      input: '{{str .caps}}',
      wantError: 'template: t:1:6: executing "t" at <.caps>: wrong type for value; expected string; got *main.Caps',
    },
    {
      input: '{{num .caps.Name}}',
      wantError: 'template: t:1:11: executing "t" at <.caps.Name>: wrong type for value; expected int; got string',
    },
    { input: '{{.caps.Anything}}', want: '<no value>' },
    {
      input: '{{.caps.Anything.x}}',
      wantError: 'template: t:1:7: executing "t" at <.caps.Anything.x>: nil pointer evaluating interface {}.x',
    },
    { input: '{{and .caps.Name .caps.Hello}}', want: 'hello' },
  ],
  pipelines: [
    { input: '{{"a" | str}}', want: 'str:a' },
    { input: '{{str "a" | str}}', want: 'str:str:a' },
    { input: '{{1 | num}}', want: '2' },
    { input: '{{1 | num | num}}', want: '3' },
    {
      input: '{{1 | str}}',
      wantError: 'template: t:1:6: executing "t" at <str>: wrong type for value; expected string; got int',
    },
    { input: '{{.s | str}}', want: 'str:abc' },
    {
      input: '{{.f | str}}',
      wantError: 'template: t:1:7: executing "t" at <str>: wrong type for value; expected string; got float64',
    },
    {
      input: '{{.missing | str}}',
      wantError: 'template: t:1:13: executing "t" at <str>: invalid value; expected string',
    },
    { input: '{{.nul | str}}', wantError: 'template: t:1:9: executing "t" at <str>: invalid value; expected string' },
    {
      input: '{{str .missing}}',
      wantError:
        'template: t:1:6: executing "t" at <.missing>: wrong type for value; expected string; got interface {}',
    },
    {
      input: '{{str .nul}}',
      wantError: 'template: t:1:6: executing "t" at <.nul>: wrong type for value; expected string; got interface {}',
    },
    {
      input: '{{str (.missing)}}',
      wantError: 'template: t:1:7: executing "t" at <.missing>: invalid value; expected string',
    },
    {
      input: '{{num .f}}',
      wantError: 'template: t:1:6: executing "t" at <.f>: wrong type for value; expected int; got float64',
    },
    {
      input: '{{num .i3}}',
      wantError: 'template: t:1:6: executing "t" at <.i3>: wrong type for value; expected int; got float64',
    },
    { input: '{{num .int}}', want: '8' },
    {
      input: '{{num64 .int}}',
      wantError: 'template: t:1:8: executing "t" at <.int>: wrong type for value; expected int64; got int',
    },
    {
      input: '{{num .i64}}',
      wantError: 'template: t:1:6: executing "t" at <.i64>: wrong type for value; expected int; got int64',
    },
    { input: '{{num64 .i64}}', want: '10' },
    {
      input: '{{num .u8}}',
      wantError: 'template: t:1:6: executing "t" at <.u8>: wrong type for value; expected int; got uint8',
    },
    { input: '{{fl .f}}', want: '2' },
    {
      input: '{{fl .int}}',
      wantError: 'template: t:1:5: executing "t" at <.int>: wrong type for value; expected float64; got int',
    },
    {
      input: '{{fl .missing}}',
      wantError:
        'template: t:1:5: executing "t" at <.missing>: wrong type for value; expected float64; got interface {}',
    },
    { input: '{{yes .t}}', want: 'true' },
    {
      input: '{{yes .s}}',
      wantError: 'template: t:1:6: executing "t" at <.s>: wrong type for value; expected bool; got string',
    },
    {
      input: '{{yes .missing}}',
      wantError: 'template: t:1:6: executing "t" at <.missing>: wrong type for value; expected bool; got interface {}',
    },
    { input: '{{listf .l}}', want: '3' },
    {
      input: '{{listf .strs}}',
      wantError:
        'template: t:1:8: executing "t" at <.strs>: wrong type for value; expected []interface {}; got []string',
    },
    {
      input: '{{listf .missing}}',
      wantError:
        'template: t:1:8: executing "t" at <.missing>: wrong type for value; expected []interface {}; got interface {}',
    },
    { input: '{{listf (.missing)}}', want: '0' },
    { input: '{{.missing | listf}}', want: '0' },
    { input: '{{mapf .m}}', want: '3' },
    {
      input: '{{mapf .sm}}',
      wantError:
        'template: t:1:7: executing "t" at <.sm>: wrong type for value; expected map[string]interface {}; got map[string]string',
    },
    { input: '{{mapf .vals}}', want: '2' },
    {
      input: '{{mapf .missing}}',
      wantError:
        'template: t:1:7: executing "t" at <.missing>: wrong type for value; expected map[string]interface {}; got interface {}',
    },
    { input: '{{.missing | mapf}}', want: '0' },
    {
      input: '{{mapf .l}}',
      wantError:
        'template: t:1:7: executing "t" at <.l>: wrong type for value; expected map[string]interface {}; got []interface {}',
    },
    { input: '{{strs .strs}}', want: '2' },
    {
      input: '{{strs .l}}',
      wantError: 'template: t:1:7: executing "t" at <.l>: wrong type for value; expected []string; got []interface {}',
    },
    { input: '{{bytesf .bytes}}', want: '2' },
    {
      input: '{{bytesf .s}}',
      wantError: 'template: t:1:9: executing "t" at <.s>: wrong type for value; expected []uint8; got string',
    },
    { input: '{{anyf .missing}}', want: '<nil>|<nil>' },
    { input: '{{.missing | anyf}}', want: '<nil>|<nil>' },
    { input: '{{anyf .f}}', want: 'float64|1.5' },
    { input: '{{anyf .int}}', want: 'int|7' },
    { input: '{{anyf .l}}', want: '[]interface {}|[a b c]' },
    { input: '{{anyf .m}}', want: 'map[string]interface {}|map[a:A b:B c:<nil>]' },
    { input: '{{anyf .u8}}', want: 'uint8|200' },
    { input: '{{anyf .vals}}', want: 'main.Values|map[k:v n:map[o:p]]' },
    { input: '{{anyf .sm}}', want: 'map[string]string|map[k:v]' },
    { input: '{{anyf .bytes}}', want: '[]uint8|[104 105]' },
    { input: '{{anys}}', want: '0:[]' },
    { input: '{{anys 1 "a" nil .missing .f}}', want: '5:[1 a <nil> <nil> 1.5]' },
    { input: '{{.s | anys 1}}', want: '2:[1 abc]' },
    { input: '{{two 1 2}}', want: '1,2' },
    { input: '{{2 | two 1}}', want: '1,2' },
    {
      input: '{{two 1}}',
      wantError: 'template: t:1:2: executing "t" at <two>: wrong number of args for two: want 2 got 1',
    },
    {
      input: '{{two 1 2 3}}',
      wantError: 'template: t:1:2: executing "t" at <two>: wrong number of args for two: want 2 got 3',
    },
    {
      input: '{{3 | two 1 2}}',
      wantError: 'template: t:1:6: executing "t" at <two>: wrong number of args for two: want 2 got 3',
    },
    {
      input: '{{1 | zero}}',
      wantError: 'template: t:1:6: executing "t" at <zero>: wrong number of args for zero: want 0 got 1',
    },
    {
      input: '{{zero 1}}',
      wantError: 'template: t:1:2: executing "t" at <zero>: wrong number of args for zero: want 0 got 1',
    },
    { input: '{{zero}}', want: 'zero' },
    {
      input: '{{str}}',
      wantError: 'template: t:1:2: executing "t" at <str>: wrong number of args for str: want 1 got 0',
    },
    {
      input: '{{many}}',
      wantError: 'template: t:1:2: executing "t" at <many>: wrong number of args for many: want at least 1 got 0',
    },
    { input: '{{many "a"}}', want: 'a[]' },
    { input: '{{many "a" 1 2}}', want: 'a[1 2]' },
    { input: '{{3 | many "a" 1}}', want: 'a[1 3]' },
    { input: '{{"x" | many}}', want: 'x[]' },
    {
      input: '{{"x" | many "a"}}',
      wantError: 'template: t:1:13: executing "t" at <"a">: wrong type for value; expected int; got string',
    },
    { input: '{{many "a" "b"}}', wantError: 'template: t:1:11: executing "t" at <"b">: expected integer; found "b"' },
    { input: '{{many "a" 1.5}}', wantError: 'template: t:1:11: executing "t" at <1.5>: expected integer; found 1.5' },
    { input: '{{many 1}}', wantError: 'template: t:1:7: executing "t" at <1>: expected string; found 1' },
    {
      input: '{{many "a" .f}}',
      wantError: 'template: t:1:11: executing "t" at <.f>: wrong type for value; expected int; got float64',
    },
    { input: '{{oops "x"}}', wantError: 'template: t:1:2: executing "t" at <oops "x">: error calling oops: oops: x' },
    { input: '{{"y" | oops}}', wantError: 'template: t:1:8: executing "t" at <oops>: error calling oops: oops: y' },
    {
      input: '{{str (oops "z")}}',
      wantError: 'template: t:1:7: executing "t" at <oops "z">: error calling oops: oops: z',
    },
    { input: '{{two (str "a") (num 1)}}', want: 'str:a,2' },
    { input: '{{str zero}}', want: 'str:zero' },
    { input: '{{anyf zero}}', want: 'string|zero' },
    {
      input: '{{num zero}}',
      wantError: 'template: t:1:6: executing "t" at <zero>: wrong type for value; expected int; got string',
    },
    { input: '{{anyf (1)}}', want: 'int|1' },
    { input: '{{anyf ((1))}}', want: 'int|1' },
    { input: '{{(((1)))}}', want: '1' },
    { input: '{{("a" | str) | str}}', want: 'str:str:a' },
    { input: '{{.s | two (.f | anyf)}}', want: 'float64|1.5,abc' },
    { input: '{{$ | mapf | num}}', want: '35' },
    { input: '{{nilf}}', want: '<no value>' },
    { input: '{{nilf | anyf}}', want: '<nil>|<nil>' },
    { input: '{{anyf nilf}}', want: '<nil>|<nil>' },
    {
      input: '{{str nilf}}',
      wantError: 'template: t:1:6: executing "t" at <nilf>: wrong type for value; expected string; got interface {}',
    },
    { input: '{{nilf | str}}', wantError: 'template: t:1:9: executing "t" at <str>: invalid value; expected string' },
    {
      input: '{{3 | str "a"}}',
      wantError: 'template: t:1:6: executing "t" at <str>: wrong number of args for str: want 1 got 2',
    },
    { input: '{{3 | two "a" | str}}', want: 'str:a,3' },
    {
      input: '{{.f | many "a" .int}}',
      wantError: 'template: t:1:16: executing "t" at <.int>: wrong type for value; expected int; got float64',
    },
    { input: '{{ "a" | printf "%s-%s" "b" }}', want: 'b-a' },
    { input: '{{ 1 | two (str "a") | two "b" }}', want: 'b,str:a,1' },
    { input: '{{.missing | two .s}}', want: 'abc,<nil>' },
    {
      input: '{{ .s | num }}',
      wantError: 'template: t:1:8: executing "t" at <num>: wrong type for value; expected int; got string',
    },
    {
      input: '{{ str (num 1) }}',
      wantError: 'template: t:1:12: executing "t" at <1>: wrong type for value; expected string; got int',
    },
    {
      input: '{{ str (and 1 2) }}',
      wantError: 'template: t:1:14: executing "t" at <2>: wrong type for value; expected string; got int',
    },
    {
      input: '{{ (and 1 2) | str }}',
      wantError: 'template: t:1:15: executing "t" at <str>: wrong type for value; expected string; got int',
    },
    {
      input: '{{ str (or .missing 1) }}',
      wantError: 'template: t:1:20: executing "t" at <1>: wrong type for value; expected string; got int',
    },
    {
      input: '{{ 1 | str | str }}',
      wantError: 'template: t:1:7: executing "t" at <str>: wrong type for value; expected string; got int',
    },
    {
      input: '{{ num (len "abc") | str }}',
      wantError: 'template: t:1:21: executing "t" at <str>: wrong type for value; expected string; got int',
    },
  ],
  variables: [
    { input: '{{$x := 1}}{{$x}}', want: '1' },
    { input: '{{$x := 1}}{{$x = 2}}{{$x}}', want: '2' },
    { input: '{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}', want: '2' },
    { input: '{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}', want: '21' },
    { input: '{{$x := 1}}{{if true}}{{$x := 2}}{{$x = 3}}{{$x}}{{end}}{{$x}}', want: '31' },
    { input: '{{$x := .deep}}{{$x.x.y.z}}', want: 'deep' },
    { input: '{{$x := .missing}}{{$x}}', want: '<no value>' },
    { input: '{{$x := .missing}}{{$x.a.b}}', want: '<no value>' },
    {
      input: '{{$x := .s}}{{$x.a}}',
      wantError: 'template: t:1:16: executing "t" at <$x.a>: can\'t evaluate field a in type string',
    },
    { input: '{{$x := .s}}{{$x | str}}', want: 'str:abc' },
    {
      input: '{{$x := .missing}}{{str $x}}',
      wantError: 'template: t:1:24: executing "t" at <$x>: invalid value; expected string',
    },
    {
      input: '{{$x := .missing}}{{$x | str}}',
      wantError: 'template: t:1:25: executing "t" at <str>: invalid value; expected string',
    },
    { input: '{{$x = 1}}', wantError: 'template: t:1:7: executing "t" at <1>: undefined variable: $x' },
    { input: '{{$x := 1 | num}}{{$x}}', want: '2' },
    { input: '{{with $x := 5}}{{$x}}{{.}}{{end}}', want: '55' },
    { input: '{{with $x := .missing}}a{{else}}{{$x}}b{{end}}', want: '<no value>b' },
    { input: '{{if $x := .s}}{{$x}}{{.f}}{{else}}no{{end}}', want: 'abc1.5' },
    { input: '{{if $x := .missing}}{{else}}[{{$x}}]{{end}}', want: '[<no value>]' },
    { input: '{{if $x := false}}{{else if $y := 3}}{{$x}}{{$y}}{{end}}', want: 'false3' },
    { input: '{{$x := 1}}{{$x := 2}}{{$x}}', want: '2' },
    { input: '{{$x := 1}}{{$x := num $x}}{{$x}}', want: '2' },
    { input: '{{$x := 1}}{{range .l}}{{$x = num $x}}{{end}}{{$x}}', want: '4' },
    { input: '{{$x := 1}}{{range .l}}{{$x := num $x}}{{$x}}{{end}}{{$x}}', want: '2221' },
    { input: '{{range $i, $e := .l}}{{$i}}{{$e}}{{end}}', want: '0a1b2c' },
    { input: '{{range $e := .l}}{{$e}}{{end}}', want: 'abc' },
    { input: '{{range $k, $v := .m}}{{$k}}={{$v}};{{end}}', want: 'a=A;b=B;c=<no value>;' },
    { input: '{{range $v := .m}}{{$v}};{{end}}', want: 'A;B;<no value>;' },
    { input: '{{$k := 0}}{{$v := 0}}{{range $k, $v = .l}}{{end}}{{$k}}{{$v}}', want: '2c' },
    { input: '{{$v := 0}}{{range $v = .l}}{{end}}{{$v}}', want: 'c' },
    { input: '{{$v := 0}}{{range $v = .el}}{{end}}{{$v}}', want: '[]' },
    { input: '{{range $i, $e := .el}}a{{else}}{{$i}}{{$e}}{{end}}', want: '[][]' },
    { input: '{{range $e := .l}}{{$e}}{{.}}{{end}}', want: 'aabbcc' },
    {
      input: '{{range $i, $e := .mixed}}{{$i}}:{{$e}};{{end}}',
      want: '0:1;1:two;2:<no value>;3:true;4:map[k:v];5:[1];',
    },
    {
      input: '{{range $e := .mixed}}{{$e.x}}{{end}}',
      wantError: 'template: t:1:26: executing "t" at <$e.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range $i, $e := .l}}{{$i.x}}{{end}}',
      wantError: 'template: t:1:26: executing "t" at <$i.x>: can\'t evaluate field x in type int',
    },
    {
      input: '{{range $k, $v := .m}}{{$k.x}}{{end}}',
      wantError: 'template: t:1:26: executing "t" at <$k.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range $e := .l}}{{$e.x}}{{end}}',
      wantError: 'template: t:1:22: executing "t" at <$e.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range $e := .strs}}{{$e.x}}{{end}}',
      wantError: 'template: t:1:25: executing "t" at <$e.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range $k, $v := .m}}{{if eq $k "c"}}{{$v.x}}{{end}}{{end}}',
      wantError: 'template: t:1:42: executing "t" at <$v.x>: nil pointer evaluating interface {}.x',
    },
    {
      input: '{{range $k, $v := .sm}}{{$v.x}}{{end}}',
      wantError: 'template: t:1:27: executing "t" at <$v.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range $v := .vals}}{{$v.x}}{{end}}',
      wantError: 'template: t:1:25: executing "t" at <$v.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range $e := .l}}{{$y := $e}}{{$y.x}}{{end}}',
      wantError: 'template: t:1:34: executing "t" at <$y.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range $e := .l}}{{$e = "z"}}{{$e.x}}{{end}}',
      wantError: 'template: t:1:34: executing "t" at <$e.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{$e := ""}}{{range $e = .l}}{{$e.x}}{{end}}',
      wantError: 'template: t:1:33: executing "t" at <$e.x>: can\'t evaluate field x in type interface {}',
    },
    { input: '{{if ($x := 5)}}{{$x}}{{end}}', want: '5' },
    { input: '{{($x := 5)}}{{$x}}', want: '55' },
    { input: '{{$y := ($x := 5)}}{{$x}}{{$y}}', want: '55' },
    {
      input: '{{or true ($x := 5)}}{{$x}}',
      wantError: 'template: t:1:23: executing "t" at <$x>: undefined variable: $x',
    },
    { input: '{{$x := 1}}{{or true ($x := 5)}}{{$x}}', want: 'true1' },
    { input: '{{$x := 1}}{{or false ($x := 5)}}{{$x}}', want: '55' },
    { input: '{{$x := 1}}{{range .l}}{{or (eq . "b") ($x := 5)}}{{$x}} {{end}}{{$x}}', want: '55 true1 55 1' },
    { input: '{{or ($x := 0) ($y := 7)}}{{$x}}{{$y}}', want: '707' },
    { input: '{{$x := $x}}', wantError: 'template: t:1:8: executing "t" at <$x>: undefined variable: $x' },
    { input: '{{$x := 1}}{{$x := $x}}{{$x}}', want: '1' },
    { input: '{{$x := ($x := 5) | num}}{{$x}}', want: '6' },
    { input: '{{if true}}{{$x := 1}}{{else}}{{$x}}{{end}}', want: '' },
    {
      input: '{{if false}}{{$x := 1}}{{else}}{{$x}}{{end}}',
      wantError: 'template: t:1:33: executing "t" at <$x>: undefined variable: $x',
    },
    { input: '{{$x := 9}}{{if false}}{{$x := 1}}{{else}}{{$x}}{{end}}', want: '9' },
    { input: '{{$é := 1}}{{$é}}', want: '1' },
    { input: '{{$x1_y := 1}}{{$x1_y}}', want: '1' },
    { input: '{{$1 := 2}}{{$1}}', want: '2' },
    { input: '{{$_ := 2}}{{$_}}', want: '2' },
    { input: '{{$ := 5}}{{$}}', want: '5' },
    { input: '{{$ = 5}}{{$}}', want: '5' },
    { input: '{{with .deep}}{{$.s}}{{end}}', want: 'abc' },
    { input: '{{range .l}}{{$.s}}{{end}}', want: 'abcabcabc' },
    { input: '{{$a := 1}}{{with 2}}{{$a}}{{$a = .}}{{end}}{{$a}}', want: '12' },
    { input: '{{ $x := "a" }}{{ $x }}', want: 'a' },
    { input: '{{$x := .l}}{{range $x}}{{.}}{{end}}', want: 'abc' },
    { input: '{{$m := mkd "a" 1}}{{$m.a}}{{$m.b}}', want: '1<no value>' },
    { input: '{{ $x.y }}', wantError: 'template: t:1: undefined variable "$x"' },
  ],
  control: [
    { input: '{{if true}}a{{end}}', want: 'a' },
    { input: '{{if false}}a{{end}}', want: '' },
    { input: '{{if true}}a{{else}}b{{end}}', want: 'a' },
    { input: '{{if false}}a{{else}}b{{end}}', want: 'b' },
    { input: '{{if false}}a{{else if true}}b{{else}}c{{end}}', want: 'b' },
    { input: '{{if false}}a{{else if false}}b{{else}}c{{end}}', want: 'c' },
    { input: '{{if false}}a{{else if false}}b{{end}}', want: '' },
    { input: '{{if 0}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if 1}}1{{end}}', want: '1' },
    { input: '{{if 0.0}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if ""}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if "false"}}1{{end}}', want: '1' },
    { input: '{{if .missing}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .nul}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .em}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .el}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .m}}1{{end}}', want: '1' },
    { input: '{{if .l}}1{{end}}', want: '1' },
    { input: '{{if .int}}1{{end}}', want: '1' },
    { input: '{{if .int0}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .neg}}1{{end}}', want: '1' },
    { input: '{{if .zero}}1{{else}}0{{end}}', want: '0' },
    { input: '{{if .bytes}}1{{end}}', want: '1' },
    { input: '{{if .sm}}1{{end}}', want: '1' },
    { input: '{{if not .t}}1{{else}}0{{end}}', want: '0' },
    { input: '{{with .s}}{{.}}{{end}}', want: 'abc' },
    { input: '{{with .missing}}a{{else}}b{{end}}', want: 'b' },
    { input: '{{with .missing}}a{{else with .s}}{{.}}{{else}}c{{end}}', want: 'abc' },
    { input: '{{with .missing}}a{{else with .nul}}b{{else}}{{.s}}{{end}}', want: 'abc' },
    { input: '{{with .deep}}{{.x.y.z}}{{end}}', want: 'deep' },
    { input: '{{with .deep.x}}{{with .y}}{{.z}}{{end}}{{end}}', want: 'deep' },
    { input: '{{with 0}}a{{else}}{{.s}}{{end}}', want: 'abc' },
    {
      input: '{{with .deep}}{{.missing}}{{.missing.x}}{{end}}',
      wantError: 'template: t:1:36: executing "t" at <.missing.x>: nil pointer evaluating interface {}.x',
    },
    {
      input: '{{with .s}}{{.x}}{{end}}',
      wantError: 'template: t:1:13: executing "t" at <.x>: can\'t evaluate field x in type string',
    },
    { input: '{{with .l}}{{.}}{{len .}}{{end}}', want: '[a b c]3' },
    { input: '{{with .caps.Name}}{{.}}{{end}}', want: 'caps' },
    { input: '{{with $x := .s}}{{with 1}}{{$x}}{{end}}{{end}}', want: 'abc' },
    { input: '{{if and .t .s}}a{{end}}', want: 'a' },
    { input: '{{if or .no .missing}}a{{else}}b{{end}}', want: 'b' },
    { input: '{{if eq .s "abc"}}y{{end}}', want: 'y' },
    { input: '{{if .t}}\n  x\n{{- end}}', want: '\n  x' },
    { input: '{{if .s | len}}y{{end}}', want: 'y' },
    { input: '{{if nil}}a{{end}}', wantError: 'template: t:1:5: executing "t" at <nil>: nil is not a command' },
    { input: '{{if}}a{{end}}', wantError: 'template: t:1: missing value for if' },
    { input: '{{with}}a{{end}}', wantError: 'template: t:1: missing value for with' },
    { input: '{{range}}a{{end}}', wantError: 'template: t:1: missing value for range' },
    { input: '{{if .deep.x.y.z}}{{if .missing}}a{{else}}b{{end}}{{end}}', want: 'b' },
  ],
  range: [
    { input: '{{range .l}}{{.}}{{end}}', want: 'abc' },
    { input: '{{range .l}}{{.}},{{else}}none{{end}}', want: 'a,b,c,' },
    { input: '{{range .el}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range .el}}a{{end}}', want: '' },
    { input: '{{range .missing}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range .nul}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range nil}}a{{end}}', wantError: 'template: t:1:8: executing "t" at <nil>: nil is not a command' },
    { input: '{{range .m}}[{{.}}]{{end}}', want: '[A][B][<no value>]' },
    { input: '{{range .em}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range 3}}{{.}}{{end}}', want: '012' },
    { input: '{{range 0}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range -1}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range $i := 3}}{{$i}}{{end}}', want: '012' },
    {
      input: '{{range $i, $j := 3}}{{$i}}{{end}}',
      wantError: 'template: t:1:18: executing "t" at <3>: can\'t use 3 to iterate over more than one variable',
    },
    { input: '{{range .int}}{{.}}{{end}}', want: '0123456' },
    { input: '{{range .neg1}}a{{else}}none{{end}}', want: 'none' },
    { input: '{{range .u64}}{{anyf .}};{{end}}', want: 'uint64|0;uint64|1;uint64|2;uint64|3;uint64|4;' },
    { input: '{{range .i64}}{{.}}{{end}}', want: '012345678' },
    { input: '{{range $i := .u8}}{{if eq $i 199}}{{anyf $i}}{{end}}{{end}}', want: 'uint8|199' },
    {
      input: '{{range .i3}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <.i3>: range can\'t iterate over 3',
    },
    {
      input: '{{range .f}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <.f>: range can\'t iterate over 1.5',
    },
    {
      input: '{{range 1.5}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <1.5>: range can\'t iterate over 1.5',
    },
    {
      input: '{{range 1.0}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <1.0>: range can\'t iterate over 1',
    },
    {
      input: '{{range .s}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <.s>: range can\'t iterate over abc',
    },
    {
      input: '{{range "abc"}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <"abc">: range can\'t iterate over abc',
    },
    {
      input: '{{range true}}a{{end}}',
      wantError: 'template: t:1:8: executing "t" at <true>: range can\'t iterate over true',
    },
    {
      input: '{{range .caps.Name}}a{{end}}',
      wantError: 'template: t:1:13: executing "t" at <.caps.Name>: range can\'t iterate over caps',
    },
    { input: '{{range .bytes}}{{.}};{{end}}', want: '104;105;' },
    { input: '{{range $i, $b := .bytes}}{{$i}}{{anyf $b}};{{end}}', want: '0uint8|104;1uint8|105;' },
    { input: '{{range .strs}}{{anyf .}};{{end}}', want: 'string|p;string|q;' },
    { input: '{{range .ints}}{{anyf .}};{{end}}', want: 'int|4;int|5;' },
    { input: '{{range $k, $v := .sm}}{{anyf $k}}{{anyf $v}};{{end}}', want: 'string|kstring|v;' },
    {
      input: '{{range $k, $v := .vals}}{{$k}}{{anyf $v}};{{end}}',
      want: 'kstring|v;nmap[string]interface {}|map[o:p];',
    },
    { input: '{{range $i, $e := .l}}{{anyf $i}};{{end}}', want: 'int|0;int|1;int|2;' },
    { input: '{{range .l}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}', want: 'a' },
    { input: '{{range .l}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}', want: 'ac' },
    { input: '{{range .l}}{{.}}{{break}}x{{end}}y', want: 'ay' },
    { input: '{{range .l}}{{.}}{{continue}}x{{end}}y', want: 'abcy' },
    { input: '{{range .l}}{{range $.l}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}{{.}}{{end}}', want: 'aaabac' },
    { input: '{{range .l}}{{with .}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}{{end}}', want: 'ac' },
    { input: '{{range .el}}a{{else}}{{.s}}{{end}}', want: 'abc' },
    { input: '{{range .mixed}}{{.}};{{end}}', want: '1;two;<no value>;true;map[k:v];[1];' },
    {
      input: '{{range .mixed}}{{.x}}{{end}}',
      wantError: 'template: t:1:18: executing "t" at <.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range .l}}{{.x}}{{end}}',
      wantError: 'template: t:1:14: executing "t" at <.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range .strs}}{{.x}}{{end}}',
      wantError: 'template: t:1:17: executing "t" at <.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range .m}}{{.x}}{{end}}',
      wantError: 'template: t:1:14: executing "t" at <.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{range .sm}}{{.x}}{{end}}',
      wantError: 'template: t:1:15: executing "t" at <.x>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range 2}}{{.x}}{{end}}',
      wantError: 'template: t:1:13: executing "t" at <.x>: can\'t evaluate field x in type int',
    },
    { input: '{{range .deep.list}}{{.n}}{{end}}', want: 'onetwo' },
    {
      input: '{{range .deep.list}}{{.n.x}}{{end}}',
      wantError: 'template: t:1:24: executing "t" at <.n.x>: can\'t evaluate field x in type interface {}',
    },
    { input: '{{range .deep.list}}{{.q}}{{end}}', want: '<no value><no value>' },
    {
      input: '{{range .deep.list}}{{.q.r}}{{end}}',
      wantError: 'template: t:1:24: executing "t" at <.q.r>: nil pointer evaluating interface {}.r',
    },
    { input: '{{range .mixed}}{{with .}}{{.}}{{end}}{{end}}', want: '1twotruemap[k:v][1]' },
    { input: '{{range .mixed}}{{if .}}{{.}}{{end}}{{end}}', want: '1twotruemap[k:v][1]' },
    { input: '{{range mkl 1 2}}{{.}}{{end}}', want: '12' },
    { input: '{{range mkl nil}}[{{.}}]{{end}}', want: '[<no value>]' },
    {
      input: '{{range mkl nil}}[{{.x}}]{{end}}',
      wantError: 'template: t:1:20: executing "t" at <.x>: nil pointer evaluating interface {}.x',
    },
    {
      input: '{{range mkl nil}}[{{str .}}]{{end}}',
      wantError: 'template: t:1:24: executing "t" at <.>: wrong type for value; expected string; got interface {}',
    },
    {
      input: '{{range mkl nil}}[{{. | str}}]{{end}}',
      wantError: 'template: t:1:24: executing "t" at <str>: invalid value; expected string',
    },
    { input: '{{range mkl nil}}[{{(.).x}}]{{end}}', want: '[<no value>]' },
    {
      input: '{{range mkl "a"}}[{{(.).x}}]{{end}}',
      wantError: 'template: t:1:21: executing "t" at <.>: can\'t evaluate field x in type string',
    },
    {
      input: '{{range $x := mkl nil}}[{{$x.y}}]{{end}}',
      wantError: 'template: t:1:28: executing "t" at <$x.y>: nil pointer evaluating interface {}.y',
    },
    { input: '{{range $x := mkl nil}}[{{($x).y}}]{{end}}', want: '[<no value>]' },
    { input: '{{range .l}}{{end}}', want: '' },
    { input: '{{range $i, $e := .l}}{{if $i}},{{end}}{{$e}}{{end}}', want: 'a,b,c' },
    { input: '{{range mkd "b" 1 "a" 2 "B" 3 "10" 4 "9" 5 "é" 6 "" 7}}{{.}}{{end}}', want: '7453216' },
    {
      input: '{{range $k, $v := mkd "b" 1 "a" 2 "B" 3 "10" 4 "9" 5 "é" 6 "" 7}}{{$k}}{{$v}} {{end}}',
      want: '7 104 95 B3 a2 b1 é6 ',
    },
    { input: '{{range .Values.list}}{{.}} {{end}}', want: '3 1 2 ' },
    { input: '{{range $i, $e := mkl 1 2}}{{$i = 9}}{{$i}}{{end}}', want: '99' },
    {
      input: '{{range .l}}{{$x := .}}{{range $.m}}{{$x}}{{.}}{{end}}{{end}}',
      want: 'aAaBa<no value>bAbBb<no value>cAcBc<no value>',
    },
    { input: '{{range mkl (mkl 1 2) (mkl 3)}}{{range .}}{{.}}{{end}};{{end}}', want: '12;3;' },
    { input: '{{range $i, $c := .caps.APIVersions}}{{$i}}{{anyf $c}}{{end}}', want: '0string|v11string|apps/v1' },
    { input: '{{range $x := .l}}{{break}}{{end}}{{range .l}}{{continue}}{{end}}ok', want: 'ok' },
    { input: '{{range .l}}{{template "x" .}}{{end}}{{define "x"}}({{.}}){{end}}', want: '(a)(b)(c)' },
    { input: "{{range 'a'}}{{end}}ok", want: 'ok' },
  ],
  templates: [
    { input: '{{define "x"}}X{{.}}{{end}}{{template "x" 1}}', want: 'X1' },
    { input: '{{define "x"}}X{{.}}{{end}}{{template "x"}}', want: 'X<no value>' },
    { input: '{{define "x"}}{{$.s}}{{.f}}{{end}}{{template "x" .}}', want: 'abc1.5' },
    { input: '{{template "x" .s}}{{define "x"}}[{{.}}]{{end}}', want: '[abc]' },
    {
      input: '{{template "nope" .}}',
      wantError: 'template: t:1:11: executing "t" at <{{template "nope" .}}>: template "nope" not defined',
    },
    {
      input: '{{template "nope"}}',
      wantError: 'template: t:1:11: executing "t" at <{{template "nope"}}>: template "nope" not defined',
    },
    { input: '{{block "b" .s}}B{{.}}{{end}}', want: 'Babc' },
    { input: '{{block "b" .missing}}B{{.}}{{end}}', want: 'B<no value>' },
    { input: '{{define "b"}}override{{end}}{{block "b" .}}', wantError: 'template: t:1: unexpected EOF' },
    {
      input: '{{define "x"}}{{.a.b}}{{end}}{{template "x" .}}',
      wantError: 'template: t:1:18: executing "x" at <.a.b>: nil pointer evaluating interface {}.b',
    },
    {
      input: '{{define "x"}}{{template "y" .}}{{end}}{{define "y"}}{{.s.q}}{{end}}{{template "x" .}}',
      wantError: 'template: t:1:57: executing "y" at <.s.q>: can\'t evaluate field q in type interface {}',
    },
    { input: '{{$v := 1}}{{define "x"}}{{.}}{{end}}{{template "x" $v}}', want: '1' },
    { input: '{{define "x"}}{{$v := .}}{{$v}}{{end}}{{template "x" 1}}{{template "x" 2}}', want: '12' },
    { input: '{{template "x" (mkd "a" 1)}}{{define "x"}}{{.a}}{{.b}}{{end}}', want: '1<no value>' },
    { input: '{{template "x" .deep.x.y}}{{define "x"}}{{.z}}{{$.z}}{{end}}', want: 'deepdeep' },
    { input: '{{template `x` 5}}{{define `x`}}{{.}}{{end}}', want: '5' },
    { input: '{{define "x"}}{{end}}{{template "x"}}ok', want: 'ok' },
    { input: '{{template "x" .l | len}}{{define "x"}}{{.}}{{end}}', want: '3' },
    { input: '{{template "x" .s | str}}{{define "x"}}{{.}}{{end}}', want: 'str:abc' },
    { input: '{{include "x" .}}{{define "x"}}[{{.s}}]{{end}}', want: '[abc]' },
    { input: '{{include "x" .s | printf "%q"}}{{define "x"}}[{{.}}]{{end}}', want: '"[abc]"' },
    {
      input: '{{include "nope" .}}',
      wantError:
        'template: t:1:2: executing "t" at <include "nope" .>: error calling include: template: no template "nope" associated with template "gotpl"',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{.s.q}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:35: executing "x" at <.s.q>: can\'t evaluate field q in type interface {}',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{include "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <include "y" .>: error calling include: template: t:1:75: executing "y" at <.nul.q>: nil pointer evaluating interface {}.q',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{template "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:76: executing "y" at <.nul.q>: nil pointer evaluating interface {}.q',
    },
    {
      input: '{{template "x" .}}{{define "x"}}{{include "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
      wantError:
        'template: t:1:34: executing "x" at <include "y" .>: error calling include: template: t:1:76: executing "y" at <.nul.q>: nil pointer evaluating interface {}.q',
    },
    {
      input: '{{include "x"}}',
      wantError: 'template: t:1:2: executing "t" at <include>: wrong number of args for include: want 2 got 1',
    },
    {
      input: '{{include "x" . 1}}',
      wantError: 'template: t:1:2: executing "t" at <include>: wrong number of args for include: want 2 got 3',
    },
    { input: '{{include 1 .}}', wantError: 'template: t:1:10: executing "t" at <1>: expected string; found 1' },
    {
      input: '{{include .missing .}}',
      wantError:
        'template: t:1:10: executing "t" at <.missing>: wrong type for value; expected string; got interface {}',
    },
    { input: '{{.missing | include "x"}}{{define "x"}}[{{.}}]{{.a.b}}{{end}}', want: '[<no value>]<no value>' },
    { input: '{{include "x" .missing}}{{define "x"}}[{{.}}]{{.a.b}}{{end}}', want: '[<no value>]<no value>' },
    { input: '{{include "x" nil}}{{define "x"}}[{{.}}]{{.a.b}}{{end}}', want: '[<no value>]<no value>' },
    { input: '{{include "x" .missing | len}}{{define "x"}}{{.}}{{end}}', want: '10' },
    { input: '{{define "x"}}{{.missing}}{{end}}{{include "x" .}}', want: '<no value>' },
    { input: '{{tpl "{{.s}}" .}}', want: 'abc' },
    { input: '{{tpl "plain" .}}', want: 'plain' },
    { input: '{{tpl "" .}}', want: '' },
    { input: '{{tpl "{{.missing}}" .}}', want: '' },
    { input: '{{tpl "a<no value>b" .}}', want: 'ab' },
    { input: '{{tpl "{{define \\"q\\"}}Q{{end}}{{include \\"q\\" .}}" .}}', want: 'Q' },
    {
      input: '{{tpl "{{define \\"q\\"}}Q{{end}}" .}}{{include "q" .}}',
      wantError:
        'template: t:1:38: executing "t" at <include "q" .>: error calling include: template: no template "q" associated with template "gotpl"',
    },
    {
      input:
        '{{define "q"}}outer{{end}}{{tpl "{{define \\"q\\"}}inner{{end}}{{include \\"q\\" .}}" .}}{{include "q" .}}',
      want: 'innerouter',
    },
    { input: '{{define "q"}}outer{{end}}{{tpl "{{define \\"q\\"}} {{end}}{{include \\"q\\" .}}" .}}', want: 'outer' },
    {
      input:
        '{{define "p"}}{{include "q" .}}{{end}}{{define "q"}}outer{{end}}{{tpl "{{define \\"q\\"}}inner{{end}}{{include \\"p\\" .}}" .}}',
      want: 'inner',
    },
    { input: '{{tpl "{{tpl \\"{{.s}}\\" .}}" .}}', want: 'abc' },
    {
      input: '{{tpl "{{.s.x}}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{.s.x}}" .>: error calling tpl: error during tpl function execution for "{{.s.x}}": template: gotpl:1:4: executing "gotpl" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{tpl "{{" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{" .>: error calling tpl: cannot parse template "{{": template: gotpl:1: unclosed action',
    },
    {
      input: '{{tpl "{{ nope }}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{ nope }}" .>: error calling tpl: cannot parse template "{{ nope }}": template: gotpl:1: function "nope" not defined',
    },
    {
      input: '{{tpl "{{ if }}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{ if }}" .>: error calling tpl: cannot parse template "{{ if }}": template: gotpl:1: missing value for if',
    },
    {
      input: '{{tpl .missing .}}',
      wantError:
        'template: t:1:6: executing "t" at <.missing>: wrong type for value; expected string; got interface {}',
    },
    {
      input: '{{tpl .f .}}',
      wantError: 'template: t:1:6: executing "t" at <.f>: wrong type for value; expected string; got float64',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{tpl "{{.s.y}}" .}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <tpl "{{.s.y}}" .>: error calling tpl: error during tpl function execution for "{{.s.y}}": template: gotpl:1:4: executing "gotpl" at <.s.y>: can\'t evaluate field y in type interface {}',
    },
    {
      input: '{{tpl "{{include \\"x\\" .}}" .}}{{define "x"}}{{.s.y}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{include \\"x\\" .}}" .>: error calling tpl: error during tpl function execution for "{{include \\"x\\" .}}": template: gotpl:1:2: executing "gotpl" at <include "x" .>: error calling include: template: t:1:49: executing "x" at <.s.y>: can\'t evaluate field y in type interface {}',
    },
    {
      input: '{{tpl "{{oops \\"a\\"}}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{oops \\"a\\"}}" .>: error calling tpl: error during tpl function execution for "{{oops \\"a\\"}}": template: gotpl:1:2: executing "gotpl" at <oops "a">: error calling oops: oops: a',
    },
    {
      input: '{{tpl "a\\n{{ .l.x }}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "a\\n{{ .l.x }}" .>: error calling tpl: error during tpl function execution for "a\\n{{ .l.x }}": template: gotpl:2:5: executing "gotpl" at <.l.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{oops "a"}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <oops "a">: error calling oops: oops: a',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{fail "bad"}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <fail "bad">: error calling fail: bad',
    },
    { input: '{{fail "bad"}}', wantError: 'template: t:1:2: executing "t" at <fail "bad">: error calling fail: bad' },
    {
      input: '{{fail "a: b\\nc"}}',
      wantError: 'template: t:1:2: executing "t" at <fail "a: b\\nc">: error calling fail: a: b\nc',
    },
    { input: '{{"m" | fail}}', wantError: 'template: t:1:8: executing "t" at <fail>: error calling fail: m' },
    {
      input: '{{required "need it" .missing}}',
      wantError: 'template: t:1:2: executing "t" at <required "need it" .missing>: error calling required: need it',
    },
    {
      input: '{{required "need it" .empty}}',
      wantError: 'template: t:1:2: executing "t" at <required "need it" .empty>: error calling required: need it',
    },
    { input: '{{required "need it" .s}}', want: 'abc' },
    { input: '{{required "need it" 0}}', want: '0' },
    { input: '{{required "need it" false}}', want: 'false' },
    { input: '{{required "need it" .em}}', want: 'map[]' },
    {
      input: '{{.missing | required "need it"}}',
      wantError: 'template: t:1:13: executing "t" at <required "need it">: error calling required: need it',
    },
    {
      input: '{{required "need %s" .missing | str}}',
      wantError: 'template: t:1:2: executing "t" at <required "need %s" .missing>: error calling required: need %s',
    },
    {
      input: '{{tpl "{{required \\"deep\\" .missing}}" .}}',
      wantError:
        'template: t:1:2: executing "t" at <tpl "{{required \\"deep\\" .missing}}" .>: error calling tpl: error during tpl function execution for "{{required \\"deep\\" .missing}}": template: gotpl:1:2: executing "gotpl" at <required "deep" .missing>: error calling required: deep',
    },
    {
      input: '{{include "x" .}}{{define "x"}}{{required "deep" .missing}}{{end}}',
      wantError:
        'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <required "deep" .missing>: error calling required: deep',
    },
    {
      input: '{{template "x" .}}{{define "x"}}{{required "deep" .missing}}{{end}}',
      wantError: 'template: t:1:34: executing "x" at <required "deep" .missing>: error calling required: deep',
    },
    { input: '{{lookup "v1" "Secret" "ns" "n"}}', want: 'map[]' },
    { input: '{{(lookup "v1" "Secret" "ns" "n").data}}', want: '<no value>' },
    { input: '{{if lookup "v1" "Secret" "ns" "n"}}y{{else}}n{{end}}', want: 'n' },
    {
      input: '{{lookup "v1"}}',
      wantError: 'template: t:1:2: executing "t" at <lookup>: wrong number of args for lookup: want 4 got 1',
    },
    { input: '{{$a := 1}}{{define "x"}}{{$.s}}{{end}}{{with .deep}}{{include "x" $}}{{end}}', want: 'abc' },
    { input: '{{define "x"}}{{range .}}{{.}}{{end}}{{end}}{{include "x" .l}}', want: 'abc' },
    { input: '{{range .l}}{{include "x" .}}{{end}}{{define "x"}}{{.}}{{end}}', want: 'abc' },
    {
      input: '{{range .l}}{{include "x" .}}{{end}}{{define "x"}}{{.y}}{{end}}',
      wantError:
        'template: t:1:14: executing "t" at <include "x" .>: error calling include: template: t:1:52: executing "x" at <.y>: can\'t evaluate field y in type string',
    },
    { input: '{{with .l}}{{include "x" $}}{{end}}{{define "x"}}{{.s}}{{end}}', want: 'abc' },
    {
      input: 'a\n  {{ include "x" . }}\n{{define "x"}}\n\n  é {{ .s.q }}{{end}}',
      wantError:
        'template: t:2:5: executing "t" at <include "x" .>: error calling include: template: t:5:10: executing "x" at <.s.q>: can\'t evaluate field q in type interface {}',
    },
    {
      input: '{{ include "x" . | str | num }}{{define "x"}}{{end}}',
      wantError: 'template: t:1:25: executing "t" at <num>: wrong type for value; expected int; got string',
    },
    { input: '{{ str (include "x" .) }}{{define "x"}}x{{end}}', want: 'str:x' },
    {
      input: '{{define "rec"}}{{if gt (len .) 0}}<{{slice . 1 | include "rec"}}>{{end}}{{end}}{{include "rec" "abcd"}}',
      want: '<<<<>>>>',
    },
  ],
  compare: [
    { input: '{{eq 1 1}}', want: 'true' },
    { input: '{{eq 1 2}}', want: 'false' },
    { input: '{{eq 1 2 1}}', want: 'true' },
    {
      input: '{{eq 1}}',
      wantError: 'template: t:1:2: executing "t" at <eq 1>: error calling eq: missing argument for comparison',
    },
    {
      input: '{{eq}}',
      wantError: 'template: t:1:2: executing "t" at <eq>: wrong number of args for eq: want at least 1 got 0',
    },
    { input: '{{eq "a" "a"}}', want: 'true' },
    { input: '{{eq "a" "b" "c" "a"}}', want: 'true' },
    { input: '{{eq .s "abc"}}', want: 'true' },
    { input: '{{eq .f 1.5}}', want: 'true' },
    {
      input: '{{eq .i3 3}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
    },
    { input: '{{eq .i3 3.0}}', want: 'true' },
    { input: '{{eq .int 7}}', want: 'true' },
    {
      input: '{{eq .int 7.0}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .int 7.0>: error calling eq: incompatible types for comparison: int and float64',
    },
    { input: '{{eq .i64 9}}', want: 'true' },
    { input: '{{eq .u8 200}}', want: 'true' },
    { input: '{{eq 200 .u8}}', want: 'true' },
    { input: '{{eq .neg1 .u8}}', want: 'false' },
    { input: '{{eq .u8 .neg1}}', want: 'false' },
    { input: '{{eq .missing "a"}}', want: 'false' },
    { input: '{{eq "a" .missing}}', want: 'false' },
    { input: '{{eq .missing .nul}}', want: 'true' },
    { input: '{{eq .missing nil}}', want: 'true' },
    { input: '{{eq nil nil}}', want: 'true' },
    { input: '{{eq .missing 0}}', want: 'false' },
    { input: '{{eq .missing ""}}', want: 'false' },
    { input: '{{eq .missing false}}', want: 'false' },
    { input: '{{eq true .t}}', want: 'true' },
    {
      input: '{{eq true 1}}',
      wantError:
        'template: t:1:2: executing "t" at <eq true 1>: error calling eq: incompatible types for comparison: bool and int',
    },
    {
      input: '{{eq true "true"}}',
      wantError:
        'template: t:1:2: executing "t" at <eq true "true">: error calling eq: incompatible types for comparison: bool and string',
    },
    {
      input: '{{eq "1" 1}}',
      wantError:
        'template: t:1:2: executing "t" at <eq "1" 1>: error calling eq: incompatible types for comparison: string and int',
    },
    {
      input: '{{eq .l .l}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .l .l>: error calling eq: non-comparable type [a b c]: []interface {}',
    },
    {
      input: '{{eq .m .m}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .m .m>: error calling eq: non-comparable type map[a:A b:B c:<nil>]: map[string]interface {}',
    },
    {
      input: '{{eq .l .m}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .l .m>: error calling eq: non-comparable types [a b c]: []interface {}, map[string]interface {}: map[a:A b:B c:<nil>]',
    },
    {
      input: '{{eq .l 1}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .l 1>: error calling eq: incompatible types for comparison: []interface {} and int',
    },
    {
      input: '{{eq 1 .l}}',
      wantError:
        'template: t:1:2: executing "t" at <eq 1 .l>: error calling eq: incompatible types for comparison: int and []interface {}',
    },
    { input: '{{eq .l nil}}', want: 'false' },
    { input: '{{eq nil .l}}', want: 'false' },
    { input: '{{eq .caps .caps}}', want: 'true' },
    { input: '{{eq .caps nil}}', want: 'false' },
    { input: '{{eq .caps.Name "caps"}}', want: 'true' },
    {
      input: '{{eq .bytes "hi"}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .bytes "hi">: error calling eq: incompatible types for comparison: []uint8 and string',
    },
    {
      input: '{{eq .bytes .bytes}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .bytes .bytes>: error calling eq: non-comparable type hi: []uint8',
    },
    {
      input: '{{eq .s "x" 1}}',
      wantError:
        'template: t:1:2: executing "t" at <eq .s "x" 1>: error calling eq: incompatible types for comparison: string and int',
    },
    { input: '{{eq .s "abc" 1}}', want: 'true' },
    {
      input: '{{eq "a" | not}}',
      wantError: 'template: t:1:2: executing "t" at <eq "a">: error calling eq: missing argument for comparison',
    },
    { input: '{{"a" | eq "a"}}', want: 'true' },
    {
      input: '{{"a" | eq}}',
      wantError: 'template: t:1:8: executing "t" at <eq>: error calling eq: missing argument for comparison',
    },
    { input: '{{ne 1 2}}', want: 'true' },
    { input: '{{ne 1 1}}', want: 'false' },
    {
      input: '{{ne 1}}',
      wantError: 'template: t:1:2: executing "t" at <ne>: wrong number of args for ne: want 2 got 1',
    },
    {
      input: '{{ne 1 2 3}}',
      wantError: 'template: t:1:2: executing "t" at <ne>: wrong number of args for ne: want 2 got 3',
    },
    {
      input: '{{ne "a" 1}}',
      wantError:
        'template: t:1:2: executing "t" at <ne "a" 1>: error calling ne: incompatible types for comparison: string and int',
    },
    { input: '{{ne .missing "a"}}', want: 'true' },
    {
      input: '{{ne .l .l}}',
      wantError:
        'template: t:1:2: executing "t" at <ne .l .l>: error calling ne: non-comparable type [a b c]: []interface {}',
    },
    { input: '{{lt 1 2}}', want: 'true' },
    { input: '{{lt 2 1}}', want: 'false' },
    { input: '{{lt 1 1}}', want: 'false' },
    { input: '{{lt 1.5 2.5}}', want: 'true' },
    { input: '{{lt "a" "b"}}', want: 'true' },
    { input: '{{lt "B" "a"}}', want: 'true' },
    { input: '{{lt "é" "z"}}', want: 'false' },
    {
      input: '{{lt 1 2.0}}',
      wantError:
        'template: t:1:2: executing "t" at <lt 1 2.0>: error calling lt: incompatible types for comparison: int and float64',
    },
    {
      input: '{{lt .i3 4}}',
      wantError:
        'template: t:1:2: executing "t" at <lt .i3 4>: error calling lt: incompatible types for comparison: float64 and int',
    },
    { input: '{{lt .i3 4.0}}', want: 'true' },
    {
      input: '{{lt true false}}',
      wantError: 'template: t:1:2: executing "t" at <lt true false>: error calling lt: invalid type for comparison',
    },
    {
      input: '{{lt nil 1}}',
      wantError: 'template: t:1:2: executing "t" at <lt nil 1>: error calling lt: invalid type for comparison',
    },
    {
      input: '{{lt .missing 1}}',
      wantError: 'template: t:1:2: executing "t" at <lt .missing 1>: error calling lt: invalid type for comparison',
    },
    {
      input: '{{lt 1 .missing}}',
      wantError: 'template: t:1:2: executing "t" at <lt 1 .missing>: error calling lt: invalid type for comparison',
    },
    {
      input: '{{lt .l .l}}',
      wantError: 'template: t:1:2: executing "t" at <lt .l .l>: error calling lt: invalid type for comparison',
    },
    { input: '{{lt .neg1 .u8}}', want: 'true' },
    { input: '{{lt .u8 .neg1}}', want: 'false' },
    { input: '{{lt .u8 201}}', want: 'true' },
    {
      input: '{{lt "a" 1}}',
      wantError:
        'template: t:1:2: executing "t" at <lt "a" 1>: error calling lt: incompatible types for comparison: string and int',
    },
    { input: '{{le 1 1}}', want: 'true' },
    { input: '{{le 2 1}}', want: 'false' },
    { input: '{{le "a" "a"}}', want: 'true' },
    {
      input: '{{le 1 1.0}}',
      wantError:
        'template: t:1:2: executing "t" at <le 1 1.0>: error calling le: incompatible types for comparison: int and float64',
    },
    { input: '{{gt 2 1}}', want: 'true' },
    { input: '{{gt 1 1}}', want: 'false' },
    { input: '{{gt "b" "a"}}', want: 'true' },
    {
      input: '{{gt 1 "a"}}',
      wantError:
        'template: t:1:2: executing "t" at <gt 1 "a">: error calling gt: incompatible types for comparison: int and string',
    },
    {
      input: '{{gt .i3 1}}',
      wantError:
        'template: t:1:2: executing "t" at <gt .i3 1>: error calling gt: incompatible types for comparison: float64 and int',
    },
    { input: '{{ge 1 1}}', want: 'true' },
    { input: '{{ge 1 2}}', want: 'false' },
    { input: '{{ge "a" "b"}}', want: 'false' },
    {
      input: '{{ge true true}}',
      wantError: 'template: t:1:2: executing "t" at <ge true true>: error calling ge: invalid type for comparison',
    },
    {
      input: '{{lt 1}}',
      wantError: 'template: t:1:2: executing "t" at <lt>: wrong number of args for lt: want 2 got 1',
    },
    {
      input: '{{gt 1 2 3}}',
      wantError: 'template: t:1:2: executing "t" at <gt>: wrong number of args for gt: want 2 got 3',
    },
    { input: '{{1 | lt 2}}', want: 'false' },
    {
      input: '{{and}}',
      wantError: 'template: t:1:2: executing "t" at <and>: wrong number of args for and: want at least 1 got 0',
    },
    {
      input: '{{or}}',
      wantError: 'template: t:1:2: executing "t" at <or>: wrong number of args for or: want at least 1 got 0',
    },
    { input: '{{and 1}}', want: '1' },
    { input: '{{or 0}}', want: '0' },
    { input: '{{and 1 2}}', want: '2' },
    { input: '{{and 1 0 2}}', want: '0' },
    { input: '{{and "" 1}}', want: '' },
    { input: '{{or 0 "" "x"}}', want: 'x' },
    { input: '{{or 0 ""}}', want: '' },
    { input: '{{or .missing "d"}}', want: 'd' },
    { input: '{{or .missing .nul}}', want: '<no value>' },
    { input: '{{and .missing "d"}}', want: '<no value>' },
    { input: '{{and true .missing}}', want: '<no value>' },
    { input: '{{and nil 1}}', want: '<no value>' },
    { input: '{{or nil 1}}', want: '1' },
    { input: '{{and 0 (oops "x")}}', want: '0' },
    { input: '{{or 1 (oops "x")}}', want: '1' },
    {
      input: '{{and 1 (oops "x")}}',
      wantError: 'template: t:1:9: executing "t" at <oops "x">: error calling oops: oops: x',
    },
    { input: '{{0 | or 1}}', want: '1' },
    { input: '{{1 | or 0}}', want: '1' },
    { input: '{{0 | and 1}}', want: '0' },
    { input: '{{1 | and 0}}', want: '0' },
    { input: '{{.missing | or 0}}', want: '<no value>' },
    { input: '{{1 | and}}', want: '1' },
    { input: '{{and .s .f .l}}', want: '[a b c]' },
    {
      input: '{{or 18446744073709551615 1}}',
      wantError: 'template: t:1:5: executing "t" at <18446744073709551615>: 18446744073709551615 overflows int',
    },
    { input: '{{and (or 0 1) (or 2 3)}}', want: '2' },
    { input: '{{(or .missing .deep).x.y.z}}', want: 'deep' },
    { input: '{{(and .missing .deep).x}}', want: '<no value>' },
    { input: '{{(or .missing .missing).x.y}}', want: '<no value>' },
    { input: '{{not true}}', want: 'false' },
    { input: '{{not 0}}', want: 'true' },
    { input: '{{not .missing}}', want: 'true' },
    { input: '{{not nil}}', want: 'true' },
    { input: '{{not ""}}', want: 'true' },
    {
      input: '{{not 1 2}}',
      wantError: 'template: t:1:2: executing "t" at <not>: wrong number of args for not: want 1 got 2',
    },
    {
      input: '{{not}}',
      wantError: 'template: t:1:2: executing "t" at <not>: wrong number of args for not: want 1 got 0',
    },
    { input: '{{not .em}}', want: 'true' },
    { input: '{{0 | not}}', want: 'true' },
    { input: '{{and .deep.nope .deep.nope.x}}', want: '<no value>' },
    {
      input: '{{or .deep.nope .deep.nope.x}}',
      wantError: 'template: t:1:21: executing "t" at <.deep.nope.x>: nil pointer evaluating interface {}.x',
    },
  ],
  builtins: [
    { input: '{{len "abc"}}', want: '3' },
    { input: '{{len .uni}}', want: '10' },
    { input: '{{len .l}}', want: '3' },
    { input: '{{len .m}}', want: '3' },
    { input: '{{len .em}}', want: '0' },
    { input: '{{len .bytes}}', want: '2' },
    { input: '{{len .strs}}', want: '2' },
    { input: '{{len .sm}}', want: '1' },
    { input: '{{len .vals}}', want: '2' },
    { input: '{{len 3}}', wantError: 'template: t:1:2: executing "t" at <len 3>: error calling len: len of type int' },
    {
      input: '{{len .f}}',
      wantError: 'template: t:1:2: executing "t" at <len .f>: error calling len: len of type float64',
    },
    {
      input: '{{len true}}',
      wantError: 'template: t:1:2: executing "t" at <len true>: error calling len: len of type bool',
    },
    {
      input: '{{len nil}}',
      wantError:
        'template: t:1:2: executing "t" at <len nil>: error calling len: reflect: call of reflect.Value.Type on zero Value',
    },
    {
      input: '{{len .missing}}',
      wantError: 'template: t:1:2: executing "t" at <len .missing>: error calling len: len of nil pointer',
    },
    {
      input: '{{.missing | len}}',
      wantError:
        'template: t:1:13: executing "t" at <len>: error calling len: reflect: call of reflect.Value.Type on zero Value',
    },
    {
      input: '{{len (.missing)}}',
      wantError:
        'template: t:1:2: executing "t" at <len (.missing)>: error calling len: reflect: call of reflect.Value.Type on zero Value',
    },
    {
      input: '{{len .caps}}',
      wantError: 'template: t:1:2: executing "t" at <len .caps>: error calling len: len of type main.Caps',
    },
    {
      input: '{{len}}',
      wantError: 'template: t:1:2: executing "t" at <len>: wrong number of args for len: want 1 got 0',
    },
    {
      input: '{{len 1 2}}',
      wantError: 'template: t:1:2: executing "t" at <len>: wrong number of args for len: want 1 got 2',
    },
    { input: '{{.l | len}}', want: '3' },
    {
      input: '{{len .nul}}',
      wantError: 'template: t:1:2: executing "t" at <len .nul>: error calling len: len of nil pointer',
    },
    { input: '{{index .l 0}}', want: 'a' },
    { input: '{{index .l 2}}', want: 'c' },
    {
      input: '{{index .l 3}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l 3>: error calling index: reflect: slice index out of range',
    },
    {
      input: '{{index .l 4}}',
      wantError: 'template: t:1:2: executing "t" at <index .l 4>: error calling index: index out of range: 4',
    },
    {
      input: '{{index .l -1}}',
      wantError: 'template: t:1:2: executing "t" at <index .l -1>: error calling index: index out of range: -1',
    },
    {
      input: '{{index .l 1.0}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l 1.0>: error calling index: cannot index slice/array with type float64',
    },
    {
      input: '{{index .l .i3}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l .i3>: error calling index: cannot index slice/array with type float64',
    },
    {
      input: '{{index .l .f}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l .f>: error calling index: cannot index slice/array with type float64',
    },
    {
      input: '{{index .l .int}}',
      wantError: 'template: t:1:2: executing "t" at <index .l .int>: error calling index: index out of range: 7',
    },
    {
      input: '{{index .l "a"}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l "a">: error calling index: cannot index slice/array with type string',
    },
    {
      input: '{{index .l nil}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l nil>: error calling index: cannot index slice/array with nil',
    },
    {
      input: '{{index .l true}}',
      wantError:
        'template: t:1:2: executing "t" at <index .l true>: error calling index: cannot index slice/array with type bool',
    },
    {
      input: '{{index .l .u8}}',
      wantError: 'template: t:1:2: executing "t" at <index .l .u8>: error calling index: index out of range: 200',
    },
    { input: '{{index .l}}', want: '[a b c]' },
    {
      input: '{{index}}',
      wantError: 'template: t:1:2: executing "t" at <index>: wrong number of args for index: want at least 1 got 0',
    },
    { input: '{{index .m "a"}}', want: 'A' },
    { input: '{{index .m "zz"}}', want: '<no value>' },
    {
      input: '{{index .m "zz" "y"}}',
      wantError: 'template: t:1:2: executing "t" at <index .m "zz" "y">: error calling index: index of nil pointer',
    },
    {
      input: '{{index .m 1}}',
      wantError:
        'template: t:1:2: executing "t" at <index .m 1>: error calling index: value has type int; should be string',
    },
    {
      input: '{{index .m nil}}',
      wantError:
        'template: t:1:2: executing "t" at <index .m nil>: error calling index: value is nil; should be of type string',
    },
    {
      input: '{{index .m .missing}}',
      wantError:
        'template: t:1:2: executing "t" at <index .m .missing>: error calling index: value is nil; should be of type string',
    },
    { input: '{{index .sm "k"}}', want: 'v' },
    { input: '{{index .sm "zz"}}', want: '' },
    {
      input: '{{index .sm "zz" 0}}',
      wantError:
        'template: t:1:2: executing "t" at <index .sm "zz" 0>: error calling index: reflect: string index out of range',
    },
    { input: '{{index .deep "x" "y" "z"}}', want: 'deep' },
    { input: '{{index .deep "list" 1 "n"}}', want: 'two' },
    { input: '{{index .deep.list 0}}', want: 'map[n:one]' },
    { input: '{{(index .deep.list 0).n}}', want: 'one' },
    {
      input: '{{(index .deep.list 0).q.r}}',
      wantError: 'template: t:1:20: executing "t" at <0>: nil pointer evaluating interface {}.r',
    },
    { input: '{{index .mixed 2}}', want: '<no value>' },
    {
      input: '{{index .mixed 2 0}}',
      wantError: 'template: t:1:2: executing "t" at <index .mixed 2 0>: error calling index: index of nil pointer',
    },
    { input: '{{index .mixed 4 "k"}}', want: 'v' },
    { input: '{{index .s 0}}', want: '97' },
    {
      input: '{{index .s 3}}',
      wantError:
        'template: t:1:2: executing "t" at <index .s 3>: error calling index: reflect: string index out of range',
    },
    {
      input: '{{index .s 4}}',
      wantError: 'template: t:1:2: executing "t" at <index .s 4>: error calling index: index out of range: 4',
    },
    { input: '{{anyf (index .s 0)}}', want: 'uint8|97' },
    { input: '{{index .bytes 1}}', want: '105' },
    {
      input: '{{index .bytes 2}}',
      wantError:
        'template: t:1:2: executing "t" at <index .bytes 2>: error calling index: reflect: slice index out of range',
    },
    {
      input: '{{index nil 1}}',
      wantError: 'template: t:1:2: executing "t" at <index nil 1>: error calling index: index of untyped nil',
    },
    {
      input: '{{index .missing "a"}}',
      wantError: 'template: t:1:2: executing "t" at <index .missing "a">: error calling index: index of untyped nil',
    },
    {
      input: '{{index 5 1}}',
      wantError: 'template: t:1:2: executing "t" at <index 5 1>: error calling index: can\'t index item of type int',
    },
    {
      input: '{{index .f 1}}',
      wantError:
        'template: t:1:2: executing "t" at <index .f 1>: error calling index: can\'t index item of type float64',
    },
    {
      input: '{{index .caps 1}}',
      wantError:
        'template: t:1:2: executing "t" at <index .caps 1>: error calling index: can\'t index item of type main.Caps',
    },
    { input: '{{index .vals "k"}}', want: 'v' },
    { input: '{{index .strs 1}}', want: 'q' },
    { input: '{{1 | index .l}}', want: 'b' },
    { input: '{{"a" | index .m}}', want: 'A' },
    { input: '{{index .em "a"}}', want: '<no value>' },
    { input: '{{index .l 0 0}}', want: '97' },
    { input: '{{anyf (index .sm "k")}}', want: 'string|v' },
    { input: '{{slice .l}}', want: '[a b c]' },
    { input: '{{slice .l 1}}', want: '[b c]' },
    { input: '{{slice .l 1 2}}', want: '[b]' },
    { input: '{{slice .l 0 3 3}}', want: '[a b c]' },
    {
      input: '{{slice .l 1 2 1}}',
      wantError: 'template: t:1:2: executing "t" at <slice .l 1 2 1>: error calling slice: invalid slice index: 2 > 1',
    },
    {
      input: '{{slice .l 2 1}}',
      wantError: 'template: t:1:2: executing "t" at <slice .l 2 1>: error calling slice: invalid slice index: 2 > 1',
    },
    {
      input: '{{slice .l 1 2 3 4}}',
      wantError: 'template: t:1:2: executing "t" at <slice .l 1 2 3 4>: error calling slice: too many slice indexes: 4',
    },
    { input: '{{slice .s 1}}', want: 'bc' },
    { input: '{{slice .s 1 2}}', want: 'b' },
    {
      input: '{{slice .s 1 2 3}}',
      wantError:
        'template: t:1:2: executing "t" at <slice .s 1 2 3>: error calling slice: cannot 3-index slice a string',
    },
    {
      input: '{{slice .s 4}}',
      wantError: 'template: t:1:2: executing "t" at <slice .s 4>: error calling slice: index out of range: 4',
    },
    { input: '{{slice .s 3}}', want: '' },
    { input: '{{slice .uni 1 3}}', want: 'é' },
    {
      input: '{{slice .m}}',
      wantError:
        'template: t:1:2: executing "t" at <slice .m>: error calling slice: can\'t slice item of type map[string]interface {}',
    },
    {
      input: '{{slice 5}}',
      wantError: 'template: t:1:2: executing "t" at <slice 5>: error calling slice: can\'t slice item of type int',
    },
    {
      input: '{{slice nil}}',
      wantError: 'template: t:1:2: executing "t" at <slice nil>: error calling slice: slice of untyped nil',
    },
    {
      input: '{{slice .missing}}',
      wantError: 'template: t:1:2: executing "t" at <slice .missing>: error calling slice: slice of untyped nil',
    },
    {
      input: '{{slice .l 1.0}}',
      wantError:
        'template: t:1:2: executing "t" at <slice .l 1.0>: error calling slice: cannot index slice/array with type float64',
    },
    {
      input: '{{slice .l nil}}',
      wantError:
        'template: t:1:2: executing "t" at <slice .l nil>: error calling slice: cannot index slice/array with nil',
    },
    { input: '{{slice .bytes 1}}', want: '[105]' },
    { input: '{{slice .strs 1}}', want: '[q]' },
    { input: '{{anyf (slice .strs 1)}}', want: '[]string|[q]' },
    {
      input: '{{slice}}',
      wantError: 'template: t:1:2: executing "t" at <slice>: wrong number of args for slice: want at least 1 got 0',
    },
    { input: '{{print}}', want: '' },
    { input: '{{print 1}}', want: '1' },
    { input: '{{print 1 2}}', want: '1 2' },
    { input: '{{print "a" "b"}}', want: 'ab' },
    { input: '{{print 1 2 "a" "b" 3}}', want: '1 2ab3' },
    { input: '{{print nil}}', want: '<nil>' },
    { input: '{{print .missing}}', want: '<nil>' },
    { input: '{{.missing | print}}', want: '<nil>' },
    { input: '{{print .l .m}}', want: '[a b c] map[a:A b:B c:<nil>]' },
    { input: '{{print true false}}', want: 'true false' },
    { input: '{{println 1 "a"}}', want: '1 a\n' },
    { input: '{{println}}', want: '\n' },
    { input: '{{print 1.5 .big}}', want: '1.5 1.234567e+06' },
    { input: '{{printf "%d %s %v" 1 "a" .l}}', want: '1 a [a b c]' },
    { input: '{{printf "%d" 1.0}}', want: '%!d(float64=1)' },
    { input: '{{printf "%s" 1}}', want: '%!s(int=1)' },
    { input: '{{printf "%v" nil}}', want: '<nil>' },
    { input: '{{printf "%s" .missing}}', want: '%!s(<nil>)' },
    { input: '{{printf "%d" .missing}}', want: '%!d(<nil>)' },
    { input: '{{printf "%s"}}', want: '%!s(MISSING)' },
    { input: '{{printf "x" 1}}', want: 'x%!(EXTRA int=1)' },
    { input: '{{printf 1}}', wantError: 'template: t:1:9: executing "t" at <1>: expected string; found 1' },
    {
      input: '{{printf}}',
      wantError: 'template: t:1:2: executing "t" at <printf>: wrong number of args for printf: want at least 1 got 0',
    },
    {
      input: '{{printf .missing}}',
      wantError:
        'template: t:1:9: executing "t" at <.missing>: wrong type for value; expected string; got interface {}',
    },
    { input: '{{"a" | printf "%s%s" "b"}}', want: 'ba' },
    { input: '{{printf "%q" "a\\"b"}}', want: '"a\\"b"' },
    { input: '{{printf "%5d|%-5d|%05d" 1 2 3}}', want: '    1|2    |00003' },
    { input: '{{printf "%T" .l}}', want: '[]interface {}' },
    { input: '{{printf "%T" .m}}', want: 'map[string]interface {}' },
    { input: '{{printf "%T %T" 1 1.0}}', want: 'int float64' },
    { input: '{{printf "%%"}}', want: '%' },
    { input: '{{printf "%t" true}}', want: 'true' },
    { input: '{{printf "%.2f" 1.0}}', want: '1.00' },
    { input: '{{printf "%x" "hi"}}', want: '6869' },
    { input: '{{html .html}}', want: '&lt;a href=&#34;x&#34;&gt;&#39;&amp;�&lt;/a&gt;' },
    { input: '{{.html | html}}', want: '&lt;a href=&#34;x&#34;&gt;&#39;&amp;�&lt;/a&gt;' },
    { input: '{{html "a" 1 .missing}}', want: 'a1&lt;no value&gt;' },
    { input: '{{html nil}}', want: '&lt;no value&gt;' },
    { input: '{{html 1 2}}', want: '1 2' },
    { input: '{{html .m}}', want: 'map[a:A b:B c:&lt;nil&gt;]' },
    { input: '{{js .js}}', want: 'it\\\'s \\"q\\" \\\\ \\u003Cb\\u003E\\u0026\\u003D\\u000A\\u0001é\\u2028' },
    { input: '{{js "a" nil}}', want: 'a\\u003Cno value\\u003E' },
    { input: '{{js 1}}', want: '1' },
    { input: '{{urlquery .url}}', want: 'a+b%26c%2Fd%3F%C3%A9~' },
    { input: '{{urlquery "a" "b"}}', want: 'ab' },
    { input: '{{urlquery 1 2}}', want: '1+2' },
    { input: '{{urlquery .missing}}', want: '%3Cno+value%3E' },
    { input: '{{html}}', want: '' },
    {
      input: '{{call nil}}',
      wantError: 'template: t:1:2: executing "t" at <call nil>: error calling call: call of nil',
    },
    {
      input: '{{call .missing}}',
      wantError: 'template: t:1:2: executing "t" at <call .missing>: error calling call: call of nil',
    },
    {
      input: '{{call .s}}',
      wantError: 'template: t:1:2: executing "t" at <call .s>: error calling call: non-function .s of type string',
    },
    {
      input: '{{call .l 1}}',
      wantError:
        'template: t:1:2: executing "t" at <call .l 1>: error calling call: non-function .l of type []interface {}',
    },
    {
      input: '{{call 1}}',
      wantError: 'template: t:1:2: executing "t" at <call 1>: error calling call: non-function 1 of type int',
    },
    {
      input: '{{call}}',
      wantError: 'template: t:1:2: executing "t" at <call>: wrong number of args for call: want at least 1 got 0',
    },
    {
      input: '{{.s | call}}',
      wantError: 'template: t:1:7: executing "t" at <call>: error calling call: non-function abc of type string',
    },
    {
      input: '{{call .missing 1}}',
      wantError: 'template: t:1:2: executing "t" at <call .missing 1>: error calling call: call of nil',
    },
    {
      input: '{{call (index .m "a")}}',
      wantError:
        'template: t:1:2: executing "t" at <call (index .m "a")>: error calling call: non-function index .m "a" of type string',
    },
    { input: '{{js "\\u2028\\u00ad\\U0001F600"}}', want: '\\u2028\\u00AD😀' },
    { input: '{{html "\\u0000"}}', want: '�' },
  ],
  positions: [
    {
      input: 'a\nb{{ .s.x }}',
      wantError: 'template: t:2:6: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: 'é{{ .s.x }}',
      wantError: 'template: t:1:7: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ .s.x\n}}',
      wantError: 'template: t:1:5: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{\n.s\n.x }}',
      wantError: 'template: t:2:0: executing "t" at <.s>: s is not a method but has arguments',
    },
    {
      input: 'x\n\n  {{ if .s.x }}a{{end}}',
      wantError: 'template: t:3:10: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ range .f }}{{end}}',
      wantError: 'template: t:1:9: executing "t" at <.f>: range can\'t iterate over 1.5',
    },
    {
      input: '{{ with .s }}\n{{ .y }}{{end}}',
      wantError: 'template: t:2:3: executing "t" at <.y>: can\'t evaluate field y in type string',
    },
    { input: '{{ str\n 1 }}', wantError: 'template: t:2:1: executing "t" at <1>: expected string; found 1' },
    { input: '{{ two 1\n (str 2) }}', wantError: 'template: t:2:6: executing "t" at <2>: expected string; found 2' },
    {
      input: '{{ "a" |\n num }}',
      wantError: 'template: t:2:1: executing "t" at <num>: wrong type for value; expected int; got string',
    },
    {
      input: '{{ $x := .s }}\n{{ $x.y.z }}',
      wantError: 'template: t:2:5: executing "t" at <$x.y.z>: can\'t evaluate field y in type string',
    },
    {
      input: '{{ (.s).y.z }}',
      wantError: 'template: t:1:4: executing "t" at <.s>: can\'t evaluate field y in type string',
    },
    {
      input: '{{ .deep.x.y.z.w.v }}',
      wantError: 'template: t:1:8: executing "t" at <.deep.x.y.z.w.v>: can\'t evaluate field w in type interface {}',
    },
    {
      input: '{{ .s |  num }}',
      wantError: 'template: t:1:9: executing "t" at <num>: wrong type for value; expected int; got string',
    },
    {
      input: '{{ num (.s | str) }}',
      wantError: 'template: t:1:13: executing "t" at <str>: wrong type for value; expected int; got string',
    },
    {
      input: '{{ str .f | str }}',
      wantError: 'template: t:1:7: executing "t" at <.f>: wrong type for value; expected string; got float64',
    },
    {
      input: '{{- .s.x -}}',
      wantError: 'template: t:1:6: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ str (index .l 9) }}',
      wantError: 'template: t:1:8: executing "t" at <index .l 9>: error calling index: index out of range: 9',
    },
    {
      input: '{{ index (index .m "zz") 1 }}',
      wantError:
        'template: t:1:3: executing "t" at <index (index .m "zz") 1>: error calling index: index of untyped nil',
    },
    {
      input: '{{ printf "%s" (str (num "x")) }}',
      wantError: 'template: t:1:25: executing "t" at <"x">: expected integer; found "x"',
    },
    {
      input: '{{ template "x" .s.y }}{{define "x"}}{{end}}',
      wantError: 'template: t:1:18: executing "t" at <.s.y>: can\'t evaluate field y in type interface {}',
    },
    {
      input: '{{ if eq .i3 3 }}{{ end }}',
      wantError:
        'template: t:1:6: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
    },
    {
      input: '{{ if and .s (eq .i3 3) }}{{ end }}',
      wantError:
        'template: t:1:14: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
    },
    {
      input: '{{ not (eq .i3 3) }}',
      wantError:
        'template: t:1:8: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
    },
    {
      input: '{{ .s.x | str }}',
      wantError: 'template: t:1:5: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ str .s.x }}',
      wantError: 'template: t:1:9: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ str $.s.x }}',
      wantError: 'template: t:1:8: executing "t" at <$.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ range $i, $e := .s.x }}{{end}}',
      wantError: 'template: t:1:21: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ $y := .s.x }}',
      wantError: 'template: t:1:11: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ include "x" .s.x }}',
      wantError: 'template: t:1:17: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}',
    },
    {
      input: '{{ oops (str "a") }}',
      wantError: 'template: t:1:3: executing "t" at <oops (str "a")>: error calling oops: oops: str:a',
    },
    {
      input: '{{ "a%sb" | oops }}',
      wantError: 'template: t:1:12: executing "t" at <oops>: error calling oops: oops: a%sb',
    },
    { input: '{{ .s."x" }}', wantError: "template: t:1: bad character U+0022 '\"'" },
    {
      input: '{{ include "a%d" . }}',
      wantError:
        'template: t:1:3: executing "t" at <include "a%d" .>: error calling include: template: no template "a%d" associated with template "gotpl"',
    },
    {
      input: '{{ "{{" | oops }}',
      wantError: 'template: t:1:10: executing "t" at <oops>: error calling oops: oops: {{',
    },
    {
      input: '{{ oops `a\nb` }}',
      wantError: 'template: t:1:3: executing "t" at <oops `a\nb`>: error calling oops: oops: a\nb',
    },
  ],
}
