import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const ADDONS = 'clusters/team/one/addons'
const list = (...names: readonly string[]): string =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [${names.join(', ')}]\n`
const map = (name: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}}\n`

const tree = {
  [`${ADDONS}/kustomization.yaml`]: list('01-cni', '02-csi'),
  [`${ADDONS}/01-cni/kustomization.yaml`]: list('configmap-a.yaml'),
  [`${ADDONS}/01-cni/configmap-a.yaml`]: map('a'),
  [`${ADDONS}/02-csi/kustomization.yaml`]: list('configmap-b.yaml'),
  [`${ADDONS}/02-csi/configmap-b.yaml`]: map('b'),
}

interface Row {
  readonly name: string
  /** Files that the old tree has besides. */
  readonly before?: Readonly<Record<string, string>>
  readonly change: Readonly<Record<string, string | null>>
  /** Lines of the output. */
  readonly shown: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'that no longer names a folder',
    change: { [`${ADDONS}/kustomization.yaml`]: list('01-cni') },
    shown: ['  - ConfigMap default/b  (deletes)'],
  },
  {
    name: 'that names nothing any more',
    change: { [`${ADDONS}/02-csi/kustomization.yaml`]: list() },
    shown: ['  - ConfigMap default/b  (deletes)'],
  },
  {
    name: 'that names an address besides',
    change: { [`${ADDONS}/02-csi/kustomization.yaml`]: list('configmap-b.yaml', 'https://example.com/x.yaml') },
    shown: [
      `  changed ${ADDONS}/02-csi/kustomization.yaml: it lists https://example.com/x.yaml, which is not in the tree`,
    ],
  },
  {
    name: 'that named an address and names two more',
    before: { [`${ADDONS}/02-csi/kustomization.yaml`]: list('configmap-b.yaml', 'https://example.com/x.yaml') },
    change: {
      [`${ADDONS}/02-csi/kustomization.yaml`]: list(
        'configmap-b.yaml',
        'https://example.com/x.yaml',
        'https://example.com/y.yaml',
        'github.com/a/b//c',
      ),
    },
    shown: [
      `  changed ${ADDONS}/02-csi/kustomization.yaml: it lists https://example.com/y.yaml and 1 more, which are not in the tree`,
    ],
  },
  {
    name: 'that is new and names an address',
    change: { [`${ADDONS}/03-dns/kustomization.yaml`]: list('https://example.com/x.yaml') },
    shown: [
      `  added ${ADDONS}/03-dns/kustomization.yaml: it lists https://example.com/x.yaml, which is not in the tree`,
    ],
  },
  {
    name: 'that is new and names what is there',
    change: {
      [`${ADDONS}/03-dns/kustomization.yaml`]: list('configmap-c.yaml'),
      [`${ADDONS}/03-dns/configmap-c.yaml`]: map('c'),
    },
    shown: ['  + ConfigMap default/c'],
  },
  {
    name: 'of people at the top that names an address besides folders',
    before: { 'kustomization.yaml': list('./clusters') },
    change: { 'kustomization.yaml': list('./clusters', 'https://example.com/x.yaml') },
    shown: ['  changed kustomization.yaml: it lists https://example.com/x.yaml, which is not in the tree'],
  },
  {
    name: 'of people that changes what it does to all',
    before: { 'clusters/team/kustomization.yaml': list('one') },
    change: { 'clusters/team/kustomization.yaml': `${list('one')}namePrefix: x-\n` },
    shown: ['  changed clusters/team/kustomization.yaml: it is no file of a rendered tree'],
  },
  {
    name: 'that is gone, unlike what it named',
    change: { [`${ADDONS}/02-csi/kustomization.yaml`]: null },
    shown: [`  removed ${ADDONS}/02-csi/kustomization.yaml: without it nothing beside it is built`],
  },
  {
    name: 'in another order',
    change: { [`${ADDONS}/kustomization.yaml`]: list('./02-csi', './01-cni') },
    shown: [],
  },
]

test.each(rows)('a list $name', async ({ before: besides = {}, change, shown }) => {
  const folder = await tempFolder()
  const [before, after] = [new FleetFolder(join(folder, 'a')), new FleetFolder(join(folder, 'b'))]
  before.change({ ...tree, ...besides })
  after.change({ ...tree, ...besides })
  after.change(change)
  const { stdout } = await runCli(['diff', './a', './b', '--all'], { cwd: folder })
  expect(stdout.split('\n').filter((line) => /^ {2}[-~+] |^ {2}(?:changed|removed|added) /.test(line))).toEqual(shown)
})
