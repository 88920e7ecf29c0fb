import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parseImageReference } from '../../src/model/image-reference.ts'
import { type BilledImage, formatCycloneDx } from '../../src/report/format-cyclonedx.ts'

const library = dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'))

/** True if a text is a bill of materials by the schemas of CycloneDX. */
function isValid(text: string): boolean {
  const load = (name: string): object => {
    const schema: object = JSON.parse(readFileSync(join(library, 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'))
    return schema
  }
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(load(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  return ajv.compile(load('bom-1.6'))(JSON.parse(text)) === true
}

function image(text: string, more: Partial<BilledImage> = {}): BilledImage {
  const reference = parseImageReference(text)
  if (reference === undefined) throw new Error(text)
  return { reference, use: 'run', clusters: ['team-a/web'], facts: [], ...more }
}

const SHA = '0a'.repeat(32)
const bill = {
  name: 'production',
  version: '1.2.3',
  clusters: ['team-a/edge', 'team-a/web'],
  images: [
    image('nginx:1.27', {
      clusters: ['team-a/edge', 'team-a/web'],
      facts: [
        ['addon', 'cni'],
        ['object', 'DaemonSet kube-system/agent'],
      ],
    }),
    image(`registry.example:5000/org/agent:v1@sha256:${SHA}`),
    image(`quay.io/org/thing@sha512:${SHA}${SHA}`, { use: 'mentioned', clusters: [] }),
    image('quay.io/org/other'),
  ],
}

describe('a bill of materials', () => {
  test('is valid by the schema of CycloneDX 1.6, the same each time, and has no time and no serial number', () => {
    const text = formatCycloneDx(bill)
    expect(isValid(text)).toBe(true)
    expect(isValid(text.replace('"container"', '"vessel"'))).toBe(false)
    expect(formatCycloneDx(bill)).toBe(text)
    expect(text).not.toMatch(/timestamp|serialNumber/)
    expect(text.endsWith('}\n')).toBe(true)
  })

  test('says what runs where', () => {
    const {
      components,
      dependencies,
    }: { readonly components: readonly object[]; readonly dependencies: readonly object[] } = JSON.parse(
      formatCycloneDx(bill),
    )
    expect(components.slice(2)).toEqual([
      {
        type: 'container',
        name: 'docker.io/library/nginx',
        version: '1.27',
        'bom-ref': 'image:docker.io/library/nginx:1.27',
        scope: 'required',
        purl: 'pkg:oci/nginx?repository_url=docker.io%2Flibrary%2Fnginx&tag=1.27',
        properties: [
          { name: 'stackmason:use', value: 'run' },
          { name: 'stackmason:addon', value: 'cni' },
          { name: 'stackmason:object', value: 'DaemonSet kube-system/agent' },
        ],
      },
      {
        type: 'container',
        name: 'registry.example:5000/org/agent',
        version: 'v1',
        'bom-ref': `image:registry.example:5000/org/agent:v1@sha256:${SHA}`,
        scope: 'required',
        hashes: [{ alg: 'SHA-256', content: SHA }],
        purl: `pkg:oci/agent@sha256%3A${SHA}?repository_url=registry.example%3A5000%2Forg%2Fagent&tag=v1`,
        properties: [{ name: 'stackmason:use', value: 'run' }],
      },
      {
        type: 'container',
        name: 'quay.io/org/thing',
        version: `sha512:${SHA}${SHA}`,
        'bom-ref': `image:quay.io/org/thing@sha512:${SHA}${SHA}`,
        scope: 'optional',
        hashes: [{ alg: 'SHA-512', content: SHA + SHA }],
        purl: `pkg:oci/thing@sha512%3A${SHA}${SHA}?repository_url=quay.io%2Forg%2Fthing`,
        properties: [{ name: 'stackmason:use', value: 'mentioned' }],
      },
      {
        type: 'container',
        name: 'quay.io/org/other',
        version: 'latest',
        'bom-ref': 'image:quay.io/org/other:latest',
        scope: 'required',
        purl: 'pkg:oci/other?repository_url=quay.io%2Forg%2Fother&tag=latest',
        properties: [{ name: 'stackmason:use', value: 'run' }],
      },
    ])
    expect(dependencies.filter((entry) => 'dependsOn' in entry)).toEqual([
      {
        ref: 'fleet:production',
        dependsOn: ['cluster:team-a/edge', 'cluster:team-a/web', `image:quay.io/org/thing@sha512:${SHA}${SHA}`],
      },
      { ref: 'cluster:team-a/edge', dependsOn: ['image:docker.io/library/nginx:1.27'] },
      {
        ref: 'cluster:team-a/web',
        dependsOn: [
          'image:docker.io/library/nginx:1.27',
          `image:registry.example:5000/org/agent:v1@sha256:${SHA}`,
          'image:quay.io/org/other:latest',
        ],
      },
    ])
  })

  test('takes a fleet of nothing, and odd names', () => {
    expect(isValid(formatCycloneDx({ name: '', version: '', clusters: [], images: [] }))).toBe(true)
    const odd = formatCycloneDx({ ...bill, name: '__proto__', clusters: ['constructor/__proto__', 'team-a/web'] })
    expect(isValid(odd)).toBe(true)
    expect(odd).toContain('"cluster:constructor/__proto__"')
  })
})
