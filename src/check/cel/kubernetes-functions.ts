import type { CelFunction } from './cel-values.ts'
import { formatFunctions } from './functions/format-functions.ts'
import { listFunctions } from './functions/list-functions.ts'
import { networkFunctions } from './functions/network-functions.ts'
import { optionalFunctions } from './functions/optional-functions.ts'
import { quantityFunctions } from './functions/quantity-functions.ts'
import { regexFunctions } from './functions/regex-functions.ts'
import { semverFunctions } from './functions/semver-functions.ts'
import { setFunctions } from './functions/set-functions.ts'
import { textFunctions } from './functions/text-functions.ts'
import { urlFunctions } from './functions/url-functions.ts'

/**
 * The functions that Kubernetes adds to CEL (k8s.io/apiserver, `pkg/cel/library`), but for those of `authorizer`, which
 * only a server can answer.
 */
export const kubernetesFunctions: readonly CelFunction[] = [
  ...textFunctions,
  ...optionalFunctions,
  ...listFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...quantityFunctions,
  ...networkFunctions,
  ...urlFunctions,
  ...formatFunctions,
  ...semverFunctions,
]
