import { builtinFunctions } from '../engine/builtins.ts'
import type { CallContext, FunctionDef, FunctionTable } from '../engine/function.ts'
import { slimMathFunctions } from './math.ts'
import { failFunction } from './types.ts'
import { slimJsonFunctions } from './yaml.ts'
import { ours, say } from '../engine/error-text.ts'

/** The functions that slim-sprig 3 shares with sprig, by family. */
const sharedNames = `
  hello
  ago date date_in_zone date_modify dateInZone dateModify duration durationRound htmlDate htmlDateInZone must_date_modify
  mustDateModify mustToDate now toDate unixEpoch
  trunc trim upper lower title substr repeat trimall trimAll trimSuffix trimPrefix contains hasPrefix hasSuffix quote squote cat
  indent nindent replace plural sha1sum sha256sum adler32sum toString atoi split splitList splitn toStrings
  randInt join sortAlpha
  default empty coalesce all any compact mustCompact ternary
  typeOf typeIs typeIsLike kindOf kindIs deepEqual
  base dir clean ext isAbs osBase osClean osDir osExt osIsAbs
  b64enc b64dec b32enc b32dec
  tuple list dict get set unset hasKey pluck keys pick omit values
  append push mustAppend mustPush prepend mustPrepend first mustFirst rest mustRest last mustLast initial mustInitial reverse
  mustReverse uniq mustUniq without mustWithout has mustHas slice mustSlice concat dig chunk mustChunk
  regexMatch mustRegexMatch regexFindAll mustRegexFindAll regexFind mustRegexFind regexReplaceAll mustRegexReplaceAll
  regexReplaceAllLiteral mustRegexReplaceAllLiteral regexSplit mustRegexSplit regexQuoteMeta
  urlParse urlJoin
`

/**
 * Makes every report of something that is not deterministic an error: what a cluster gets must follow from the fleet
 * alone.
 */
function strict(definition: FunctionDef): FunctionDef {
  return {
    ...definition,
    call: (args, context) =>
      definition.call(args, {
        ...context,
        report: (finding, origin) =>
          context.report(
            finding.code === 'TEMPLATE_NOT_DETERMINISTIC' ? { ...finding, severity: 'error' } : finding,
            origin,
          ),
      }),
  }
}

/** A function of the Cluster Stack Operator that looks at the machine it runs on. */
function refused(name: string, what: string): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'pass',
    call(_args, context) {
      reportRefused(context, name, what)
      return ''
    },
  }
}

function reportRefused(context: CallContext, name: string, what: string): void {
  context.report({
    code: 'TEMPLATE_NOT_DETERMINISTIC',
    severity: 'error',
    message: say`${ours(name)} would read ${ours(what)}; output may depend on the fleet alone`,
    hint: 'Write the value into the fleet, and read it from the Cluster or from values.',
  })
}

/**
 * Returns the functions that the Cluster Stack Operator gives to `overwrite.yaml` and `cluster-addon-values.yaml`:
 * slim-sprig's text functions. What reads the environment, the network or the clock, or makes random numbers, reports
 * an error.
 */
export function createRuntimeFunctions(chart: FunctionTable): FunctionTable {
  const table = new Map<string, FunctionDef>()
  const add = (definition: FunctionDef): unknown => table.set(definition.name, definition)
  for (const definition of builtinFunctions) add(definition)
  for (const name of sharedNames.trim().split(/\s+/)) {
    const definition = chart.get(name)
    if (definition !== undefined) add(strict(definition))
  }
  for (const definition of [...slimMathFunctions, ...slimJsonFunctions, failFunction]) add(definition)
  add(refused('env', 'an environment variable'))
  add(refused('expandenv', 'environment variables'))
  add(refused('getHostByName', 'a name service'))
  return table
}
