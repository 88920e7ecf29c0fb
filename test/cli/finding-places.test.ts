import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const ADDON = 'providers/docker/starter/cluster-addon/welcome'
const CONFIG_MAP = `${ADDON}/templates/configmap.yaml`
const RELEASE = 'docker-starter-1-34-v1'
const PATCH = 'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n'
const ADDONS = 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n'

interface Case {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly replace?: { readonly file: string; readonly from: string; readonly to: string }
  readonly place: string
  readonly about?: object
}

const inAddon = { release: RELEASE, cluster: 'team-a/web', addon: 'welcome' }
const cases: readonly Case[] = [
  {
    name: 'a template of an addon that fails',
    files: {},
    replace: { file: CONFIG_MAP, from: '.Values.message | quote', to: 'required "say something" .Values.missing' },
    place: `${CONFIG_MAP}:7:15`,
    about: inAddon,
  },
  {
    name: 'a template that does not parse',
    files: { [`${ADDON}/templates/broken.yaml`]: 'a: {{ if }}\n' },
    place: `${ADDON}/templates/broken.yaml:1:10`,
    about: inAddon,
  },
  {
    name: 'an object without a kind',
    files: { [`${ADDON}/templates/broken.yaml`]: 'apiVersion: v1\nmetadata: {name: a}\n' },
    place: `${ADDON}/templates/broken.yaml:1:1`,
    about: inAddon,
  },
  {
    name: 'an object that is there twice',
    files: {
      [`${ADDON}/templates/twice.yaml`]:
        '{{ $.Files.Get "x" }}kind: A\napiVersion: v1\nmetadata: {name: a}\n---\nkind: A\napiVersion: v1\nmetadata: {name: a}\n',
      [`${ADDON}/x`]: '',
    },
    place: `${ADDON}/templates/twice.yaml:1:28`,
    about: inAddon,
  },
  {
    name: 'a kind of unknown scope',
    files: { [`${ADDON}/templates/odd.yaml`]: 'kind: Odd\napiVersion: example.org/v1\nmetadata: {name: a}\n' },
    place: `${ADDON}/templates/odd.yaml:1:7`,
    about: inAddon,
  },
  {
    name: 'a template of the class',
    files: { 'providers/docker/starter/cluster-class/templates/odd.yaml': 'a: {{ fail "no" }}\n' },
    place: 'providers/docker/starter/cluster-class/templates/odd.yaml:1:7',
    about: { release: RELEASE },
  },
  {
    name: 'a template of a dependency in a folder',
    files: {
      [`${ADDON}/charts/sub/Chart.yaml`]: 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
      [`${ADDON}/charts/sub/templates/a.yaml`]: 'a: {{ fail "no" }}\n',
    },
    place: `${ADDON}/charts/sub/templates/a.yaml:1:7`,
    about: inAddon,
  },
  {
    name: 'overwrite.yaml',
    files: { [`${ADDON}/overwrite.yaml`]: 'values: |\n  cluster: {{ .Cluster.nothing.here.at.all }}\n' },
    place: `${ADDON}/overwrite.yaml:2:23`,
    about: inAddon,
  },
  {
    name: 'an own addon of Handlebars templates',
    files: {
      'clusters/team-a/web/addons.yaml': `${ADDONS}  addons:\n    - name: mine\n      templates: {path: ./mine}\n`,
      'clusters/team-a/web/mine/a.hbs': 'a: {{ nothing }}\n',
    },
    place: 'clusters/team-a/web/mine/a.hbs:1:7',
    about: { cluster: 'team-a/web', addon: 'mine' },
  },
  {
    name: 'an own chart',
    files: {
      'clusters/team-a/web/addons.yaml': `${ADDONS}  addons:\n    - name: mine\n      chart: {path: ./mine}\n`,
      'clusters/team-a/web/mine/Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n',
      'clusters/team-a/web/mine/templates/a.yaml': 'a: {{ fail "no" }}\n',
    },
    place: 'clusters/team-a/web/mine/templates/a.yaml:1:7',
    about: { cluster: 'team-a/web', addon: 'mine' },
  },
  {
    name: 'a patch that does not fit',
    files: {
      'clusters/team-a/web/patches/p.yaml': `${PATCH}  jsonPatch:\n    - op: remove\n      path: /data/absent\n`,
    },
    place: 'clusters/team-a/web/patches/p.yaml:7:13',
    about: { cluster: 'team-a/web' },
  },
  {
    name: 'a template of the fleet for its engine',
    files: { 'templates/handoff/flux/nothing.hbs': 'a' },
    place: 'templates/handoff/flux/nothing.hbs',
  },
]

async function fleetOf({ files, replace }: Case): Promise<string> {
  const fleet = new FleetFolder(await tempFolder())
  await runCli(['init', '--engine', 'flux'], { cwd: fleet.folder })
  fleet.change(files)
  if (replace !== undefined) fleet.edit(replace.file, replace.from, replace.to)
  return fleet.folder
}

describe('a finding says where it is, seen from any folder, and what it is about', () => {
  test.each(cases)('$name', async (given) => {
    const folder = await fleetOf(given)
    const elsewhere = join(folder, 'clusters')
    for (const cwd of [folder, elsewhere]) {
      const { stdout } = await runCli(['render', '-o', 'json'], { cwd })
      const { findings } = JSON.parse(stdout)
      const [found] = findings.filter(({ severity }: { severity: string }) => severity === 'error')
      const file = join(cwd === folder || found.file.startsWith('/') ? '' : cwd, found.file)
      const path = file.startsWith('/') ? file : join(folder, file)
      expect((await stat(path)).isFile()).toBe(true)
      const position = found.line === undefined ? '' : `:${found.line}:${found.column}`
      expect(`${relative(folder, path)}${position}`).toBe(given.place)
      expect(found.about).toEqual(given.about === undefined ? undefined : [given.about])
      expect(found.docs).toBe(`docs/06-errors.md#${found.code.toLowerCase()}`)
    }
  })
})
