import { describe, expect, it } from 'vitest'
import { createTokenTable } from '../../../src/model/token.ts'
import { dict } from '../../../src/model/value.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'
import { chartFunctions } from '../../../src/render/functions/registry.ts'
import { createTemplateRunner } from './template-runner.ts'

const limits = { ...defaultLimits, built: 2_000_000 }
const run = createTemplateRunner(chartFunctions, createTokenTable(), limits)

/** A map that contains itself twice, and a list whose text is longer than any memory. */
const cycle = '{{ $c := dict }}{{ $_ := set $c "a" $c }}{{ $_ := set $c "b" $c }}'
const other = '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $_ := set $d "b" $d }}'
const shared = '{{ $s := "ab" }}{{ $t := "ab" }}{{ range until 60 }}{{ $s = list $s $s }}{{ $t = list $t $t }}{{ end }}'

describe('functions that are asked for too much', () => {
  it.each([
    '{{ repeat 1000000000 "abc" }}',
    '{{ indent 1000000000 "a" }}',
    '{{ $x := repeat 10000 "a\\n" }}{{ indent 10000 $x }}',
    '{{ until 2000000000 }}',
    '{{ untilStep 0 9223372036854775807 1 }}',
    '{{ seq 1 1000000000 }}',
    '{{ replace "" (repeat 10000 "x") (repeat 10000 "y") }}',
    '{{ regexReplaceAll "" (repeat 10000 "y") (repeat 10000 "x") }}',
    '{{ wrapWith 1 (repeat 1000 "x") (repeat 10000 "ab") }}',
    '{{ $l := list 1 }}{{ range until 40 }}{{ $l = concat $l $l }}{{ end }}',
    '{{ $x := "ab" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}',
    '{{ $x := "ab" }}{{ range until 60 }}{{ $x = quote $x }}{{ end }}',
    '{{ $x := "ab" }}{{ range until 60 }}{{ $x = join $x (list 1 2 3) }}{{ end }}',
    `${shared}{{ toJson $s }}`,
    `${shared}{{ toYaml $s }}`,
    `${shared}{{ toYamlPretty $s }}`,
    `${shared}{{ toToml $s }}`,
    `${shared}{{ quote $s }}`,
    `${shared}{{ squote $s }}`,
    `${shared}{{ toString $s }}`,
    `${shared}{{ dict $s 1 }}`,
    `${shared}{{ deepCopy $s }}`,
    `${shared}{{ deepEqual $s $t }}`,
    `${shared}{{ uniq (list $s $t) }}`,
    `${shared}{{ has $s (list $t) }}`,
    '{{ $s := dict "a" 1 }}{{ $t := dict }}{{ range until 60 }}{{ $s = dict "a" $s "b" $s }}{{ $t = dict "a" $t "b" $t }}{{ end }}{{ merge $t $s }}',
    `${cycle}{{ deepCopy $c }}`,
    `${cycle}{{ merge $c $c }}`,
    `${cycle}${other}{{ deepEqual $c $d }}`,
    `${cycle}${other}{{ merge $c $d }}`,
  ])('are stopped: %s', (template) => {
    expect(['TEMPLATE_LIMIT_OUTPUT', 'TEMPLATE_EXECUTION']).toContain(run(template, dict()).code)
  })

  // Go's JSON encoder finds cycles, and Helm turns its errors into nothing
  it.each([
    [`${cycle}{{ toYaml $c }}|{{ toJson $c }}|{{ toPrettyJson $c }}`, '||'],
    [`${cycle}{{ deepEqual $c $c }} {{ has $c (list $c) }}`, 'true true'],
    ['{{ regexMatch "(a*)*b" (repeat 100000 "a") }}', 'false'],
    ['{{ trim (printf "a%sb" (repeat 1000000 " ")) | len }}', '1000002'],
    [
      '{{ int (repeat 1000000 "1") }} {{ float64 (repeat 500000 "1_") }} {{ atoi (repeat 10000 "9") }}',
      '0 0 9223372036854775807',
    ],
    ['{{ uniq (until 100000) | len }} {{ without (until 50000) 1 | len }}', '100000 49999'],
    ['{{ wrap 1000000000 (repeat 100000 "ab ") | len }}', '300000'],
    [
      '{{ (fromToml (repeat 100000 "[")).Error }}',
      "toml: line 1: expected '.' or ']' to end table name, but got '[' instead",
    ],
    [
      '{{ (fromToml (printf "a = %s" (repeat 100000 "["))).Error }}',
      'toml: line 1 (last key "a"): values are nested too deeply',
    ],
    ['{{ (fromToml (printf "%sb = 1" (repeat 100000 "a."))).Error }}', 'toml: line 1: the key has too many parts'],
    ['{{ (dict "__proto__" (dict "x" 1)).x | quote }} {{ hasKey (dict) "constructor" }}', ' false'],
  ])('answer: %s', (template, want) => {
    expect(createTemplateRunner(chartFunctions)(template, dict())).toEqual({ output: want, findings: [] })
  })
})
