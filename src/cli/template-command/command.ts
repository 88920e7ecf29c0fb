import { template, type TemplateOptions, type TemplateResult } from '../../pipeline/commands/template.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { templateSpec } from './spec.ts'

/** `stackmason template`. Manifests hold what the user put into them. */
export const templateCommand: RunCommand = defineCommand({
  run,
  text: ({ output }: TemplateResult) => ({ output, isVerbatim: true }),
})

/** @throws StackmasonError as `template` of the pipeline */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<TemplateResult> {
  const values = valuesOf(parsed, 'values').flatMap((paths) => paths.split(','))
  const stdin = values.includes('-') ? await io.readStdin() : undefined
  return template(
    { ...templateOptions(parsed, io.workingFolder), values, ...(stdin === undefined ? {} : { stdin }) },
    io.ports,
  )
}

function templateOptions(parsed: ParsedArguments, cwd: string): TemplateOptions {
  const [first = '', second] = parsed.operands
  const releaseName = second === undefined ? undefined : first
  const namespace = valueOf(parsed, 'namespace')
  const kubeVersion = valueOf(parsed, 'kube-version')
  const nameTemplate = valueOf(parsed, 'name-template')
  const outputDir = valueOf(parsed, 'output-dir')
  const refused = templateSpec.options.filter((option) => option.isHidden === true && isSet(parsed, option.name))
  return {
    chart: second ?? first,
    cwd,
    ...(releaseName === undefined ? {} : { releaseName }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(kubeVersion === undefined ? {} : { kubeVersion }),
    ...(nameTemplate === undefined ? {} : { nameTemplate }),
    ...(outputDir === undefined ? {} : { outputDir }),
    setJson: valuesOf(parsed, 'set-json'),
    set: valuesOf(parsed, 'set'),
    setString: valuesOf(parsed, 'set-string'),
    setFile: valuesOf(parsed, 'set-file'),
    setLiteral: valuesOf(parsed, 'set-literal'),
    includeCrds: isSet(parsed, 'include-crds'),
    noHooks: isSet(parsed, 'no-hooks'),
    skipTests: isSet(parsed, 'skip-tests'),
    apiVersions: valuesOf(parsed, 'api-versions'),
    showOnly: valuesOf(parsed, 'show-only'),
    isUpgrade: isSet(parsed, 'is-upgrade'),
    skipSchemaValidation: isSet(parsed, 'skip-schema-validation'),
    helmVersion: valueOf(parsed, 'helm-version') === '3' ? 3 : 4,
    otherFlags: refused.map((option) => `--${option.name}`),
  }
}
