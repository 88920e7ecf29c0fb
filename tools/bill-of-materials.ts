import { ComponentType, ExternalReferenceType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums'
import {
  Bom,
  Component,
  ExternalReference,
  ExternalReferenceRepository,
  HashDictionary,
  LicenseExpression,
  LicenseRepository,
} from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import type { ThirdParty } from './third-party.ts'

/** What an executable holds besides the bundle: a Node, and what that is made of, by name. */
export type RuntimeVersions = Readonly<Record<string, string>>

/**
 * The bill of materials of a release as JSON of CycloneDX 1.6: what is in the npm package, and with a runtime, what is in
 * the executables. It has no time and no serial number, so that equal releases have equal bills.
 */
export function billOf(version: string, packages: readonly ThirdParty[], runtime?: RuntimeVersions): string {
  const bom = new Bom()
  const program = new Component(ComponentType.Application, 'stackmason', {
    bomRef: `pkg:npm/stackmason@${version}`,
    version,
    purl: `pkg:npm/stackmason@${version}`,
    licenses: new LicenseRepository([new LicenseExpression('Apache-2.0')]),
  })
  bom.metadata.component = program
  for (const component of [...packages.map(componentOf), ...(runtime === undefined ? [] : partsOf(runtime))]) {
    bom.components.add(component)
    program.dependencies.add(component.bomRef)
  }
  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6))
  return `${serializer.serialize(bom, { space: 2, sortLists: true })}\n`
}

function componentOf({ name, version, licence, integrity, folder }: ThirdParty): Component {
  const [scope, rest] = name.startsWith('@') ? name.split('/') : ['', name]
  const purl = `pkg:npm/${scope === '' ? '' : `${encodeURIComponent(scope ?? '')}/`}${rest ?? ''}@${version}`
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  const archive = `https://registry.npmjs.org/${name}/-/${rest ?? ''}-${version}.tgz`
  return new Component(ComponentType.Library, name, {
    bomRef: folder,
    version,
    purl,
    licenses: new LicenseRepository([new LicenseExpression(licence)]),
    // of the archive in the registry, of which the bundle holds a part
    externalReferences: new ExternalReferenceRepository([
      new ExternalReference(archive, ExternalReferenceType.Distribution, {
        hashes: new HashDictionary([[HashAlgorithm['SHA-512'], sha512]]),
      }),
    ]),
  })
}

function partsOf(runtime: RuntimeVersions): readonly Component[] {
  return Object.entries(runtime)
    .filter(([, version]) => /^\d+\./.test(version))
    .map(([name, version]) => {
      const purl = `pkg:generic/${encodeURIComponent(name)}@${encodeURIComponent(version)}`
      return new Component(name === 'node' ? ComponentType.Platform : ComponentType.Library, name, {
        bomRef: purl,
        version,
        purl,
      })
    })
}
