import { describe, expect, test } from 'vitest'
import { applyRow, type AppliedRow } from '../../src/build/apply-row.ts'
import { parseStackDocument } from '../../src/build/stack-document.ts'
import { parseVersionTable } from '../../src/build/version-table.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { changed, type FileMap, singleFolder, stagesFolder } from '../../tools/fleets/stack-folder.ts'
import { formatDiagnostic, problemsOf } from '../sources/release/support.ts'
import { stackFolder, textsOf } from './stack-files.ts'

const chart = (name: string, version: string, ...dependencies: readonly string[]): string =>
  `# ${name}\nname: ${name}\nversion: ${version}\ndependencies:\n${dependencies.map((text) => `  - ${text}\n`).join('')}`

const stack: FileMap = changed(stagesFolder, {
  'csctl.yaml': 'apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1\nconfig:\n  kubernetesVersion: v1.30.4 # tested\n',
  'cluster-addon/ccm/Chart.yaml': chart('CCM', 'v1', '{name: openstack-cloud-controller-manager, version: "2.30.1"}'),
  'cluster-addon/cni/Chart.yaml': chart(
    'CNI',
    'v1',
    '{name: cilium, version: 1.18.9}',
    '{name: extra, version: 1.0.0}',
  ),
  'cluster-addon/cni/Chart.lock': 'lock',
  'cluster-addon/cni/charts/cilium-1.18.9.tgz': 'packed',
  'cluster-addon/cni/charts/cilium/Chart.yaml': 'unpacked',
  'cluster-addon/cni/charts/cilium-extra-1.0.0.tgz': 'another',
  'cluster-addon/cni/charts/extra-1.0.0.tgz': 'other',
})

function apply(row: string, files: FileMap = stack, tag = 'docker-demo-1-30-v1'): AppliedRow {
  const [first] = parseVersionTable({ name: 'versions.yaml', bytes: encodeUtf8(row) })
  if (first === undefined) throw new Error('no row')
  return applyRow(stackFolder(files, tag), first)
}

/** The files that differ from the provider directory's, by path; undefined for those that are gone. */
function changes({ folder }: AppliedRow, files: FileMap): Readonly<Record<string, string | undefined>> {
  const after = textsOf(folder.files)
  return Object.fromEntries(
    Object.keys(files).flatMap((path) => (after[path] === files[path] ? [] : [[path, after[path]]])),
  )
}

