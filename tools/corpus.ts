/** The real charts of the shared data (`charts/cases.json`) as options of the chart engine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TemplateOptions } from '../src/pipeline/commands/template.ts'

/** A case of cases.json, as far as it is used here. */
export interface CorpusCase {
  readonly name: string
  readonly chart: string
  readonly release: string
  readonly namespace: string
  readonly valuesFiles: readonly string[]
  readonly set?: readonly string[]
  readonly flags?: readonly string[]
  readonly expect: 'ok' | 'error'
  readonly nondeterministic?: boolean
}

/** The folder of charts in the shared data. */
export function corpusFolder(shared: string): string {
  return join(shared, 'charts')
}

/** All cases, in the order of the file. */
export function readCorpus(shared: string): readonly CorpusCase[] {
  return JSON.parse(readFileSync(join(corpusFolder(shared), 'cases.json'), 'utf8'))
}

/** What the case's command line means. */
export function corpusOptions(entry: CorpusCase): Omit<TemplateOptions, 'cwd'> {
  const flags = entry.flags ?? []
  const valuesOf = (flag: string): string[] => flags.flatMap((word, at) => (flags[at - 1] === flag ? [word] : []))
  const [kubeVersion] = valuesOf('--kube-version')
  return {
    releaseName: entry.release,
    chart: entry.chart,
    namespace: entry.namespace,
    values: entry.valuesFiles,
    set: entry.set ?? [],
    ...(kubeVersion === undefined ? {} : { kubeVersion }),
    apiVersions: valuesOf('--api-versions'),
    isUpgrade: flags.includes('--is-upgrade'),
    includeCrds: flags.includes('--include-crds'),
    skipSchemaValidation: flags.includes('--skip-schema-validation'),
  }
}
