import { describe, expect, test } from 'vitest'
import { beginCheck } from '../../src/check/begin-check.ts'
import type { CheckedFolder, CheckedUnit } from '../../src/check/checked-unit.ts'
import { lateNamespaces } from '../../src/check/rules/late-namespaces.ts'
import { readBuiltInSchemas } from '../../src/check/schema/built-in-schemas.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { GitopsTool } from '../../src/model/gitops-tool.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'

const CLUSTER = { namespace: 'team', name: 'one' }
const PATH = 'clusters/team/one/addons'
const builtIn = readBuiltInSchemas('minors\t1.34\n')

function manifestOf(text: string): Manifest {
  const object = parseGoYaml(text, { integers: 'int' })
  if (!(object instanceof Dict)) throw new TypeError('no map')
  const namespace = textAt(object, 'metadata', 'namespace')
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: textAt(object, 'kind'),
    name: textAt(object, 'metadata', 'name'),
    ...(namespace !== '' && { namespace }),
    object,
    origin: { from: 'a', unit: 'a', template: 'a' },
  }
}

const common = { subject: { cluster: 'team/one' }, isKept: false, locate: <Found>(found: Found): Found => found }

/** The findings of a cluster with addons, and the units that apply them. */
function findings(
  tool: GitopsTool | undefined,
  addons: Readonly<Record<string, readonly string[]>>,
  units: readonly string[] = [],
): readonly string[] {
  const folders = Object.entries(addons).map(([name, objects]): CheckedFolder => ({
    path: `${PATH}/${name}`,
    place: { kind: 'addons', ...CLUSTER, owner: 'release', addon: name },
    destination: CLUSTER,
    manifests: objects.map(manifestOf),
  }))
  const handoff: CheckedFolder = {
    path: 'handoff/team/one',
    place: { kind: 'handoff', namespace: 'team', of: 'one' },
    destination: 'management',
    manifests: units.map(manifestOf),
  }
  const judge = beginCheck([lateNamespaces], {
    builtIn,
    definitions: [],
    classTemplateProblem: () => undefined,
    ...(tool !== undefined && { tool }),
  })
  const cluster: CheckedUnit = { ...common, kind: 'cluster', folders }
  const all: readonly CheckedUnit[] = [cluster, { ...common, kind: 'handoff', folders: [handoff], applies: cluster }]
  return all.flatMap((unit) => judge.unit(unit)).map(({ severity, message }) => `${severity} ${message}`)
}

const space = (wave = '0'): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {argocd.argoproj.io/sync-wave: "${wave}"}}}`
const map = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}'
const unit = (name: string, path: string, ...dependsOn: readonly string[]): string =>
  `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ${name}, namespace: team}, spec: {path: ./rendered/${path}, dependsOn: [${dependsOn.map((other) => `{name: ${other}}`).join(', ')}]}}`
const apart = { '01-a': [map], '02-b': [], '03-c': [space()] }
const chain = [unit('a', `${PATH}/01-a`), unit('b', `${PATH}/02-b`, 'a'), unit('c', `${PATH}/03-c`, 'b')]
const never =
  'error ConfigMap shop/a is in namespace shop, which the unit team/c brings, and that waits for team/a: neither is ever applied'
const wave =
  'error ConfigMap shop/a is of an earlier sync wave than its Namespace: the wave of the Namespace never begins'

describe('namespaces that come too late:', () => {
  test.each<
    readonly [
      name: string,
      tool: GitopsTool | undefined,
      addons: Readonly<Record<string, readonly string[]>>,
      units: readonly string[],
      found: readonly string[],
    ]
  >([
    ['in a unit that waits for its user, by another one', 'flux', apart, chain, [never]],
    ['in a unit that waits for nothing', 'flux', apart, [unit('a', `${PATH}/01-a`), unit('c', `${PATH}/03-c`)], []],
    ['in a unit that its user waits for', 'flux', { '01-a': [space()], '02-b': [map] }, chain, []],
    ['in the unit of both', 'flux', apart, [unit('all', PATH)], []],
    [
      'in units that wait for each other',
      'flux',
      apart,
      [unit('a', `${PATH}/01-a`, 'c'), unit('c', `${PATH}/03-c`, 'a')],
      [never],
    ],
    ['in a later wave', 'argocd', { '01-a': [map, space('1')] }, [], [wave]],
    ['in an earlier wave', 'argocd', { '01-a': [map, space('-1')] }, [], []],
    ['in a later wave, which Flux does not know', 'flux', { '01-a': [map, space('1')] }, [unit('all', PATH)], []],
    ['where nobody applies them', undefined, { '01-a': [map, space('1')] }, [], []],
  ])('%s', (_, tool, addons, units, found) => {
    expect(findings(tool, addons, units)).toEqual(found)
  })
})
