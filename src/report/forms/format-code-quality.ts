import { type FormatList, openFindings, messageOf } from './finding-list.ts'
import { fingerprints } from './fingerprints.ts'

const severities = { error: 'critical', warning: 'minor', note: 'info' } as const

/** The findings as GitLab's code quality report, which a merge request shows at their lines. */
export const formatCodeQuality: FormatList = (list) => {
  const fingerprint = fingerprints(list)
  const issues = openFindings(list).map((finding) => {
    const { code, severity, place, hint } = finding
    return {
      description: `${messageOf(finding)}: ${hint}`,
      check_name: code,
      fingerprint: fingerprint(finding),
      severity: severities[severity],
      location: { path: place?.file ?? list.file, lines: { begin: place?.line ?? 1 } },
    }
  })
  return `${JSON.stringify(issues, undefined, 2)}\n`
}
