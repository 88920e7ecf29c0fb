import { describe, expect, it } from 'vitest'
import { createTokenTable, tokenPattern, type TokenTable } from '../../../src/model/token.ts'
import { dict, type Value } from '../../../src/model/value.ts'
import { dictFunctions } from '../../../src/render/functions/collections/dicts.ts'
import { encodingFunctions } from '../../../src/render/functions/text/encoding.ts'
import { listFunctions } from '../../../src/render/functions/collections/lists.ts'
import { mathFunctions } from '../../../src/render/functions/math.ts'
import { pathFunctions } from '../../../src/render/functions/paths.ts'
import { regexpFunctions } from '../../../src/render/functions/text/regexp.ts'
import { chartFunctions } from '../../../src/render/functions/registry.ts'
import { stringFunctions } from '../../../src/render/functions/text/strings.ts'
import { splitFunctions } from '../../../src/render/functions/text/text-split.ts'
import { tomlFunctions } from '../../../src/render/functions/toml.ts'
import { failFunction, typeFunctions } from '../../../src/render/functions/types.ts'
import { urlFunctions } from '../../../src/render/functions/urls.ts'
import { yamlFunctions } from '../../../src/render/functions/yaml.ts'
import { createTemplateRunner } from './template-runner.ts'

/** A call on the values below, and its output with tokens named; `refused` for TEMPLATE_TOKEN_REFUSED. */
type Row = readonly [template: string, want: string]

const refused = 'refused'

/**
 * `.host`, `.port` and `.text` are fields that only the cluster knows; `.secret` (8 letters or digits), `.digits` and
 * `.ascii` (4 each), `.uuid` and `.pem` are generated later; `.url` is `https://<host>:<port>/x`, `.known` is plain.
 */
function values(tokens: TokenTable): Value {
  const host = tokens.add({ kind: 'runtime', type: 'host', path: 'host' })
  const port = tokens.add({ kind: 'runtime', type: 'port', path: 'port' })
  const generated = (name: string, args: readonly string[], part = 'value'): string => {
    const generate = { function: name, arguments: args, identity: 'a' }
    return tokens.add({ kind: 'generated', type: 'string', generate, part })
  }
  const secret = generated('randAlphaNum', ['8'])
  const known = 'known.example'
  return dict([
    ['host', host],
    ['port', port],
    ['secret', secret],
    ['digits', generated('randNumeric', ['4'])],
    ['ascii', generated('randAscii', ['4'])],
    ['uuid', generated('uuidv4', [])],
    ['pem', generated('genCA', ['cn', '', '', '1'], 'cert')],
    ['text', tokens.add({ kind: 'runtime', type: 'string', path: 'text' })],
    ['url', `https://${host}:${port}/x`],
    ['known', known],
    ['list', [known, host]],
    ['map', dict([['a', host]])],
  ])
}

/** The text with all that its tokens stand for: unlike messages it hides nothing. */
function showTokens(text: string, tokens: TokenTable): string {
  return text.replace(tokenPattern(), (token) => {
    const spec = tokens.get(token)
    if (spec?.kind === 'runtime') return `<${spec.path}>`
    if (spec?.kind === 'generated') return `<${spec.generate.function}>`
    const call = spec?.kind !== 'derived' ? '?' : [spec.function, ...(spec.arguments ?? [])].join(' ')
    return `<${call} of ${showTokens(spec?.kind === 'derived' ? spec.input : '', tokens)}>`
  })
}

const h = '<host>'
const u = '<host>:<port>'
const s = '<randAlphaNum>'

