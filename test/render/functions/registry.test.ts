import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { builtinFunctions } from '../../../src/render/engine/builtins.ts'
import { lateBoundFunctions } from '../../../src/render/engine/late-bound.ts'
import { chartFunctions, runtimeFunctions } from '../../../src/render/functions/registry.ts'
import { realHelm } from '../../support/helm.ts'
import { createTemplateRunner, toValue } from './template-runner.ts'

/** sprig 3.3.0 without env and expandenv, and what Helm 4.1.4 adds (pkg/engine/funcs.go and engine.go). */
const helmNames = `
  abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec b64enc base bcrypt biggest
  buildCustomCert camelcase cat ceil chunk clean coalesce compact concat contains date dateInZone dateModify date_in_zone
  date_modify decryptAES deepCopy deepEqual default derivePassword dict dig dir div divf duration durationRound empty
  encryptAES ext fail first float64 floor fromJson fromJsonArray fromToml fromYaml fromYamlArray genCA genCAWithKey
  genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey get getHostByName has hasKey
  hasPrefix hasSuffix hello htmlDate htmlDateInZone htpasswd include indent initial initials int int64 isAbs join kebabcase
  keys kindIs kindOf last list lookup lower max maxf merge mergeOverwrite min minf mod mul mulf mustAppend mustChunk
  mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson mustHas mustInitial mustLast mustMerge mustMergeOverwrite
  mustPrepend mustPush mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral
  mustRegexSplit mustRest mustReverse mustSlice mustToDate mustToJson mustToPrettyJson mustToRawJson mustToYaml mustUniq
  mustWithout must_date_modify nindent nospace now omit osBase osClean osDir osExt osIsAbs pick pluck plural prepend push
  quote randAlpha randAlphaNum randAscii randBytes randInt randNumeric regexFind regexFindAll regexMatch regexQuoteMeta
  regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace required rest reverse round semver semverCompare seq set
  sha1sum sha256sum sha512sum shuffle slice snakecase sortAlpha split splitList splitn squote sub subf substr swapcase ternary
  title toDate toDecimal toJson toPrettyJson toRawJson toString toStrings toToml toYaml toYamlPretty tpl trim trimAll
  trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until untilStep untitle upper
  urlJoin urlParse uuidv4 values without wrap wrapWith
`

/** go-task/slim-sprig 3.0.0. */
const slimNames = `
  add add1 adler32sum ago all any append atoi b32dec b32enc b64dec b64enc base biggest cat ceil chunk clean coalesce compact
  concat contains date dateInZone dateModify date_in_zone date_modify deepEqual default dict dig dir div duration
  durationRound empty env expandenv ext fail first float64 floor fromJson get getHostByName has hasKey hasPrefix hasSuffix
  hello htmlDate htmlDateInZone indent initial int int64 isAbs join keys kindIs kindOf last list lower max maxf min minf mod
  mul mustAppend mustChunk mustCompact mustDateModify mustFirst mustFromJson mustHas mustInitial mustLast mustPrepend mustPush
  mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest
  mustReverse mustSlice mustToDate mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout must_date_modify nindent now
  omit osBase osClean osDir osExt osIsAbs pick pluck plural prepend push quote randInt regexFind regexFindAll regexMatch
  regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round seq set sha1sum sha256sum
  slice sortAlpha split splitList splitn squote sub substr ternary title toDate toDecimal toJson toPrettyJson toRawJson
  toString toStrings trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset
  until untilStep upper urlJoin urlParse values without
`

/** Go's text/template. */
const goNames = 'and call eq ge gt html index js le len lt ne not or print printf println slice urlquery'

function names(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

function sorted(all: Iterable<string>): readonly string[] {
  return [...new Set(all)].sort()
}

describe('the function tables', () => {
  it('offer charts what Helm offers, no less and no more', () => {
    const ours = [...chartFunctions.keys(), ...lateBoundFunctions.map((late) => late.name)]
    expect(sorted(ours)).toEqual(sorted([...names(helmNames), ...names(goNames)]))
  })

  it('offer runtime templates what slim-sprig offers', () => {
    expect(sorted(runtimeFunctions.keys())).toEqual(sorted([...names(slimNames), ...names(goNames)]))
  })

  it("know Go's own functions by the same names", () => {
    expect(sorted(builtinFunctions.map((builtin) => builtin.name))).toEqual(sorted(names(goNames)))
  })

  it.each([
    ['env', '{{ env "HOME" }}', 'env would read an environment variable'],
    ['expandenv', '{{ expandenv "$HOME" }}', 'expandenv would read environment variables'],
    ['getHostByName', '{{ getHostByName "localhost" }}', 'getHostByName would read a name service'],
    ['randInt', '{{ randInt 0 10 }}', 'randInt'],
    ['now', '{{ now | unixEpoch }}', 'now'],
  ])('refuse %s in runtime templates', (_name, template, message) => {
    const { findings } = createTemplateRunner(runtimeFunctions)(template, toValue({}))
    expect(findings.map(({ code, severity }) => ({ code, severity }))).toContainEqual({
      code: 'TEMPLATE_NOT_DETERMINISTIC',
      severity: 'error',
    })
    expect(findings[0]?.message).toContain(message)
  })
})

const helm = realHelm("probing the names of helm's functions")

describe.skipIf(helm === undefined)('the real helm', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stackmason-names-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'templates'))
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: names\nversion: 1.0.0\n')

  /** The chart with one template of these calls, which are parsed but not executed. */
  function render(calls: readonly string[]): string {
    const body = calls.map((name) => `{{ ${name} }}`).join('')
    writeFileSync(join(folder, 'templates/names.yaml'), `{{ if false }}${body}{{ end }}`)
    try {
      execFileSync(helm ?? '', ['template', 'names', folder], { encoding: 'utf8', stdio: 'pipe' })
      return 'parsed'
    } catch (error) {
      return String(error)
    }
  }

  it('has all of these functions', () => {
    expect(render([...names(helmNames), ...names(goNames)])).toBe('parsed')
  })

  it.each(['env', 'expandenv', 'mustToDuration', 'fromYamlAll'])('has no %s', (name) => {
    expect(render([name])).toContain(`function "${name}" not defined`)
  })
})
