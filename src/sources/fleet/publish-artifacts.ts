import { resolvePath } from '../../codec/path.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { ArtifactConfig, ArtifactSigning } from '../../model/publish-config.ts'
import type { Value } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { readAccess } from './source-configs.ts'

const PATH = ['spec', 'publish', 'oci'] as const

/** `spec.publish.oci`, checked by the schema before; undefined where the fleet has none. */
export async function readArtifacts(document: ConfigDocument, reading: Reading): Promise<ArtifactConfig | undefined> {
  const value = fieldAt(document.value, ...PATH)
  if (value === undefined) return undefined
  const [host = '', ...path] = textAt(value, 'repository').split('/')
  const artifacts = textAt(value, 'artifacts') === 'units' ? 'units' : 'fleet'
  if (artifacts === 'units' && fieldAt(document.value, 'spec', 'handoff', 'flux') === undefined) {
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message:
        'spec.publish.oci.artifacts: artifacts of units are pinned by objects of Flux, and the fleet is not handed over to Flux',
      at: document.spanOf([...PATH, 'artifacts']),
      hint: 'Set spec.handoff.flux, or publish one artifact of the whole tree (artifacts: fleet).',
    })
  }
  const signing = readSigning(fieldAt(value, 'signing'), reading)
  const tags = itemsAt(value, 'tags').filter((tag) => tag === 'branch' || tag === 'commit')
  const [secretName, verifySecretName] = ['secretName', 'verifySecretName'].map((name) => textAt(value, 'flux', name))
  return {
    ...(await readAccess({ value, path: PATH, document, reading }, [])),
    host,
    repository: path.join('/'),
    artifacts,
    tags: fieldAt(value, 'tags') === undefined ? ['branch', 'commit'] : tags,
    signing,
    flux: {
      secretName: secretName || undefined,
      verifySecretName: verifySecretName || undefined,
      interval: textAt(value, 'flux', 'interval') || '1h',
    },
    at: document.spanOf([...PATH, 'repository']),
  }
}

/** The key is not looked for: whoever renders does not have it. */
function readSigning(value: Value | undefined, { root }: Reading): ArtifactSigning | undefined {
  if (value === undefined) return undefined
  const [file, variable] = [textAt(value, 'keyFile'), textAt(value, 'keyFrom')]
  return {
    keyFile: file === '' ? undefined : resolvePath(root, file),
    keyVariable: variable || undefined,
    passwordVariable: textAt(value, 'passwordFrom') || 'COSIGN_PASSWORD',
  }
}