const rows: Readonly<Record<string, readonly Row[]>> = {
  // text that passes through
  hello: [['{{ hello }}{{ .host }}', `Hello!${h}`]],
  quote: [['{{ quote .host .secret }}', `"${h}" "${s}"`]],
  squote: [['{{ squote .url }}', `'https://${u}/x'`]],
  cat: [['{{ cat .host 1 .port }}', `${h} 1 <port>`]],
  indent: [['{{ indent 2 .url }}', `  https://${u}/x`]],
  nindent: [['{{ nindent 2 .host }}', `\n  ${h}`]],
  repeat: [['{{ repeat 2 .host }}', h + h]],
  plural: [['{{ plural .host .port 2 }}', '<port>']],
  // without `satisfies` this would be taken for Object's own method
  toString: [['{{ toString .host }}', h]] satisfies readonly Row[],
  toStrings: [['{{ toStrings .list }}', `[known.example ${h}]`]],
  join: [
    ['{{ join "," .list }}', `known.example,${h}`],
    ['{{ join .host (list 1 2) }}', `1${h}2`],
  ],
  // text that is examined
  upper: [
    ['{{ upper .host }}', '<upper of <host>>'],
    ['{{ upper .url }}', 'HTTPS://<upper of <host>>:<port>/X'],
    ['{{ upper .known }}', 'KNOWN.EXAMPLE'],
    ['{{ upper (upper .secret) }}', `<upper of ${s}>`],
  ],
  lower: [
    ['{{ lower (print "A-" .secret "-É") }}', `a-<lower of ${s}>-é`],
    ['{{ lower .digits }}', '<randNumeric>'],
    ['{{ lower (upper .secret) }}', `<lower of <upper of ${s}>>`],
    ['{{ eq (lower .secret) "Abcdefgh" }}', 'false'],
    ['{{ eq (lower .secret) "abcdefgh" }}', refused],
  ],
  title: [
    ['{{ title .secret }}', `<title of ${s}>`],
    ['{{ title .url }}', refused],
  ],
  untitle: [
    ['{{ untitle .secret }}', `<untitle of ${s}>`],
    ['{{ untitle (print "a " .secret) }}', refused],
  ],
  swapcase: [
    ['{{ swapcase .secret }}', `<swapcase of ${s}>`],
    ['{{ swapcase .url }}', refused],
  ],
  camelcase: [['{{ camelcase .host }}', refused]],
  snakecase: [['{{ snakecase .host }}', refused]],
  kebabcase: [['{{ kebabcase .host }}', refused]],
  nospace: [
    ['{{ nospace .host }}', h],
    ['{{ nospace (print "a b " .secret " c") }}', `ab${s}c`],
    ['{{ nospace .ascii }}', refused],
    ['{{ nospace .text }}', refused],
    ['{{ nospace (print "é " .secret) }}', refused],
    ['{{ nospace .pem }}', refused],
  ],
  initials: [['{{ initials .host }}', refused]],
  atoi: [['{{ atoi .port }}', refused]],
  trunc: [
    ['{{ trunc 63 .host }}', refused],
    ['{{ trunc 3 .known }}', 'kno'],
    ['{{ trunc 63 .secret }}', s],
    ['{{ trunc 8 .secret }}', s],
    ['{{ trunc 5 .secret }}', `<substr 0 5 of ${s}>`],
    ['{{ trunc 5 .secret | trunc 3 }}', `<substr 0 3 of <substr 0 5 of ${s}>>`],
    ['{{ trunc 0 .secret }}', ''],
    ['{{ trunc 10 (print "ab-" .secret "-cd") }}', `ab-<substr 0 7 of ${s}>`],
    ['{{ trunc 12 (print "ab-" .secret "-cd") }}', `ab-${s}-`],
    ['{{ trunc 2 (print "ab-" .secret) }}', 'ab'],
    ['{{ trunc 3 (print "é-" .secret) }}', 'é-'],
    ['{{ trunc 2 .url }}', 'ht'],
    ['{{ trunc 9 .url }}', refused],
    ['{{ trunc 6 .port }}', '<port>'],
    ['{{ trunc 4 .port }}', refused],
    ['{{ trunc -4 (print .secret "-cd") }}', `<substr 7 8 of ${s}>-cd`],
    ['{{ trunc -40 .secret }}', s],
    ['{{ trunc -3 .host }}', refused],
    ['{{ trunc 12 (b64enc .secret) }}', `<b64enc of ${s}>`],
    ['{{ trunc 63 .uuid | trimSuffix "-" }}', '<uuidv4>'],
    ['{{ trunc 8 .uuid | trimSuffix "-" }}', refused],
  ],
  substr: [
    ['{{ substr 0 2 .host }}', refused],
    ['{{ substr 2 4 .secret }}', `<substr 2 4 of ${s}>`],
    ['{{ substr 0 8 .secret }}', s],
    ['{{ substr 0 -1 .secret }}', s],
    ['{{ substr 8 9 .secret }}', ''],
    ['{{ substr -1 3 .secret }}', `<substr 0 3 of ${s}>`],
    ['{{ substr 9 9 .secret }}', 'error calling substr: runtime error: slice bounds out of range [9:8]'],
  ],
  abbrev: [['{{ abbrev 5 .host }}', refused]],
  abbrevboth: [['{{ abbrevboth 1 8 .host }}', refused]],
  wrap: [['{{ wrap 5 .url }}', refused]],
  wrapWith: [['{{ wrapWith 5 "-" .url }}', refused]],
  trim: [
    ['{{ trim (printf " %s\\n" .host) }}', h],
    ['{{ trim (printf " a%sb " .secret) }}', `a${s}b`],
    ['{{ trim (printf " %s" .secret) }}', s],
    ['{{ trim (printf " %s" .text) }}', refused],
    ['{{ trim (printf " %s" .ascii) }}', refused],
    ['{{ trim (print .pem "\\n") }}', '<genCA>'],
  ],
  trimAll: [
    ['{{ trimAll "/" (printf "/%s/" .host) }}', h],
    ['{{ trimAll "-" .host }}', refused],
    ['{{ trimAll "x" (printf "%s" .port) }}', '<port>'],
    ['{{ trimAll "\\"" (b64enc .secret | quote) }}', `<b64enc of ${s}>`],
    ['{{ trimAll "=" (b64enc .secret) }}', refused],
    ['{{ trimAll "\\"" .ascii }}', refused],
  ],
  trimall: [
    ['{{ trimall "/" .host }}', h],
    ['{{ trimall "a" .secret }}', refused],
  ],
  trimPrefix: [
    ['{{ trimPrefix "https://" .url }}', `${u}/x`],
    ['{{ trimPrefix "ftp://" .url }}', `https://${u}/x`],
    ['{{ trimPrefix "/" .host }}', h],
    ['{{ trimPrefix "a" .host }}', refused],
    ['{{ trimPrefix "https://1" .url }}', refused],
    ['{{ trimPrefix .host .url }}', refused],
    ['{{ trimPrefix .host (printf "%s-x" .host) }}', '-x'],
  ],
  trimSuffix: [
    ['{{ trimSuffix "/x" .url }}', `https://${u}`],
    ['{{ trimSuffix "/" .url }}', `https://${u}/x`],
    ['{{ trimSuffix "a/x" .url }}', `https://${u}/x`],
    ['{{ trimSuffix "3/x" .url }}', refused],
    ['{{ trimSuffix "." .host }}', refused],
    ['{{ trimSuffix "-" (printf "%s-" .secret) }}', s],
    ['{{ trimSuffix "-" .secret }}', s],
    ['{{ trimSuffix "a" .secret }}', refused],
    ['{{ trimSuffix "-" .text }}', refused],
    ['{{ trimSuffix "\\n" (print .pem "\\n") }}', '<genCA>'],
    ['{{ trimSuffix "\\n" .pem }}', '<genCA>'],
  ],
  contains: [
    ['{{ contains "https" .url }}', 'true'],
    ['{{ contains "/" .host }}', 'false'],
    ['{{ contains "a" .host }}', refused],
    ['{{ contains .host .known }}', refused],
    ['{{ contains .host .url }}', 'true'],
    ['{{ contains "x" .secret }}', refused],
    ['{{ contains "-" .secret }}', 'false'],
    ['{{ contains "BEGIN" .pem }}', refused],
  ],
  hasPrefix: [
    ['{{ hasPrefix "https://" .url }}', 'true'],
    ['{{ hasPrefix "http://" .url }}', 'false'],
    ['{{ hasPrefix "a" .host }}', refused],
  ],
  hasSuffix: [
    ['{{ hasSuffix "/x" .url }}', 'true'],
    ['{{ hasSuffix "/" .port }}', 'false'],
    ['{{ hasSuffix "3" .port }}', refused],
  ],
  replace: [
    ['{{ replace "x" .host .known }}', `known.e${h}ample`],
    ['{{ replace "/" "_" .url }}', `https:__${u}_x`],
    ['{{ replace "." "-" .host }}', refused],
    ['{{ replace "." "-" .secret }}', s],
    ['{{ replace "+" "-" (b64enc .secret) }}', refused],
    ['{{ replace "\\n" "" (print .secret "\\n") }}', s],
    ['{{ replace "\\n" "" .pem }}', refused],
    ['{{ replace .host "x" .known }}', refused],
    ['{{ replace "" "-" .host }}', refused],
  ],
  split: [
    ['{{ (split "/" .url)._2 }}', u],
    ['{{ split "." .host }}', refused],
    ['{{ split .host .known }}', refused],
  ],
  splitn: [
    ['{{ (splitn "/" 2 .url)._0 }}', 'https:'],
    ['{{ splitn ":" 2 .url }}', refused],
  ],
  splitList: [
    ['{{ splitList "/" .url | last }}', 'x'],
    ['{{ splitList "" .host }}', refused],
    ['{{ splitList "," .secret }}', `[${s}]`],
    ['{{ splitList "," (print .secret "," .secret) | first }}', s],
    ['{{ splitList "a" .secret }}', refused],
    ['{{ splitList "," .ascii }}', refused],
  ],
  // lists
  list: [['{{ list .host 1 }}', `[${h} 1]`]],
  tuple: [['{{ tuple .host }}', `[${h}]`]],
  append: [['{{ append .list .port }}', `[known.example ${h} <port>]`]],
  mustAppend: [['{{ mustAppend (list) .port }}', '[<port>]']],
  push: [['{{ push (list) .port }}', '[<port>]']],
  mustPush: [['{{ mustPush (list) .port }}', '[<port>]']],
  prepend: [['{{ prepend (list 1) .port }}', '[<port> 1]']],
  mustPrepend: [['{{ mustPrepend (list 1) .port }}', '[<port> 1]']],
  first: [['{{ first .list }}', 'known.example']],
  mustFirst: [['{{ mustFirst (list .host) }}', h]],
  last: [['{{ last .list }}', h]],
  mustLast: [['{{ mustLast .list }}', h]],
  rest: [['{{ rest .list }}', `[${h}]`]],
  mustRest: [['{{ mustRest .list }}', `[${h}]`]],
  initial: [['{{ initial .list }}', '[known.example]']],
  mustInitial: [['{{ mustInitial (list .host 1) }}', `[${h}]`]],
  reverse: [['{{ reverse .list }}', `[${h} known.example]`]],
  mustReverse: [['{{ mustReverse .list }}', `[${h} known.example]`]],
  compact: [['{{ compact (list .host "" .secret) }}', `[${h} ${s}]`]],
  mustCompact: [['{{ mustCompact (list .host "") }}', `[${h}]`]],
  uniq: [
    ['{{ uniq (list .host 1 .host "a/b") }}', `[${h} 1 a/b]`],
    ['{{ uniq .list }}', refused],
    ['{{ uniq (list .host .secret) }}', refused],
  ],
  mustUniq: [
    ['{{ mustUniq (list .port "x") }}', '[<port> x]'],
    ['{{ mustUniq (list .port "80") }}', refused],
  ],
  without: [
    ['{{ without .list "a b" }}', `[known.example ${h}]`],
    ['{{ without .list .host }}', refused],
    ['{{ without (list .host 1) .host }}', '[1]'],
    ['{{ without (list .host) "b.c" }}', refused],
  ],
  mustWithout: [
    ['{{ mustWithout (list .port 80) 80 }}', '[<port>]'],
    ['{{ mustWithout (list .port) "80" }}', refused],
  ],
  has: [
    ['{{ has .host .list }}', 'true'],
    ['{{ has "known.example" .list }}', 'true'],
    ['{{ has "" .list }}', 'false'],
    ['{{ has "b.c" .list }}', refused],
    ['{{ has .secret (list "x") }}', 'false'],
    ['{{ has .secret (list "abcdefgh") }}', refused],
  ],
  mustHas: [
    ['{{ mustHas 3 .list }}', 'false'],
    ['{{ mustHas "b.c" .list }}', refused],
  ],
  slice: [['{{ slice .list 1 }}', `[${h}]`]],
  mustSlice: [['{{ mustSlice .list 0 1 }}', '[known.example]']],
  chunk: [['{{ chunk 1 .list }}', `[[known.example] [${h}]]`]],
  mustChunk: [['{{ mustChunk 2 .list }}', `[[known.example ${h}]]`]],
  concat: [['{{ concat .list (list .port) }}', `[known.example ${h} <port>]`]],
  sortAlpha: [
    ['{{ sortAlpha .list }}', refused],
    ['{{ sortAlpha (list .host) }}', `[${h}]`],
  ],
  // maps
  dict: [
    ['{{ dict "a" .host }}', `map[a:${h}]`],
    ['{{ dict .host 1 }}', refused],
  ],
  get: [
    ['{{ get .map "a" }}', h],
    ['{{ get .map .host }}', refused],
  ],
  set: [
    ['{{ set .map "b" .port }}', `map[a:${h} b:<port>]`],
    ['{{ set .map .host 1 }}', refused],
  ],
  unset: [
    ['{{ unset .map "a" }}', 'map[]'],
    ['{{ unset .map .host }}', refused],
  ],
  hasKey: [
    ['{{ hasKey .map "a" }}', 'true'],
    ['{{ hasKey .map .host }}', refused],
  ],
  pluck: [
    ['{{ pluck "a" .map }}', `[${h}]`],
    ['{{ pluck .host .map }}', refused],
  ],
  keys: [['{{ keys .map }}', '[a]']],
  values: [['{{ values .map }}', `[${h}]`]],
  pick: [
    ['{{ pick .map "a" }}', `map[a:${h}]`],
    ['{{ pick .map .host }}', refused],
  ],
  omit: [
    ['{{ omit .map "a" }}', 'map[]'],
    ['{{ omit .map .host }}', refused],
  ],
  merge: [
    ['{{ merge (dict "a" "") .map }}', `map[a:${h}]`],
    ['{{ merge .map (dict "a" 1) }}', `map[a:${h}]`],
  ],
  mustMerge: [['{{ mustMerge .map (dict "a" 1) }}', `map[a:${h}]`]],
  mergeOverwrite: [['{{ mergeOverwrite (dict "a" 1) .map }}', `map[a:${h}]`]],
  mustMergeOverwrite: [['{{ mustMergeOverwrite (dict "a" 1) .map }}', `map[a:${h}]`]],
  deepCopy: [['{{ deepCopy .map }}', `map[a:${h}]`]],
  mustDeepCopy: [['{{ mustDeepCopy .list }}', `[known.example ${h}]`]],
  dig: [
    ['{{ dig "a" "x" .map }}', h],
    ['{{ dig "b" .port .map }}', '<port>'],
    ['{{ dig .host "x" .map }}', refused],
  ],
  // types: a token is text that is set
  default: [
    ['{{ default "x" .host }}', h],
    ['{{ default .host "" }}', h],
  ],
  empty: [['{{ empty .host }}', 'false']],
  coalesce: [['{{ coalesce "" .host "x" }}', h]],
  all: [['{{ all .host .secret }}', 'true']],
  any: [['{{ any "" .host }}', 'true']],
  ternary: [['{{ ternary .host .port false }}', '<port>']],
  typeOf: [['{{ typeOf .host }}', 'string']],
  typeIs: [
    ['{{ typeIs "float64" .port }}', 'true'],
    ['{{ typeIs "string" (toString .port) }}', 'true'],
  ],
  typeIsLike: [['{{ typeIsLike "float64" .port }}', 'true']],
  kindOf: [['{{ kindOf .port }}', 'float64']],
  kindIs: [['{{ kindIs "string" .host }}', 'true']],
  deepEqual: [
    ['{{ deepEqual .map .map }}', 'true'],
    ['{{ deepEqual .map (dict "a" 1) }}', 'false'],
    ['{{ deepEqual .map (dict "a" "") }}', 'false'],
    ['{{ deepEqual .map (dict "a" "b.c") }}', refused],
    ['{{ deepEqual (dict "a" .host "b" 1) (dict "a" "b.c" "b" 2) }}', 'false'],
  ],
  fail: [['{{ fail "known" }}', 'known']],
  // numbers
  int: [
    ['{{ int .port }}', '<port>'],
    ['{{ int .host }}', refused],
  ],
  int64: [['{{ int64 .port }}', '<port>']],
  float64: [['{{ float64 .port }}', refused]],
  toDecimal: [['{{ toDecimal .port }}', refused]],
  add: [['{{ add .port 1 }}', refused]],
  add1: [['{{ add1 .port }}', refused]],
  sub: [['{{ sub .port 1 }}', refused]],
  div: [['{{ div .port 1 }}', refused]],
  mod: [['{{ mod .port 1 }}', refused]],
  mul: [['{{ mul .port 1 }}', refused]],
  max: [['{{ max .port 1 }}', refused]],
  biggest: [['{{ biggest .port 1 }}', refused]],
  min: [['{{ min 1 .port }}', refused]],
  maxf: [['{{ maxf 1 .port }}', refused]],
  minf: [['{{ minf 1 .port }}', refused]],
  ceil: [['{{ ceil .port }}', refused]],
  floor: [['{{ floor .port }}', refused]],
  round: [['{{ round .port 1 }}', refused]],
  addf: [['{{ addf 1 .port }}', refused]],
  add1f: [['{{ add1f .port }}', refused]],
  subf: [['{{ subf 1 .port }}', refused]],
  mulf: [['{{ mulf 1 .port }}', refused]],
  divf: [['{{ divf 1 .port }}', refused]],
  until: [['{{ until 2 | join .host }}', `0${h}1`]],
  untilStep: [['{{ untilStep 0 2 1 | join .host }}', `0${h}1`]],
  seq: [['{{ seq 2 }}{{ .host }}', `1 2${h}`]],
  // encodings
  b64enc: [
    ['{{ b64enc .host }}', `<b64enc of ${h}>`],
    ['{{ printf "%s:x" .secret | b64enc | quote }}', `"<b64enc of ${s}:x>"`],
    ['{{ b64enc (b64enc .host) }}', `<b64enc of <b64enc of ${h}>>`],
    ['{{ b64enc .known }}', 'a25vd24uZXhhbXBsZQ=='],
  ],
  b64dec: [
    ['{{ b64enc .url | b64dec }}', `https://${u}/x`],
    ['{{ b64dec .secret }}', refused],
  ],
  b32enc: [['{{ b32enc .host }}', `<b32enc of ${h}>`]],
  b32dec: [
    ['{{ b32enc .host | b32dec }}', h],
    ['{{ b64enc .host | b32dec }}', refused],
  ],
  toYaml: [['{{ toYaml .map }}', `a: ${h}`]],
  mustToYaml: [['{{ mustToYaml .list }}', `- known.example\n- ${h}`]],
  toYamlPretty: [['{{ toYamlPretty .map }}', `a: ${h}`]],
  fromYaml: [
    ['{{ (fromYaml (printf "a: %s" .url)).a }}', `https://${u}/x`],
    ['{{ toYaml .map | fromYaml | toJson }}', `{"a":"${h}"}`],
    ['{{ fromYaml (printf "a: [%s" .secret) }}', refused],
    ['{{ (fromYaml .text).a }}', refused],
    ['{{ fromYaml (toYaml .list) }}', refused],
    ['{{ kindOf (fromYaml (printf "a: %s" .port)).a }}', 'float64'],
  ],
  fromYamlArray: [
    ['{{ fromYamlArray (toYaml .list) }}', `[known.example ${h}]`],
    ['{{ fromYamlArray (print "[" .host) }}', refused],
    ['{{ fromYamlArray .text }}', refused],
  ],
  toJson: [
    ['{{ toJson .map }}', `{"a":"${h}"}`],
    ['{{ toJson (dict "a" .port "b" (toString .port)) }}', '{"a":<port>,"b":"<port>"}'],
  ],
  mustToJson: [['{{ mustToJson .host }}', `"${h}"`]],
  toPrettyJson: [['{{ toPrettyJson .list }}', `[\n  "known.example",\n  "${h}"\n]`]],
  mustToPrettyJson: [['{{ mustToPrettyJson .host }}', `"${h}"`]],
  toRawJson: [['{{ toRawJson .host }}', `"${h}"`]],
  mustToRawJson: [['{{ mustToRawJson .host }}', `"${h}"`]],
  fromJson: [
    ['{{ (fromJson (toJson .map)).a }}', h],
    ['{{ (fromJson (printf `{"p": %s}` .port)).p }}', '<port>'],
    ['{{ fromJson (printf `{"p": %s}` .host) }}', refused],
    ['{{ fromJson (toJson .list) }}', refused],
  ],
  fromJsonArray: [
    ['{{ fromJsonArray (toJson .list) | last }}', h],
    ['{{ fromJsonArray (printf "[%s]" .port) }}', '[<port>]'],
    ['{{ fromJsonArray (printf "[%s]" .text) }}', refused],
  ],
  mustFromJson: [
    ['{{ mustFromJson (toJson .host) }}', h],
    ['{{ mustFromJson .port }}', '<port>'],
    ['{{ mustFromJson .text }}', refused],
  ],
  toToml: [
    ['{{ toToml .map }}', `a = "${h}"\n`],
    ['{{ toToml (dict "a" (list .port)) }}', refused],
  ],
  fromToml: [
    ['{{ (fromToml (toToml .map)).a }}', h],
    ['{{ fromToml (printf "a = %s" .port) }}', refused],
  ],
  // paths, URLs, regular expressions
  base: [['{{ base .url }}', refused]],
  osBase: [['{{ osBase .url }}', refused]],
  dir: [['{{ dir .url }}', refused]],
  osDir: [['{{ osDir .url }}', refused]],
  clean: [['{{ clean .url }}', refused]],
  osClean: [['{{ osClean .url }}', refused]],
  ext: [['{{ ext .url }}', refused]],
  osExt: [['{{ osExt .url }}', refused]],
  isAbs: [['{{ isAbs .url }}', refused]],
  osIsAbs: [['{{ osIsAbs .url }}', refused]],
  urlParse: [['{{ urlParse .url }}', refused]],
  urlJoin: [
    ['{{ urlJoin (dict "scheme" "https" "host" .host) }}', refused],
    ['{{ urlJoin (dict "host" "a") }}', '//a'],
  ],
  regexMatch: [
    ['{{ regexMatch "a" .host }}', refused],
    ['{{ regexMatch .host "a" }}', refused],
  ],
  mustRegexMatch: [['{{ mustRegexMatch "a" .host }}', refused]],
  regexFind: [['{{ regexFind "a" .host }}', refused]],
  mustRegexFind: [['{{ mustRegexFind "a" .host }}', refused]],
  regexFindAll: [['{{ regexFindAll "a" .host -1 }}', refused]],
  mustRegexFindAll: [['{{ mustRegexFindAll "a" .host -1 }}', refused]],
  regexReplaceAll: [
    ['{{ regexReplaceAll "a" .host "b" }}', refused],
    ['{{ regexReplaceAll "a" "a" .host }}', refused],
  ],
  mustRegexReplaceAll: [['{{ mustRegexReplaceAll "a" .host "b" }}', refused]],
  regexReplaceAllLiteral: [
    ['{{ regexReplaceAllLiteral "a" "xay" .host }}', `x${h}y`],
    ['{{ regexReplaceAllLiteral "a" .host "b" }}', refused],
  ],
  mustRegexReplaceAllLiteral: [['{{ mustRegexReplaceAllLiteral "a" "a" .host }}', h]],
  regexSplit: [['{{ regexSplit "a" .host -1 }}', refused]],
  mustRegexSplit: [['{{ mustRegexSplit "a" .host -1 }}', refused]],
  regexQuoteMeta: [['{{ regexQuoteMeta .host }}', refused]],
}

const families = [
  ...dictFunctions,
  ...encodingFunctions,
  ...listFunctions,
  ...mathFunctions,
  ...pathFunctions,
  ...regexpFunctions,
  ...splitFunctions,
  ...stringFunctions,
  ...tomlFunctions,
  ...typeFunctions,
  ...urlFunctions,
  ...yamlFunctions,
  failFunction,
]

describe('what functions do with values that are only known later', () => {
  it('is stated for every function', () => {
    expect(Object.keys(rows).sort()).toEqual(families.map(({ name }) => name).sort())
  })

  const all = Object.values(rows).flat()
  it.each(all)('%s → %s', (template, want) => {
    const tokens = createTokenTable()
    const data = values(tokens)
    const { output, error, code } = createTemplateRunner(new Map(chartFunctions).set('fail', failFunction), tokens)(
      template,
      data,
    )
    const got = code === 'TEMPLATE_TOKEN_REFUSED' ? refused : showTokens(output ?? error ?? '', tokens)
    expect(got.replace(/^error calling fail: /, '')).toBe(want)
  })
})
