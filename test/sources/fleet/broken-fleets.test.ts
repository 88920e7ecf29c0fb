import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import { type FileMap, problemsOf, soundFleet, writeFleet } from './fleet-fixture.ts'

const fleet = (spec: string): string => soundFleet['stackmason.yaml']?.replace(/spec:\n[^]*/, spec) ?? ''
const text = (path: string, from: string, to: string): FileMap => ({
  [path]: soundFleet[path]?.replace(from, to) ?? '',
})
const cluster = (from: string, to: string): FileMap => text('clusters/team-a/web/cluster.yaml', from, to)
const stack = (from: string, to: string): FileMap => text('stacks/scs.yaml', from, to)
const addons = (spec: string): FileMap => ({
  'clusters/team-a/web/addons.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n${spec}`,
})
const patch = (spec: string): FileMap => ({
  'clusters/team-a/web/patches/p.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n${spec}`,
})

interface Row {
  readonly name: string
  readonly files: FileMap
  readonly want: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'nothing wrong', files: {}, want: [] },
  {
    name: 'a misspelt field',
    files: { 'stackmason.yaml': fleet('spec:\n  sourcs: []\n') },
    want: [
      'CONFIG_UNKNOWN_FIELD stackmason.yaml:6:3 unknown field "sourcs" in spec | Did you mean "sources"? Possible here: acknowledged, apiVersions, apiVersionsFromCrds, chartRepositories, check, handoff, helmVersion, instanceLabel, managementCluster, nodeImages, output, publish, requiredVersion, retiredTool, rollouts, scopes, sources, stacks, variableRenames.',
    ],
  },
  {
    name: 'entries for a stack whose name or provider is misspelt',
    files: {
      'stackmason.yaml': fleet(
        'spec:\n  sources: [{name: a, directory: {path: releases}}]\n  stacks: [{provider: docker, stack: scss, source: a}]\n  nodeImages: [{provider: dokcer, stack: scs, use: none}]\n',
      ),
    },
    want: [
      'warning CONFIG_REFERENCE stackmason.yaml:7:38 no ClusterStack of the fleet has the stack "scss" of provider "docker", so spec.stacks[0] has no effect | Did you mean the stack scs?',
      'warning CONFIG_REFERENCE stackmason.yaml:8:27 no ClusterStack of the fleet has the stack "scs" of provider "dokcer", so spec.nodeImages[0] has no effect | Did you mean the provider docker?',
    ],
  },
  {
    name: 'an entry for a stack that was removed, and for one that is there',
    files: {
      'stackmason.yaml': fleet(
        'spec:\n  sources: [{name: a, directory: {path: releases}}]\n  nodeImages: [{provider: docker, stack: scs2, use: none}, {provider: docker, stack: scs, use: none}]\n',
      ),
    },
    want: [],
  },
  {
    name: 'an entry for the stack of a class whose ClusterStack is misspelt',
    files: {
      ...stack('name: scs\n  kub', 'name: scss\n  kub'),
      'stackmason.yaml': fleet(
        'spec:\n  sources: [{name: a, directory: {path: releases}}]\n  nodeImages: [{provider: docker, stack: scs, use: none}]\n',
      ),
    },
    want: [],
  },
  {
    name: 'a misspelt field of a choice',
    files: {
      'stackmason.yaml': fleet('spec:\n  sources: [{name: a, providerDirectry: {path: releases}}]\n'),
      ...patch('  target: {name: a}\n  mergepatch: {spec: {}}\n'),
    },
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/patches/p.yaml:5:3 unknown field "mergepatch" in spec | Did you mean "mergePatch"? Possible here: jsonPatch, mergePatch, optional.',
      'CONFIG_UNKNOWN_FIELD stackmason.yaml:6:23 unknown field "providerDirectry" in spec.sources[0] | Did you mean "providerDirectory"? Possible here: directory, git, github, http, oci, providerDirectory.',
    ],
  },
  {
    name: 'a field of the running cluster as a map',
    files: addons('  runtimeValues: {Cluster: {spec: {controlPlaneEndpoint: {host: a}}}}\n'),
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:4:19 unknown field "Cluster" in spec.runtimeValues | Write it like "Cluster.spec.controlPlaneEndpoint.host".',
    ],
  },
  {
    name: 'names of branches that git does not take',
    files: {
      'stackmason.yaml': fleet(
        'spec:\n  sources: [{name: a, directory: {path: assets}}]\n  publish: {base: a..b, branch: a.lock, branchPrefix: x//}\n',
      ),
    },
    want: [
      'CONFIG_REFERENCE stackmason.yaml:6:41 spec.sources[0].directory.path: "assets" is not there | Paths are relative to stackmason.yaml.',
      'CONFIG_INVALID_VALUE stackmason.yaml:7:19 spec.publish.base: git takes no branch of the name "a..b"',
      'CONFIG_INVALID_VALUE stackmason.yaml:7:33 spec.publish.branch: git takes no branch of the name "a.lock"',
      'CONFIG_INVALID_VALUE stackmason.yaml:7:55 spec.publish.branchPrefix: git takes no branch of the name "x//fleet"',
    ],
  },
  {
    name: 'a time zone that nobody knows',
    files: {
      'stackmason.yaml': fleet(
        'spec:\n  sources: []\n  publish: {schedule: [{from: "09:00", to: "16:00"}, {from: "09:00", to: "16:00", timezone: Europe/Berlni}]}\n',
      ),
    },
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:7:93 nobody knows the time zone "Europe/Berlni" | Write a name of the IANA database, such as Europe/Berlin or UTC.',
    ],
  },
  ...(
    [
      ['cluster', 'addons: {}', 'addons', 'It belongs below `spec` of addons.yaml.'],
      ['cluster', 'freeze: true', 'freeze', 'It belongs below `spec` of clusters/<namespace>/<cluster>/options.yaml.'],
      ['cluster', 'variables: []', 'variables', 'Write it below `spec.topology`.'],
      ['cluster', 'paused: true', 'paused', 'Write it below `spec`.'],
      [
        'cluster',
        'apiVersionsFromCrds: []',
        'apiVersionsFromCrds',
        'It belongs below `spec` of stackmason.yaml or addons.yaml.',
      ],
      ['stack', 'managementCluster: {}', 'managementCluster', 'It belongs below `spec` of stackmason.yaml.'],
    ] as const
  ).map(([file, written, field, hint]): Row => {
    const path = file === 'cluster' ? 'clusters/team-a/web/cluster.yaml' : 'stacks/scs.yaml'
    const whole = soundFleet[path] ?? ''
    const line = whole.trimEnd().split('\n').length + 1
    return {
      name: `${written} at the top of ${path}`,
      files: { [path]: `${whole.trimEnd()}\n${written}\n` },
      want: [`CONFIG_UNKNOWN_FIELD ${path}:${String(line)}:1 unknown field "${field}" in the document | ${hint}`],
    }
  }),
  {
    name: 'a field where every possible one is there already',
    files: { 'stackmason.yaml': fleet('spec: {sources: [{name: a, directory: {path: assets}}]}\nnonsense: true\n') },
    want: [
      'CONFIG_UNKNOWN_FIELD stackmason.yaml:6:1 unknown field "nonsense" in the document | No other field is possible here: remove it.',
    ],
  },
  {
    name: 'an empty list and a number for a path',
    files: { 'stackmason.yaml': fleet('spec:\n  sources: []\n  rollouts: []\n  output: {path: 1}\n') },
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:7:13 spec.rollouts must not be empty | Write something there, or remove the field where it is optional.',
      'CONFIG_WRONG_TYPE stackmason.yaml:8:18 spec.output.path must be a string, but 1 is a number | Put it in quotes: "1".',
    ],
  },
  {
    name: 'a flow list that never ends',
    files: { 'stackmason.yaml': fleet('spec: [\n') },
    want: ['CONFIG_SYNTAX stackmason.yaml:5:7 the list in brackets is not closed, or a comma is missing in it'],
  },
  {
    name: 'an empty stackmason.yaml',
    files: { 'stackmason.yaml': '' },
    want: [
      'CONFIG_MISSING_FIELD stackmason.yaml:1:1 the file is empty | Begin it with `apiVersion: stackmason.dev/v1alpha1` and `kind: Fleet`, or restore the file from git.',
    ],
  },
  {
    name: 'a list for a document',
    files: { 'stackmason.yaml': '- a\n' },
    want: [
      'CONFIG_WRONG_TYPE stackmason.yaml:1:1 the document must be a map | Begin it with `apiVersion: stackmason.dev/v1alpha1` and `kind: Fleet`.',
    ],
  },
  {
    name: 'a second document',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}---\nkind: Fleet\n` },
    want: ['CONFIG_CONFLICT stackmason.yaml:11:1 the file must hold one document only'],
  },
  {
    name: 'another kind',
    files: text('stackmason.yaml', 'kind: Fleet', 'kind: Fleets\nbogus: 1'),
    want: ['CONFIG_INVALID_VALUE stackmason.yaml:2:7 kind must be "Fleet" in this file | Write `kind: Fleet`.'],
  },
  {
    name: 'another apiVersion',
    files: text('stackmason.yaml', 'v1alpha1', 'v1beta1'),
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:1:13 apiVersion must be "stackmason.dev/v1alpha1" in this file | Write `apiVersion: stackmason.dev/v1alpha1`.',
    ],
  },
  {
    name: 'a key twice',
    files: text('stackmason.yaml', '  name: test', '  name: test\n  name: again'),
    want: ['CONFIG_DUPLICATE_KEY stackmason.yaml:5:3 the key `name` stands twice in this map, first in line 4'],
  },
  {
    name: 'a source of two types',
    files: text('stackmason.yaml', 'path: releases', 'path: releases\n      providerDirectory: {path: x}'),
    want: [
      'CONFIG_CONFLICT stackmason.yaml:10:7 spec.sources[0] may have only one of "directory", "providerDirectory", "git", "github", "oci" and "http"',
    ],
  },
  {
    name: 'a source without a type',
    files: text('stackmason.yaml', '      directory:\n        path: releases\n', ''),
    want: [
      'CONFIG_MISSING_FIELD stackmason.yaml:7:7 spec.sources[0] must have one of "directory", "providerDirectory", "git", "github", "oci" and "http"',
    ],
  },
  {
    name: 'sources and chart repositories over http',
    files: text(
      'stackmason.yaml',
      '    - name: releases\n      directory:\n        path: releases\n',
      `    - {name: web, http: {url: http://web.example/releases}}
    - {name: meant, http: {url: http://web.example/releases, plainHttp: true}}
    - {name: code, git: {url: "http://git.example/a.git"}}
    - {name: hub, github: {owner: o, repository: r, apiUrl: "http://hub.example/api/v3"}}
  chartRepositories:
    - {url: "http://charts.example"}
    - {url: "http://charts.example/b", mirror: "https://mirror.example/b"}
`,
    ),
    want: [
      'FETCH_PLAIN_HTTP stackmason.yaml:7:25 spec.sources[0].http: "http://web.example/releases" uses http without TLS | Write https, or set plainHttp: true there if the server offers nothing else.',
      'FETCH_PLAIN_HTTP stackmason.yaml:9:25 spec.sources[2].git: "http://git.example/a.git" uses http without TLS | Write https, or set plainHttp: true there if the server offers nothing else.',
      'FETCH_PLAIN_HTTP stackmason.yaml:10:27 spec.sources[3].github: "http://hub.example/api/v3" uses http without TLS | Write https, or set plainHttp: true there if the server offers nothing else.',
      'FETCH_PLAIN_HTTP stackmason.yaml:12:7 spec.chartRepositories[0]: "http://charts.example" uses http without TLS | Write https, or set plainHttp: true there if the server offers nothing else.',
    ],
  },
  {
    name: 'a git path that leaves the repository, and certificates and keys that are not there',
    files: text(
      'stackmason.yaml',
      '    - name: releases\n      directory:\n        path: releases\n',
      `    - {name: code, git: {url: "https://git.example/a.git", path: a/../../b}}
    - name: registry
      oci:
        repository: registry.example/stacks
        caFile: ca.pem
        publicKeys: [releases, keys/a.pub]
`,
    ),
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:7:66 spec.sources[0].git.path: "a/../../b" leads out of the repository | Write the path from the root of the repository.',
      'CONFIG_REFERENCE stackmason.yaml:11:17 spec.sources[1].oci.caFile: "ca.pem" is not there | Paths are relative to stackmason.yaml.',
      'CONFIG_REFERENCE stackmason.yaml:12:22 spec.sources[1].oci.publicKeys[0]: "releases" is not a file | Paths are relative to stackmason.yaml.',
      'CONFIG_REFERENCE stackmason.yaml:12:32 spec.sources[1].oci.publicKeys[1]: "keys/a.pub" is not there | Paths are relative to stackmason.yaml.',
    ],
  },
  {
    name: 'credentials in an address, and half of a pair',
    files: text(
      'stackmason.yaml',
      '    - name: releases\n      directory:\n        path: releases\n',
      `    - {name: web, http: {url: "https://me:secret@web.example/"}}
    - {name: registry, oci: {repository: registry.example/stacks, credentialsFrom: {username: USER}}}
    - {name: code, git: {url: "https://me:secret@git.example/a.git"}}
`,
    ),
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:7:31 spec.sources[0].http.url must look like "https://releases.example.com/cluster-stacks"',
      'CONFIG_MISSING_FIELD stackmason.yaml:8:67 spec.sources[1].oci.credentialsFrom must have one of "token", "username" and "password"',
      'CONFIG_INVALID_VALUE stackmason.yaml:9:31 spec.sources[2].git.url must look like "https://github.com/SovereignCloudStack/cluster-stacks.git"',
    ],
  },
  {
    name: 'a source that is not there',
    files: text('stackmason.yaml', 'path: releases', 'path: nowhere'),
    want: [
      'CONFIG_REFERENCE stackmason.yaml:9:15 spec.sources[0].directory.path: "nowhere" is not there | Paths are relative to stackmason.yaml.',
    ],
  },
  {
    name: 'a source that is a file',
    files: text('stackmason.yaml', 'path: releases', 'path: stackmason.yaml'),
    want: [
      'CONFIG_REFERENCE stackmason.yaml:9:15 spec.sources[0].directory.path: "stackmason.yaml" is not a folder | Paths are relative to stackmason.yaml.',
    ],
  },
  {
    name: 'a stack name with a dash',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  stacks:\n    - {provider: docker, stack: my-stack, source: relases}\n`,
    },
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:11:33 spec.stacks[0].stack must look like "scs2" | Only a-z and 0-9 are possible: the parts of a release name are split at dashes.',
    ],
  },
  {
    name: 'a source that nobody defined',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  stacks:\n    - {provider: docker, stack: scs, source: relases}\n`,
    },
    want: [
      'CONFIG_REFERENCE stackmason.yaml:11:46 spec.stacks names a source "relases" that spec.sources does not have | It has: releases.',
    ],
  },
  {
    name: 'one chart repository in two spellings',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  chartRepositories:\n    - {url: "oci://reg.example/charts"}\n    - {url: "oci://REG.example:443/charts/"}\n`,
    },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:12:13 the chart repository "oci://REG.example:443/charts" stands twice, first in line 11',
    ],
  },
  {
    name: 'two sources of one name',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}    - name: releases\n      directory: {path: releases}\n`,
    },
    want: ['CONFIG_CONFLICT stackmason.yaml:10:13 the source "releases" stands twice, first in line 7'],
  },
  {
    name: 'an impossible helmVersion and a quoted boolean',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  helmVersion: 5\n  instanceLabel: "yes"\n` },
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:10:16 spec.helmVersion must be one of 3, 4',
      'CONFIG_WRONG_TYPE stackmason.yaml:11:18 spec.instanceLabel must be true or false, but is a string | Write true or false, without quotes.',
    ],
  },
  {
    name: 'a scope in lower case',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  scopes:\n    - {group: x.io, kind: Foo, scope: namespaced}\n`,
    },
    want: [
      'CONFIG_INVALID_VALUE stackmason.yaml:11:39 spec.scopes[0].scope must be one of "Namespaced", "Cluster" | Did you mean "Namespaced"?',
    ],
  },
  {
    name: 'a stack with two lists of renames, and a variable that is renamed to itself',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  variableRenames:\n    - {provider: x, stack: z, names: {a: a}}\n    - {provider: x, stack: z, names: {b: c}}\n`,
    },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:11:42 the variable "a" is renamed to itself',
      'CONFIG_CONFLICT stackmason.yaml:12:28 the stack "x-z" stands twice, first in line 11',
    ],
  },
  {
    name: 'renames in a circle, each circle once, and two variables that become one',
    files: {
      'stackmason.yaml': `${soundFleet['stackmason.yaml']}  variableRenames:\n    - provider: x\n      stack: z\n      names:\n        start: a\n        a: b\n        b: c\n        c: a\n        d: e\n        e: d\n        f: g\n        g: h\n        i: h\n`,
    },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:17:12 the new name "a" stands twice, first in line 14',
      'CONFIG_CONFLICT stackmason.yaml:17:12 variables are renamed in a circle: "a" -> "b" -> "c" -> "a"',
      'CONFIG_CONFLICT stackmason.yaml:19:12 variables are renamed in a circle: "d" -> "e" -> "d"',
      'CONFIG_CONFLICT stackmason.yaml:22:12 the new name "h" stands twice, first in line 21',
    ],
  },
  {
    name: 'an output folder that covers the fleet',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  output:\n    path: .\n` },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:11:11 the output folder would cover the fleet itself | Choose a folder of its own, such as "rendered".',
    ],
  },
  {
    name: 'an output folder among the inputs',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  output:\n    path: clusters/out\n` },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:11:11 the output folder lies inside "clusters", which is not ours to write | Choose a folder of its own, such as "rendered".',
    ],
  },
  ...[
    ['stackmason.lock', 'is', 'stackmason.lock'],
    ['Stackmason.YAML', 'is', 'Stackmason.YAML'],
    ['stackmason.lock/x', 'lies inside', 'stackmason.lock'],
    ['stacks', 'is', 'stacks'],
    ['./templates/handoff', 'lies inside', 'templates'],
    ['bootstrap', 'is', 'bootstrap'],
    ['.gitignore', 'is', '.gitignore'],
    ['.git', 'is', '.git'],
    ['.git/hooks', 'lies inside', '.git'],
    ['a/.GIT/b', 'lies inside', 'a/.GIT'],
    ['../x/.git/b', 'lies inside', '../x/.git'],
    ['.stackmason', 'is', '.stackmason'],
    ['a/.stackmason/b', 'lies inside', 'a/.stackmason'],
  ].map(([path = '', verb = '', shown = '']) => ({
    name: `an output folder at ${path}`,
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  output:\n    path: ${path}\n` },
    want: [
      `CONFIG_CONFLICT stackmason.yaml:11:11 the output folder ${verb} "${shown}", which is not ours to write | Choose a folder of its own, such as "rendered".`,
    ],
  })),
  {
    name: 'an output folder that is a source',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  output:\n    path: releases\n` },
    want: [
      'CONFIG_CONFLICT stackmason.yaml:11:11 the output folder would cover "releases", which is read as input | Choose a folder of its own, such as "rendered".',
    ],
  },
  {
    name: 'a field without a value',
    files: { 'stackmason.yaml': `${soundFleet['stackmason.yaml']}  output:\n` },
    want: [
      'CONFIG_WRONG_TYPE stackmason.yaml:10:10 spec.output must be a map, but has no value | Give it a value, or remove the field.',
    ],
  },
  {
    name: 'an unquoted Kubernetes version',
    files: stack('"1.34"', '1.30'),
    want: [
      'CONFIG_WRONG_TYPE stacks/scs.yaml:9:22 spec.kubernetesVersion must be a string, but 1.30 is a number | Put it in quotes: "1.30".',
    ],
  },
  {
    name: 'a Kubernetes version with a patch',
    files: stack('"1.34"', '"1.34.7"'),
    want: ['CONFIG_INVALID_VALUE stacks/scs.yaml:9:22 spec.kubernetesVersion must look like "1.34"'],
  },
  {
    name: 'a ClusterStack name with a dash',
    files: stack('name: scs\n  kub', 'name: my-scs\n  kub'),
    want: [
      'CONFIG_INVALID_VALUE stacks/scs.yaml:8:9 spec.name must look like "scs2" | Only a-z and 0-9 are possible: the parts of a release name are split at dashes.',
    ],
  },
  {
    name: 'a ClusterStack without kubernetesVersion',
    files: stack('  kubernetesVersion: "1.34"\n', ''),
    want: [
      'CONFIG_MISSING_FIELD stacks/scs.yaml:6:1 spec.kubernetesVersion is missing | Add `kubernetesVersion` to spec.',
    ],
  },
  {
    name: 'a misspelt name, and nothing for another field like it',
    files: stack('  name: scs\n  namespace', '  namex: scs\n  namespace'),
    want: [
      'CONFIG_UNKNOWN_FIELD stacks/scs.yaml:4:3 unknown field "namex" in metadata | Did you mean "name"? Possible here: annotations, finalizers, labels, name.',
    ],
  },
  {
    name: 'versions that are numbers',
    files: stack('- v3', '- 3'),
    want: [
      'CONFIG_WRONG_TYPE stacks/scs.yaml:11:7 spec.versions[0] must be a string, but 3 is a number | Write the version of the release with its v, such as v3: what YAML takes for a number is none.',
    ],
  },
  {
    name: 'a version for a list',
    files: stack('versions:\n    - v3', 'versions: v3'),
    want: [
      'CONFIG_WRONG_TYPE stacks/scs.yaml:10:13 spec.versions must be a list, but is a string | Write it as a list: each item after a dash.',
    ],
  },
  {
    name: 'versions as a map',
    files: stack('- v3', 'v3: true'),
    want: [
      'CONFIG_WRONG_TYPE stacks/scs.yaml:10:3 spec.versions must be a list, but is a map | Write it as a list: each item after a dash.',
    ],
  },
  {
    name: 'a list for a name',
    files: stack('name: scs\n  kub', 'name: [scs]\n  kub'),
    want: ['CONFIG_WRONG_TYPE stacks/scs.yaml:8:3 spec.name must be a string, but is a list | Write one value.'],
  },
  {
    name: 'a misspelt channel',
    files: stack('spec:', 'spec:\n  channel: stabel'),
    want: [
      'CONFIG_INVALID_VALUE stacks/scs.yaml:7:12 spec.channel must be one of "stable", "custom" | Did you mean "stable"?',
    ],
  },
  {
    name: 'a hash version on channel stable',
    files: stack('- v3', '- v3\n    - v0-sha.abc'),
    want: [
      'CONFIG_CONFLICT stacks/scs.yaml:12:7 the version "v0-sha.abc" is not of the stable channel | Set `channel: custom` (and list every version), or use versions such as v3.',
    ],
  },
  {
    name: 'a version in dash form, and one twice',
    files: stack('- v3', '- v3\n    - v0-sha-abc\n    - v3'),
    want: [
      'CONFIG_INVALID_VALUE stacks/scs.yaml:12:7 spec.versions[1] must look like "v3" | A version is v<number>, or v<number>-<channel>.<patch> with a dot, as in v0-sha.abc1234: only tags and classes write v0-sha-abc1234.',
    ],
  },
  {
    name: 'channel custom without versions',
    files: stack('  versions:\n    - v3\n', '  channel: custom\n'),
    want: [
      'CONFIG_CONFLICT stacks/scs.yaml:10:12 channel custom needs spec.versions: its versions have no order, so there is no newest one | List the versions, such as v0-sha.abc1234.',
    ],
  },
  {
    name: 'channel custom with autoSubscribe',
    files: stack('spec:', 'spec:\n  channel: custom\n  autoSubscribe: true'),
    want: [
      'warning CONFIG_CONFLICT stacks/scs.yaml:8:18 autoSubscribe has no effect on channel custom: its versions have no order, so there is no newest one | Set `autoSubscribe: false`.',
    ],
  },
  {
    name: 'a ClusterStack with status',
    files: stack('spec:', 'status: {}\nspec:'),
    want: [
      'CONFIG_UNKNOWN_FIELD stacks/scs.yaml:6:1 unknown field "status" in the document | The running cluster writes it; remove it.',
    ],
  },
  {
    name: 'a field in the wrong case',
    files: stack('spec:', 'spec:\n  autosubscribe: false'),
    want: [
      'CONFIG_UNKNOWN_FIELD stacks/scs.yaml:7:3 unknown field "autosubscribe" in spec | Did you mean "autoSubscribe"? Possible here: autoSubscribe, channel, noProvider, providerRef.',
    ],
  },
  {
    name: 'a ClusterStack twice',
    files: { 'stacks/two.yaml': soundFleet['stacks/scs.yaml'] ?? '' },
    want: [
      'CONFIG_CONFLICT stacks/two.yaml:4:9 the ClusterStack "scs" of namespace "platform" stands twice, first in stacks/scs.yaml:4',
    ],
  },
  {
    name: 'two ClusterStacks on one channel',
    files: { 'stacks/two.yaml': (soundFleet['stacks/scs.yaml'] ?? '').replace('name: scs', 'name: two') },
    want: [
      'CONFIG_CONFLICT stacks/two.yaml:4:9 channel stable of docker-scs 1.34 is already offered by ClusterStack "scs" in namespace "platform" | Join the two ClusterStacks, or put them into different namespaces.',
      'CONFIG_CONFLICT stacks/two.yaml:11:7 v3 of docker-scs 1.34 is already offered by ClusterStack "scs" in namespace "platform" | Join the two ClusterStacks, or put them into different namespaces.',
    ],
  },
  {
    name: 'two ClusterStacks with one version',
    files: {
      'stacks/two.yaml': (soundFleet['stacks/scs.yaml'] ?? '')
        .replace('name: scs', 'name: two')
        .replace('spec:', 'spec:\n  channel: custom'),
    },
    want: [
      'CONFIG_CONFLICT stacks/two.yaml:12:7 v3 of docker-scs 1.34 is already offered by ClusterStack "scs" in namespace "platform" | Join the two ClusterStacks, or put them into different namespaces.',
    ],
  },
  {
    name: 'files that nothing reads in stacks/',
    files: {
      'stacks/empty.yaml': '# nothing\n',
      'stacks/old.yml': '',
      'stacks/more/x.yaml': '',
      'stacks/README.md': '',
      'stacks/notes': '',
    },
    want: [
      'CONFIG_MISSING_FIELD stacks/empty.yaml:1:1 the file is empty | Begin it with `apiVersion: clusterstack.x-k8s.io/v1alpha1` and `kind: ClusterStack`, or remove the file.',
      'CONFIG_UNKNOWN_FILE stacks/more nothing reads stacks/more | Put its files into stacks/ itself.',
      'CONFIG_UNKNOWN_FILE stacks/old.yml nothing reads stacks/old.yml | Rename it to old.yaml.',
    ],
  },
  {
    name: 'stack/ instead of stacks/',
    files: { 'stacks/scs.yaml': null, 'stack/scs.yaml': '' },
    want: ['CONFIG_UNKNOWN_FILE stack nothing reads stack | Did you mean stacks/?'],
  },
  {
    name: "a Cluster whose name is not its folder's",
    files: cluster('name: web', 'name: wbe'),
    want: [
      'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:4:9 metadata.name is "wbe", but the folder is called "web" | Make both the same: clusters/<namespace>/<cluster>/cluster.yaml. A cluster that runs cannot be renamed, nor moved to another namespace: docs/19-life-of-a-cluster.md#another-name-or-namespace.',
    ],
  },
  {
    name: "a Cluster whose namespace is not its folder's",
    files: cluster('namespace: team-a', 'namespace: team-b'),
    want: [
      'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:5:14 metadata.namespace is "team-b", but the folder is called "team-a" | Make both the same: clusters/<namespace>/<cluster>/cluster.yaml. A cluster that runs cannot be renamed, nor moved to another namespace: docs/19-life-of-a-cluster.md#another-name-or-namespace.',
    ],
  },
  {
    name: 'a topology without class',
    files: cluster('    class: docker-scs-1-34-v3\n', ''),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:7:3 spec.topology.class is missing | Add `class` to spec.topology.',
    ],
  },
  {
    name: 'a Cluster without topology',
    files: cluster(
      /topology:[^]*/.exec(soundFleet['clusters/team-a/web/cluster.yaml'] ?? '')?.[0] ?? '',
      'paused: true\n',
    ),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:6:1 spec.topology.class is missing: only Clusters that name a cluster class can be expanded',
    ],
  },
  {
    name: 'classRef in v1beta1',
    files: cluster('class: docker-scs-1-34-v3', 'classRef: {name: docker-scs-1-34-v3}'),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:7:3 spec.topology.class is missing | Add `class` to spec.topology.',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/cluster.yaml:8:5 unknown field "classRef" in spec.topology | In cluster.x-k8s.io/v1beta1 it is `class: <name>` and `classNamespace`.',
    ],
  },
  {
    name: 'class in v1beta2',
    files: cluster('v1beta1', 'v1beta2'),
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/cluster.yaml:8:5 unknown field "class" in spec.topology | In cluster.x-k8s.io/v1beta2 it is `classRef: {name, namespace}`.',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/cluster.yaml:9:5 unknown field "classNamespace" in spec.topology | In cluster.x-k8s.io/v1beta2 it is `classRef: {name, namespace}`.',
    ],
  },
  {
    name: 'an API version that is gone',
    files: cluster('v1beta1', 'v1alpha4'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:1:13 apiVersion must be "cluster.x-k8s.io/v1beta2" or "cluster.x-k8s.io/v1beta1" in this file | Write `apiVersion: cluster.x-k8s.io/v1beta2`.',
    ],
  },
  {
    name: 'a class that is not a release',
    files: cluster('docker-scs-1-34-v3', 'my-class'),
    want: [
      'RELEASE_NAME_INVALID clusters/team-a/web/cluster.yaml:8:12 spec.topology.class "my-class" is not a release: it has 2 parts between dashes instead of 5 or 6, as in <provider>-<stack>-<major>-<minor>-<version with a dot>',
    ],
  },
  {
    name: 'a class that is a release tag',
    files: cluster('docker-scs-1-34-v3', 'docker-scs-1-34-v0-sha-abc'),
    want: [
      'RELEASE_NAME_INVALID clusters/team-a/web/cluster.yaml:8:12 spec.topology.class "docker-scs-1-34-v0-sha-abc" is not a release: this is the release tag; the class is called "docker-scs-1-34-v0-sha.abc"',
    ],
  },
  {
    name: 'a version without v',
    files: cluster('v1.34.7', '1.34.7'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:10:14 spec.topology.version must look like "v1.34.7" | Write v1.34.7.',
    ],
  },
  {
    name: 'an endpoint with its port',
    files: cluster('spec:\n', 'spec:\n  controlPlaneEndpoint: {host: "api.example:6443", port: 6443}\n'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:7:32 spec.controlPlaneEndpoint.host must be an address or a name, not "api.example:6443" | Leave scheme and path out, and write the port under spec.controlPlaneEndpoint.port.',
    ],
  },
  {
    name: 'an endpoint with a scheme',
    files: cluster('spec:\n', 'spec:\n  controlPlaneEndpoint: {host: "https://api.example", port: 6443}\n'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:7:32 spec.controlPlaneEndpoint.host must be an address or a name, not "https://api.example" | Leave scheme and path out, and write the port under spec.controlPlaneEndpoint.port.',
    ],
  },
  {
    name: 'a folder that cannot be a namespace',
    files: {
      'clusters/Team_A/web/cluster.yaml':
        'apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: web}\nspec: {topology: {class: docker-scs-1-34-v3, classNamespace: platform, version: v1.34.7}}\n',
    },
    want: [
      'CONFIG_INVALID_VALUE clusters/Team_A/web/cluster.yaml:3:1 the folder "Team_A" cannot be a namespace: allowed are a-z, 0-9 and -, first and last a letter or digit, 63 characters at most | Rename the folder clusters/Team_A.',
    ],
  },
  {
    name: 'machines whose name no object can have',
    files: cluster(
      '    version: v1.34.7',
      '    version: v1.34.7\n    workers: {machineDeployments: [{class: a, name: MD_0}]}',
    ),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:11:53 the machine deployment "MD_0" cannot have that name: allowed are a-z, 0-9, - and ., first and last of each part between dots a letter or digit, 253 characters at most',
    ],
  },
  {
    name: 'a version that is a number',
    files: cluster('v1.34.7', '1.34'),
    want: [
      'CONFIG_WRONG_TYPE clusters/team-a/web/cluster.yaml:10:14 spec.topology.version must be a string, but 1.34 is a number | Write the full version with its v, such as v1.34.7.',
    ],
  },
  {
    name: 'status, a quoted boolean and a misspelt field',
    files: cluster('spec:', 'status: {}\nspec:\n  paused: "no"\n  controlPlaneEndpoint: {host: a, prt: 1}'),
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/cluster.yaml:6:1 unknown field "status" in the document | The running cluster writes it; remove it.',
      'CONFIG_WRONG_TYPE clusters/team-a/web/cluster.yaml:8:11 spec.paused must be true or false, but is a string | Write true or false, without quotes.',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/cluster.yaml:9:35 unknown field "prt" in spec.controlPlaneEndpoint | Did you mean "port"? Possible here: port.',
    ],
  },
  {
    name: 'a variable twice',
    files: cluster(
      '    version:',
      '    variables:\n      - {name: a, value: 1}\n      - {name: a, value: 2}\n    version:',
    ),
    want: ['CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:12:16 the variable "a" stands twice, first in line 11'],
  },
  {
    name: 'two Clusters and something that is not an object',
    files: {
      'clusters/team-a/web/cluster.yaml': `${soundFleet['clusters/team-a/web/cluster.yaml']}---\n${soundFleet['clusters/team-a/web/cluster.yaml']}---\nkind: Secret\nmetadata: {}\n`,
    },
    want: [
      'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:12:1 the file must hold one Cluster only | Give every Cluster a folder of its own: clusters/<namespace>/<cluster>/cluster.yaml.',
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:23:1 apiVersion is missing: every document must be a Kubernetes object',
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:23:1 metadata.name is missing: every document must be a Kubernetes object',
    ],
  },
  {
    name: 'no Cluster at all',
    files: { 'clusters/team-a/web/cluster.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n' },
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/cluster.yaml:1:1 the file has no document of kind Cluster | Add one: `apiVersion: cluster.x-k8s.io/v1beta2`, `kind: Cluster`.',
    ],
  },
  {
    name: 'labels that are not strings',
    files: cluster('spec:', '  labels:\n    a: true\n    b:\nspec:'),
    want: [
      'CONFIG_WRONG_TYPE clusters/team-a/web/cluster.yaml:7:8 metadata.labels.a must be a string, but true is a boolean | Put it in quotes: "true".',
      'CONFIG_WRONG_TYPE clusters/team-a/web/cluster.yaml:8:7 metadata.labels.b must be a string, but has no value | Give it a value, or remove the field.',
    ],
  },
  {
    name: 'an addon of two kinds',
    files: addons('  addons:\n    - name: a\n      chart: {path: c}\n      templates: {path: t}\n'),
    want: [
      'CONFIG_CONFLICT clusters/team-a/web/addons.yaml:7:7 spec.addons[0] may have only one of "chart" and "templates"',
    ],
  },
  {
    name: 'addon paths that lead nowhere',
    files: addons(
      '  addons:\n    - name: a\n      chart: {path: ../../../../x}\n    - name: b\n      templates: {path: cluster.yaml}\n    - name: c\n      chart: {path: .}\n    - name: d\n      chart: {path: cluster.yaml}\n    - name: b\n',
    ),
    want: [
      'FILE_OUTSIDE clusters/team-a/web/addons.yaml:6:21 spec.addons[0].chart.path leads out of the fleet repository | Copy what it names into the repository, so that it is reviewed with everything else.',
      'CONFIG_REFERENCE clusters/team-a/web/addons.yaml:8:25 spec.addons[1].templates.path: "clusters/team-a/web/cluster.yaml" is not a folder | Paths are relative to clusters/team-a/web/addons.yaml.',
      'CONFIG_REFERENCE clusters/team-a/web/addons.yaml:10:21 spec.addons[2].chart.path: "clusters/team-a/web" has no Chart.yaml | Paths are relative to clusters/team-a/web/addons.yaml.',
      'CONFIG_REFERENCE clusters/team-a/web/addons.yaml:12:21 spec.addons[3].chart.path: "clusters/team-a/web/cluster.yaml" is neither a folder nor a .tgz file | Paths are relative to clusters/team-a/web/addons.yaml.',
      'CONFIG_CONFLICT clusters/team-a/web/addons.yaml:13:13 the addon "b" stands twice, first in line 7',
    ],
  },
  {
    name: 'an addon without name',
    files: addons('  addons:\n    - enabled: no way\n'),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/addons.yaml:5:7 spec.addons[0].name is missing | Add `name` to spec.addons[0].',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:5:16 spec.addons[0].enabled must be true or false, but is a string | Write true or false, without quotes.',
    ],
  },
  {
    name: 'runtime values that are none',
    files: addons(
      '  runtimeValues:\n    cluster.spec.x: a\n    Cluster.spec.controlPlaneEndpoint.host: 1\n    Cluster.spec.controlPlaneEndpoint.port: [6443]\n',
    ),
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:5:5 unknown field "cluster.spec.x" in spec.runtimeValues | Write it like "Cluster.spec.controlPlaneEndpoint.host".',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:6:45 spec.runtimeValues["Cluster.spec.controlPlaneEndpoint.host"] must be a string, but 1 is a number | Put it in quotes: "1".',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:7:5 spec.runtimeValues["Cluster.spec.controlPlaneEndpoint.port"] must be a whole number or a string, but is a list | Write one value.',
    ],
  },
  {
    name: 'runtime values of misspelt fields, and of fields that cluster.yaml says',
    files: addons(
      [
        '  runtimeValues:',
        'Cluster.spec.controlPlaneEndpoint.hots: 192.0.2.10',
        'Cluser.spec.controlPlaneEndpoint.port: 6443',
        'Cluster.metadata.ud: x',
        'Cluster.metadata.name: web',
        'Cluster.spec.topology.version: v1',
        'Cluster.staus.phase: Provisioned',
        'InfraCluster.id: x',
        'InfraCluster.status.network.id: x',
        'ControlPlane.kind: KubeadmControlPlane',
        'Cluster.status: x',
        'InfraCluster.spec: x',
        'Cluster.spec.infrastructureRef.name: x',
        'Cluster.metadata.annotations.zone: a',
      ].join('\n    ') + '\n',
    ),
    want: [
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:5:5 unknown field "Cluster.spec.controlPlaneEndpoint.hots" in spec.runtimeValues | Did you mean "Cluster.spec.controlPlaneEndpoint.host"?',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:6:5 unknown field "Cluser.spec.controlPlaneEndpoint.port" in spec.runtimeValues | Did you mean "Cluster.spec.controlPlaneEndpoint.port"?',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:7:5 unknown field "Cluster.metadata.ud" in spec.runtimeValues | Did you mean "Cluster.metadata.uid"?',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:8:5 unknown field "Cluster.metadata.name" in spec.runtimeValues | cluster.yaml says it: remove it here.',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:9:5 unknown field "Cluster.spec.topology.version" in spec.runtimeValues | cluster.yaml says it: remove it here.',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:10:5 unknown field "Cluster.staus.phase" in spec.runtimeValues | Write it like "Cluster.spec.controlPlaneEndpoint.host".',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/addons.yaml:11:5 unknown field "InfraCluster.id" in spec.runtimeValues | Write it like "Cluster.spec.controlPlaneEndpoint.host".',
    ],
  },
  {
    name: 'runtime values of another type than their fields',
    files: addons(
      [
        '  runtimeValues:',
        'Cluster.spec.controlPlaneEndpoint.host: auto',
        'Cluster.spec.controlPlaneEndpoint.port: 66000',
        'Cluster.metadata.uid: a b',
        'InfraCluster.status.network.id: ""',
        `Cluster.metadata.annotations.zone: '{"a": 1}'`,
        'InfraCluster.status.zone: ""',
      ].join('\n    ') + '\n',
    ),
    want: [
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:5:45 Cluster.spec.controlPlaneEndpoint.host must be an address, or a name with a dot, dash or digit, without a port | Correct the value, or remove the entry: then the running cluster gives it.',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:6:45 Cluster.spec.controlPlaneEndpoint.port must be a number from 1 to 65535 | Correct the value, or remove the entry: then the running cluster gives it.',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:7:27 Cluster.metadata.uid must be letters, digits and _.:/- | Correct the value, or remove the entry: then the running cluster gives it.',
      'CONFIG_WRONG_TYPE clusters/team-a/web/addons.yaml:8:37 InfraCluster.status.network.id must be letters, digits and _.:/- | Correct the value, or remove the entry: then the running cluster gives it.',
    ],
  },
  {
    name: 'an empty addons.yaml spec',
    files: addons(''),
    want: [],
  },
  {
    name: 'a patch without target and operations',
    files: patch('  target: {}\n  jsonPatch: []\n'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:4:11 spec.target must not be empty | Write something there, or remove the field where it is optional.',
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:5:14 spec.jsonPatch must not be empty | Write something there, or remove the field where it is optional.',
    ],
  },
  {
    name: 'a patch that says nothing',
    files: patch('  target: {knd: a}\n'),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/patches/p.yaml:3:1 spec must have one of "jsonPatch" and "mergePatch"',
      'CONFIG_UNKNOWN_FIELD clusters/team-a/web/patches/p.yaml:4:12 unknown field "knd" in spec.target | Did you mean "kind"? Possible here: addon, group, kind, name, namespace, version.',
    ],
  },
  {
    name: 'two patches in one',
    files: patch('  target: {kind: A}\n  jsonPatch: [{op: replce, path: spec}]\n  mergePatch: {a: 1}\n'),
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:5:20 spec.jsonPatch[0].op must be one of "add", "remove", "replace", "move", "copy", "test" | Did you mean "replace"?',
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:5:34 spec.jsonPatch[0].path must look like "/spec/replicas"',
      'CONFIG_CONFLICT clusters/team-a/web/patches/p.yaml:6:3 spec may have only one of "jsonPatch" and "mergePatch"',
    ],
  },
  {
    name: 'operations that lack something',
    files: patch(
      '  target: {kind: A}\n  jsonPatch:\n    - {op: add, path: /a}\n    - {op: move, path: /a}\n    - {op: add, path: /a~2, value: 1}\n',
    ),
    want: [
      'CONFIG_MISSING_FIELD clusters/team-a/web/patches/p.yaml:6:7 spec.jsonPatch[0].value is missing | Add `value` to spec.jsonPatch[0].',
      'CONFIG_MISSING_FIELD clusters/team-a/web/patches/p.yaml:7:7 spec.jsonPatch[1].from is missing | Add `from` to spec.jsonPatch[1].',
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:8:23 spec.jsonPatch[2].path must look like "/spec/replicas"',
    ],
  },
  {
    name: 'an object instead of a patch',
    files: { 'clusters/team-a/web/patches/p.yaml': 'apiVersion: apps/v1\nkind: Deployment\n' },
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:1:13 apiVersion must be "stackmason.dev/v1alpha1" in this file | This file is of kind Patch: docs/03-configuration.md has its fields.',
      'CONFIG_INVALID_VALUE clusters/team-a/web/patches/p.yaml:2:7 kind must be "Patch" in this file | This file is of kind Patch: docs/03-configuration.md has its fields.',
    ],
  },
  {
    name: 'values files that are none',
    files: {
      'clusters/values/a.yaml': 'a: 1\na: 2\n',
      'clusters/values/b.yaml': '- 1\n',
      'clusters/values/c.yaml': 'secret: [\n',
      'clusters/values/d.yaml': 'a: 1\n---\nb: 2\n',
      'clusters/values/e.yaml': '',
    },
    want: [
      'CONFIG_DUPLICATE_KEY clusters/values/a.yaml:2:1 the key `a` stands twice in this map, first in line 1',
      'CONFIG_WRONG_TYPE clusters/values/b.yaml:1:1 the document must be a map, but is a list | Write it as a map: `name: value`, without a dash before it.',
      'CONFIG_SYNTAX clusters/values/c.yaml:1:9 the list in brackets is not closed, or a comma is missing in it',
      'CONFIG_CONFLICT clusters/values/d.yaml:3:1 a values file must hold one document only',
    ],
  },
  {
    name: 'stacks that are a file',
    files: { 'stacks/scs.yaml': null, stacks: '' },
    want: ['CONFIG_UNKNOWN_FILE stacks nothing reads stacks | Make it a folder: stacks is not read as a file.'],
  },
  {
    name: 'folders that are to be files, and files that are to be folders',
    files: {
      'clusters/addons.yaml/a.yaml': '',
      'clusters/patches': '',
      'clusters/team-a/addons.yaml/a.yaml': '',
      'clusters/team-a/db/cluster.yaml/a.yaml': '',
      'clusters/team-a/web/options.yaml/a.yaml': '',
      'clusters/team-a/web/patches': '',
    },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/addons.yaml nothing reads clusters/addons.yaml | Make it a file: addons.yaml is not read as a folder.',
      'CONFIG_UNKNOWN_FILE clusters/patches nothing reads clusters/patches | Make it a folder: patches is not read as a file.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/addons.yaml nothing reads clusters/team-a/addons.yaml | Make it a file: addons.yaml is not read as a folder.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/db nothing reads clusters/team-a/db | Its cluster.yaml is a folder: make it a file.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/options.yaml nothing reads clusters/team-a/web/options.yaml | Make it a file: options.yaml is not read as a folder.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/patches nothing reads clusters/team-a/web/patches | Make it a folder: patches is not read as a file.',
    ],
  },
  ...(['v1\nkind: List', 'example.com/v1\nkind: ThingList', 'v1\nkind: ConfigMap'] as const).map((type) => ({
    name: `a list beside the Cluster: ${type}`,
    files: {
      'clusters/team-a/web/cluster.yaml': `${soundFleet['clusters/team-a/web/cluster.yaml'] ?? ''}---\napiVersion: ${type}\nmetadata: {name: x}\nitems:\n- apiVersion: cluster.x-k8s.io/v1beta2\n  kind: Cluster\n  metadata: {name: shadow, namespace: team-a}\n`,
    },
    want: [
      'CONFIG_INVALID_VALUE clusters/team-a/web/cluster.yaml:15:1 a list of objects cannot be beside the Cluster | Write each item as a document of its own.',
    ],
  })),
  {
    name: 'a cluster one folder too deep',
    files: { 'clusters/team-a/x/web2/cluster.yaml': soundFleet['clusters/team-a/web/cluster.yaml'] ?? '' },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/team-a/x nothing reads clusters/team-a/x | clusters/team-a/x/web2/cluster.yaml lies one folder too deep. A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.',
    ],
  },
  {
    name: 'a cluster one folder too deep, and misnamed',
    files: { 'clusters/team-a/x/web2/cluster.yml': '' },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/team-a/x nothing reads clusters/team-a/x | clusters/team-a/x/web2/cluster.yml lies one folder too deep. A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.',
    ],
  },
  {
    name: 'a cluster without its namespace, and misnamed',
    files: { 'clusters/db/cluster.yml': '' },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/db/cluster.yml nothing reads clusters/db/cluster.yml | A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.',
    ],
  },
  {
    name: 'options without a cluster',
    files: { 'clusters/team-a/db/options.yaml': '' },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/team-a/db nothing reads clusters/team-a/db | It has no cluster.yaml, so it is not a cluster. Write one, or restore it (`git log` has it). A cluster that is to go is decommissioned first: docs/19-life-of-a-cluster.md#decommission.',
    ],
  },
  {
    name: 'files that nothing reads beside cluster.yaml',
    files: {
      'clusters/team-a/web/value/x.yaml': '',
      'clusters/team-a/web/addons.yml': '',
      'clusters/team-a/web/notes.txt': '',
      'clusters/team-a/web/dashboards/x.json': '',
    },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/addons.yml nothing reads clusters/team-a/web/addons.yml | Did you mean addons.yaml?',
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/value nothing reads clusters/team-a/web/value | Did you mean values/?',
    ],
  },
  {
    name: 'patches in one file',
    files: { 'clusters/patches.yaml': '', 'clusters/team-a/web/patch.yml': '' },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/patches.yaml nothing reads clusters/patches.yaml | Patches lie in patches/<name>.yaml, of kind Patch.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/patch.yml nothing reads clusters/team-a/web/patch.yml | Patches lie in patches/<name>.yaml, of kind Patch.',
    ],
  },
  {
    name: 'values under the name that Helm gives them',
    files: {
      'clusters/values.yaml': '',
      'clusters/team-a/values.yaml': '',
      'clusters/team-a/web/values.yml': '',
    },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/team-a/values.yaml nothing reads clusters/team-a/values.yaml | Values lie in values/<addon>.yaml, a file for each addon.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/web/values.yml nothing reads clusters/team-a/web/values.yml | Values lie in values/<addon>.yaml, a file for each addon.',
      'CONFIG_UNKNOWN_FILE clusters/values.yaml nothing reads clusters/values.yaml | Values lie in values/<addon>.yaml, a file for each addon.',
    ],
  },
  {
    name: 'files that nothing reads above clusters',
    files: {
      'clusters/team-a/db/cluster.yml': '',
      'clusters/team-a/cache/values/x.yaml': '',
      'clusters/team-a/cluster.yaml': '',
      'clusters/cluster.yaml': '',
      'clusters/patch/x.yaml': '',
      'clusters/team-a/stuff/x': '',
    },
    want: [
      'CONFIG_UNKNOWN_FILE clusters/cluster.yaml nothing reads clusters/cluster.yaml | A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.',
      'CONFIG_UNKNOWN_FILE clusters/patch nothing reads clusters/patch | Did you mean patches/?',
      'CONFIG_UNKNOWN_FILE clusters/team-a/cache nothing reads clusters/team-a/cache | It has no cluster.yaml, so it is not a cluster. Write one, or restore it (`git log` has it). A cluster that is to go is decommissioned first: docs/19-life-of-a-cluster.md#decommission.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/cluster.yaml nothing reads clusters/team-a/cluster.yaml | A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.',
      'CONFIG_UNKNOWN_FILE clusters/team-a/db nothing reads clusters/team-a/db | It has no cluster.yaml. Rename cluster.yml to cluster.yaml.',
    ],
  },
  {
    name: 'mistakes in three files',
    files: {
      'stackmason.yaml': fleet('spec:\n  sourcs: []\n'),
      ...stack('"1.34"', '1.34'),
      ...cluster('name: web', 'name: wbe'),
    },
    want: [
      'CONFIG_CONFLICT clusters/team-a/web/cluster.yaml:4:9 metadata.name is "wbe", but the folder is called "web" | Make both the same: clusters/<namespace>/<cluster>/cluster.yaml. A cluster that runs cannot be renamed, nor moved to another namespace: docs/19-life-of-a-cluster.md#another-name-or-namespace.',
      'CONFIG_UNKNOWN_FIELD stackmason.yaml:6:3 unknown field "sourcs" in spec | Did you mean "sources"? Possible here: acknowledged, apiVersions, apiVersionsFromCrds, chartRepositories, check, handoff, helmVersion, instanceLabel, managementCluster, nodeImages, output, publish, requiredVersion, retiredTool, rollouts, scopes, sources, stacks, variableRenames.',
      'CONFIG_WRONG_TYPE stacks/scs.yaml:9:22 spec.kubernetesVersion must be a string, but 1.34 is a number | Put it in quotes: "1.34".',
    ],
  },
]

it.each(rows)('$name', async ({ files, want }) => {
  expect(await problemsOf(await tempFolder(), files)).toEqual(want)
})

it('refuses links that lead out of the repository', async () => {
  const folder = await tempFolder()
  await writeFleet(folder, {})
  const outside = await tempFolder()
  await symlink(outside, join(folder, 'clusters/team-a/web/values'))
  await symlink(join(outside, 'nothing'), join(folder, 'stacks/more.yaml'))
  expect(await problemsOf(folder, {})).toEqual([
    'FILE_OUTSIDE clusters/team-a/web/values clusters/team-a/web/values leads out of the fleet repository | Put a copy of what it leads to in its place.',
    'FILE_UNREADABLE stacks/more.yaml stacks/more.yaml cannot be read: it is a link to something that is not there | Correct the link, or remove it.',
  ])
})
