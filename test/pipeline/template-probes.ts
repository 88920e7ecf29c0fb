import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TemplateOptions } from '../../src/pipeline/commands/template.ts'

/** A render of one of the charts in test/fixtures/charts; its output by the real helm lies in test/golden/charts. */
export interface Probe {
  readonly name: string
  readonly options: Omit<TemplateOptions, 'cwd'>
}

/** The folder that charts and values files of probes are relative to. */
export const probeFolder: string = fileURLToPath(new URL('../fixtures/charts', import.meta.url))

/** Where the golden file of a probe lies. */
export function goldenFile(probe: Probe): string {
  return join(probeFolder, '../../golden/charts', `${probe.name}.yaml`)
}

/** The command line of helm that means the same. */
export function helmArguments({ options }: Probe): readonly string[] {
  const each = (flag: string, values: readonly string[] = []): readonly string[] =>
    values.flatMap((value) => [flag, value])
  const given = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, value]
  const when = (flag: string, value: boolean | undefined): readonly string[] => (value === true ? [flag] : [])
  return [
    'template',
    options.releaseName ?? 'release-name',
    options.chart,
    ...each('--values', options.values),
    ...each('--set-json', options.setJson),
    ...each('--set', options.set),
    ...each('--set-string', options.setString),
    ...each('--set-file', options.setFile),
    ...each('--set-literal', options.setLiteral),
    ...each('--show-only', options.showOnly),
    ...each('--api-versions', options.apiVersions),
    ...given('--namespace', options.namespace),
    ...given('--kube-version', options.kubeVersion),
    ...when('--include-crds', options.includeCrds),
    ...when('--no-hooks', options.noHooks),
    ...when('--skip-tests', options.skipTests),
    ...when('--is-upgrade', options.isUpgrade),
    ...when('--skip-schema-validation', options.skipSchemaValidation),
  ]
}

export const probes: readonly Probe[] = [
  { name: 'objects', options: { chart: 'objects' } },
  {
    name: 'objects-flags',
    options: {
      releaseName: 'my.release',
      chart: './objects/',
      namespace: 'spaces',
      includeCrds: true,
      isUpgrade: true,
      kubeVersion: '1.30.2-gke.1',
      apiVersions: ['extra.io/v1,extra.io/v1/Kind', 'more.io/v1'],
    },
  },
  {
    name: 'objects-values',
    options: {
      chart: 'objects',
      values: ['one.yaml', 'two.yaml'],
      setJson: ['json={"a":[1,2.5,null]},other="x"', '{"map":{"fromJson":true}}'],
      set: [
        'map.b=null',
        'new.x=null',
        'list[1]=set',
        'kid.extra.x=7',
        'n=1e3,m=0123,o=-5,p=true',
        'q={a,b}',
        'r[2].s=t',
        'esc=a\\,b\\.c',
      ],
      setString: ['str=1', 'strs={1,2}'],
      setFile: ['file=objects/files/a.txt'],
      setLiteral: ['lit=a,b=c\\d[0]'],
    },
  },
  {
    name: 'objects-disabled',
    options: { chart: 'objects', set: ['tags.a=false', 'gone.enabled=true', 'kid.own=user'] },
  },
  {
    name: 'objects-tags',
    options: { chart: 'objects', set: ['tags.a=false,tags.b=true', 'gone.enabled=no', 'global.shared.one=user'] },
  },
  {
    name: 'objects-show-only',
    options: { chart: 'objects', showOnly: ['templates/release.yaml', 'templates/c*.yaml'] },
  },
  { name: 'order', options: { chart: 'order' } },
  { name: 'order-no-hooks', options: { chart: 'order', noHooks: true } },
  { name: 'order-skip-tests', options: { chart: 'order', skipTests: true } },
  {
    name: 'order-show-only',
    options: { chart: 'order', showOnly: ['templates/hooks.yaml', 'charts/sub/templates/*'] },
  },
]
