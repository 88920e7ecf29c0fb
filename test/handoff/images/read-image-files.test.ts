import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { readImageFiles } from '../../../src/handoff/images/read-image-files.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'

const credentials = { secretName: 'openstack', cloudName: 'openstack' }
const read = (text: string): ReturnType<typeof readImageFiles>['images'] =>
  readImageFiles([{ name: 'x.yaml', text }], credentials).images

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

  it('takes no Image object with a list of items, which would be applied instead', () => {
    const text =
      'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: a}\nitems: [{apiVersion: v1, kind: Secret}]\n'
    const { images, findings } = readImageFiles([{ name: 'x.yaml', text }], credentials)
    expect(images).toEqual([])
    expect(findings.map(({ code, message, at }) => [code, message, at?.start])).toEqual([
      ['NODE_IMAGE_SKIPPED', 'an Image object with a list of items gives no node image', text.indexOf('[')],
    ])
  })

  it('reads what the older operator read', () => {
    const [image] = read(
      'openStackNodeImages:\n  - {url: "https://images.example/a.qcow2", createOpts: {name: node-v1.30.2, disk_format: qcow2, visibility: shared}}\n',
    )
    expect(image?.name).toBe('node-v1.30.2')
    expect(formatManifestYaml(image?.object ?? fail())).toContain('visibility: shared')
  })

  it('carries every option that an Image object has a field for, and names the others', () => {
    const [image] = read(
      'openStackNodeImages:\n  - {url: "https://images.example/a.qcow2", createOpts: {name: node-v1.30.2, visibility: public, protected: true, tags: [a, b, a], min_disk: 20, min_ram: 2048, hidden: true, container_format: ovf, properties: {os_distro: ubuntu, hw_disk_bus: scsi, hw_qemu_guest_agent: "yes"}}}\n',
    )
    const [, resource = ''] = formatManifestYaml(image?.object ?? fail()).split('  resource:\n')
    expect(resource).toBe(
      [
        '    content:',
        '      diskFormat: qcow2',
        '      download:',
        '        url: https://images.example/a.qcow2',
        '    properties:',
        '      hardware:',
        '        diskBus: scsi',
        '      minDiskGB: 20',
        '      minMemoryMB: 2048',
        '      operatingSystem:',
        '        distro: ubuntu',
        '    protected: true',
        '    tags:',
        '    - a',
        '    - b',
        '    visibility: public',
        '',
      ].join('\n'),
    )
    expect(image?.notes).toEqual([
      'it has no checksum, so nobody would notice that its address gives something else',
      '`hidden` has no field in an Image object',
      '`container_format` has no field in an Image object',
      '`properties.hw_qemu_guest_agent` has no field in an Image object',
    ])
    const [managed] = read(
      'images:\n  - {name: node, separator: "-", visibility: public, tags: [x], meta: {hw_watchdog_action: reset, os_purpose: k8snode}, versions: [{version: v1.34.7, url: "https://images.example/a.qcow2", checksum: "crc:1"}]}\n',
    )
    const text = formatManifestYaml(managed?.object ?? fail())
    expect([text.includes('tags:\n    - x\n'), text.includes('visibility: private')]).toEqual([true, true])
    expect(managed?.notes).toEqual([
      'its checksum is not of a form that can be checked',
      '`visibility: public` is for the operator of the cloud; a project that uploads the image itself has it as private',
      '`hw_watchdog_action` has no field in an Image object',
    ])
  })

  it('gives a name that is none of an object to the cloud, and the object one that it can have', () => {
    const rows = [
      ['Ubuntu 24.04 v1.34.7', 'ubuntu-24.04-v1.34.7'],
      ['node_v1.34.7', 'node-v1.34.7'],
      ['Ü', 'image'],
      ['node-v1.34.7', 'node-v1.34.7'],
    ] as const
    for (const [cloud, name] of rows) {
      const [image] = read(
        `openStackNodeImages:\n  - {url: "https://images.example/a.qcow2", createOpts: {name: ${cloud}}}\n`,
      )
      expect([cloud, image?.name]).toEqual([cloud, name])
      const said = /\n {4}name: (.*)\n/.exec(formatManifestYaml(image?.object ?? fail()))?.[1]
      expect(said).toBe(cloud === name ? undefined : cloud)
    }
    const [managed] = read(
      'images:\n  - {name: Ubuntu CAPI, versions: [{version: v1.34.7, url: "https://images.example/a.qcow2", checksum: "sha256:ab"}]}\n',
    )
    expect([managed?.name, managed?.notes]).toEqual(['ubuntu-capi-v1.34.7', []])
  })

  it('says which entries give no image', () => {
    const { images, findings } = readImageFiles(
      [
        {
          name: 'node-images.yaml',
          text: 'openStackNodeImages:\n- {createOpts: {name: a}}\n- {url: "https://x.example/a"}\n- {url: "https://x.example/a", createOpts: {name: "a,b"}}\n---\nimages:\n- {name: n, versions: [{version: v1}]}\n',
        },
      ],
      credentials,
    )
    expect(images).toEqual([])
    expect(findings.map(({ code, message, at }) => [code, message, at?.source.name])).toEqual([
      ['NODE_IMAGE_SKIPPED', 'node image "a" has no url, so it is not taken', 'node-images.yaml'],
      ['NODE_IMAGE_SKIPPED', 'a node image without a name is not taken', 'node-images.yaml'],
      [
        'NODE_IMAGE_SKIPPED',
        'node image "a,b" is not taken: an Image object cannot have that name in the cloud',
        'node-images.yaml',
      ],
      ['NODE_IMAGE_SKIPPED', 'node image "n v1" has no url, so it is not taken', 'node-images.yaml'],
    ])
  })

  it('passes over what is not an image', () => {
    expect(
      read('apiVersion: v1\nkind: Secret\nmetadata: {name: openstack}\n---\n- 1\n---\ndockerImages: [a]\n'),
    ).toEqual([])
  })

  it('refuses what is not YAML', () => {
    expect(() => read('images: [')).toThrow(StackmasonError)
  })

  const shared = sharedFolder()
  if (shared === undefined) console.warn('SKIPPED: real files about images: no ../shared')
  it.runIf(shared !== undefined)('reads the files of a real stack to the same image', async () => {
    const folder = join(shared ?? '', 'cluster-stacks/providers/openstack/scs2')
    const file = async (name: string): Promise<ReturnType<typeof readImageFiles>['images']> =>
      readImageFiles([{ name, text: await readFile(join(folder, name), 'utf8') }], credentials).images
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
