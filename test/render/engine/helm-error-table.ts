/** A template, executed with the sample data, and the error as helm 4 prints it. */
export interface HelmErrorRow {
  readonly input: string
  readonly want: string
}

/** Checked against Helm 4.1.4 (reformatExecErrorMsg and cleanupParseError of pkg/engine). */
export const helmErrorRows: readonly HelmErrorRow[] = [
  {
    input: '{{.missing.a}}',
    want: 't:1:10\n  executing "t" at <.missing.a>:\n    nil pointer evaluating interface {}.a',
  },
  { input: '{{.s.x}}', want: 't:1:4\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}' },
  { input: '{{nil}}', want: 't:1:2\n  executing "t" at <nil>:\n    nil is not a command' },
  {
    input: '{{.caps.Foo}}',
    want: 't:1:7\n  executing "t" at <.caps.Foo>:\n    can\'t evaluate field Foo in type interface {}',
  },
  {
    input: '{{.caps.Fail "x"}}',
    want: 'template: t:1:7: executing "t" at <.caps.Fail>: error calling Fail: caps failed: x',
  },
  { input: '{{oops "x"}}', want: 'template: t:1:2: executing "t" at <oops "x">: error calling oops: oops: x' },
  { input: '{{ $x.y }}', want: 'parse error at (t:1): undefined variable "$x"' },
  { input: '{{if}}a{{end}}', want: 'parse error at (t:1): missing value for if' },
  { input: '{{range .s}}a{{end}}', want: 't:1:8\n  executing "t" at <.s>:\n    range can\'t iterate over abc' },
  {
    input: '{{template "nope" .}}',
    want: 't:1:11\n  executing "t" at <{{template "nope" .}}>:\n    template "nope" not defined',
  },
  {
    input: '{{template "nope"}}',
    want: 't:1:11\n  executing "t" at <{{template "nope"}}>:\n    template "nope" not defined',
  },
  { input: '{{define "b"}}override{{end}}{{block "b" .}}', want: 'parse error at (t:1): unexpected EOF' },
  {
    input: '{{define "x"}}{{.a.b}}{{end}}{{template "x" .}}',
    want: 't:1:18\n  executing "x" at <.a.b>:\n    nil pointer evaluating interface {}.b',
  },
  {
    input: '{{define "x"}}{{template "y" .}}{{end}}{{define "y"}}{{.s.q}}{{end}}{{template "x" .}}',
    want: 't:1:57\n  executing "y" at <.s.q>:\n    can\'t evaluate field q in type interface {}',
  },
  {
    input: '{{include "nope" .}}',
    want: 't:1:2\n  executing "t" at <include "nope" .>:\n    error calling include:\ntemplate: no template "nope" associated with template "gotpl"',
  },
  {
    input: '{{include "x" .}}{{define "x"}}{{.s.q}}{{end}}',
    want: 't:1:2\n  executing "t" at <include "x" .>:\n    error calling include:\nt:1:35\n  executing "x" at <.s.q>:\n    can\'t evaluate field q in type interface {}',
  },
  {
    input: '{{include "x" .}}{{define "x"}}{{include "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
    want: 't:1:2\n  executing "t" at <include "x" .>:\n    error calling include:\nt:1:33\n  executing "x" at <include "y" .>:\n    error calling include:\nt:1:75\n  executing "y" at <.nul.q>:\n    nil pointer evaluating interface {}.q',
  },
  {
    input: '{{include "x" .}}{{define "x"}}{{template "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
    want: 't:1:2\n  executing "t" at <include "x" .>:\n    error calling include:\nt:1:76\n  executing "y" at <.nul.q>:\n    nil pointer evaluating interface {}.q',
  },
  {
    input: '{{template "x" .}}{{define "x"}}{{include "y" .}}{{end}}{{define "y"}}{{.nul.q}}{{end}}',
    want: 't:1:34\n  executing "x" at <include "y" .>:\n    error calling include:\nt:1:76\n  executing "y" at <.nul.q>:\n    nil pointer evaluating interface {}.q',
  },
  {
    input: '{{include "x"}}',
    want: 't:1:2\n  executing "t" at <include>:\n    wrong number of args for include: want 2 got 1',
  },
  {
    input: '{{include "x" . 1}}',
    want: 't:1:2\n  executing "t" at <include>:\n    wrong number of args for include: want 2 got 3',
  },
  { input: '{{include 1 .}}', want: 't:1:10\n  executing "t" at <1>:\n    expected string; found 1' },
  {
    input: '{{include .missing .}}',
    want: 't:1:10\n  executing "t" at <.missing>:\n    wrong type for value; expected string; got interface {}',
  },
  {
    input: '{{tpl "{{define \\"q\\"}}Q{{end}}" .}}{{include "q" .}}',
    want: 't:1:38\n  executing "t" at <include "q" .>:\n    error calling include:\ntemplate: no template "q" associated with template "gotpl"',
  },
  {
    input: '{{tpl "{{.s.x}}" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{.s.x}}" .>: error calling tpl: error during tpl function execution for "{{.s.x}}": template: gotpl:1:4: executing "gotpl" at <.s.x>: can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{tpl "{{" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{" .>: error calling tpl: cannot parse template "{{": template: gotpl:1: unclosed action',
  },
  {
    input: '{{tpl "{{ nope }}" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{ nope }}" .>: error calling tpl: cannot parse template "{{ nope }}": template: gotpl:1: function "nope" not defined',
  },
  {
    input: '{{tpl "{{ if }}" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{ if }}" .>: error calling tpl: cannot parse template "{{ if }}": template: gotpl:1: missing value for if',
  },
  {
    input: '{{tpl .missing .}}',
    want: 't:1:6\n  executing "t" at <.missing>:\n    wrong type for value; expected string; got interface {}',
  },
  {
    input: '{{tpl .f .}}',
    want: 't:1:6\n  executing "t" at <.f>:\n    wrong type for value; expected string; got float64',
  },
  {
    input: '{{include "x" .}}{{define "x"}}{{tpl "{{.s.y}}" .}}{{end}}',
    want: 'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <tpl "{{.s.y}}" .>: error calling tpl: error during tpl function execution for "{{.s.y}}": template: gotpl:1:4: executing "gotpl" at <.s.y>: can\'t evaluate field y in type interface {}',
  },
  {
    input: '{{tpl "{{include \\"x\\" .}}" .}}{{define "x"}}{{.s.y}}{{end}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{include \\"x\\" .}}" .>: error calling tpl: error during tpl function execution for "{{include \\"x\\" .}}": template: gotpl:1:2: executing "gotpl" at <include "x" .>: error calling include: template: t:1:49: executing "x" at <.s.y>: can\'t evaluate field y in type interface {}',
  },
  {
    input: '{{tpl "{{oops \\"a\\"}}" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "{{oops \\"a\\"}}" .>: error calling tpl: error during tpl function execution for "{{oops \\"a\\"}}": template: gotpl:1:2: executing "gotpl" at <oops "a">: error calling oops: oops: a',
  },
  {
    input: '{{tpl "a\\n{{ .l.x }}" .}}',
    want: 'template: t:1:2: executing "t" at <tpl "a\\n{{ .l.x }}" .>: error calling tpl: error during tpl function execution for "a\\n{{ .l.x }}": template: gotpl:2:5: executing "gotpl" at <.l.x>: can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{include "x" .}}{{define "x"}}{{oops "a"}}{{end}}',
    want: 'template: t:1:2: executing "t" at <include "x" .>: error calling include: template: t:1:33: executing "x" at <oops "a">: error calling oops: oops: a',
  },
  { input: '{{include "x" .}}{{define "x"}}{{fail "bad"}}{{end}}', want: 'execution error at (t:1:2): bad' },
  { input: '{{fail "bad"}}', want: 'execution error at (t:1:2): bad' },
  { input: '{{fail "a: b\\nc"}}', want: 'execution error at (t:1:2): a: b\nc' },
  { input: '{{"m" | fail}}', want: 'execution error at (t:1:8): m' },
  { input: '{{required "need it" .missing}}', want: 'execution error at (t:1:2): need it' },
  { input: '{{required "need it" .empty}}', want: 'execution error at (t:1:2): need it' },
  { input: '{{.missing | required "need it"}}', want: 'execution error at (t:1:13): need it' },
  { input: '{{required "need %s" .missing | str}}', want: 'execution error at (t:1:2): need %s' },
  { input: '{{tpl "{{required \\"deep\\" .missing}}" .}}', want: 'execution error at (t:1:2): deep' },
  {
    input: '{{include "x" .}}{{define "x"}}{{required "deep" .missing}}{{end}}',
    want: 'execution error at (t:1:2): deep',
  },
  {
    input: '{{template "x" .}}{{define "x"}}{{required "deep" .missing}}{{end}}',
    want: 'execution error at (t:1:34): deep',
  },
  {
    input: '{{lookup "v1"}}',
    want: 't:1:2\n  executing "t" at <lookup>:\n    wrong number of args for lookup: want 4 got 1',
  },
  {
    input: '{{range .l}}{{include "x" .}}{{end}}{{define "x"}}{{.y}}{{end}}',
    want: 't:1:14\n  executing "t" at <include "x" .>:\n    error calling include:\nt:1:52\n  executing "x" at <.y>:\n    can\'t evaluate field y in type string',
  },
  {
    input: 'a\n  {{ include "x" . }}\n{{define "x"}}\n\n  é {{ .s.q }}{{end}}',
    want: 't:2:5\n  executing "t" at <include "x" .>:\n    error calling include:\nt:5:10\n  executing "x" at <.s.q>:\n    can\'t evaluate field q in type interface {}',
  },
  {
    input: '{{ include "x" . | str | num }}{{define "x"}}{{end}}',
    want: 't:1:25\n  executing "t" at <num>:\n    wrong type for value; expected int; got string',
  },
  {
    input: '{{eq .i3 3}}',
    want: 'template: t:1:2: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
  },
  {
    input: 'a\nb{{ .s.x }}',
    want: 't:2:6\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  { input: 'é{{ .s.x }}', want: 't:1:7\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}' },
  { input: '{{ .s.x\n}}', want: 't:1:5\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}' },
  { input: '{{\n.s\n.x }}', want: 't:2:0\n  executing "t" at <.s>:\n    s is not a method but has arguments' },
  {
    input: 'x\n\n  {{ if .s.x }}a{{end}}',
    want: 't:3:10\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  { input: '{{ range .f }}{{end}}', want: 't:1:9\n  executing "t" at <.f>:\n    range can\'t iterate over 1.5' },
  {
    input: '{{ with .s }}\n{{ .y }}{{end}}',
    want: 't:2:3\n  executing "t" at <.y>:\n    can\'t evaluate field y in type string',
  },
  { input: '{{ str\n 1 }}', want: 't:2:1\n  executing "t" at <1>:\n    expected string; found 1' },
  { input: '{{ two 1\n (str 2) }}', want: 't:2:6\n  executing "t" at <2>:\n    expected string; found 2' },
  {
    input: '{{ "a" |\n num }}',
    want: 't:2:1\n  executing "t" at <num>:\n    wrong type for value; expected int; got string',
  },
  {
    input: '{{ $x := .s }}\n{{ $x.y.z }}',
    want: 't:2:5\n  executing "t" at <$x.y.z>:\n    can\'t evaluate field y in type string',
  },
  { input: '{{ (.s).y.z }}', want: 't:1:4\n  executing "t" at <.s>:\n    can\'t evaluate field y in type string' },
  {
    input: '{{ .deep.x.y.z.w.v }}',
    want: 't:1:8\n  executing "t" at <.deep.x.y.z.w.v>:\n    can\'t evaluate field w in type interface {}',
  },
  {
    input: '{{ .s |  num }}',
    want: 't:1:9\n  executing "t" at <num>:\n    wrong type for value; expected int; got string',
  },
  {
    input: '{{ num (.s | str) }}',
    want: 't:1:13\n  executing "t" at <str>:\n    wrong type for value; expected int; got string',
  },
  {
    input: '{{ str .f | str }}',
    want: 't:1:7\n  executing "t" at <.f>:\n    wrong type for value; expected string; got float64',
  },
  {
    input: '{{- .s.x -}}',
    want: 't:1:6\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ str (index .l 9) }}',
    want: 'template: t:1:8: executing "t" at <index .l 9>: error calling index: index out of range: 9',
  },
  {
    input: '{{ index (index .m "zz") 1 }}',
    want: 'template: t:1:3: executing "t" at <index (index .m "zz") 1>: error calling index: index of untyped nil',
  },
  {
    input: '{{ printf "%s" (str (num "x")) }}',
    want: 't:1:25\n  executing "t" at <"x">:\n    expected integer; found "x"',
  },
  {
    input: '{{ template "x" .s.y }}{{define "x"}}{{end}}',
    want: 't:1:18\n  executing "t" at <.s.y>:\n    can\'t evaluate field y in type interface {}',
  },
  {
    input: '{{ if eq .i3 3 }}{{ end }}',
    want: 'template: t:1:6: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
  },
  {
    input: '{{ if and .s (eq .i3 3) }}{{ end }}',
    want: 'template: t:1:14: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
  },
  {
    input: '{{ not (eq .i3 3) }}',
    want: 'template: t:1:8: executing "t" at <eq .i3 3>: error calling eq: incompatible types for comparison: float64 and int',
  },
  {
    input: '{{ .s.x | str }}',
    want: 't:1:5\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ str .s.x }}',
    want: 't:1:9\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ str $.s.x }}',
    want: 't:1:8\n  executing "t" at <$.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ range $i, $e := .s.x }}{{end}}',
    want: 't:1:21\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ $y := .s.x }}',
    want: 't:1:11\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ include "x" .s.x }}',
    want: 't:1:17\n  executing "t" at <.s.x>:\n    can\'t evaluate field x in type interface {}',
  },
  {
    input: '{{ oops (str "a") }}',
    want: 'template: t:1:3: executing "t" at <oops (str "a")>: error calling oops: oops: str:a',
  },
  { input: '{{ "a%sb" | oops }}', want: 'template: t:1:12: executing "t" at <oops>: error calling oops: oops: a%sb' },
  { input: '{{ .s."x" }}', want: "parse error at (t:1): bad character U+0022 '\"'" },
  {
    input: '{{ include "a%d" . }}',
    want: 't:1:3\n  executing "t" at <include "a%d" .>:\n    error calling include:\ntemplate: no template "a%d" associated with template "gotpl"',
  },
  { input: '{{ "{{" | oops }}', want: 'template: t:1:10: executing "t" at <oops>: error calling oops: oops: {{' },
  {
    input: '{{ oops `a\nb` }}',
    want: 'template: t:1:3: executing "t" at <oops `a\nb`>: error calling oops: oops: a\nb',
  },
]
