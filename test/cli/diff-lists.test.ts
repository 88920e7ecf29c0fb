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

test.each(rows)('a list $name', async ({ change, shown }) => {
  const folder = await tempFolder()
  const [before, after] = [new FleetFolder(join(folder, 'a')), new FleetFolder(join(folder, 'b'))]
  before.change(tree)
  after.change(tree)
  after.change(change)
  const { stdout } = await runCli(['diff', './a', './b', '--all'], { cwd: folder })
  expect(stdout.split('\n').filter((line) => /^ {2}[-~+] |^ {2}(?:changed|removed|added) /.test(line))).toEqual(shown)
})
