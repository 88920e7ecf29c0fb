import type { InstallOptions } from '../../model/install-options.ts'
import { refuseImage } from '../arguments/image-name.ts'
import { isSet, type ParsedArguments, usageError, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { generalOptions } from '../arguments/general-options.ts'
import { readOptions } from './options.ts'
import { controllerSpec } from './spec.ts'

/** The action of `stackmason controller`. */
export type ControllerAction = 'run' | 'manifests' | 'definitions'

/** Options that say where and how this process runs: manifests say it themselves. */
const ofRun: readonly string[] = [
  'kubeconfig',
  'context',
  'lease-namespace',
  'no-lease',
  'health-address',
  'metrics-address',
  'metrics-tls-cert',
  'metrics-tls-key',
]
const ofManifests: readonly string[] = [
  'image',
  'out',
  'install-namespace',
  'replicas',
  'no-secrets',
  'source',
  'migrate',
  'env',
  'pull-secret',
  'metrics-secret',
  'flow-schema',
]
/** Options of a run that the Deployment gets as they are. */
const handedOn: readonly string[] = [
  'watch-filter',
  'concurrency',
  'qps',
  'burst',
  'workload-watches',
  'workload-check',
  'retry-first',
  'retry-most',
  'migration-settle',
  'lease-duration',
  'lease-renew',
  'lease-retry',
  'log-level',
]

/** Problems with options that the action does not take. */
export function strayOptions(parsed: ParsedArguments, action: ControllerAction): readonly string[] {
  if (action === 'definitions') {
    const general = new Set(generalOptions.map(({ name }) => name))
    const strange = controllerSpec.options.filter(({ name }) => !general.has(name) && parsed.options.has(name))
    return strange.map(({ name }) => `--${name} is no option of definitions`)
  }
  const [strange, other] = action === 'run' ? [ofManifests, 'manifests'] : [ofRun, 'run']
  return strange.filter((name) => parsed.options.has(name)).map((name) => `--${name} is an option of ${other}`)
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const objectName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
const resourceName = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+$/
const variable = /^([A-Za-z_][A-Za-z0-9_]*)=([^\p{Cc}]*)$/u

/** Reads how the controller is installed. @throws StackmasonError USAGE with every problem */
export function readInstallOptions(parsed: ParsedArguments): InstallOptions {
  const { kinds, namespaces, shard, argoNamespace = '' } = readOptions(parsed)
  const problems: string[] = []
  const check = (name: string, pattern: RegExp, what: string): readonly string[] => {
    const texts = valuesOf(parsed, name)
    for (const text of texts) {
      if (!pattern.test(text)) problems.push(`option --${name} takes ${what}, not ${JSON.stringify(text)}`)
    }
    return texts
  }
  const image = valueOf(parsed, 'image') ?? ''
  problems.push(...(image === '' ? ['manifests needs --image IMAGE'] : refuseImage(image, 'image')))
  const environment = valuesOf(parsed, 'env').map((text): readonly [string, string] => {
    const [, name = '', value = ''] = variable.exec(text) ?? []
    // not with the text: it may hold a password
    if (name === '') problems.push('option --env takes NAME=VALUE')
    return [name, value]
  })
  const options: InstallOptions = {
    image,
    namespace: check('install-namespace', label, 'the name of a namespace')[0] ?? 'stackmason-system',
    replicas: Number(check('replicas', /^[1-9]$/, 'a number from 1 to 9')[0] ?? 2),
    kinds: valuesOf(parsed, 'kind').length === 0 ? [] : kinds,
    namespaces: [...new Set(namespaces)],
    shard,
    arguments: handedOn.flatMap((name) => valuesOf(parsed, name).map((text) => `--${name}=${text}`)),
    secrets: !isSet(parsed, 'no-secrets'),
    argoNamespace,
    sources: check('source', resourceName, 'RESOURCE.GROUP'),
    migrated: check('migrate', resourceName, 'RESOURCE.GROUP'),
    environment: [...new Map(environment)],
    pullSecrets: check('pull-secret', objectName, 'the name of a Secret'),
    metricsSecret: check('metrics-secret', objectName, 'the name of a Secret')[0] ?? '',
    leasesFirst: isSet(parsed, 'flow-schema'),
  }
  if (argoNamespace !== '' && !options.secrets) problems.push('--argocd-namespace and --no-secrets exclude each other')
  if (options.migrated.length > 0 && options.kinds.length > 0 && !options.kinds.includes('StorageMigration')) {
    problems.push('--migrate is for --kind StorageMigration')
  }
  if (valueOf(parsed, 'kind') !== undefined && !options.kinds.includes('RuntimeValues') && options.sources.length > 0) {
    problems.push('--source is for --kind RuntimeValues')
  }
  if (problems.length > 0) throw usageError(problems, controllerSpec)
  return options
}
