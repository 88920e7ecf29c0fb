import { parseGoJson } from '../../codec/json/go-json.ts'
import { checkConstraint } from '../../codec/semver/semver-constraint.ts'
import { SemverError } from '../../codec/semver/semver-version.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fieldAt, textAt } from '../../model/field.ts'
import type { PackageFiles } from '../../model/ports.ts'
import type { ConfigDocument } from './config-document.ts'

const PATH = ['spec', 'requiredVersion'] as const

/**
 * Compares `spec.requiredVersion` with the version of the program. It comes before everything else in the file, and
 * alone: another version may have other fields.
 * @throws StackmasonError VERSION_REFUSED, CONFIG_INVALID_VALUE for a text that is no range
 */
export async function checkRequiredVersion(document: ConfigDocument, packageFiles: PackageFiles): Promise<void> {
  const wanted = fieldAt(document.value, ...PATH)
  if (typeof wanted !== 'string') return
  const version = textAt(parseGoJson(decodeUtf8(await packageFiles.read('package.json'))), 'version')
  const at = document.spanOf(PATH)
  if (isAllowed(wanted, version)) return
  if (!isRange(wanted)) {
    throw new StackmasonError({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `spec.requiredVersion is not a range of versions: ${JSON.stringify(wanted)}`,
      at,
      hint: 'Write it as in package.json: "~0.1.0", ">=0.1.0 <0.3.0", or one version.',
    })
  }
  throw new StackmasonError({
    code: 'VERSION_REFUSED',
    severity: 'error',
    message: `this is stackmason ${version}, and the fleet requires ${wanted}`,
    at,
    hint: `Run a version that it allows, e.g. npx stackmason@'${wanted}'. To move the fleet to ${version}, change spec.requiredVersion, render, and commit both.`,
  })
}

function isAllowed(range: string, version: string): boolean {
  try {
    return checkConstraint(range, version)
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
}

function isRange(text: string): boolean {
  try {
    checkConstraint(text, '0.0.0')
    return true
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
}
