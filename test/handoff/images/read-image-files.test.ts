import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/manifest-yaml.ts'
import { readImageFiles } from '../../../src/handoff/images/read-image-files.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { sharedFolder } from '../../support/shared.ts'

const credentials = { secretName: 'openstack', cloudName: 'openstack' }
const read = (text: string): ReturnType<typeof readImageFiles> =>
  readImageFiles([{ name: 'x.yaml', text }], credentials)

describe('readImageFiles', () => {
  it('reads entries of the image manager', () => {
    const images = read(
      `images:
  - name: node
    min_disk: 20
    min_ram: 0
    separator: "-"
    meta: {architecture: x86_64, hw_disk_bus: scsi, hw_rng_model: virtio, hypervisor_type: qemu, os_distro: ubuntu, os_purpose: k8snode}
    versions:
      - {version: v1.34.7, url: "https://images.example/a.qcow2", checksum: "sha256:ab"}
      - {version: v1.34.8, url: "https://images.example/b.raw"}
      - {version: no url}
  - {name: off, enable: false, separator: "-", versions: [{version: v1.34.7, url: "https://images.example/a.qcow2"}]}
`,
    )
    expect(images.map(({ name }) => name)).toEqual(['node-v1.34.7', 'node-v1.34.8'])
    expect(formatManifestYaml(images[0]?.object ?? fail())).toBe(
      [
        'apiVersion: openstack.k-orc.cloud/v1alpha1',
        'kind: Image',
        'metadata:',
        '  name: node-v1.34.7',
        'spec:',
        '  cloudCredentialsRef:',
        '    cloudName: openstack',
        '    secretName: openstack',
        '  managementPolicy: managed',
        '  resource:',
        '    content:',
        '      diskFormat: qcow2',
        '      download:',
        '        hash:',
        '          algorithm: sha256',
        '          value: ab',
        '        url: https://images.example/a.qcow2',
        '    properties:',
        '      architecture: x86_64',
        '      hardware:',
        '        diskBus: scsi',
        '        rngModel: virtio',
        '      hypervisorType: qemu',
        '      minDiskGB: 20',
        '      operatingSystem:',
        '        distro: ubuntu',
        '    visibility: private',
        '',
      ].join('\n'),
    )
    expect(formatManifestYaml(images[1]?.object ?? fail())).toContain('diskFormat: raw')
  })

  it('reads what the older operator read', () => {
    const [image] = read(
      'openStackNodeImages:\n  - {url: "https://images.example/a.qcow2", createOpts: {name: node-v1.30.2, disk_format: qcow2, visibility: shared}}\n',
    )
    expect(image?.name).toBe('node-v1.30.2')
    expect(formatManifestYaml(image?.object ?? fail())).toContain('visibility: shared')
  })

  it('passes over what is no image', () => {
    expect(
      read('apiVersion: v1\nkind: Secret\nmetadata: {name: openstack}\n---\n- 1\n---\ndockerImages: [a]\n'),
    ).toEqual([])
  })

  it('refuses what is no YAML', () => {
    expect(() => read('images: [')).toThrow(StackmasonError)
  })

  const shared = sharedFolder()
  if (shared === undefined) console.warn('SKIPPED: real files about images: no ../shared')
  it.runIf(shared !== undefined)('reads the files of a real stack to the same image', async () => {
    const folder = join(shared ?? '', 'cluster-stacks/providers/openstack/scs2')
    const file = async (name: string): Promise<ReturnType<typeof readImageFiles>> =>
      readImageFiles([{ name, text: await readFile(join(folder, name), 'utf8') }], credentials)
    const [image] = await file('image.yaml')
    expect(image?.name).toBe('ubuntu-capi-image-v1.34.7')
    const same = (await file('kubernetes.yaml')).find(({ name }) => name === image?.name)
    const download = (text: string): string | undefined => /download:(?:\n {8,}.*)+/.exec(text)?.[0]
    expect(download(formatManifestYaml(same?.object ?? fail()))).toBe(
      download(formatManifestYaml(image?.object ?? fail())),
    )
  })
})

function fail(): never {
  throw new Error('there is no such image')
}
