/** Characters at the beginning by which a report is known. */
const BEGINNING = 8000
/** Lines that are looked at of a form that is nothing but lines. */
const LINES = 20

/** The beginnings of the forms, or texts near them. */
const marks: readonly RegExp[] = [
  // the envelope of JSON reports; files that people write have other kinds
  /^\{\s*"apiVersion": "stackmason\.dev\/[a-z0-9]+",\s*"kind": "[A-Za-z]+(?:Report|List)"/,
  // diff, check and variables as Markdown; regular expressions are kept as they stand, and the bundle is ASCII
  /^\*\*.+ \u2192 .+\*\*: \d/,
  /^No differences between /,
  /^## (?:\u2705|\u274c|\u26a0\ufe0f) stackmason check/,
  /^## [a-z0-9-]+\n\nKubernetes v\d/,
  // pages
  /^<!doctype html>[^]*<title>stackmason /,
  // SARIF, JUnit, code quality, CycloneDX, the schema of a cluster.yaml
  /^\{[^]*"driver": \{\s*"name": "stackmason"/,
  /^<\?xml [^>]*\?>\s*<testsuites name="stackmason check/,
  /^\[(?:\]|\s*\{\s*"description": "[^\n]*\n\s*"check_name": "[A-Z_]+",\s*"fingerprint": )/,
  /^\{[^]*"bom-ref": "tool:stackmason"/,
  /^\{[^]*"description": "A Cluster,[^\n]* Written by `stackmason variables /,
]

/** True for the text of a file that a report may take the place of: one that an earlier run wrote, or nothing. */
export function looksLikeReport(text: string): boolean {
  if (text.trim() === '') return true
  const beginning = text.slice(0, BEGINNING)
  if (marks.some((mark) => mark.test(beginning))) return true
  const lines = text.split('\n', LINES).filter((line) => line !== '')
  return lines.every(isWorkflowCommand) || lines.every(isImage)
}

/** As the form for GitHub Actions has them. */
function isWorkflowCommand(line: string): boolean {
  return /^::(?:error|warning|notice) [^:]*::/.test(line)
}

/** As the list of containers has them: each with a registry, and a tag or digest. */
function isImage(line: string): boolean {
  return /^[a-z0-9.-]+(?::\d+)?\/[\w./-]+[:@][\w.:-]+$/.test(line)
}
