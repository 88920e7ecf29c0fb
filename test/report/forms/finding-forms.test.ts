import { describe, expect, test } from 'vitest'
import { describeFinding } from '../../../src/report/describe-finding.ts'
import { findingForms } from '../../../src/report/forms/finding-forms.ts'
import type { FindingList } from '../../../src/report/forms/finding-list.ts'
import { createShortenPath } from '../../../src/report/shorten-path.ts'
import type { Diagnostic, FindingSubject } from '../../../src/model/diagnostic.ts'
import { type Code, errorCodes } from '../../../src/model/error-codes.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const source = { name: '/fleet/team/a,b:c.yaml', text: 'kind: Cluster\nname: web\n' }
const shorten = createShortenPath('/fleet')

function described(finding: Diagnostic, about: readonly FindingSubject[] = []): FindingList['findings'][number] {
  return describeFinding({ finding, about }, shorten)
}

const error = described(
  {
    code: 'CLASS_VARIABLE_UNKNOWN',
    severity: 'error',
    message: 'the class has no variable "<100%> @all #1 `x` *y*"',
    at: { source, start: 14, end: 18 },
    hint: 'Remove it: it does nothing.',
    trace: [{ what: 'in the class', at: { source, start: 0, end: 4 } }],
  },
  [{ cluster: 'team/one' }, { cluster: 'team/two', addon: 'cni' }],
)
const warning = described({
  code: 'API_VERSION_UNDECLARED',
  severity: 'warning',
  message: 'a line\nand another, with \u0000, \u001b[31m and ]]>',
  file: '/elsewhere/b c.yaml',
  hint: '- Look at it.',
})
const note = described({ code: 'ACKNOWLEDGEMENT_UNUSED', severity: 'note', message: 'only counted', hint: 'Nothing.' })
const accepted = described({
  code: 'CLASS_VARIABLE_MISSING',
  severity: 'warning',
  message: 'accepted',
  hint: 'Set it.',
  acknowledgement: {
    code: 'CLASS_VARIABLE_MISSING',
    reason: 'it will come',
    until: '2027-03-31',
    at: { source, start: 0, end: 4 },
  },
})

const list: FindingList = {
  version: '1.2.3',
  title: 'lab',
  isPassed: false,
  exceptions: { added: [] },
  findings: [warning, error, error, note, accepted],
  rules: [
    { code: 'CLASS_VARIABLE_UNKNOWN', severity: 'error', summary: 'A variable is unknown.', advice: 'Remove it.' },
    { code: 'CLASS_VARIABLE_MISSING', severity: 'error', summary: 'A variable is missing.', advice: 'Set it.' },
  ],
  file: 'stackmason.yaml',
  crypto: createNodePorts().crypto,
  mask: (text) => text,
}
const empty: FindingList = { ...list, isPassed: true, findings: [] }

const page = (code: Code): string => `https://stackmason.dev/docs/06-errors.html#${code.toLowerCase()}`

function shown(form: string, of: FindingList = list): string {
  return findingForms.get(form)?.(of) ?? ''
}

