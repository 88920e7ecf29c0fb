import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type FindingList, type FormatList, openFindings, messageOf } from './finding-list.ts'
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
  const { incomplete } = list
  const all = [...(incomplete === undefined ? [] : [notWhole(incomplete, list)]), ...exceptionIssues(list), ...issues]
  return `${JSON.stringify(all, undefined, 2)}\n`
}

/** Issues for exceptions that a change adds: GitLab shows each at its line. */
function exceptionIssues({ exceptions, file, crypto }: FindingList): readonly object[] {
  return exceptions.added.map(({ text, place }) => ({
    description: `New in this change: ${text}`,
    check_name: 'exceptions',
    fingerprint: crypto.sha256Hex(encodeUtf8(`exceptions\n${text}`)),
    severity: 'major',
    location: { path: place?.file ?? file, lines: { begin: place?.line ?? 1 } },
  }))
}

function notWhole(incomplete: string, { file, crypto }: FindingList): object {
  return {
    description: incomplete,
    check_name: 'incomplete',
    fingerprint: crypto.sha256Hex(encodeUtf8('incomplete')),
    severity: 'blocker',
    location: { path: file, lines: { begin: 1 } },
  }
}
