import { builtinFunctions } from '../engine/builtins.ts'
import type { FunctionDef, FunctionTable } from '../engine/function.ts'
import { cryptoFunctions } from './secrets/crypto.ts'
import { dateFunctions } from './dates.ts'
import { dictFunctions } from './collections/dicts.ts'
import { encodingFunctions } from './text/encoding.ts'
import { generatorFunctions } from './secrets/generators.ts'
import { listFunctions } from './collections/lists.ts'
import { mathFunctions } from './math.ts'
import { pathFunctions } from './paths.ts'
import { regexpFunctions } from './text/regexp.ts'
import { createRuntimeFunctions } from './runtime.ts'
import { semverFunctions } from './semver.ts'
import { stringFunctions } from './text/strings.ts'
import { splitFunctions } from './text/text-split.ts'
import { tomlFunctions } from './toml.ts'
import { failFunction, typeFunctions } from './types.ts'
import { urlFunctions } from './urls.ts'
import { yamlFunctions } from './yaml.ts'

/** Helm answers this without asking the network. */
const networkFunctions: readonly FunctionDef[] = [
  { name: 'getHostByName', params: ['string'], tokens: 'pass', call: () => '' },
]

/**
 * Everything that Helm 4.1.4 offers to charts, but for the functions that the engine binds itself (`include`, `tpl`,
 * `required`, `fail`, `lookup`).
 */
export const chartFunctions: FunctionTable = new Map(
  [
    // sprig's own `slice` comes later and wins
    ...builtinFunctions,
    ...cryptoFunctions,
    ...dateFunctions,
    ...dictFunctions,
    ...encodingFunctions,
    ...generatorFunctions,
    ...listFunctions,
    ...mathFunctions,
    ...networkFunctions,
    ...pathFunctions,
    ...regexpFunctions,
    ...semverFunctions,
    ...splitFunctions,
    ...stringFunctions,
    ...tomlFunctions,
    ...typeFunctions,
    ...urlFunctions,
    ...yamlFunctions,
  ].map((definition) => [definition.name, definition]),
)

/** The functions of runtime templates: see {@link createRuntimeFunctions}. */
export const runtimeFunctions: FunctionTable = createRuntimeFunctions(chartFunctions)

/** Functions of sprig that a ClusterClass may not use: the result of a class follows from it alone. */
const nonhermetic = `
  date date_in_zone date_modify now htmlDate htmlDateInZone dateInZone dateModify
  randAlphaNum randAlpha randAscii randNumeric randBytes uuidv4 env expandenv getHostByName
`

/** What Helm adds to sprig. */
const ofHelm = `
  toToml mustToToml fromToml toYaml mustToYaml toYamlPretty fromYaml fromYamlArray fromJsonArray
`

const withoutThese: ReadonlySet<string> = new Set(`${nonhermetic} ${ofHelm}`.trim().split(/\s+/))

/** The functions of templates in a ClusterClass: the hermetic ones of sprig 3 (`HermeticTxtFuncMap`). */
export const classFunctions: FunctionTable = new Map([
  ...[...chartFunctions].filter(([name]) => !withoutThese.has(name)),
  // sprig's own, which charts have from the engine
  [failFunction.name, failFunction],
])