describe('findings as', () => {
  test('workflow commands of GitHub: errors first, notes and acknowledged ones not', () => {
    const lines = shown('github').split('\n')
    const first =
      '::error file=team/a%2Cb%3Ac.yaml,line=2,col=1,title=CLASS_VARIABLE_UNKNOWN::the class has no variable "<100%25> @all #1 `x` *y*" (clusters team/one, team/two; addon cni)%0ARemove it: it does nothing.'
    expect(lines).toEqual([
      first,
      first,
      String.raw`::warning file=/elsewhere/b c.yaml,title=API_VERSION_UNDECLARED::a line%0Aand another, with \x00, \x1b[31m and ]]>%0A- Look at it.`,
      '',
    ])
    expect(shown('github', empty)).toBe('')
  })

  test('JUnit: a suite for each rule, a test that passed where it found nothing', () => {
    const failure = [
      '    <testcase classname="CLASS_VARIABLE_UNKNOWN" name="the class has no variable &quot;&lt;100%&gt; @all #1 `x` *y*&quot; at team/a,b:c.yaml:2:1" file="team/a,b:c.yaml" line="2">',
      '      <failure type="error" message="the class has no variable &quot;&lt;100%&gt; @all #1 `x` *y*&quot;">team/a,b:c.yaml:2:1&#10;the class has no variable &quot;&lt;100%&gt; @all #1 `x` *y*&quot;&#10;About: clusters team/one, team/two; addon cni&#10;Remove it: it does nothing.&#10;See docs/06-errors.md#class_variable_unknown.</failure>',
      '    </testcase>',
    ]
    expect(shown('junit').split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="stackmason check of lab" tests="4" failures="3" errors="0">',
      '  <testsuite name="CLASS_VARIABLE_UNKNOWN" tests="2" failures="2">',
      ...failure,
      ...failure,
      '  </testsuite>',
      '  <testsuite name="CLASS_VARIABLE_MISSING" tests="1" failures="0">',
      '    <testcase classname="CLASS_VARIABLE_MISSING" name="nothing found"/>',
      '  </testsuite>',
      '  <testsuite name="API_VERSION_UNDECLARED" tests="1" failures="1">',
      String.raw`    <testcase classname="API_VERSION_UNDECLARED" name="a line&#10;and another, with \x00, \x1b[31m and ]]&gt; at /elsewhere/b c.yaml" file="/elsewhere/b c.yaml">`,
      String.raw`      <failure type="warning" message="a line&#10;and another, with \x00, \x1b[31m and ]]&gt;">/elsewhere/b c.yaml&#10;a line&#10;and another, with \x00, \x1b[31m and ]]&gt;&#10;- Look at it.&#10;See docs/06-errors.md#api_version_undeclared.</failure>`,
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ])
  })

  test('SARIF: rules, errors first, acknowledged ones suppressed, equal ones told apart', () => {
    const [run] = JSON.parse(shown('sarif')).runs
    expect(run.tool.driver).toEqual({
      name: 'stackmason',
      semanticVersion: '1.2.3',
      rules: [
        {
          id: 'CLASS_VARIABLE_UNKNOWN',
          shortDescription: { text: 'A variable is unknown.' },
          helpUri: page('CLASS_VARIABLE_UNKNOWN'),
          help: {
            text: `Remove it.\n${page('CLASS_VARIABLE_UNKNOWN')}`,
            markdown: String.raw`Remove it.${'\n\n'}[CLASS\_VARIABLE\_UNKNOWN](${page('CLASS_VARIABLE_UNKNOWN')})`,
          },
          defaultConfiguration: { level: 'error' },
        },
        {
          id: 'CLASS_VARIABLE_MISSING',
          shortDescription: { text: 'A variable is missing.' },
          helpUri: page('CLASS_VARIABLE_MISSING'),
          help: {
            text: `Set it.\n${page('CLASS_VARIABLE_MISSING')}`,
            markdown: String.raw`Set it.${'\n\n'}[CLASS\_VARIABLE\_MISSING](${page('CLASS_VARIABLE_MISSING')})`,
          },
          defaultConfiguration: { level: 'error' },
        },
        {
          id: 'API_VERSION_UNDECLARED',
          shortDescription: { text: errorCodes.API_VERSION_UNDECLARED.summary },
          helpUri: page('API_VERSION_UNDECLARED'),
          help: {
            text: `${errorCodes.API_VERSION_UNDECLARED.fix}\n${page('API_VERSION_UNDECLARED')}`,
            markdown: expect.stringContaining(
              String.raw`[API\_VERSION\_UNDECLARED](${page('API_VERSION_UNDECLARED')})`,
            ),
          },
        },
        expect.objectContaining({ id: 'ACKNOWLEDGEMENT_UNUSED', helpUri: page('ACKNOWLEDGEMENT_UNUSED') }),
      ],
    })
    expect(run.results.map(({ ruleId }: { readonly ruleId: string }) => ruleId)).toEqual([
      'CLASS_VARIABLE_UNKNOWN',
      'CLASS_VARIABLE_UNKNOWN',
      'API_VERSION_UNDECLARED',
      'CLASS_VARIABLE_MISSING',
      'ACKNOWLEDGEMENT_UNUSED',
    ])
    const [one, two, third, fourth] = run.results
    expect(one).toEqual({
      ruleId: 'CLASS_VARIABLE_UNKNOWN',
      ruleIndex: 0,
      level: 'error',
      message: {
        text: 'the class has no variable "<100%> @all #1 `x` *y*" (clusters team/one, team/two; addon cni)\nRemove it: it does nothing.',
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'team/a%2Cb%3Ac.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: 2, startColumn: 1 },
          },
        },
      ],
      relatedLocations: [
        {
          id: 1,
          message: { text: 'in the class' },
          physicalLocation: {
            artifactLocation: { uri: 'team/a%2Cb%3Ac.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: 1, startColumn: 1 },
          },
        },
      ],
      partialFingerprints: { 'stackmason/v1': expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(two.partialFingerprints).not.toEqual(one.partialFingerprints)
    expect(third.locations[0].physicalLocation).toEqual({ artifactLocation: { uri: 'file:///elsewhere/b%20c.yaml' } })
    expect(fourth.suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'it will come (until 2027-03-31)' },
    ])
  })

  test('code quality of GitLab: a place for each, fingerprints that are not equal', () => {
    const issues: readonly { readonly fingerprint: string }[] = JSON.parse(shown('code-quality'))
    expect(issues.map((issue) => ({ ...issue, fingerprint: '' }))).toEqual([
      {
        description: String.raw`a line` + '\nand another, with \u0000, \u001b[31m and ]]>: - Look at it.',
        check_name: 'API_VERSION_UNDECLARED',
        fingerprint: '',
        severity: 'minor',
        location: { path: '/elsewhere/b c.yaml', lines: { begin: 1 } },
      },
      ...['', ''].map(() => ({
        description:
          'the class has no variable "<100%> @all #1 `x` *y*" (clusters team/one, team/two; addon cni): Remove it: it does nothing.',
        check_name: 'CLASS_VARIABLE_UNKNOWN',
        fingerprint: '',
        severity: 'critical',
        location: { path: 'team/a,b:c.yaml', lines: { begin: 2 } },
      })),
      {
        description: 'only counted: Nothing.',
        check_name: 'ACKNOWLEDGEMENT_UNUSED',
        fingerprint: '',
        severity: 'info',
        location: { path: 'stackmason.yaml', lines: { begin: 1 } },
      },
    ])
    expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length)
  })

  test('fingerprints that stay when a line moves or a cluster joins', () => {
    const moved = described(
      {
        code: 'CLASS_VARIABLE_UNKNOWN',
        severity: 'error',
        message: error.message,
        at: { source, start: 0, end: 4 },
      },
      [{ cluster: 'team/three' }],
    )
    const prints = [error, moved].map((finding) => {
      const [issue] = JSON.parse(shown('code-quality', { ...list, findings: [finding] }))
      return issue.fingerprint
    })
    expect(prints[0]).toBe(prints[1])
  })

  test('Markdown: nothing of a message is markup, warnings are folded away', () => {
    const entry =
      String.raw`- **[CLASS\_VARIABLE\_UNKNOWN](${page('CLASS_VARIABLE_UNKNOWN')})** the class has no variable "&lt;100%&gt; &#64;&#8203;all &#35;&#8203;1 \`x\` \*y\*"` +
      ' — `team/a,b:c.yaml:2:1`<br>About clusters team/one, team/two; addon cni.<br>Remove it: it does nothing.'
    expect(shown('markdown').split('\n')).toEqual([
      '## ❌ stackmason check of lab: failed',
      '',
      '2 errors, 1 warning, 1 note, 1 acknowledged in the fleet.',
      '',
      '### Errors (2)',
      '',
      entry,
      entry,
      '',
      '<details><summary>Warnings (1)</summary>',
      '',
      String.raw`- **[API\_VERSION\_UNDECLARED](${page('API_VERSION_UNDECLARED')})** a line<br>and another, with \\x00, \\x1b\[31m and \]\]&gt; — ` +
        String.raw`${'`/elsewhere/b c.yaml`'}<br>\- Look at it.`,
      '',
      '</details>',
      '',
    ])
    expect(shown('markdown', empty)).toBe('## ✅ stackmason check of lab: passed\n\nNothing found.\n')
  })

  test('Markdown that is no longer than a comment may be, and counts the rest', () => {
    const many = { ...list, findings: Array.from({ length: 1000 }, () => error) }
    const text = shown('markdown', many)
    expect(text.length).toBeLessThan(65_536)
    expect(text).toContain('### Errors (1000)')
    const listed = text.split('\n').filter((line) => line.startsWith('- **')).length
    expect(text).toContain(`- … and ${String(1000 - listed)} more findings: \`stackmason check\` lists all`)
  })

  test('a page: by rule, each with its line; what is accepted last', () => {
    const text = shown('html')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/> | (?=<)/g, (run) => run.trim())
    const finding = [
      '<li data-entry data-clusters="0-1"><p class="message">the class has no variable &quot;&lt;100%&gt; @all #1 `x` *y*&quot;</p>',
      '<p><code>team/a,b:c.yaml:2:1</code></p>',
      '<pre class="excerpt"><span class="number">2 |</span><mark>name</mark>: web</pre>',
      '<ul class="trace meta"><li>in in the class at<code>team/a,b:c.yaml:1:1</code></li></ul>',
      '<p class="meta">clusters team/one, team/two; addon cni</p></li>',
    ].join('')
    const entry = [
      '<details class="entry" data-part open><summary><h3>CLASS_VARIABLE_UNKNOWN</h3>',
      '<span class="meta">2 &middot; A variable is unknown.</span></summary>',
      '<div class="body"><p class="hint">Remove it: it does nothing.</p>',
      `<ul class="findings">${finding}${finding}</ul></div></details>`,
    ].join('')
    expect(text).toContain(`<h2 id="errors-title">Errors<span class="count">2</span></h2>${entry}</section>`)
    expect(text).toContain(
      '<p class="sum"><span class="badge danger">failed</span>2 errors, 1 warning, 1 note, 1 acknowledged</p>',
    )
    expect([...text.matchAll(/<h2 id="(\w+)-title"/g)].map(([, id]) => id)).toEqual([
      'errors',
      'warnings',
      'notes',
      'acknowledged',
    ])
    expect(text).toContain('<p class="meta">Acknowledged until 2027-03-31: it will come</p>')
    expect(text).toContain(String.raw`<p class="message">a line<br />and another, with \x00, \x1b[31m and ]]&gt;</p>`)
    expect(shown('html', empty)).toContain('Nothing found.')
  })

  test('a page counts what is too much, and hides the marks of a line that a mask changes', () => {
    const many = { ...list, findings: Array.from({ length: 230 }, () => error) }
    const text = shown('html', many)
    expect(text.match(/<li data-entry/g)).toHaveLength(200)
    expect(text).toContain('&hellip; and 30 more findings: <code>stackmason check -o json</code> has all.')
    const masked = shown('html', { ...list, mask: (line) => line.replaceAll('e: w', '***') })
    expect(masked).toContain('<span class="number">2 | </span>nam***eb</pre>')
  })
})
