import { findPlaintext } from '../../handoff/secrets/find-plaintext.ts'
import { clusterSubject, type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import { formatTag } from '../../model/release-name.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { ExpandedFolders } from './expanded-unit.ts'

/**
 * Secrets that stand readable in what is rendered of a fleet without a GitOps tool. They stop nothing: the tree may
 * never be committed (docs/decisions/0012).
 */
export function findReadable({ rendered, isKept, unit, locator }: ExpandedFolders): readonly Diagnostic[] {
  if (isKept) return []
  const [first] = rendered
  const folder = first === undefined ? undefined : parseTreeFolder(first.path)
  const release =
    unit?.kind === 'rendered' ? formatTag(unit.inputs.release.name) : folder?.kind === 'stack' ? folder.tag : ''
  const cluster = unit?.kind === 'rendered' ? { cluster: unit.cluster } : {}
  const about = unit === undefined ? { release } : clusterSubject(unit.cluster)
  return findPlaintext(rendered, { release, ...cluster }).map((finding) =>
    locateFinding(withSubject({ ...finding, severity: 'warning' }, about), locator),
  )
}