describe('a row', () => {
  test('sets the Kubernetes version, the name of the class and the versions of charts', () => {
    const applied = apply('- kubernetes: 1.31.2\n  occm: 2.31.5\n')
    expect(applied.folder).toMatchObject({
      kubernetesVersion: 'v1.31.2',
      name: { kubernetes: { major: 1, minor: 31 } },
    })
    expect(applied.findings).toEqual([])
    expect(changes(applied, stack)).toEqual({
      'csctl.yaml':
        'apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1\nconfig:\n  kubernetesVersion: v1.31.2 # tested\n',
      'cluster-class/Chart.yaml': 'apiVersion: v2\nname: docker-demo-1-31-cluster-class\nversion: v1\n',
      'cluster-addon/ccm/Chart.yaml': chart(
        'CCM',
        'v1',
        '{name: openstack-cloud-controller-manager, version: "2.31.5"}',
      ),
    })
  })

  test('that says what is there changes nothing', () => {
    expect(changes(apply('- kubernetes: 1.30.4\n  occm: 2.30.1\n  dependencies: {cilium: 1.18.9}\n'), stack)).toEqual(
      {},
    )
  })

  test('leaves out the vendored copy of what it replaces, and says so', () => {
    const applied = apply('- kubernetes: 1.30.4\n  dependencies: {cilium: 1.19.x}\n')
    expect(changes(applied, stack)).toEqual({
      'cluster-addon/cni/Chart.yaml': chart(
        'CNI',
        'v1',
        '{name: cilium, version: 1.19.x}',
        '{name: extra, version: 1.0.0}',
      ),
      'cluster-addon/cni/Chart.lock': undefined,
      'cluster-addon/cni/charts/cilium-1.18.9.tgz': undefined,
      'cluster-addon/cni/charts/cilium/Chart.yaml': undefined,
    })
    expect(applied.findings.map(formatDiagnostic)).toEqual([
      'BUILD_INPUT_INVALID dir/cluster-addon/cni/Chart.yaml for Kubernetes v1.30.4 addon cni is built without the copy in its charts/ folder, which is not of version 1.19.x',
    ])
  })

  test('by addon means its only dependency', () => {
    const applied = apply('- kubernetes: 1.30.4\n  addons: {ccm: 2.30.9}\n')
    expect(Object.keys(changes(applied, stack))).toEqual(['cluster-addon/ccm/Chart.yaml'])
  })

  test('names both charts of the old form', () => {
    const files = changed(singleFolder, {
      'csctl.yaml': 'config: {kubernetesVersion: v1.27.7}\n',
      'csmctl.yaml': undefined,
      'cluster-addon/Chart.yaml': chart(
        'docker-old-1-27-cluster-addon',
        'v1',
        '{name: openstack-cinder-csi, version: 1.0.0}',
      ),
    })
    expect(changes(apply('- kubernetes: 1.28.1\n  cinder_csi: 2.0.0\n', files, 'docker-old-1-27-v1'), files)).toEqual({
      'csctl.yaml': 'config: {kubernetesVersion: v1.28.1}\n',
      'cluster-class/Chart.yaml':
        'apiVersion: v2\nname: docker-old-1-28-cluster-class\nversion: << .ClusterClassVersion >>\n',
      'cluster-addon/Chart.yaml': chart(
        'docker-old-1-28-cluster-addon',
        'v1',
        '{name: openstack-cinder-csi, version: 2.0.0}',
      ).replace('# docker-old-1-28', '# docker-old-1-27'),
    })
  })

  test('is refused with all that has no place', async () => {
    const row =
      '- kubernetes: 1.30.4\n  cinder_csi: 1.0.0\n  dependencies: {ciliun: 1.0.0}\n  addons: {cni: 1.0.0, csi: 1.0.0}\n'
    expect(await problemsOf(() => apply(row))).toEqual([
      'BUILD_INPUT_INVALID versions.yaml:2:15 no addon depends on a chart "openstack-cinder-csi"',
      'BUILD_INPUT_INVALID versions.yaml:3:26 no addon depends on a chart "ciliun"',
      'BUILD_INPUT_INVALID versions.yaml:4:17 addon "cni" has 2 dependencies, so it must be said which of them is meant',
      'BUILD_INPUT_INVALID versions.yaml:4:29 there is no addon "csi"',
    ])
  })
})

describe('stack.yaml', () => {
  const parse = (text: string): ReturnType<typeof parseStackDocument> =>
    parseStackDocument({ name: 'stack.yaml', bytes: encodeUtf8(text) })

  test('is a configuration and a row in one', () => {
    const {
      provider,
      stack: name,
      row,
    } = parse(
      'provider: openstack\nclusterStackName: scs\nkubernetesVersion: 1.34.6\naddons:\n  ccm: 2.34.x\n  csi: 2.34.x\n',
    )
    expect([provider, name, row.kubernetesVersion, row.kubernetes]).toEqual([
      'openstack',
      'scs',
      'v1.34.6',
      { major: 1, minor: 34 },
    ])
    expect(row.dependencies.map(({ of, version }) => [of, version])).toEqual([
      [{ addon: 'ccm' }, '2.34.x'],
      [{ addon: 'csi' }, '2.34.x'],
    ])
  })

  test.each([
    {
      text: 'provider: open-stack\n',
      want: 'BUILD_INPUT_INVALID stack.yaml:1:11 provider must hold a-z and 0-9 only, because release names are split at dashes',
    },
    {
      text: 'provider: a\nclusterStackName: b\nkubernetesVersion: 1.34\n',
      want: 'BUILD_INPUT_INVALID stack.yaml:3:20 kubernetesVersion must be a full version such as 1.34.7',
    },
    {
      text: 'provider: a\nclusterStackName: b\nkubernetesVersion: 1.34.1\naddons: {x: 1.0}\n',
      want: 'BUILD_INPUT_INVALID stack.yaml:4:13 addons.x must be a version as text',
    },
    {
      text: 'provider: a\nclusterStackName: b\nkubernetesVersion: 1.34.1\naddons: [x]\n',
      want: 'BUILD_INPUT_INVALID stack.yaml:4:9 addons must be a map of addons and versions',
    },
  ])('is refused: $want', async ({ text, want }) => {
    expect(await problemsOf(() => parse(text))).toEqual([want])
  })
})
